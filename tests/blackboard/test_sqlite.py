"""SQLite keeps to the store's contract, and says clearly why it cannot."""

import asyncio
import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from blackboard.errors import BoardInUse, NotWritable, SchemaTooNew, StoreError
from blackboard.sqlite import SqliteStore, inspect
from blackboard.store import Batch, Cut, DeadLetter
from tests.blackboard.store_contract import StoreContract, entry, event

Make = Callable[[], SqliteStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "board.db"


@pytest.fixture
async def make(path: Path) -> AsyncIterator[Make]:
    """Makes stores, and closes them whatever becomes of the test: the threads of an open one would keep pytest from ending."""
    made: list[SqliteStore] = []

    def store() -> SqliteStore:
        made.append(SqliteStore(path))
        return made[-1]

    yield store
    for each in made:
        await each.aclose()


@pytest.fixture
def store(make: Make) -> SqliteStore:
    return make()


class TestSqliteStore(StoreContract):
    """The contract."""


async def test_a_batch_is_whole_or_nothing(store: SqliteStore) -> None:
    """When one row of a batch cannot be written, none is."""
    await store.open()
    await store.commit(Batch(cursor=1, journal=(entry(1),), events=(event(1, 1),)))
    with pytest.raises(StoreError, match="UNIQUE"):
        await store.commit(Batch(cursor=2, journal=(entry(2),), marks={("a", "e"): 1}, events=(event(1, 2),)))
    await store.aclose()
    standing = await store.open()
    assert (standing.cursor, standing.marks) == (1, {})
    assert await store.journal(0) == [entry(1)]


async def test_synced_and_patient(store: SqliteStore) -> None:
    """The files are in WAL mode, synced in full, and wait for a reader such as a backup."""
    await store.open()
    for pragma, value in (("journal_mode", "wal"), ("synchronous", 2), ("busy_timeout", 5000)):
        assert await store._rows(f"PRAGMA {pragma}") == [(value,)]


async def test_second_process(store: SqliteStore, path: Path) -> None:
    """A second process is refused, and told who holds the board."""
    await store.open()
    code = f"""
import asyncio, pathlib
from blackboard.sqlite import SqliteStore
asyncio.run(SqliteStore(pathlib.Path({str(path)!r})).open())
"""
    done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert f"BoardInUse: {path} is in use by process {os.getpid()}" in done.stderr


async def test_same_process(make: Make) -> None:
    """A second hold in one process is refused, too; once the first let go it works."""
    first, second = make(), make()
    await first.open()
    with pytest.raises(BoardInUse, match="this one"):
        await second.open()
    await first.aclose()
    await second.open()


async def test_another_name(store: SqliteStore, path: Path) -> None:
    """Who holds a board holds it under whatever name it is reached."""
    await store.open()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with pytest.raises(BoardInUse, match="this one"):
        await SqliteStore(link).open()


async def test_unwritable_folder(tmp_path: Path) -> None:
    """A folder that cannot be made or written is named."""
    (tmp_path / "file").touch()
    with pytest.raises(NotWritable, match=r"file/board\.db cannot be written"):
        await SqliteStore(tmp_path / "file" / "board.db").open()


async def test_folder_in_place_of_the_file(make: Make, path: Path) -> None:
    """A folder where the database should be is named, and the lock let go."""
    path.mkdir()  # noqa: ASYNC240
    for _ in range(2):
        with pytest.raises(NotWritable, match="cannot be written"):
            await make().open()


async def test_a_copy_that_cannot_be_put_in_place(store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not writable, for now, like the rest; and nothing of it takes up room meanwhile."""
    await store.open()
    await store.checkpoint(1, {"board": b"x"})

    def no_room(_fresh: Path, _path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("blackboard.sqlite.file.replace", no_room)
        with pytest.raises(NotWritable, match="No space left on device"):
            await store.cut(Cut(1, 0.0))
    assert not list(path.parent.glob("*.new"))
    await store.cut(Cut(1, 0.0))


async def test_newer_schema(make: Make, path: Path) -> None:
    """A file of a later version is left alone."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(SchemaTooNew, match=r"schema 99.*upgrade"):
        await make().open()


async def test_not_a_database(make: Make, path: Path) -> None:
    """A file of another kind is said to be one."""
    path.write_bytes(b"certainly not SQLite" * 1000)  # noqa: ASYNC240
    with pytest.raises(StoreError, match="no board's database"):
        await make().open()


async def test_checkpoint_of_another_journal(store: SqliteStore, path: Path) -> None:
    """A checkpoint whose journal was replaced is dropped, with all its pages."""
    await store.open()
    await store.commit(Batch(cursor=5))
    await store.checkpoint(5, {"a": b"old"})
    await store.aclose()
    path.unlink()  # noqa: ASYNC240
    standing = await store.open()
    assert (standing.checkpoint, standing.pages) == (0, {})
    await store.commit(Batch(cursor=7))
    await store.checkpoint(7, {"b": b"new"})
    await store.aclose()
    assert (await store.open()).pages == {"b": b"new"}


async def test_checkpoint_ahead_of_the_journal(store: SqliteStore) -> None:
    """A checkpoint that is ahead of its journal (restored from a backup) is dropped."""
    await store.open()
    await store.commit(Batch(cursor=5))
    await store.checkpoint(6, {"a": b"ahead"})
    await store.aclose()
    assert (await store.open()).pages == {}


@pytest.mark.parametrize("damage", [lambda whole: whole[:5000], lambda whole: b"nonsense" + whole[8:]], ids=["truncated", "overwritten"])
async def test_damaged_checkpoint(
    store: SqliteStore, path: Path, damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """A checkpoint file that is not whole is dropped with a warning, and the next one is kept again."""
    await store.open()
    await store.commit(Batch(cursor=3))
    await store.checkpoint(3, {"page": b"x" * 10_000})
    await store.aclose()
    state = path.with_name("board.state.db")
    state.write_bytes(damage(state.read_bytes()))
    standing = await store.open()
    assert (standing.cursor, standing.checkpoint, standing.pages) == (3, 0, {})
    assert "the journal rebuilds the state" in caplog.text
    await store.checkpoint(3, {"page": b"y"})
    await store.aclose()
    assert (await store.open()).pages == {"page": b"y"}


async def test_inspect(store: SqliteStore, path: Path) -> None:
    """A database is read while another holds it: its cursor, its log, and what was set aside and why."""
    await store.open()
    await store.begin(b"origin", "this log")
    codes = ("BadValue", "BadMessage", "BadValue")
    letters = tuple(DeadLetter(seq, 0.0, "finance", code, "why", b"head") for seq, code in enumerate(codes, 1))
    await store.commit(Batch(cursor=3, dead=letters))
    found = inspect(path, latest=2)
    assert (found.cursor, found.log, found.dead) == (3, "this log", {"BadValue": 2, "BadMessage": 1})
    assert found.latest == letters[:0:-1]


def test_inspect_what_is_not_ours(path: Path) -> None:
    """A database of a newer schema, and one that is not there, are said to be so; nothing is made."""
    with pytest.raises(StoreError, match="there is no database"):
        inspect(path)
    assert not path.exists()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(SchemaTooNew, match=r"schema 99.*upgrade"):
        inspect(path)
