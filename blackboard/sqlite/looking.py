"""Reading a board's files without taking hold of them: another process may. Nothing is written."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from blackboard.errors import Damaged, StoreError
from blackboard.sqlite.file import read_only, translated
from blackboard.sqlite.schema import SCHEMA, check_schema
from blackboard.sqlite.shelf import SqliteShelf
from blackboard.sqlite.store import DEAD_LETTERS, SET_ASIDE, origin_of, state_of
from blackboard.store import DeadLetter
from bus.port import LogMessage

TRIES = 10
"""How often files are read again that were changed between one and the next."""


class Inspection(Struct, frozen=True):
    """What a board's database says of itself."""

    cursor: int
    log: str | None
    """The identity of the log that ``cursor`` counts in."""
    dead: dict[str, int]
    """Why messages were set aside → how many ever were."""
    latest: tuple[DeadLetter, ...]
    """The newest of them, the newest first."""


def inspect(path: Path, *, latest: int = 5) -> Inspection:
    """Read a board's database. Raises ``SchemaTooNew``, ``StoreError``."""
    with reading(path) as db:
        meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
        dead = dict(db.execute(SET_ASIDE).fetchall())
        rows = db.execute(DEAD_LETTERS, (latest,)).fetchall()
    return Inspection(meta.get("cursor", 0), meta.get("log"), dead, tuple(DeadLetter(*row) for row in rows))


class Recorded:
    """A board's files at one moment, for as long as they are being read."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
        if not meta.get("origin"):
            raise StoreError(f"{path} holds no board yet: open it first")
        self.origin: bytes = meta["origin"]
        """The board's encoded configuration."""
        self.cursor: int = meta.get("cursor", 0)
        self.base: int = meta.get("base", 0)
        self.begins: int = 0
        """The entry that ``pages`` stand for: a replay begins there."""
        self.pages: dict[str, bytes] = {}
        self.checkpoint: int = 0
        """The entry that ``state`` stands for; 0: there is no checkpoint."""
        self.state: dict[str, bytes] = {}
        self.said = SqliteShelf(db, path, "archive").rows
        """What lies on the archive's shelf."""

    def entries(self) -> Iterator[LogMessage]:
        """The journal behind ``begins``, in order."""
        for row in self._db.execute("SELECT seq, stamp, agent, data FROM journal WHERE seq > ? ORDER BY seq", (self.begins,)):
            yield LogMessage(*row)


@contextmanager
def recorded(path: Path) -> Iterator[Recorded]:
    """Read a board's files as of one moment, whoever writes to them meanwhile. Raises ``SchemaTooNew``, ``StoreError``."""
    for _ in range(TRIES):
        # In this order: what is read later is newer. A cut in between shows, and then all of it is read again.
        checkpoint, state = _pages(state_of(path))
        with reading(path) as db:
            db.execute("BEGIN")
            found = Recorded(db, path)
            if found.base:
                found.begins, found.pages = _pages(origin_of(path))
                if not found.base <= found.begins <= found.cursor:
                    continue
            if found.begins <= checkpoint <= found.cursor:
                found.checkpoint, found.state = checkpoint, state
            elif checkpoint > 0 and found.base:
                continue
            yield found
            return
    raise Damaged(f"{path} and its companions do not belong together: open the board to see, or restore a backup")


def _pages(path: Path) -> tuple[int, dict[str, bytes]]:
    if not path.exists():
        return 0, {}
    with reading(path) as db:
        db.execute("BEGIN")
        [(seq,)] = db.execute("SELECT TOTAL(value) FROM meta WHERE name = 'seq'").fetchall()
        return int(seq), dict(db.execute("SELECT name, data FROM pages").fetchall())


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A file open for reading. Raises ``SchemaTooNew``, ``StoreError``."""
    if not path.exists():
        raise StoreError(f"there is no database {path}: name one that exists")
    try:
        with closing(read_only(path)) as db:
            if check_schema(db, path) not in {0, SCHEMA}:
                raise StoreError(f"{path} was written by an earlier version: open the board once, which upgrades it")
            yield db
    except sqlite3.Error as error:
        raise translated(error, path) from error
