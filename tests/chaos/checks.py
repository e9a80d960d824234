"""What must be true after a run: hosts, agents and subscribers agree with what the log gives, and that with a naive recomputation."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from math import inf, isclose
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from blackboard.archive import Archive
from blackboard.board import Board
from blackboard.replaying import verify
from blackboard.sqlite import recorded
from blackboard.sqlite.looking import reading
from bus import names
from bus.chain import events_of
from bus.jetstream import events_stream
from bus.messages import Change, Events, Signal, decode_events, encode
from bus.nats import NatsBus
from bus.port import Log, LogMessage
from bus.reader import NatsLog
from tests.chaos.naive import Naive
from tests.chaos.records import Accepted, AnyLine, Failed, Heard, Said, read
from tests.chaos.scribe import Truth

SHOWN = 3
"""So many examples of one fault are told."""
READ_WITHIN = 30.0
"""Seconds between two batches of a stream."""


class Checked(Struct):
    """What was looked at, and what was wrong with it."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def expect(self, faults: Iterable[str], claim: str) -> None:
        """There should be none of these, else ``claim`` does not hold."""
        found = list(faults)
        if found:
            more = f" … and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
            self.findings.append(f"not true: {claim}: {'; '.join(found[:SHOWN])}{more}")


async def messages_of(log: Log, begins: int) -> list[LogMessage]:
    """All that a log holds behind an entry."""
    found: list[LogMessage] = []
    while log.end > begins and (not found or found[-1].seq < log.end):
        async with asyncio.timeout(READ_WITHIN):
            found += await log.read(512)
    await log.aclose()
    return found


async def check(
    truth: Truth, bus: NatsBus, databases: dict[str, Path], agents: dict[str, Path], subscribers: dict[str, tuple[str, Path]]
) -> Checked:
    """Hold everything about one board to its log. ``databases``: host → file; ``subscribers``: name → (its agent, record)."""
    checked, name = Checked(), truth.board.config.name
    checked.counts["entries of the logs"] += len(truth.journal) + truth.again
    checked.counts["posts that came twice"] += truth.again
    checked.counts["observations applied"] += sum(len(unit) for _, unit in truth.units)
    checked.expect(truth.faults, "nothing that was said is refused or set aside")
    for agent, path in agents.items():
        check_agent(agent, path, truth, checked)
    check_strengths(name, truth, checked)
    for subscriber, (agent, path) in subscribers.items():
        check_subscriber(subscriber, agent, path, truth, checked)
    await check_told(name, bus, truth, checked)
    pages = truth.board.spelt_out()
    for host, path in databases.items():
        check_host(host, path, truth, pages, checked)
    return checked


def check_agent(agent: str, path: Path, truth: Truth, checked: Checked) -> None:
    """What was accepted counts once, what was under way at most once, nothing else, and all in the order in which it was said."""
    lines = read(path, AnyLine)
    said = {line.n: line.unit for line in lines if isinstance(line, Said)}
    accepted = {line.n for line in lines if isinstance(line, Accepted)}
    failed = [f"{agent}'s unit {line.n}: {line.error}" for line in lines if isinstance(line, Failed)]
    number = {encode(unit): n for n, unit in said.items()}
    applied = [encode(unit) for by, unit in truth.units if by == agent]
    times = Counter(applied)
    checked.counts["observations accepted"] += sum(len(said[n]) for n in accepted)
    checked.counts["units accepted"] += len(accepted)
    checked.counts["units under way at a kill"] += len(said) - len(accepted)
    checked.counts["of those, applied"] += sum(1 for n, unit in said.items() if n not in accepted and encode(unit) in times)
    checked.expect(failed, "no verb raises")
    checked.expect((f"{agent}'s unit {n}: {said[n]}" for n in accepted if encode(said[n]) not in times), "what was accepted is applied")
    checked.expect((f"{agent}: {times[unit]} times {unit!r}" for unit in times if times[unit] > 1), "nothing is applied twice")
    checked.expect((f"{agent}: {unit!r}" for unit in times if unit not in number), "nothing is applied that was not said")
    order = [number[unit] for unit in applied if unit in number]
    checked.expect((f"{agent}: {b} after {a}" for a, b in pairwise(order) if b < a), "an agent's units keep their order")


def check_strengths(name: str, truth: Truth, checked: Checked) -> None:
    """Strengths and contributions are those of a naive recomputation: of what does not fade exactly, else to 1e-9."""
    naive = Naive(name)
    for agent, unit in truth.units:
        naive.say(agent, unit)
    items = {item.id: item for item in truth.board.document().items}
    faults = []
    for item_id, expected in naive.items.items():
        item = items[item_id]
        if expected.policy.rate and truth.board.config.time == "wall":  # how much it has faded only the log's stamps say
            continue
        exactly = expected.policy.rate == 0
        checked.counts["strengths computed anew"] += 1
        if not _equal(item.strength, expected.strength, exactly):
            faults.append(f"{item.content}: {item.strength!r}, not {expected.strength!r}")
        for share in item.contributions:
            key = item_id, share.agent, share.cause
            if share.count != naive.counts.pop(key, 0) or not _equal(share.amount, naive.amounts[key], exactly):
                faults.append(f"{item.content}: {share}, not {naive.amounts[key]!r}")
        missing = {key: count for key, count in naive.counts.items() if key[0] == item_id}
        faults += [f"{item.content}: {agent} {cause} {count} times, and none is there" for (_, agent, cause), count in missing.items()]
    checked.expect(faults, "counts and sums are those of what was said")


