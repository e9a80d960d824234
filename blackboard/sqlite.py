"""A board in SQLite. The only file that knows aiosqlite.

``NAME.db`` holds the journal and all that is committed with it; ``NAME.state.db`` the checkpoint, so that writing one never stands in the
way of a commit; ``NAME.db.lock`` names the process that holds them.

Laws:

- One transaction is one hop to the connection's thread (a hop costs as much as the transaction itself).
- ``synchronous=FULL``: what was committed survives a loss of power.
- A checkpoint that is damaged, not of this journal, or ahead of it (one of the files was replaced) is dropped: the journal rebuilds the
  state.
"""

import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, Any, TypeVar

import aiosqlite
from msgspec import Struct
from msgspec.structs import astuple

from blackboard.errors import BoardInUse, Damaged, NotWritable, SchemaTooNew, StoreError
from blackboard.store import MAX_DEAD_LETTERS, Archived, Batch, DeadLetter, Outgoing, Standing
from bus.lock import Held, hold
from bus.port import LogMessage

SCHEMA = 1
"""Of both files, in ``PRAGMA user_version``."""

_T = TypeVar("_T")

_logger = logging.getLogger(__name__)

_JOURNAL_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE journal (seq INTEGER PRIMARY KEY, stamp REAL NOT NULL, agent TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE marks (agent TEXT, epoch TEXT, seq INTEGER NOT NULL, PRIMARY KEY (agent, epoch)) WITHOUT ROWID;
CREATE TABLE events (audience TEXT NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, threads BLOB NOT NULL);
CREATE UNIQUE INDEX events_by_number ON events (audience, n);
CREATE INDEX events_by_entry ON events (seq);
CREATE TABLE told (audience TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE dead (
    id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, stamp REAL NOT NULL, agent TEXT NOT NULL, code TEXT NOT NULL, error TEXT NOT NULL,
    head BLOB NOT NULL, epoch TEXT NOT NULL, post INTEGER NOT NULL, unit INTEGER NOT NULL
);
CREATE INDEX dead_by_agent ON dead (agent, id);
CREATE TABLE archive (item TEXT PRIMARY KEY, seq INTEGER NOT NULL, data BLOB NOT NULL);
"""
_DEAD_LETTERS = "SELECT seq, stamp, agent, code, error, head, epoch, post, unit FROM dead ORDER BY id DESC LIMIT ?"
_DEAD_LETTERS_OF = "SELECT seq, stamp, agent, code, error, head, epoch, post, unit FROM dead WHERE agent = ? ORDER BY id DESC LIMIT ?"
_STATE_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE pages (name TEXT PRIMARY KEY, data BLOB NOT NULL);
"""


class SqliteStore:
    """Keeps one board in ``path`` and its two companions. Nothing is touched before ``open``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state_path = path.with_name(f"{path.stem}.state.db")
        self._lock: IO[str] | None = None
        self._main: _File | None = None
        self._state: _File | None = None

    async def open(self) -> Standing:
        """Lock the files, make them if they are not there, and say how they stand.

        Raises ``NotWritable``, ``BoardInUse``, ``SchemaTooNew``, and ``Damaged`` for a journal that is not whole.
        """
        self._lock = _lock(self._path)
        try:
            self._main = await _File.open(self._path, _JOURNAL_TABLES)
            standing, life = await self._main.run(_read_standing)
            try:
                await self._open_checkpoint(standing, life)
            except Damaged as error:
                _logger.warning("the checkpoint is dropped, the journal rebuilds the state: %s", error)
                await self._drop_checkpoint()
                await self._open_checkpoint(standing, life)
        except BaseException:
            await self.aclose()
            raise
        return standing

    async def _open_checkpoint(self, standing: Standing, life: bytes) -> None:
        self._state = await _File.open(self._state_path, _STATE_TABLES)
        standing.checkpoint, standing.pages = await self._state.run(_read_checkpoint, life, standing.cursor)

    async def _drop_checkpoint(self) -> None:
        if self._state is not None:
            await self._state.aclose()
            self._state = None
        for rest in ("", "-wal", "-shm"):
            self._state_path.with_name(self._state_path.name + rest).unlink(missing_ok=True)

    async def begin(self, origin: bytes, log: str) -> None:
        """Settle the origin."""
        await self._file.run(_write_origin, origin, log)

    async def commit(self, batch: Batch) -> None:
        """One transaction, synced."""
        await self._file.run(_write_batch, batch)

    async def checkpoint(self, seq: int, pages: Mapping[str, bytes]) -> None:
        """One transaction in the second file, on a thread of its own."""
        if self._state is None:
            raise self._not_open()
        await self._state.run(_write_checkpoint, seq, pages)

    async def journal(self, after: int, limit: int = 256) -> list[LogMessage]:
        """The applied entries after ``after``."""
        return [LogMessage(*row) for row in await self._rows("SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)]

    async def tally(self, after: int) -> dict[str, int]:
        """Audience → how many events the entries after ``after`` caused."""
        return dict(await self._rows("SELECT audience, COUNT(*) FROM events WHERE seq > ? GROUP BY audience", after))

    async def untold(self) -> list[Outgoing]:
        """Events that were not told yet."""
        query = "SELECT e.* FROM told t JOIN events e ON e.audience = t.audience AND e.n > t.n ORDER BY e.rowid"
        return [Outgoing(*row) for row in await self._rows(query)]

    async def events(self, audience: str, after: int, limit: int) -> list[Outgoing]:
        """An audience's events after number ``after``."""
        query = "SELECT * FROM events WHERE audience = ? AND n > ? ORDER BY n LIMIT ?"
        return [Outgoing(*row) for row in await self._rows(query, audience, after, limit)]

    async def bounds(self, audience: str) -> tuple[int, int]:
        """The first and the last number of an audience."""
        query = "SELECT COALESCE(MIN(n), 0), (SELECT COALESCE(MAX(n), 0) FROM events WHERE audience = ?1) FROM events WHERE audience = ?1"
        [(first, last)] = await self._rows(query, audience)
        return first, last

    async def event_at(self, seq: int) -> list[Outgoing]:
        """What entry ``seq`` caused."""
        return [Outgoing(*row) for row in await self._rows("SELECT * FROM events WHERE seq = ? ORDER BY rowid", seq)]

    async def dead_letters(self, limit: int = 100, agent: str | None = None) -> list[DeadLetter]:
        """The newest dead letters first."""
        rows = await (self._rows(_DEAD_LETTERS, limit) if agent is None else self._rows(_DEAD_LETTERS_OF, agent, limit))
        return [DeadLetter(*row) for row in rows]

    async def archived(self, item: str) -> Archived | None:
        """An item as it was archived."""
        rows = await self._rows("SELECT * FROM archive WHERE item = ?", item)
        return Archived(*rows[0]) if rows else None

    async def aclose(self) -> None:
        """Close both files and let go of the lock."""
        for file in (self._main, self._state):
            if file is not None:
                await file.aclose()
        self._main = self._state = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def _file(self) -> "_File":
        if self._main is None:
            raise self._not_open()
        return self._main

    def _not_open(self) -> StoreError:
        return StoreError(f"{self._path} is not open: call open() before anything else, and nothing after aclose()")

    async def _rows(self, query: str, *parameters: Any) -> list[Any]:
        return await self._file.run(lambda db: db.execute(query, parameters).fetchall())


class Inspection(Struct, frozen=True):
    """What a board's database says of itself."""

    cursor: int
    log: str | None
    """The identity of the log that ``cursor`` counts in."""
    dead: dict[str, int]
    """Why messages were set aside → how many of those are kept."""
    latest: tuple[DeadLetter, ...]
    """The newest of them, the newest first."""


def inspect(path: Path, *, latest: int = 5) -> Inspection:
    """Read a board's database without taking hold of it: another process may. Raises ``SchemaTooNew``, ``StoreError``."""
    if not path.exists():
        raise StoreError(f"there is no database {path}: name one that exists")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            _check_schema(db, path)
            meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
            dead = dict(db.execute("SELECT code, COUNT(*) FROM dead GROUP BY code ORDER BY 2 DESC").fetchall())
            rows = db.execute(_DEAD_LETTERS, (latest,)).fetchall()
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    return Inspection(meta.get("cursor", 0), meta.get("log"), dead, tuple(DeadLetter(*row) for row in rows))


class _File:
    """One database file and the thread that works on it."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self._path = path
        self._connection = connection

    @classmethod
    async def open(cls, path: Path, tables: str) -> "_File":
        try:
            path.open("ab").close()  # before aiosqlite, which leaves a thread behind when it cannot open
        except OSError as error:
            raise _not_writable(path, error) from error
        file = cls(path, await aiosqlite.connect(path, isolation_level=None))
        try:
            await file._call(_prepare, path, tables)
        except BaseException:
            await file.aclose()
            raise
        return file

    async def run(self, work: Callable[..., _T], *args: Any) -> _T:
        """Do ``work(connection, *args)`` as one transaction, with one hop to the file's thread."""
        return await self._call(_transaction, work, *args)

    async def aclose(self) -> None:
        await self._connection.close()

    async def _call(self, work: Callable[..., _T], *args: Any) -> _T:
        # aiosqlite's own way onto its thread: its public methods take one statement a hop.
        connection = self._connection
        try:
            result: _T = await connection._execute(work, connection._conn, *args)  # type: ignore[no-untyped-call]  # noqa: SLF001
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        return result


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


def _prepare(db: sqlite3.Connection, path: Path, tables: str) -> None:
    db.execute("PRAGMA busy_timeout = 5000")
    version = _check_schema(db, path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if version == 0:
        db.executescript(f"BEGIN; {tables} PRAGMA user_version = {SCHEMA}; COMMIT;")


def _check_schema(db: sqlite3.Connection, path: Path) -> int:
    [(version,)] = db.execute("PRAGMA user_version").fetchall()
    if version > SCHEMA:
        raise SchemaTooNew(f"{path} has schema {version}, and this version of pheroboard knows {SCHEMA}: upgrade pheroboard")
    return int(version)


def _read_standing(db: sqlite3.Connection) -> tuple[Standing, bytes]:
    """How the journal stands, and the random name of its life, by which a checkpoint knows its journal."""
    db.execute("INSERT OR IGNORE INTO meta VALUES ('life', ?)", (uuid.uuid4().bytes,))
    meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    marks = {(agent, epoch): seq for agent, epoch, seq in db.execute("SELECT agent, epoch, seq FROM marks")}
    return Standing(origin=meta.get("origin"), log=meta.get("log"), cursor=meta.get("cursor", 0), marks=marks), meta["life"]


def _write_origin(db: sqlite3.Connection, origin: bytes, log: str) -> None:
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("origin", origin), ("log", log)])


def _read_checkpoint(db: sqlite3.Connection, life: bytes, cursor: int) -> tuple[int, dict[str, bytes]]:
    meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    seq = meta.get("seq", 0)
    if meta.get("life") != life or seq > cursor:
        db.execute("DELETE FROM pages")
        db.execute("DELETE FROM meta")
        db.execute("INSERT INTO meta VALUES ('life', ?)", (life,))
        return 0, {}
    return seq, dict(db.execute("SELECT name, data FROM pages").fetchall())


def _write_batch(db: sqlite3.Connection, batch: Batch) -> None:
    db.executemany("INSERT INTO journal VALUES (?, ?, ?, ?)", [(m.seq, m.stamp, m.agent, m.data) for m in batch.journal])
    db.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", [(*who, seq) for who, seq in batch.marks.items()])
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", [astuple(event) for event in batch.events])
    # Every audience that ever had events has its row, so that what is untold is found without a scan.
    db.executemany("INSERT OR IGNORE INTO told VALUES (?, 0)", {(e.audience,) for e in batch.events})
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?)", batch.told.items())
    db.executemany("INSERT OR REPLACE INTO archive VALUES (?, ?, ?)", [(a.item, a.seq, a.data) for a in batch.archived])
    db.execute("INSERT OR REPLACE INTO meta VALUES ('cursor', ?)", (batch.cursor,))
    if batch.dead:
        rows = [astuple(letter) for letter in batch.dead]
        columns = "seq, stamp, agent, code, error, head, epoch, post, unit"
        db.executemany(f"INSERT INTO dead ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - our own text
        db.execute("DELETE FROM dead WHERE id <= (SELECT MAX(id) FROM dead) - ?", (MAX_DEAD_LETTERS,))


def _write_checkpoint(db: sqlite3.Connection, seq: int, pages: Mapping[str, bytes]) -> None:
    db.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?)", [(name, data) for name, data in pages.items() if data])
    db.executemany("DELETE FROM pages WHERE name = ?", [(name,) for name, data in pages.items() if not data])
    db.execute("INSERT OR REPLACE INTO meta VALUES ('seq', ?)", (seq,))


