"""A host in trouble goes on as soon as it can, and says meanwhile what is wrong."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from blackboard import housekeeping, writing
from blackboard.clock import ManualClock
from blackboard.errors import NotWritable, StoreError
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.sqlite import SqliteStore
from blackboard.sqlite.file import File
from blackboard.store import Batch, MemoryStore
from bus import names
from bus.errors import Unreachable
from bus.memory import MemoryBus
from bus.messages import Counted, Deposit, Stats
from bus.port import Log
from tests.blackboard.hosting import CAT, ask, host, post, state

Break = Callable[[sqlite3.Connection], object]


def full(db: sqlite3.Connection) -> None:
    """No page more than there is."""
    [(pages,)] = db.execute("PRAGMA page_count").fetchall()
    db.execute(f"PRAGMA max_page_count = {pages}")


def read_only(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA query_only = 1")


def mended(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA query_only = 0")
    db.execute("PRAGMA max_page_count = 1073741823")


def large(number: int) -> bytes:
    """A post that needs pages of its own."""
    return post(number, Deposit(f"{number} " * 20_000, scope="shared"))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "TRY_AGAIN", (0.01, 0.01))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "board.db")
    yield store
    await store.aclose()


async def trouble(bus: MemoryBus) -> str:
    reply = await ask(bus, "operator", Stats())
    assert isinstance(reply, Counted)
    return reply.stats.trouble


async def in_trouble(service: Service, said: str = "") -> None:
    await service._progress.until(lambda: bool(service._progress.trouble) and said in service._progress.trouble)


@pytest.mark.parametrize(
    ("breaks", "why"), [(full, "(the disk is full): make room"), (read_only, "(attempt to write a readonly database): make room, correct")]
)
async def test_the_journal_cannot_be_written(store: SqliteStore, breaks: Break, why: str) -> None:
    """The batch is kept: nobody is told or acknowledged, questions are answered with the trouble; then all of it is done, once."""
    bus = MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service, bus.listen("board", names.SHARED) as heard, asyncio.timeout(10):
        await bus.publish("board", "finance", large(1))
        await anext(heard)
        await store._file.call(breaks)
        publishing = [asyncio.create_task(bus.publish("board", "finance", large(number))) for number in (2, 3)]
        hearing = asyncio.ensure_future(anext(heard))
        await in_trouble(service)
        said = await trouble(bus)
        assert said.startswith("since 1970-01-01 00:00:00+00:00: the journal cannot be written " + why)
        assert "board.db" not in said
        assert not any(task.done() for task in (*publishing, hearing))
        assert (await store.bounds(names.SHARED))[1] == 1
        await store._file.call(mended)
        assert await asyncio.gather(*publishing) == [2, 3]
        await hearing
        assert await trouble(bus) == ""
        was = state(service)
    async with host(store) as service:
        assert state(service) == was
        assert [message.seq for message in await store.journal(0)] == [1, 2, 3]


async def test_another_program_s_lock_is_waited_for(store: SqliteStore, tmp_path: Path) -> None:
    """Whoever works on the file with another program holds the board up, and breaks nothing."""
    bus = MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service, asyncio.timeout(10):
        await store._file.call(lambda db: db.execute("PRAGMA busy_timeout = 1"))
        with closing(sqlite3.connect(tmp_path / "board.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            publishing = asyncio.create_task(bus.publish("board", "finance", post(1, CAT)))
            await in_trouble(service, "another program has it open")
            other.execute("ROLLBACK")
        assert await publishing == 1


async def test_a_checkpoint_and_a_cut_that_cannot_be_written(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The board goes on meanwhile; what was taken is written later, and the board comes back from it as it was."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 2)
    bus = MemoryBus(ManualClock().now)
    service = Service("board", bus, store, ManualClock(), retention=Retention(journal_entries=6))
    async with service, asyncio.timeout(10):
        await store._state_file.call(read_only)
        for number in range(1, 5):
            await bus.publish("board", "finance", post(number, CAT))
        await in_trouble(service, "the checkpoint cannot be written")
        await bus.publish("board", "finance", post(5, CAT))
        copying, copied = File.copy_to, asyncio.Event()

        async def no_room(file: File, path: Path) -> None:
            if not copied.is_set():
                copied.set()
                raise NotWritable(path, "no room", "make some")
            await copying(file, path)

        monkeypatch.setattr(File, "copy_to", no_room)
        await store._state_file.call(mended)
        for number in range(6, 9):
            await bus.publish("board", "finance", post(number, CAT))
        await service._progress.until(lambda: service._house.base >= 6)
        assert copied.is_set()
        await bus.publish("board", "finance", post(9, CAT))
        assert await trouble(bus) == ""
        was = state(service)
    async with host(store) as service:
        assert state(service) == was


async def test_closing_in_trouble(store: SqliteStore) -> None:
    """It does not hang: whoever waits is told, the reason is raised, and the files stay as they were, to be opened again."""
    bus = MemoryBus(ManualClock().now)
    with pytest.raises(NotWritable, match=r"board\.db cannot be written"):  # noqa: PT012 - raised on leaving
        async with host(store, bus=bus) as service:
            await bus.publish("board", "finance", post(1, CAT))
            was = state(service)
            await store._file.call(read_only)
            publishing = asyncio.create_task(bus.publish("board", "finance", post(2, CAT)))
            await in_trouble(service)
    with pytest.raises(Unreachable, match="send it again"):
        await publishing
    bus = MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service:
        assert state(service) == was
        assert await bus.publish("board", "finance", post(2, CAT)) == 2


class Full(MemoryStore):
    """A disk without room."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def commit(self, _batch: Batch) -> None:
        self.asked.set()
        raise NotWritable("board.db", "the disk is full", "make room")


async def test_cancelling_who_opens_it_in_trouble() -> None:
    """Whoever opens a board that has much to catch up with, and no room for it, may be cancelled."""
    bus, store = MemoryBus(ManualClock().now), Full()
    opened = bus.open_log

    async def open_log(board: str, **how: Any) -> Log:
        log = await opened(board, **how)
        publishing.append(asyncio.create_task(bus.publish(board, "finance", post(1, CAT))))
        log.end = 1
        return log

    publishing: list[asyncio.Task[int]] = []
    bus.open_log = open_log  # type: ignore[method-assign]
    service = host(store, bus=bus)
    opening = asyncio.create_task(service.__aenter__())
    async with asyncio.timeout(10):
        await store.asked.wait()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        with pytest.raises(Unreachable):
            await publishing[0]


async def test_cancelling_in_trouble(store: SqliteStore) -> None:
    """Whoever is cancelled while the disk is full need not wait for room."""
    bus = MemoryBus(ManualClock().now)

    async def serve() -> None:
        async with host(store, bus=bus) as service:
            await store._file.call(read_only)
            serving.set_result(service)
            await bus.publish("board", "finance", post(1, CAT))

    serving: asyncio.Future[Service] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve())
    async with asyncio.timeout(10):
        await in_trouble(await serving)
        task.cancel()
        with pytest.raises((asyncio.CancelledError, StoreError)):
            await task
