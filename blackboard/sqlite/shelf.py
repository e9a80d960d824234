"""The shelf of an archive: rows of a board's file, read where they are asked for.

A pure room asks, and so at once, on a connection of its own: a row is some microseconds away, and no commit on the file's thread is waited
for.
"""

import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self

import msgspec

from blackboard.sqlite.file import read_only, translated

_SAID = "SELECT ordinal, data FROM archive WHERE ordinal IN (SELECT value FROM json_each(?))"


class SqliteShelf:
    """What lies there as of the latest commit, or as of the transaction that ``db`` is in."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    @classmethod
    def open(cls, path: Path) -> Self:
        """The shelf of the board in ``path``, which is there. Raises ``StoreError``."""
        try:
            return cls(read_only(path), path)
        except sqlite3.Error as error:
            raise translated(error, path) from error

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What these items say. Raises ``StoreError``."""
        try:
            return dict(self._db.execute(_SAID, (msgspec.json.encode(list(ordinals)).decode(),)).fetchall())
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