def _translated(error: sqlite3.Error, path: Path) -> StoreError:
    """SQLite's error in this room's words."""
    match error.sqlite_errorname.split("_")[1] if hasattr(error, "sqlite_errorname") else "":
        case "READONLY" | "CANTOPEN" | "PERM":
            return _not_writable(path, error)
        case "FULL":
            return NotWritable(f"{path} cannot grow, the disk is full: make room and start the board again")
        case "NOTADB" | "CORRUPT":
            return Damaged(f"{path} is no board's database, or it is damaged ({error}): restore a backup, or choose another name")
        case _:
            return StoreError(f"{path} cannot be used ({error}): start the board again; if this recurs, restore a backup")


def _not_writable(path: Path, error: Exception) -> NotWritable:
    return NotWritable(f"{path} cannot be written ({error}): check the folder's permissions, or choose another place")


def _lock(path: Path) -> IO[str]:
    """Hold ``NAME.db.lock``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return hold(path.with_name(f"{path.name}.lock"))
    except Held as held:
        here = " (this one, in another event loop)" if held.holder == str(os.getpid()) else ""
        raise BoardInUse(f"{path} is in use by process {held.holder}{here}: end it, or serve the board with `pheroboard up`") from held
    except OSError as error:
        raise _not_writable(path, error) from error
