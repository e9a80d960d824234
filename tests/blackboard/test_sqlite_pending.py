"""The outbox in a file (blackboard.sqlite.pending) keeps to the contract, and outlives its process."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from blackboard.errors import Damaged, NotWritable, OutboxInUse, StoreError, WrongOutbox
from blackboard.pending import Parcel, Pending
from blackboard.sqlite import SqlitePending, SqliteStore
from tests.blackboard.pending_contract import LARGE, PendingContract, said

OF = "finance at nats://127.0.0.1:4222/board"


@asynccontextmanager
async def opened(path: Path, of: str = OF) -> AsyncIterator[SqlitePending]:
    pending = SqlitePending(path, of)
    await pending.open()
    try:
        await pending.begin()
        yield pending
    finally:
        await pending.aclose()


class TestSqlitePending(PendingContract):
    @pytest.fixture
    async def pending(self, tmp_path: Path) -> AsyncIterator[Pending]:
        async with opened(tmp_path / "out.db") as pending:
            yield pending


async def test_what_was_settled_goes_out_as_it_was(tmp_path: Path) -> None:
    """A post that was not acknowledged has its number and its units in the next process, and what waits stands behind it."""
    async with opened(tmp_path / "out.db") as pending:
        assert not pending.reopened
        await pending.keep(said(1))
        settled = await pending.next(LARGE, acknowledged=0)
        await pending.keep(said(2))
    async with opened(tmp_path / "out.db") as pending:
        assert (pending.reopened, pending.number, pending.acknowledged, pending.left, pending.last) == (True, 1, 0, 0, 2)
        assert pending.news.is_set()
        assert await pending.next(LARGE, acknowledged=0) == settled
        assert await pending.next(LARGE, acknowledged=1) == Parcel(pending.epoch, 2, (said(2),), 2)
        assert await pending.next(LARGE, acknowledged=2) is None
    async with opened(tmp_path / "out.db") as pending:
        assert (pending.number, pending.acknowledged, pending.left, pending.last) == (2, 2, 2, 2)
        await pending.keep(said(3))
        assert await pending.next(LARGE, acknowledged=2) == Parcel(pending.epoch, 3, (said(3),), 3)


async def test_one_that_never_reached_its_board_is_nobody_s(tmp_path: Path) -> None:
    """An outbox says whose it is once the board has answered."""
    pending = SqlitePending(tmp_path / "out.db", "a misspelt one")
    await pending.open()
    await pending.aclose()
    async with opened(tmp_path / "out.db") as pending:
        assert not pending.reopened


async def test_it_is_held(tmp_path: Path) -> None:
    """A second holder is refused with the first one's number, and may have it when that is done."""
    (tmp_path / "link.db").symlink_to(tmp_path / "out.db")
    async with opened(tmp_path / "out.db"):
        for name in ("out.db", "link.db"):  # whatever it is called
            with pytest.raises(OutboxInUse, match=rf"out\.db is in use by process {os.getpid()} \(this one"):
                async with opened(tmp_path / name):
                    pass
    async with opened(tmp_path / "out.db"):
        pass


async def test_it_is_one_sender_s(tmp_path: Path) -> None:
    """Another agent, board or server is refused, with what waits."""
    async with opened(tmp_path / "out.db") as pending:
        await pending.keep(said(1))
    with pytest.raises(WrongOutbox, match=r"that of finance at nats://\S+, not of mallory at x: .*--port.*1 of its units"):
        async with opened(tmp_path / "out.db", "mallory at x"):
            pass


async def test_what_is_no_outbox(tmp_path: Path) -> None:
    """A board's file, what is no database, and a folder that cannot be made are refused in words."""
    store = SqliteStore(tmp_path / "board.db")
    await store.open()
    await store.aclose()
    with pytest.raises(Damaged, match="no outbox"):
        async with opened(tmp_path / "board.db"):
            pass
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at")
    with pytest.raises(Damaged):
        async with opened(tmp_path / "text"):
            pass
    with pytest.raises(NotWritable):
        async with opened(tmp_path / "text" / "out.db"):
            pass
    with pytest.raises(NotWritable, match=r"it is a folder\): name a file in it"):
        async with opened(tmp_path):
            pass


async def test_no_name_stands_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What SQLite would keep in memory alone is a file like any other: what is in it outlives the process."""
    monkeypatch.chdir(tmp_path)
    async with opened(Path(":memory:")) as pending:
        await pending.keep(said(1))
    async with opened(Path(":memory:")) as pending:
        assert pending.last == 1


async def test_a_full_disk(tmp_path: Path) -> None:
    """What does not fit is an error to whoever said it, and nothing of it is kept; once there is room it goes on."""
    async with opened(tmp_path / "out.db") as pending:
        await pending.keep(said(1))
        pages: int = await pending._file.call(lambda db: db.execute("PRAGMA page_count").fetchone()[0])

        def bounded(db: sqlite3.Connection, most: int) -> None:
            db.execute(f"PRAGMA max_page_count = {most}").fetchall()

        await pending._file.call(bounded, pages)
        large = said(2)._replace(data=b"x" * 100_000)
        results = await asyncio.gather(pending.keep(large), pending.keep(said(3)), return_exceptions=True)
        assert all(isinstance(each, StoreError) and "disk is full" in str(each) for each in results)
        await pending._file.call(bounded, 10**6)
        await pending.keep(said(4))
        parcel = await pending.next(LARGE, acknowledged=0)
        assert parcel == Parcel(pending.epoch, 1, (said(1), said(4)), 2)


async def test_what_a_kill_leaves(tmp_path: Path) -> None:
    """What was kept is on the disk when ``keep`` returns: a copy of the files at that moment has it."""
    async with opened(tmp_path / "out.db") as pending:
        await pending.keep(said(1))
        settled = await pending.next(LARGE, acknowledged=0)
        for file in ("out.db", "out.db-wal"):
            shutil.copy(tmp_path / file, tmp_path / f"copy {file}")
    async with opened(tmp_path / "copy out.db") as pending:
        assert await pending.next(LARGE, acknowledged=0) == settled
