"""One database file of a board, and the thread that works on it. The only file that knows aiosqlite.

Laws:

- One transaction is one hop to the file's thread (a hop costs as much as the transaction itself).
- ``synchronous=FULL``: what was committed survives a loss of power.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import aiosqlite

from blackboard.errors import Damaged, NotWritable, StoreError
from blackboard.sqlite.schema import Kind, check_schema, prepare
from bus.lock import Held, hold

_T = TypeVar("_T")


class File:
    """A database file that is open."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self._path = path
        self._connection = connection

    @classmethod
    async def open(cls, path: Path, kind: Kind) -> Self:
        """Open the file, make its tables if it is new. Raises ``StoreError``."""
        try:
            path.open("ab").close()  # before aiosqlite, which leaves a thread behind when it cannot open
        except OSError as error:
            raise not_writable(path, error) from error
        file = cls(path, await aiosqlite.connect(path, isolation_level=None))
        try:
            await file.call(_set_up, path, kind)
        except BaseException:
            await file.aclose()
            raise
        return file

    async def run(self, work: Callable[..., _T], *args: Any) -> _T:
        """Do ``work(connection, *args)`` as one transaction, with one hop to the file's thread."""
        return await self.call(_transaction, work, *args)

    async def call(self, work: Callable[..., _T], *args: Any) -> _T:
        """Do ``work(connection, *args)`` on the file's thread."""
        # aiosqlite's own way onto its thread: its public methods take one statement a hop.
        connection = self._connection
        try:
            result: _T = await connection._execute(work, connection._conn, *args)  # type: ignore[no-untyped-call]  # noqa: SLF001
        except sqlite3.Error as error:
            raise translated(error, self._path) from error
        except OSError as error:  # a copy beside it
            raise not_writable(self._path, error) from error
        return result

    async def scrub(self) -> bool:
        """Write the file anew without a byte of what was deleted, and empty its log; False: a reader kept it from that for now."""
        return await self.call(_scrub)

    async def copy_to(self, path: Path) -> None:
        """Put a copy in the place of ``path``, whole or not at all; durable on return."""
        await self.call(_copy, path)

    async def aclose(self) -> None:
        """Close it."""
        await self._connection.close()


def read_only(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there, on which nothing can be written. Raises ``sqlite3.Error``."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _transaction(db: sqlite3.Connection, work: Callable[..., _T], *args: Any) -> _T:
    db.execute("BEGIN")
    try:
        result = work(db, *args)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite may have rolled back by itself
            db.execute("ROLLBACK")
        raise
    return result


def _set_up(db: sqlite3.Connection, path: Path, kind: Kind) -> None:
    check_schema(db, path)  # before anything is written
    db.execute("PRAGMA busy_timeout = 5000")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    prepare(db, path, kind)


def _scrub(db: sqlite3.Connection) -> bool:
    # Zeroing what is deleted would not do: a page that was split keeps copies of the rows that went to the other half.
    db.execute("VACUUM")
    [(busy, _, _)] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not busy


def _copy(db: sqlite3.Connection, path: Path) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        db.execute("VACUUM INTO ?", (str(fresh),))
        replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)  # half of it would take up room that may be short
        raise


def replace(fresh: Path, path: Path) -> None:
    """Put one file in the place of another; durable on return."""
    _sync(fresh)
    fresh.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def translated(error: sqlite3.Error, path: Path) -> StoreError:
    """SQLite's error in this room's words."""
    name = getattr(error, "sqlite_errorname", "")
    match name.split("_")[1] if "_" in name else "":
        case "NOTADB" | "CORRUPT":
            return damaged(path, error)
        case "IOERR" if name == "SQLITE_IOERR_CORRUPTFS":
            return damaged(path, error)
        case "READONLY" | "CANTOPEN" | "PERM":
            return not_writable(path, error)
        case "FULL":
            return NotWritable(path, "the disk is full", "make room on its disk")
        case "IOERR":
            return NotWritable(path, error, "make room on its disk, or see to the disk")
        case "BUSY" | "LOCKED":
            return NotWritable(path, "another program has it open and works on it", "end that, be it a shell or a copy in progress")
        case _:
            return StoreError(f"{path} cannot be used ({error}): start the board again; if this recurs, restore a backup")


def damaged(path: Path, error: Exception) -> Damaged:
    """Something is not whole."""
    return Damaged(f"{path} is no board's database, or it is damaged ({error}): restore a backup, or choose another name")


def locked(path: Path, in_use: Callable[[str], StoreError]) -> IO[str]:
    """Hold ``NAME.lock`` beside the file itself, under whatever name that was reached.

    Raises ``NotWritable``, and what ``in_use`` makes of the process that holds it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.resolve()
        return hold(file.with_name(f"{file.name}.lock"))
    except Held as held:
        raise in_use(f"process {held.holder}{' (this one)' * (held.holder == str(os.getpid()))}") from held
    except OSError as error:
        raise not_writable(path, error) from error


def not_writable(path: Path, error: Exception) -> NotWritable:
    """Something cannot be written."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return NotWritable(path, why, "make room, correct the permissions, or choose another place")
