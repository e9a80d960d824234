"""What a host takes in counts once, what it refuses is set aside, and time moves when something is due."""

import asyncio
from pathlib import Path

import pytest
from msgspec.msgpack import Ext

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.sqlite import SqliteStore
from blackboard.store import MemoryStore
from bus import names
from bus.memory import MemoryBus
from bus.messages import (
    AnyObservation,
    Confirm,
    Counted,
    Deposit,
    EndRound,
    Stats,
    Tick,
    decode_post,
    encode,
)
from tests.blackboard.hosting import CAT, ask, host, killed, post, state


async def test_duplicates_count_once() -> None:
    """A post that arrives again, in the same batch or after a kill, changes nothing."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service:
        await asyncio.gather(*(bus.publish("board", "finance", post(1, CAT)) for _ in range(3)))
        await bus.publish("board", "finance", post(2, Confirm("0" * 32)))
        was = state(service)
        image = killed(store)
    bus = MemoryBus(ManualClock().now)
    async with host(image, bus=bus) as service:
        await bus.publish("board", "finance", post(1, CAT))
        assert state(service) == was
        assert len(await image.journal(0)) == 2


async def test_dead_letters() -> None:
    """Each kind of bad input is set aside with its reason, and what comes behind it is applied."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus):
        bad_ones: tuple[AnyObservation, ...] = (
            Deposit("x", strength=-1.0), Deposit("x", strength=float("nan")), Deposit("x", kind="nonsense"), Confirm("1" * 32),
            Deposit(" "), Tick(),
        )  # fmt: skip
        for number, bad in enumerate(bad_ones, 1):
            await bus.publish("board", "mallory", post(number, bad))
        await bus.publish("board", "mallory", b"\xff")
        await bus.publish("board", "mallory", post(9, CAT))
        await bus.publish("board", "mallory", post(7, CAT))
        reply = await ask(bus, "mallory", Stats(), epoch="e", seq=7)
        assert isinstance(reply, Counted)
        assert reply.stats.items == 1
        letters = (await store.dead_letters())[::-1]
    assert [letter.code for letter in letters] == [
        "BadValue", "BadValue", "UnknownKind", "NotInView", "BadValue", "NotYours", "BadMessage", "OutOfOrder",
    ]  # fmt: skip
    assert "strength -1.0" in letters[0].error
    assert letters[0].head == b'[{"type":"deposit","content":"x","strength":-1.0}]'


PILLS = {
    "a key that is no text": encode({"epoch": "e", "seq": 1, "units": [[{"type": "deposit", "content": "x", "meta": {"a": {None: 1}}}]]}),
    "a type of MessagePack's own": encode({"epoch": "e", "seq": 1, "units": [[{"type": "deposit", "content": "x", "value": Ext(5, b"")}]]}),
    "a number beyond a database's": encode({"epoch": "e", "seq": 2**63, "units": []}),
}


@pytest.mark.parametrize("pill", PILLS.values(), ids=PILLS)
async def test_what_neither_json_nor_sql_can_hold_stops_nobody(pill: bytes, tmp_path: Path) -> None:
    """A message that can be read, but neither shown nor stored as it is, becomes a dead letter like any other."""
    store, bus = SqliteStore(tmp_path / "board.db"), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
        await bus.publish("board", "mallory", pill)
        await finance.deposit("the cat is called Doudou")
        assert (await finance.stats()).items == 1
        assert [letter.agent for letter in await store.dead_letters()] == ["mallory"]


async def test_fifty_writers() -> None:
    """Fifty writers at once: every reinforcement counts once, each writer's in its order."""
    bus = MemoryBus(ManualClock().now)
    store = MemoryStore()
    async with host(store, bus=bus), Board(bus, "board", "owner") as owner:
        item = await owner.deposit("counted", scope="shared", strength=1.0)

        async def write(number: int) -> None:
            async with Board(bus, "board", f"writer-{number}") as board, asyncio.TaskGroup() as tasks:
                for step in range(20):
                    tasks.create_task(board.reinforce(item, 0.25 + step))

        async with asyncio.TaskGroup() as tasks:
            for number in range(50):
                tasks.create_task(write(number))
        assert (await owner.get(item)).strength == 1.0 + 50 * sum(0.25 + step for step in range(20))
    steps: dict[str, list[float]] = {}
    for message in await store.journal(1):
        for (observation,) in decode_post(message.data).units:
            steps.setdefault(message.agent, []).append(observation.delta)  # type: ignore[union-attr]
    assert all(given == [0.25 + step for step in range(20)] for given in steps.values())
    assert len(steps) == 50


async def test_archived_items_are_kept() -> None:
    """What its kind archives is in the archive table, a private item too."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
        shared = await finance.deposit("soon gone", kind="fact", strength=1.01, scope="shared")
        own = await finance.deposit("soon gone, too", kind="preference", strength=1.01)
        for _ in range(5):
            await finance.end_round()
        await finance.stats()
    for ordinal, item in enumerate((shared, own)):
        assert item.content.encode() in store.said([ordinal])[ordinal]


# ---- time -------------------------------------------------------------------------------------------------------------------------------


async def test_ticks_come_when_something_is_due() -> None:
    """On a wall-clock board the host ticks when something is due, and not otherwise; a replay has the same ticks."""
    clock, store = ManualClock(1_000.0), MemoryStore()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock, time="wall") as service, Board(bus, "board", "finance") as finance:
        item = await finance.deposit("a coupon", expires_at=1_100.0)
        clock.advance(50.0)
        await finance.stats()
        assert len(await store.journal(0)) == 1
        clock.advance(50.0)
        await service.caught_up()
        assert (await finance.get(item)).status == "expired"
    ticks = (await store.journal(0))[1:]
    assert {message.agent for message in ticks} == {names.HOST}
    assert all(decode_post(message.data).units == ((Tick(),),) for message in ticks)


async def test_rounds_need_no_ticks() -> None:
    """A board of rounds has no ticks: time moves with ``EndRound`` alone."""
    store, clock = MemoryStore(), ManualClock()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock):
        await bus.publish("board", "finance", post(1, CAT))
        clock.advance(10**6)
        await bus.publish("board", "finance", post(2, EndRound(0)))
    assert [message.agent for message in await store.journal(0)] == ["finance", "finance"]
