"""What the texts of a board's items come to (``blackboard.text.cache``), in a file of its own.

Laws:

- It is a cache: it is not there before there is something to keep, and in no copy of a board; what is not whole, or not known to be of the
  board as it stands, is dropped as a whole.
- It is known to be so while it stands for an entry between the checkpoint's and the journal's last: what left until there is in it no
  more, and what left later is told again when the journal's tail is applied.
"""

import logging
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from blackboard.archive import Unwritten
from blackboard.errors import Damaged, SchemaTooNew, StoreError
from blackboard.sqlite.file import File
from blackboard.sqlite.schema import TERMS
from blackboard.sqlite.shelf import SqliteShelf

_AT_ONCE = 4096
"""Rows that are written in one transaction."""

_logger = logging.getLogger(__name__)


def terms_of(path: Path) -> Path:
    """Where the analyses of the board in ``path`` are, once there are some."""
    return path.with_name(f"{path.stem}.terms.db")


def drop(path: Path) -> None:
    """Remove the file."""
    for rest in ("", "-wal", "-shm"):
        path.with_name(path.name + rest).unlink(missing_ok=True)


class Terms:
    """The analyses of the board whose journal is of this ``life``, in ``path``."""

    def __init__(self, path: Path, life: bytes) -> None:
        self._path = path
        self._life = life
        self._file: File | None = None
        self._shelf: SqliteShelf | None = None

    async def open(self, checkpoint: int, cursor: int) -> None:
        """Take up what is there, if it is of the board that has this checkpoint, and has come as far as ``cursor``."""
        if not self._path.exists():
            return
        try:
            await self._open()
            life, seq = await self._taken_hold_of().run(_read_standing)
        except (Damaged, SchemaTooNew) as error:
            _logger.warning("the texts that were analysed are analysed anew: %s", error)
            life, seq = b"", 0
        if life != self._life or not checkpoint <= seq <= cursor:
            await self._drop()

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What is kept of these items."""
        if self._shelf is None:
            return {}
        try:
            return self._shelf.rows(ordinals)
        except StoreError as error:
            _logger.warning("the texts that were analysed are analysed anew: %s", error)
            return {}

    async def keep(self, seq: int, analyses: Unwritten) -> None:
        """Keep those that came, and none that left by entry ``seq``; some at a time. Raises ``NotWritable``."""
        if self._file is None and not analyses.came:
            return
        try:
            await self._keep(seq, analyses)
        except Damaged as error:
            _logger.warning("the texts that were analysed are dropped, and kept anew: %s", error)
            await self._drop()
            await self._keep(seq, analyses)

    async def scrub(self) -> bool:
        """Leave no byte of what left; False: a reader keeps it from that, try again."""
        if self._file is None:
            return True
        try:
            return await self._file.scrub()
        except Damaged:
            await self._drop()
            return True

    async def aclose(self) -> None:
        """Let go of the file."""
        if self._shelf is not None:
            self._shelf.close()
            self._shelf = None
        if self._file is not None:
            await self._file.aclose()
            self._file = None

    async def _keep(self, seq: int, analyses: Unwritten) -> None:
        if self._file is None:
            await self._open()
        file = self._taken_hold_of()
        rows = list(analyses.came.items())
        await file.run(_write, self._life, seq, analyses.left, rows[:_AT_ONCE])
        for first in range(_AT_ONCE, len(rows), _AT_ONCE):
            await file.run(_write, self._life, seq, (), rows[first : first + _AT_ONCE])

    async def _open(self) -> None:
        self._file = await File.open(self._path, TERMS)
        self._shelf = SqliteShelf.open(self._path, "analyses")

    async def _drop(self) -> None:
        await self.aclose()
        drop(self._path)

    def _taken_hold_of(self) -> File:
        assert self._file is not None
        return self._file


def _read_standing(db: sqlite3.Connection) -> tuple[bytes, int]:
    meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    return meta.get("life", b""), meta.get("seq", 0)


def _write(db: sqlite3.Connection, life: bytes, seq: int, left: Collection[int], rows: Sequence[tuple[int, bytes]]) -> None:
    db.executemany("DELETE FROM analyses WHERE ordinal = ?", [(ordinal,) for ordinal in left])
    db.executemany("INSERT OR REPLACE INTO analyses VALUES (?, ?)", rows)
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("life", life), ("seq", seq)])
