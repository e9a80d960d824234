"""examples.procurement: the story of chapter 1, end to end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import pytest

from agents import Agent, Crew, on_change, on_signal
from blackboard.client import Board
from blackboard.errors import NotInView
from blackboard.testing import ManualClock, running_board
from bus.memory import MemoryBus
from bus.messages import Change, Signal
from examples.procurement import ROUNDS, agents
from tests.agents.cli.commands import ROOT, pheroboard

STORY = """\
round 3
    procurement  reinforces The supplier's price is the basis of the budget  [fact 4.00 → 5.00]
  ▲ RISING       The supplier's price is the basis of the budget  (jump, by procurement)
    finance      publishes  Projected spend: 52,000 CNY  [fact 0.00 → 4.00]
  ✗ VIOLATED     Projected spend: 52,000 CNY  (breaks budget <= 50000 CNY: finance says 52,000)
    schedule     publishes  The order waits: budget <= 50000 CNY  [state 0.00 → 2.00]
round 4
"""
FADING = """\
round 12
  ▽ FADING       Travel may cost at most 3,000 CNY  (soft: it may be relaxed)
    finance      publishes  Relaxed, since nobody has needed it for long: Travel may cost at most 3,000 CNY  [preference 0.00 → 6.00]
round 13
"""


class Historian(Agent):
    """Keeps all that everybody may see."""

    def __init__(self) -> None:
        super().__init__()
        self.signals: list[Signal] = []
        self.changes: list[Change] = []

    @on_signal(own=True)
    async def noticed(self, signal: Signal) -> None:
        self.signals.append(signal)

    @on_change()
    async def moved(self, change: Change) -> None:
        self.changes.append(change)


class Tap:
    """A bus that keeps every byte that it gives to whoever holds it: events heard, and answers."""

    def __init__(self, bus: MemoryBus) -> None:
        self._bus = bus
        self.given: list[bytes] = []
        self.publish = bus.publish
        self.open_log = bus.open_log
        self.emit = bus.emit
        self.system = bus.system
        self.cut_log = bus.cut_log
        self.cut_events = bus.cut_events
        self.told = bus.told
        self.answer = bus.answer
        self.claim = bus.claim
        self.resign = bus.resign
        self.beat = bus.beat
        self.beats = bus.beats
        self.stretch = bus.stretch
        self.put_snapshot = bus.put_snapshot
        self.snapshot = bus.snapshot
        self.drop_snapshot = bus.drop_snapshot
        self.aclose = bus.aclose

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - as the port has it
        reply = await self._bus.ask(board, agent, data, timeout=timeout)
        self.given.append(reply)
        return reply

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        async with self._bus.listen(board, audience) as events:
            yield Kept(events, self.given)


class Kept:
    """An iterator whose every item is kept, too."""

    def __init__(self, events: AsyncIterator[bytes], given: list[bytes]) -> None:
        self._events = events
        self._given = given

    def __aiter__(self) -> "Kept":
        return self

    async def __anext__(self) -> bytes:
        data = await anext(self._events)
        self._given.append(data)
        return data


async def test_the_story() -> None:
    """The jump reaches finance, finance's figure breaks the budget, the better one is contested and then agreed on, and the limits fade."""
    historian = Historian()
    async with running_board(*(agent.name for agent in agents()), "historian") as running:
        report = await Crew([historian, *agents()], lambda agent: nullcontext(running[agent]), rounds=ROUNDS).run()
        assert report.failures == ()
        told = [(signal.t, signal.signal, signal.reason, signal.key) for signal in historian.signals]
        assert told == [
            (3, "rising", "jump", "supplier_price"),
            (3, "violated", "hard", "budget"),
            (6, "contested", "", "budget"),
            (6, "rising", "jump", "budget"),
            (10, "fading", "", "budget"),
            (12, "fading", "", "travel"),
        ]
        _, violated, _, _, budget, travel = historian.signals
        assert violated.evidence.values == {"finance": 52_000}
        assert violated.evidence.rule == "budget <= 50000 CNY"
        assert not budget.evidence.relaxable
        assert travel.evidence.relaxable

        said = [(change.by, change.cause, change.key, change.old, change.new) for change in historian.changes if change.by == "procurement"]
        assert said[0] == ("procurement", "reinforce", "supplier_price", 4.0, 5.0)
        assert [change.by for change in historian.changes if change.key == "order"] == ["schedule", "schedule"]

        everybody = running["historian"]
        spends = [(item.value, item.status, sorted(item.asserters)) for item in await everybody.history("budget") if item.kind == "fact"]
        assert spends == [(52_000, "released", []), (49_500, "standing", ["finance", "procurement"])]
        [over] = await everybody.check(budget=52_000)
        assert not over.relaxable
        [travelling] = await everybody.check(travel=3_600)
        assert travelling.relaxable
        assert await everybody.check(budget=49_500) == ()


async def test_nothing_private_reaches_finance() -> None:
    """In all bytes that finance was given, by events and by answers, none is of what procurement keeps to itself."""
    bus = MemoryBus(ManualClock().now)
    tap = Tap(bus)
    async with running_board("procurement", "schedule", bus=bus) as running, Board(tap, "board", "finance") as finance:
        boards = {"procurement": running["procurement"], "schedule": running["schedule"], "finance": finance}
        await Crew(agents(), lambda agent: nullcontext(boards[agent]), rounds=ROUNDS).run()

        mine = running["procurement"]
        notes = [item for item in await mine.history("quote") if item.scope == "private"]
        assert len(notes) == 2  # the third was a trace, and is gone
        edges = [edge for note in notes for edge in await mine.edges_of(note)]
        assert edges

        # Whatever finance may ask, too.
        shared = [item for item in await mine.top(1000) if item.scope == "shared"]
        seen = await finance.top(1000)
        assert {item.id for item in seen} == {item.id for item in shared}
        for item in shared:
            await finance.edges_of(item)
            await finance.explain(item)
        for note in notes:
            with pytest.raises(NotInView, match=r"^not in your view$"):
                await finance.get(note)
        assert await finance.history("quote") == []
        assert await finance.search("Hailan confidential offer") == []
        assert await finance.experts("quote") == ()
        stats = await finance.stats()
        assert (stats.items, stats.edges) == (len(shared), 0)
        assert sum(stats.owners.values()) == len(shared)

    secrets = [note.content for note in notes] + [note.id for note in notes] + [edge.id for edge in edges]
    secrets += ["quote", "Hailan", "HL-7", "Ms Lin", "confidential", "Call"]
    everything = b"".join(tap.given)
    assert b"Projected spend: 52,000 CNY" in everything
    assert [secret for secret in secrets if secret.encode() in everything] == []


def test_as_a_person_reads_it() -> None:
    """The command tells the story as a timeline; with each agent in a process of its own it is the same one, to the letter."""
    together = pheroboard(ROOT, "run", "examples/procurement")
    assert (together.code, together.err) == (0, "")
    assert STORY in together.out
    assert FADING in together.out
    assert "travel = 3,600? breaks travel <= 3000 CNY, which may be relaxed" in together.out
    assert "procurement sees 8 items" in together.out
    assert "finance sees 7 items" in together.out
    apart = pheroboard(ROOT, "run", "examples.procurement", "--processes")
    assert (apart.code, apart.err) == (0, "")
    assert apart.out.partition("\n")[2] == together.out.partition("\n")[2]
    assert pheroboard(ROOT, "run", "examples/procurement", "--faster").code == 2
