"""blackboard.snapshots: what a host begins with that has not followed the log."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from blackboard import roster
from blackboard import snapshots as module
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.config import BoardConfig
from blackboard.opening import serving
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.snapshots import Snapshots
from blackboard.sqlite import SqliteStore, inspect
from blackboard.store import Batch
from bus.errors import LogMismatch
from bus.memory import MemoryBus
from bus.nats import NatsBus
from bus.port import Log, Stretch
from bus.server import Server, running_server

WITHIN = 30.0
SHORT = Retention(journal_entries=10)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with running_server(tmp_path / "nats") as running:
        yield running


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[NatsBus]:
    bus = await NatsBus.connect(server.url)
    try:
        yield bus
    finally:
        await bus.aclose()


@asynccontextmanager
async def hosting(server: Server, folder: Path) -> AsyncIterator[Service]:
    async with connected(server) as bus, serving(bus, "board", folder, retention=SHORT) as service:
        yield service


async def live(server: Server, service: Service, times: int = 30) -> None:
    """Say something, and wait until the log was cut behind most of it."""
    begins = service._progress.cursor
    async with connected(server) as bus, Board(bus, "board", "finance") as finance:
        item = await finance.deposit("the basis", scope="shared", strength=4.0)
        for _ in range(times):
            await finance.reinforce(item, 0.5)
        await finance.wait_applied()
    await service._progress.until(lambda: service._house.base >= begins + times - 11)


async def alike(one: Service, other: Service) -> None:
    await other._progress.until(lambda: other._progress.cursor >= one._progress.cursor)
    assert other.board.spelt_out() == one.board.spelt_out()


async def test_a_new_host_begins_with_a_snapshot(server: Server, tmp_path: Path) -> None:
    """Where the log has been cut a host without the board waits until the leader gives a snapshot, and follows from there."""
    async with asyncio.timeout(WITHIN), hosting(server, tmp_path / "one") as one:
        await live(server, one)
        async with hosting(server, tmp_path / "two") as two:
            assert two.leader == one._host
            await alike(one, two)
            await live(server, one)
            await alike(one, two)


async def test_a_snapshot_outlives_its_giver(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once there was another host, each cut leaves a snapshot from which the log goes on, also for one that comes when nobody leads."""
    async with asyncio.timeout(WITHIN):
        async with hosting(server, tmp_path / "one") as one:
            async with hosting(server, tmp_path / "two"):
                await one._progress.until(lambda: one._company._roster.accompanied(0.0))
                await live(server, one)
            monkeypatch.setattr(roster, "FORGOTTEN", 0.5)
            await live(server, one)
        async with hosting(server, tmp_path / "three") as three:
            async with connected(server) as bus, Board(bus, "board", "finance") as finance:
                [item] = await finance.top()
            assert item.strength == 4.0 + 60 * 0.5 + 0.5
            assert three.leader == three._host


