"""Vectors of texts in a file, so that no process embeds what an earlier one did.

Laws:

- What is lost with this file is time alone, so it waits for no disk: SQLite keeps it whole, and a loss of power may take the latest.
- Several processes may share it.
- What is forgotten leaves no byte in it.
"""

import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from blackboard.errors import Damaged, StoreError
from blackboard.sqlite.file import not_writable, translated

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (digest TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_KEPT = "SELECT digest, vector FROM vectors WHERE digest IN (SELECT value FROM json_each(?))"
_KEEP = "INSERT OR IGNORE INTO vectors VALUES (?, ?)"
_FORGET = "DELETE FROM vectors WHERE digest IN (SELECT value FROM json_each(?))"


class SqliteVectors:
    """The keeper in ``path``, which is made if it is not there. Used by one thread at a time."""

    def __init__(self, path: str | Path) -> None:
        """Raises ``NotWritable``, and ``Damaged`` where something else is."""
        self._path = path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise not_writable(path, error) from error
        try:
            for statement in ("PRAGMA busy_timeout = 5000", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", _TABLE):
                self._db.execute(statement)
            self._db.execute("PRAGMA secure_delete = ON")
        except sqlite3.Error as error:
            self._db.close()
            raise self._said(error) from error

    def kept(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Those that are there. Raises ``Damaged``."""
        rows = self._do(_KEPT, digests)
        return {bytes.fromhex(digest): vector for digest, vector in rows}

    def keep(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep these: all or none. Raises ``NotWritable``, ``Damaged``."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany(_KEEP, [(digest.hex(), vector) for digest, vector in vectors.items()])
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite may have rolled back by itself
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._said(error) from error

    def forget(self, digests: Collection[bytes]) -> None:
        """Keep no byte of these, in the file's log either. Raises ``NotWritable``, ``Damaged``."""
        self._do(_FORGET, digests)
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise self._said(error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _do(self, statement: str, digests: Collection[bytes]) -> list[tuple[str, bytes]]:
        try:
            return self._db.execute(statement, (msgspec.json.encode([digest.hex() for digest in digests]).decode(),)).fetchall()
        except sqlite3.Error as error:
            raise self._said(error) from error

    def _said(self, error: sqlite3.Error) -> StoreError:
        said = translated(error, self._path)
        if isinstance(said, Damaged):
            return Damaged(f"{self._path} is no cache of vectors, or it is damaged ({error}): delete it, and it is made anew")
        return said
