"""What is no message stops nobody: it is set aside and counted, and what comes between is applied to the bit."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blackboard import questions
from blackboard.client import Board
from blackboard.clock import ManualClock, SystemClock
from blackboard.intake import MAX_EPOCH, MAX_EPOCHS
from blackboard.service import Service
from blackboard.sqlite import SqliteStore
from blackboard.store import MAX_DEAD_LETTERS, MemoryStore, Store
from bus.errors import BadMessage
from bus.memory import MemoryBus
from bus.messages import Failed, Post, Reinforce, decode_answer, decode_post, encode, number_of
from bus.nats import NatsBus
from bus.port import Bus
from bus.server import running_server
from tests.blackboard.hosting import host
from tests.blackboard.malformed import ask, damaged, envelopes, post

BETWEEN = 20
"""Messages between two that are none."""
AT_ONCE = 64


async def campaign(bus: Bus, store: Store, service: Service, count: int, *, seed: int) -> None:
    """Send so many damaged messages of mallory's, with finance's between them, and hold what became of them to what they are."""
    rng = random.Random(seed)
    async with Board(bus, "board", "finance") as finance:
        item = await finance.deposit("counted", strength=1.0)
        expected: Counter[str] = Counter()
        posts, total, sent = 0, 1.0, list[asyncio.Task[int]]()
        stream, marks = damaged(rng, post), dict[str, int]()
        for _ in range(0, count, AT_ONCE):
            async with asyncio.TaskGroup() as tasks:
                for data in islice(stream, AT_ONCE):
                    expected[_found(data, marks)] += 1
                    sent.append(tasks.create_task(bus.publish("board", "mallory", data)))
                for _ in range(AT_ONCE // BETWEEN):
                    posts += 1
                    total += (delta := rng.randint(1, 8) / 8)
                    between = encode(Post("between", posts, ((Reinforce(item.id, delta),),)))
                    sent.append(tasks.create_task(bus.publish("board", "finance", between)))
        last = max(each.result() for each in sent)
        await service._progress.until(lambda: service._progress.cursor >= last)
        assert (await finance.get(item)).strength == total
        await finance.wait_applied()
    assert service._progress.has("finance", "between", posts)
    counted = await store.set_aside()
    assert counted["BadMessage"] == expected["BadMessage"]
    assert counted.get("OutOfOrder", 0) == expected["OutOfOrder"]
    assert len(await store.dead_letters(10**6)) <= MAX_DEAD_LETTERS
    applied, after = 0, 0
    while entries := await store.journal(after):
        applied += sum(each.agent == "mallory" for each in entries)
        after = entries[-1].seq
    assert applied == expected["applied"]
    assert expected["BadMessage"] > count / 2


def _found(data: bytes, marks: dict[str, int]) -> str:
    """What a message is to a board that has heard of these epochs of its agent."""
    epoch, number, _ = number_of(data)
    named = 0 < len(epoch) <= MAX_EPOCH and number >= 1
    if named:
        mark = marks.get(epoch, 0)
        if number != mark + 1:
            return "OutOfOrder" if number > mark else "repeated"
        marks.pop(epoch, None)
        marks[epoch] = number
        if len(marks) > MAX_EPOCHS:
            del marks[next(iter(marks))]
    try:
        decode_post(data)
    except BadMessage:
        return "BadMessage"
    return "applied" if named else "BadMessage"


@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=[pytest.mark.chaos, pytest.mark.timeout(600)])])
async def test_damaged_messages(count: int, tmp_path: Path) -> None:
    """Bit flips, truncation, splices, other types, huge numbers, deep nesting, NaN, what is no Unicode, versions to come."""
    bus, store = MemoryBus(ManualClock().now), SqliteStore(tmp_path / "board.db")
    async with host(store, bus=bus) as service:
        await campaign(bus, store, service, count, seed=4)


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=[pytest.mark.chaos, pytest.mark.timeout(600)])])
async def test_damaged_messages_over_nats(count: int, tmp_path: Path) -> None:
    """The same through a real server."""
    async with running_server(tmp_path / "nats") as server:
        bus, store = await NatsBus.connect(server.url), SqliteStore(tmp_path / "board.db")
        try:
            async with Service("board", bus, store, SystemClock(), settings={"rate": None}) as service:
                await campaign(bus, store, service, count, seed=5)
        finally:
            await bus.aclose()


@given(st.lists(envelopes, max_size=30))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_envelopes_with_anything_in_them(messages: list[bytes]) -> None:
    """Whatever stands where something else belongs, the board goes on, and comes back from its journal as it was."""

    async def run() -> None:
        bus, store = MemoryBus(ManualClock().now), MemoryStore()
        async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
            item = await finance.deposit("counted", strength=1.0)
            await asyncio.gather(*(bus.publish("board", "mallory", data) for data in messages))
            await finance.reinforce(item, 1.0)
            strength = (await finance.get(item)).strength
        bus = MemoryBus(ManualClock().now)
        async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
            assert (await finance.get(item)).strength == strength

    asyncio.run(run())


@pytest.fixture
async def asked() -> AsyncIterator[MemoryBus]:
    bus = MemoryBus(ManualClock().now)
    async with host(MemoryStore(), bus=bus), Board(bus, "board", "finance") as finance:
        await finance.deposit("a note", key="price", value=3, scope="shared")
        await finance.wait_applied()
        yield bus


@pytest.mark.parametrize("count", [3_000, pytest.param(30_000, marks=[pytest.mark.chaos, pytest.mark.timeout(600)])])
async def test_damaged_questions(asked: MemoryBus, count: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Each is answered, if only with what is wrong with it; none makes the board fail."""
    monkeypatch.setattr(questions, "WAIT", 0.01)
    stream = damaged(random.Random(6), ask)
    codes: Counter[str] = Counter()
    for _ in range(0, count, AT_ONCE):
        for answer in await asyncio.gather(*(asked.ask("board", "mallory", data) for data in islice(stream, AT_ONCE))):
            reply = decode_answer(answer).reply
            codes[reply.code if isinstance(reply, Failed) else "answered"] += 1
    assert codes["BadMessage"] > count / 3
    assert "BlackboardError" not in codes, caplog.text
