"""The tables of a board's files, and how files of earlier versions become today's.

Laws:

- Every version's step stands here for good, and is tested on a database that this version made.
- A step is one transaction: a file is of one version or of the next.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from blackboard.errors import SchemaTooNew

SCHEMA = 4
"""Of all files, in ``PRAGMA user_version``."""


class Kind(NamedTuple):
    """A kind of file."""

    tables: str
    """Today's tables."""
    steps: tuple[str, ...]
    """From version 1 to 2, from 2 to 3, …"""


JOURNAL = Kind(
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
    CREATE TABLE journal (seq INTEGER PRIMARY KEY, stamp REAL NOT NULL, agent TEXT NOT NULL, data BLOB NOT NULL);
    CREATE TABLE marks (
        agent TEXT, epoch TEXT, seq INTEGER NOT NULL, heard INTEGER NOT NULL, PRIMARY KEY (agent, epoch)
    ) WITHOUT ROWID;
    CREATE TABLE debts (agent TEXT PRIMARY KEY, amount REAL NOT NULL, stamp REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE set_aside (code TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE events (audience TEXT NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL, threads BLOB NOT NULL);
    CREATE UNIQUE INDEX events_by_number ON events (audience, n);
    CREATE INDEX events_by_entry ON events (seq);
    CREATE TABLE told (audience TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE dead (
        id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, stamp REAL NOT NULL, agent TEXT NOT NULL, code TEXT NOT NULL, error TEXT NOT NULL,
        head BLOB NOT NULL, epoch TEXT NOT NULL, post INTEGER NOT NULL, unit INTEGER NOT NULL
    );
    CREATE INDEX dead_by_agent ON dead (agent, id);
    CREATE TABLE archive (ordinal INTEGER PRIMARY KEY, gone INTEGER, data BLOB NOT NULL);
    CREATE INDEX archive_gone ON archive (gone) WHERE gone IS NOT NULL;
    CREATE TABLE cuts (seq INTEGER PRIMARY KEY, stamp REAL NOT NULL);
    """,
    (
        # When an epoch was last heard of, and where the journal was cut.
        """
        ALTER TABLE marks ADD COLUMN stamp REAL NOT NULL DEFAULT 0;
        UPDATE marks SET stamp = (SELECT COALESCE(MAX(stamp), 0) FROM journal);
        CREATE TABLE cuts (seq INTEGER PRIMARY KEY, stamp REAL NOT NULL);
        """,
        # The archive was a copy of what the checkpoint held, and now holds it alone: opening the board fills it from there.
        """
        DROP TABLE archive;
        CREATE TABLE archive (ordinal INTEGER PRIMARY KEY, gone INTEGER, data BLOB NOT NULL);
        CREATE INDEX archive_gone ON archive (gone) WHERE gone IS NOT NULL;
        """,
        # The order in which epochs were heard, what agents owe, and how much was ever set aside.
        """
        ALTER TABLE marks ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
        UPDATE marks SET heard = (SELECT COUNT(*) FROM marks AS earlier WHERE earlier.stamp < marks.stamp);
        ALTER TABLE marks DROP COLUMN stamp;
        CREATE TABLE debts (agent TEXT PRIMARY KEY, amount REAL NOT NULL, stamp REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE set_aside (code TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO set_aside SELECT code, COUNT(*) FROM dead GROUP BY code;
        """,
    ),
)

STATE = Kind(
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
    CREATE TABLE pages (name TEXT PRIMARY KEY, data BLOB NOT NULL);
    """,
    ("", "", ""),
)

OUTBOX = Kind(
    """
    CREATE TABLE sender (of_whom TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, settled INTEGER NOT NULL);
    CREATE TABLE units (place INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL, observations INTEGER NOT NULL);
    """,
    ("", "", ""),  # there were none before
)

TERMS = Kind(
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
    CREATE TABLE analyses (ordinal INTEGER PRIMARY KEY, data BLOB NOT NULL);
    """,
    ("", "", ""),  # there were none before
)


def prepare(db: sqlite3.Connection, path: Path, kind: Kind) -> None:
    """Make the tables, or bring them up to today's. Raises ``SchemaTooNew``."""
    version = check_schema(db, path)
    if version == 0:
        db.executescript(f"BEGIN; {kind.tables} PRAGMA user_version = {SCHEMA}; COMMIT;")
        return
    for number, step in enumerate(kind.steps[version - 1 :], version + 1):
        db.executescript(f"BEGIN; {step} PRAGMA user_version = {number}; COMMIT;")


def upgrade(path: Path, kind: Kind) -> None:
    """Bring a file up to today's tables. Raises ``SchemaTooNew``, ``sqlite3.Error``."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        prepare(db, path, kind)


def check_schema(db: sqlite3.Connection, path: Path) -> int:
    """The file's version; 0 for an empty one. Raises ``SchemaTooNew``."""
    [(version,)] = db.execute("PRAGMA user_version").fetchall()
    if version > SCHEMA:
        raise SchemaTooNew(f"{path} has schema {version}, and this version of pheroboard knows {SCHEMA}: upgrade pheroboard")
    return int(version)