def _equal(one: float, other: float, exactly: bool) -> bool:
    return one == other if exactly else isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def things_of(events: Events) -> tuple[Change | Signal, ...]:
    """What a subscriber is given of them, in its order."""
    return (*events.changes, *events.signals)


def check_subscriber(subscriber: str, agent: str, path: Path, truth: Truth, checked: Checked) -> None:
    """It was given all changes and signals of its audiences, each once and in order, and stands at the end."""
    events = {names.SHARED: truth.events[names.SHARED], names.PRIVATE: truth.events[names.private(agent)]}
    at = dict.fromkeys(events, 0)
    faults = []
    for heard in read(path, Heard):
        to = {audience: int(n) for audience, n in (part.split("=") for part in heard.position.split(" "))}
        passed = [event for audience in events for event in events[audience][at[audience] : to[audience]]]
        expected = tuple(thing for event in passed for thing in things_of(event))
        if heard.things != expected:
            faults.append(f"{subscriber} between {at} and {to}: {heard.things}, not {expected}")
        checked.counts["changes and signals heard"] += len(heard.things)
        checked.counts["signals among them"] += sum(isinstance(thing, Signal) for thing in heard.things)
        at = to
    end = {audience: len(each) for audience, each in events.items()}
    if at != end:
        faults.append(f"{subscriber} stands at {at}, not {end}")
    checked.expect(faults, "no change and no signal is lost or doubled for a subscriber")


async def check_told(name: str, bus: NatsBus, truth: Truth, checked: Checked) -> None:
    """The stream of events holds those of each audience since it was last cut, numbered without a gap, each once."""
    stream = events_stream(name)
    made = await bus._connection.api(f"STREAM.INFO.{stream}", {})
    cut = int(made["state"]["first_seq"]) - 1
    log = NatsLog(bus._connection, stream, made["created"], "", cut)
    await log.attach(patience=READ_WITHIN)
    told: defaultdict[str, list[bytes]] = defaultdict(list)
    for message in await messages_of(log, cut):
        audience = message.agent if message.agent == names.SHARED else names.private(message.agent)
        told[audience] += events_of(message.data)
    faults = []
    for audience in told.keys() | truth.events.keys():
        expected = [encode(each) for each in truth.events[audience]]
        here = told[audience]
        if here != expected[len(expected) - len(here) :] or (not cut and len(here) != len(expected)):
            faults.append(f"{audience}: numbers {_numbers(here)} of {len(expected)}")
    checked.counts["events told"] += sum(map(len, told.values()))
    checked.expect(faults, "the stream of events tells each once")


def _numbers(events: list[bytes]) -> str:
    """As ranges."""
    ranges: list[list[int]] = []
    for n in [decode_events(each).n for each in events]:
        if ranges and n == ranges[-1][1] + 1:
            ranges[-1][1] = n
        else:
            ranges.append([n, n])
    return ", ".join(f"{first}–{last}" for first, last in ranges[:10])


def check_host(host: str, path: Path, truth: Truth, pages: dict[str, bytes], checked: Checked) -> None:
    """A host's files hold the board that the log gives: journal, events, state, from its last cut on; and its journal gives its state."""
    with recorded(path) as record:
        rows = [(message.seq, message.agent, message.data) for message in record.entries()]
        state = Board.restore(truth.board.config, record.state, None, Archive(record)).spelt_out() if record.state else {}
        begins, checkpoint, cursor = record.begins, record.checkpoint, record.cursor
    checked.expect([f"{host}: {checkpoint} of {cursor}"] if checkpoint != cursor else [], "a host that was ended stands at its cursor")
    journal = [(message.seq, message.agent, message.data) for message in truth.journal if message.seq > begins]
    checked.expect([f"{host}: {len(rows)} entries of {len(journal)}"] if rows != journal else [], "a host's journal is the log")
    differ = [name for name in pages.keys() | state.keys() if pages.get(name) != state.get(name)]
    checked.expect((f"{host}: page {name}" for name in differ), "a host's state is what the log gives from nothing")
    with reading(path) as db:
        events: list[Any] = db.execute("SELECT audience, n, data FROM events ORDER BY audience, n").fetchall()
    first = {audience: n for audience, n, _ in reversed(events)} if begins else {}
    expected = [
        (audience, each.n, encode(each))
        for audience in sorted(truth.events)
        for each in truth.events[audience]
        if each.n >= first.get(audience, inf if begins else 0)
    ]
    checked.expect([f"{host}: {len(events)} of {len(expected)}"] if events != expected else [], "a host's events are the log's")
    checked.expect((f"{host}: page {name}" for name in verify(path).differ), "replay --from-origin gives a host's state")
    checked.counts["hosts compared, to the byte"] += 1
    checked.counts["of those, begun behind a cut"] += begins > 0
