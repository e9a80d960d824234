"""The shelves of a board: rows of its files by items' ordinals, read where they are asked for.

A pure room asks, and so at once, on a connection of its own: a row is some microseconds away, and no commit on the file's thread is waited
for.
"""

import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Self

import msgspec

from blackboard.sqlite.file import read_only, translated


class SqliteShelf:
    """What lies in a table as of the latest commit, or as of the transaction that ``db`` is in."""

    def __init__(self, db: sqlite3.Connection, path: Path, table: str) -> None:
        self._db = db
        self._path = path
        self._query = f"SELECT ordinal, data FROM {table} WHERE ordinal IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own text

    @classmethod
    def open(cls, path: Path, table: str) -> Self:
        """The shelf in the file ``path``, which is there. Raises ``StoreError``."""
        try:
            return cls(read_only(path), path, table)
        except sqlite3.Error as error:
            raise translated(error, path) from error

    def rows(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What lies there of these items. Raises ``StoreError``."""
        try:
            return dict(self._db.execute(self._query, (msgspec.json.encode(list(ordinals)).decode(),)).fetchall())
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
