"""Looking back at a board as it stood."""

import sqlite3
from pathlib import Path

import pytest

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.errors import BadValue
from blackboard.replaying import At, replay, verify
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.sqlite import SqliteStore
from bus.memory import MemoryBus
from bus.messages import Items, Top


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "board.db"


def strength(board: "object", at: float | None = None) -> float:
    reply = board.answer("anyone", Top(1), at=at)  # type: ignore[attr-defined]
    assert isinstance(reply, Items)
    return reply.items[0].strength if reply.items else 0.0


def then(path: Path, at: At) -> float:
    """What the strongest item was that everyone sees."""
    with replay(path, at) as past:
        return strength(past.board, past.at)


async def live(path: Path, retention: Retention | None = None, **settings: object) -> dict[str, list[float]]:
    """A board whose one item is reinforced in each of ten rounds; its strength by entry, by round (at its end) and by time (likewise)."""
    clock = ManualClock(1000.0)
    bus = MemoryBus(clock.now)
    found: dict[str, list[float]] = {"seq": [0.0], "round": [], "time": []}
    service = Service("board", bus, SqliteStore(path), clock, retention=retention, settings=settings)
    async with service, Board(bus, "board", "finance") as finance:
        item = await finance.deposit("a", scope="shared")
        found["seq"].append((await finance.get(item)).strength)
        for _ in range(10):
            await finance.reinforce(item, 1.0)
            found["seq"].append((await finance.get(item)).strength)
            if service.board.config.time == "rounds":
                found["round"].append(found["seq"][-1])
                await finance.end_round()
                found["seq"].append((await finance.get(item)).strength)
            found["time"].append((await finance.get(item)).strength)
            clock.advance(60.0)
        if retention is not None:
            await service._progress.until(lambda: service._house.base >= retention.journal_entries)
    return found


async def test_by_entry_and_round_and_time(path: Path) -> None:
    """A board is shown as it stood after an entry, as a round ended, and at a time; without any of them as it stands."""
    found = await live(path)
    for seq, was in enumerate(found["seq"]):
        assert then(path, At(seq=seq)) == was
    for number, was in enumerate(found["round"]):
        assert then(path, At(round=number)) == was
    for number, was in enumerate(found["time"]):
        assert then(path, At(time=1000.0 + 60.0 * number + 30.0)) == was
    with replay(path, At()) as now:
        assert (strength(now.board), now.entries, now.begins) == (found["seq"][-1], 21, 0)
    assert then(path, At(round=99)) == found["seq"][-1]


async def test_on_the_wall_clock(path: Path) -> None:
    """At a time, strengths are those of that time; rounds there are none."""
    await live(path, time="wall")
    assert then(path, At(time=1030.0)) == 5.0
    with pytest.raises(BadValue, match="has no rounds"):
        then(path, At(round=3))


async def test_behind_a_cut(path: Path) -> None:
    """A replay begins at the origin; what was before it is said to be cut off."""
    found = await live(path, Retention(journal_entries=8))
    with replay(path, At()) as past:
        assert past.begins >= 8
        assert strength(past.board) == found["seq"][-1]
    assert then(path, At(seq=past.begins)) == found["seq"][past.begins]
    for early in (At(seq=3), At(round=0), At(time=1000.0)):
        with pytest.raises(BadValue, match="was cut off"):
            then(path, early)


async def test_behind_a_cut_that_left_nothing(path: Path) -> None:
    """Where the journal is empty, too, what was before its beginning is said to be cut off."""
    clock = ManualClock(1000.0)
    bus = MemoryBus(clock.now)
    async with Service("board", bus, SqliteStore(path), clock) as service, Board(bus, "board", "finance") as finance:
        item = await finance.deposit("a", scope="shared")
        clock.advance(60.0)
        await finance.deposit("b", scope="shared", key="b")
        await finance.erase(item)  # which cuts behind itself
        await finance.wait_applied()
        await service._progress.until(lambda: service._house.base >= 3)
    assert then(path, At(time=1060.0)) > 0
    with pytest.raises(BadValue, match="was cut off"):
        then(path, At(time=1059.0))


@pytest.mark.parametrize("retention", [None, Retention(journal_entries=8)], ids=["whole", "cut"])
async def test_verify(path: Path, retention: Retention | None) -> None:
    """The journal gives the checkpoint, to the byte; a page that was changed behind our back is named."""
    await live(path, retention)
    verified = verify(path)
    assert (verified.differ, verified.checkpoint) == ((), 21)
    assert verified.entries == 21 - verified.begins
    database = sqlite3.connect(path)
    database.execute("UPDATE journal SET stamp = stamp + 1000000")
    database.commit()
    database.close()
    if verified.entries:
        assert verify(path).differ == ("board",)


async def test_in_use(path: Path) -> None:
    """A board that is open elsewhere is looked at and not touched."""
    clock = ManualClock()
    bus = MemoryBus(clock.now)
    async with Service("board", bus, SqliteStore(path), clock), Board(bus, "board", "finance") as finance:
        await finance.deposit("a", scope="shared")
        assert then(path, At()) == 4.0
        with pytest.raises(BadValue, match="no checkpoint"):
            verify(path)
        await finance.deposit("and on")