async def test_a_host_that_was_away_too_long(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host of which nothing was heard for long holds up no cut; when it comes back it takes the snapshot in its copy's place."""
    monkeypatch.setattr(roster, "FORGOTTEN", 0.5)
    async with asyncio.timeout(WITHIN):
        async with hosting(server, tmp_path / "one") as one:
            async with hosting(server, tmp_path / "two"):
                pass
            await live(server, one)
            assert inspect(tmp_path / "two" / "board.db").cursor == 0
            async with hosting(server, tmp_path / "two") as two:
                await alike(one, two)


class Behind(NatsBus):
    """A host's bus on which something happens just before its log is opened for the first time."""

    before: Callable[[], Awaitable[object]] | None = None

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        before, self.before = self.before, None
        if before is not None:
            await before()
        return await super().open_log(board, after=after, identity=identity, origin=origin)


async def test_cut_while_a_host_joins(server: Server, tmp_path: Path) -> None:
    """Where the log is cut between a new host's looking at it and its opening it, that host begins with the snapshot after all."""
    bus = await Behind.connect(server.url)
    assert isinstance(bus, Behind)
    async with asyncio.timeout(WITHIN), hosting(server, tmp_path / "one") as one:
        async with connected(server) as other, Board(other, "board", "finance") as finance:
            await finance.deposit("the basis", scope="shared")
            await finance.wait_applied()
        bus.before = partial(live, server, one)
        async with serving(bus, "board", tmp_path / "two") as two:
            assert bus.before is None
            await alike(one, two)
    await bus.aclose()


async def test_nobody_has_one(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the log is cut and nobody gives a snapshot a new host says what is missing; its folder stays as it was."""
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    async with asyncio.timeout(WITHIN), hosting(server, tmp_path / "one") as one:
        await live(server, one)
    with pytest.raises(LogMismatch, match="no other host gives a snapshot: start one that has the board"):
        async with hosting(server, tmp_path / "two"):
            pass
    assert not list((tmp_path / "two").glob("board*"))


class Cut(MemoryBus):
    """A bus whose log begins and ends where a test says."""

    def __init__(self, stretch: Stretch) -> None:
        super().__init__(ManualClock().now)
        self.log = stretch

    async def stretch(self, board: str) -> Stretch:  # noqa: ARG002 - as the port has it
        return self.log


async def copy_at(path: Path, seq: int) -> None:
    """A board's files that have read a log of the identity *it* up to an entry."""
    path.parent.mkdir()
    store = SqliteStore(path)
    await store.open()
    await store.begin(msgspec.json.encode(BoardConfig("board")), "it")
    await store.commit(Batch(seq))
    await store.aclose()


async def test_from_which_the_log_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot serves if it is of this log, and nothing is missing between it and the first entry; no other is taken."""
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    bus = Cut(Stretch("it", 6, 9))
    await copy_at(tmp_path / "one" / "board.db", 5)
    assert await Snapshots(bus, "board", tmp_path / "one" / "board.db").missing()
    await Snapshots(bus, "board", tmp_path / "one" / "board.db").give()
    joining = Snapshots(bus, "board", tmp_path / "two" / "board.db")
    for log in (Stretch("another", 6, 9), Stretch("it", 7, 9)):
        bus.log = log
        assert await joining.missing()
        with pytest.raises(LogMismatch, match=f"begins at entry {log.first}"):
            await joining.join("two")
    bus.log = Stretch("it", 6, 9)
    assert not await joining.missing()
    monkeypatch.undo()  # taking it may take a while
    await joining.join("two")
    assert inspect(tmp_path / "two" / "board.db").cursor == 5


async def test_a_copy_from_which_the_log_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no snapshot, and waits for none; one from which an entry is missing does."""
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    bus = Cut(Stretch("it", 6, 9))
    await copy_at(tmp_path / "one" / "board.db", 5)
    joining = Snapshots(bus, "board", tmp_path / "one" / "board.db")
    await joining.join("one")
    assert not await joining.left_behind()
    bus.log = Stretch("it", 7, 9)
    assert await joining.left_behind()
    with pytest.raises(LogMismatch, match="this host's copy ends at 5"):
        await joining.join("one")


async def test_a_long_log(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a log that is whole but long a new host takes the snapshot that is there, and reads the rest."""
    monkeypatch.setattr(module, "WORTH", 5)
    async with asyncio.timeout(WITHIN), connected(server) as bus, serving(bus, "board", tmp_path / "one") as one:
        async with Board(bus, "board", "finance") as finance:
            for n in range(10):
                await finance.deposit(f"item {n}", scope="shared")
            await finance.wait_applied()
            await Snapshots(bus, "board", tmp_path / "one" / "board.db").give()
            await finance.deposit("the tail", scope="shared")
            await finance.wait_applied()
        joining = Snapshots(bus, "board", tmp_path / "two" / "board.db")
        await joining.join("two")
        assert inspect(tmp_path / "two" / "board.db").cursor == 10
        async with serving(bus, "board", tmp_path / "two") as two:
            await alike(one, two)


async def test_what_is_erased_is_in_no_snapshot(server: Server, tmp_path: Path) -> None:
    """The snapshot that had it is gone when an erasure is over; a new one has it not."""
    async with asyncio.timeout(WITHIN), hosting(server, tmp_path / "one") as one, connected(server) as bus:
        await live(server, one)
        async with hosting(server, tmp_path / "two"), Board(bus, "board", "finance") as finance:
            item = await finance.deposit("47 a piece for Hailan", scope="shared")
            await finance.wait_applied()
            await Snapshots(bus, "board", tmp_path / "one" / "board.db").give()
            assert b"Hailan" in await _snapshot(bus)
            await finance.erase(item)
            await finance.wait_applied()
            await one._progress.until(lambda: not one._progress.erasing)
        assert b"Hailan" not in await _snapshot(bus)
        kept = b"".join(path.read_bytes() for path in (tmp_path / "nats").rglob("*.blk"))
        assert b"Hailan" not in kept


async def _snapshot(bus: NatsBus) -> bytes:
    snapshot = await bus.snapshot("board")
    return b"" if snapshot is None else b"".join([chunk async for chunk in snapshot.chunks])
