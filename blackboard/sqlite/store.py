"""The store in SQLite.

Laws:

- A checkpoint that is damaged, not of this journal, or ahead of it (one of the files was replaced) is dropped: the origin, if the journal
  was cut, and the journal behind it rebuild the state.
- The origin is in its place before the journal is cut: whatever ends in between, the journal goes on from an origin that is there.
- What the archive had of an item goes with the cut behind which the item came back or was dropped; before, the origin may need it.
"""

import logging
import shutil
import sqlite3
import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

from msgspec.structs import astuple

from blackboard.archive import Unwritten
from blackboard.errors import BoardInUse, Damaged, StoreError
from blackboard.limits import Debt
from blackboard.sqlite.file import File, locked
from blackboard.sqlite.schema import JOURNAL, STATE, upgrade
from blackboard.sqlite.shelf import SqliteShelf
from blackboard.sqlite.terms import Terms, terms_of
from blackboard.store import CUTS_KEPT, MAX_DEAD_LETTERS, Batch, Cut, DeadLetter, Extent, Outgoing, Standing
from bus.port import LogMessage

_PAGES_AT_ONCE = 64
"""Pages that are written in one statement."""
_AT_ONCE = 4096
"""Rows that are dropped in one transaction, so that a cut holds up no commit."""

_NOTE_TOLD_BEFORE = (
    "INSERT INTO told SELECT audience, MAX(n) FROM events WHERE seq < ? GROUP BY audience "
    "ON CONFLICT (audience) DO UPDATE SET n = MAX(n, excluded.n)"
)
_NOTE_TOLD = "INSERT INTO told VALUES (?, ?) ON CONFLICT (audience) DO UPDATE SET n = MAX(n, excluded.n)"

_logger = logging.getLogger(__name__)

DEAD_LETTERS = "SELECT seq, stamp, agent, code, error, head, epoch, post, unit FROM dead ORDER BY id DESC LIMIT ?"
SET_ASIDE = "SELECT code, count FROM set_aside ORDER BY 2 DESC"
_DEAD_LETTERS_OF = "SELECT seq, stamp, agent, code, error, head, epoch, post, unit FROM dead WHERE agent = ? ORDER BY id DESC LIMIT ?"


def state_of(path: Path) -> Path:
    """Where the checkpoint of the board in ``path`` is."""
    return path.with_name(f"{path.stem}.state.db")


def origin_of(path: Path) -> Path:
    """Where its origin is, once its journal was cut."""
    return path.with_name(f"{path.stem}.origin.db")


class SqliteStore:
    """Keeps one board in ``path`` and its companions. Nothing is touched before ``open``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: IO[str] | None = None
        self._main: File | None = None
        self._state: File | None = None
        self._shelf: SqliteShelf | None = None
        self._terms: Terms | None = None
        self._standing = Standing()
        self._life = b""

    async def open(self) -> Standing:
        """Lock the files, make them if they are not there, and say how they stand.

        Raises ``NotWritable``, ``BoardInUse``, ``SchemaTooNew``, and ``Damaged`` for a journal that is not whole.
        """
        self._lock = lock(self._path)
        try:
            self._main = await File.open(self._path, JOURNAL)
            self._standing, self._life = await self._main.run(_read_standing)
            self._shelf = SqliteShelf.open(self._path, "archive")
            self._standing.checkpoint, self._standing.pages = await self._open_checkpoint()
            self._terms = Terms(terms_of(self._path), self._life)
            await self._terms.open(self._standing.checkpoint, self._standing.cursor)
            if origin_of(self._path).exists():  # it is read by whoever looks back, and must not be of another schema then
                with suppress(sqlite3.Error):  # who needs it finds out
                    upgrade(origin_of(self._path), STATE)
        except BaseException:
            await self.aclose()
            raise
        standing, self._standing = self._standing, Standing(cursor=self._standing.cursor, base=self._standing.base)
        return standing

    async def _open_checkpoint(self) -> tuple[int, dict[str, bytes]]:
        try:
            return await self._read_checkpoint()
        except Damaged as error:
            _logger.warning("the checkpoint is dropped, the journal rebuilds the state: %s", error)
            return await self.revert()

    async def _read_checkpoint(self) -> tuple[int, dict[str, bytes]]:
        path = state_of(self._path)
        self._state = await File.open(path, STATE)
        return await self._state.run(_read_checkpoint, path, self._life, self._standing.base, self._standing.cursor)

    async def revert(self) -> tuple[int, dict[str, bytes]]:
        """Put the origin in the place of the checkpoint."""
        if self._state is not None:
            await self._state.aclose()
            self._state = None
        path, origin = state_of(self._path), origin_of(self._path)
        for rest in ("", "-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        if self._standing.base:
            if not origin.exists():
                raise Damaged(f"{self._path} begins behind entry {self._standing.base}, and {origin} is not there: restore a backup")
            shutil.copyfile(origin, path)
        return await self._read_checkpoint()

    async def begin(self, origin: bytes, log: str) -> None:
        """Settle the origin."""
        await self._file.run(_write_origin, origin, log)

    async def commit(self, batch: Batch) -> None:
        """One transaction, synced."""
        await self._file.run(_write_batch, batch)
        self._standing.cursor = batch.cursor

    async def checkpoint(self, seq: int, pages: Mapping[str, bytes]) -> None:
        """One transaction in the second file, on a thread of its own."""
        await self._state_file.run(_write_checkpoint, seq, pages)

    async def cut(self, cut: Cut) -> None:
        """Copy the checkpoint; then drop what goes, some at a time."""
        await self._state_file.copy_to(origin_of(self._path))
        gone = await self._file.run(_write_cut, cut)
        self._standing.base = cut.seq
        for table, column, upto in (("journal", "seq", cut.seq), ("events", "seq", gone), ("archive", "gone", cut.seq)):
            while await self._file.run(_drop, table, column, upto):
                pass

    async def scrub(self, seq: int) -> bool:
        """Write the files anew."""
        await self._file.run(_strip_dead_letters, seq)
        if not (await self._state_file.scrub() and await self._file.scrub() and await self._terms_file.scrub()):
            return False
        await self._file.run(_settle_erasure, seq)
        return True

    async def extent(self) -> Extent:
        """How much journal there is."""
        [(entries, size, since)] = await self._rows(
            "SELECT COUNT(*), TOTAL(LENGTH(data)), MIN(stamp) FROM journal WHERE seq > ?", self._standing.base
        )
        return Extent(entries, int(size), since) if entries else Extent()

    async def journal(self, after: int, limit: int = 256) -> list[LogMessage]:
        """The applied entries after ``after``."""
        return [LogMessage(*row) for row in await self._rows("SELECT * FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)]

    async def tally(self, after: int) -> dict[str, int]:
        """Audience → how many events the entries after ``after`` caused."""
        return dict(await self._rows("SELECT audience, COUNT(*) FROM events WHERE seq > ? GROUP BY audience", after))

    async def note_told(self, told: Mapping[str, int]) -> None:
        """Keep the higher numbers."""
        await self._file.run(lambda db: db.executemany(_NOTE_TOLD, told.items()))

    async def note_told_before(self, seq: int) -> None:
        """Keep the higher numbers."""
        await self._file.run(lambda db: db.execute(_NOTE_TOLD_BEFORE, (seq,)))

    async def untold_from(self) -> dict[str, int]:
        """The first untold of each audience."""
        first = "SELECT e.seq FROM events e WHERE e.audience = t.audience AND e.n > t.n ORDER BY e.n LIMIT 1"
        rows = await self._rows(f"SELECT t.audience, ({first}) FROM told t")  # noqa: S608 - our own text
        return {audience: seq for audience, seq in rows if seq is not None}

    async def untold(self) -> list[Outgoing]:
        """Events that were not told yet."""
        query = "SELECT e.* FROM told t JOIN events e ON e.audience = t.audience AND e.n > t.n ORDER BY e.rowid"
        return [Outgoing(*row) for row in await self._rows(query)]

    async def events(self, audience: str, after: int, limit: int) -> list[Outgoing]:
        """An audience's events after number ``after``."""
        query = "SELECT * FROM events WHERE audience = ? AND n > ? ORDER BY n LIMIT ?"
        return [Outgoing(*row) for row in await self._rows(query, audience, after, limit)]

    async def bounds(self, audience: str) -> tuple[int, int]:
        """The first number that is kept for an audience, and its last."""
        query = "SELECT (SELECT MIN(n) FROM events WHERE audience = ?1), MAX(n) FROM events WHERE audience = ?1"
        [(first, last)] = await self._rows(query, audience)
        if first is None:
            [(told,)] = await self._rows("SELECT TOTAL(n) FROM told WHERE audience = ?", audience)
            return (int(told) + 1, int(told)) if told else (0, 0)
        return first, last

    async def event_at(self, seq: int) -> list[Outgoing]:
        """What entry ``seq`` caused."""
        return [Outgoing(*row) for row in await self._rows("SELECT * FROM events WHERE seq = ? ORDER BY rowid", seq)]

    async def dead_letters(self, limit: int = 100, agent: str | None = None) -> list[DeadLetter]:
        """The newest dead letters first."""
        rows = await (self._rows(DEAD_LETTERS, limit) if agent is None else self._rows(_DEAD_LETTERS_OF, agent, limit))
        return [DeadLetter(*row) for row in rows]

    async def set_aside(self) -> dict[str, int]:
        """How many ever were."""
        return dict(await self._rows(SET_ASIDE))

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What lies on the archive's shelf."""
        if self._shelf is None:
            raise self._not_open()
        return self._shelf.rows(ordinals)

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What is kept of analyses."""
        return self._terms_file.analysed(ordinals)

    async def keep_analyses(self, seq: int, analyses: Unwritten) -> None:
        """Some transactions in a file of their own."""
        await self._terms_file.keep(seq, analyses)

    async def aclose(self) -> None:
        """Close the files and let go of the lock."""
        if self._shelf is not None:
            self._shelf.close()  # first: who closes the file last folds its log in, and a reader cannot
            self._shelf = None
        for file in (self._main, self._state, self._terms):
            if file is not None:
                await file.aclose()
        self._main = self._state = self._terms = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def _file(self) -> File:
        if self._main is None:
            raise self._not_open()
        return self._main

    @property
    def _state_file(self) -> File:
        if self._state is None:
            raise self._not_open()
        return self._state

    @property
    def _terms_file(self) -> Terms:
        if self._terms is None:
            raise self._not_open()
        return self._terms

    def _not_open(self) -> StoreError:
        return StoreError(f"{self._path} is not open: call open() before anything else, and nothing after aclose()")

    async def _rows(self, query: str, *parameters: Any) -> list[Any]:
        return await self._file.run(lambda db: db.execute(query, parameters).fetchall())


def _read_standing(db: sqlite3.Connection) -> tuple[Standing, bytes]:
    """How the journal stands, and the random name of its life, by which a checkpoint knows its journal."""
    db.execute("INSERT OR IGNORE INTO meta VALUES ('life', ?)", (uuid.uuid4().bytes,))
    meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    marks = {(agent, epoch): seq for agent, epoch, seq in db.execute("SELECT agent, epoch, seq FROM marks ORDER BY heard")}
    debts = {agent: Debt(amount, stamp) for agent, amount, stamp in db.execute("SELECT agent, amount, stamp FROM debts")}
    standing = Standing(
        origin=meta.get("origin"), log=meta.get("log"), cursor=meta.get("cursor", 0), marks=marks, debts=debts, base=meta.get("base", 0),
        erasing=meta.get("erasing", 0),
    )  # fmt: skip
    return standing, meta["life"]


def _write_origin(db: sqlite3.Connection, origin: bytes, log: str) -> None:
    db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("origin", origin), ("log", log)])


def _read_checkpoint(db: sqlite3.Connection, path: Path, life: bytes, base: int, cursor: int) -> tuple[int, dict[str, bytes]]:
    meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    if not meta and not base:
        db.execute("INSERT INTO meta VALUES ('life', ?)", (life,))
    elif meta.get("life") != life or not base <= meta.get("seq", 0) <= cursor:
        raise Damaged(f"{path} is no checkpoint of this board's journal, which goes from entry {base} to {cursor}: restore a backup")
    return meta.get("seq", 0), dict(db.execute("SELECT name, data FROM pages").fetchall())


def _write_batch(db: sqlite3.Connection, batch: Batch) -> None:
    db.executemany("INSERT INTO journal VALUES (?, ?, ?, ?)", [(m.seq, m.stamp, m.agent, m.data) for m in batch.journal])
    db.executemany("DELETE FROM marks WHERE agent = ? AND epoch = ?", batch.forgotten)
    first = batch.cursor << 16  # a batch is of fewer posts, and the next one begins above it
    marks = [(*who, seq, heard) for heard, (who, seq) in enumerate(batch.marks.items(), first)]
    db.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?)", marks)
    db.executemany("INSERT OR REPLACE INTO debts VALUES (?, ?, ?)", [(agent, *debt) for agent, debt in batch.debts.items()])
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", [astuple(event) for event in batch.events])
    # Every audience that ever had events has its row, so that what is untold is found without a scan.
    db.executemany("INSERT OR IGNORE INTO told VALUES (?, 0)", {(e.audience,) for e in batch.events})
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?)", batch.told.items())
    db.executemany("INSERT OR REPLACE INTO archive VALUES (?, NULL, ?)", batch.archive.came.items())
    db.executemany("UPDATE archive SET gone = ? WHERE ordinal = ?", [(batch.cursor, ordinal) for ordinal in batch.archive.left])
    db.execute("INSERT OR REPLACE INTO meta VALUES ('cursor', ?)", (batch.cursor,))
    if batch.erases:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('erasing', ?)", (batch.cursor,))
    db.executemany("DELETE FROM dead WHERE agent = ?", [(agent,) for agent in batch.bereft])
    if batch.dead:
        rows = [astuple(letter) for letter in batch.dead]
        columns = "seq, stamp, agent, code, error, head, epoch, post, unit"
        db.executemany(f"INSERT INTO dead ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)  # noqa: S608 - our own text
        too_many = "SELECT id FROM dead WHERE agent = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2"
        agents = {(letter.agent, MAX_DEAD_LETTERS) for letter in batch.dead}
        db.executemany(f"DELETE FROM dead WHERE agent = ?1 AND id <= ({too_many})", agents)  # noqa: S608 - our own text
        counts = Counter(letter.code for letter in batch.dead)
        more = "INSERT INTO set_aside VALUES (?, ?) ON CONFLICT (code) DO UPDATE SET count = count + excluded.count"
        db.executemany(more, counts.items())


def _write_checkpoint(db: sqlite3.Connection, seq: int, pages: Mapping[str, bytes]) -> None:
    kept, gone = [(name, data) for name, data in pages.items() if data], [name for name, data in pages.items() if not data]
    # Many to a statement: after each this thread waits for the interpreter, which the board is busy with.
    for some in (kept[n : n + _PAGES_AT_ONCE] for n in range(0, len(kept), _PAGES_AT_ONCE)):
        db.execute(f"INSERT OR REPLACE INTO pages VALUES {', '.join(['(?, ?)'] * len(some))}", [*chain.from_iterable(some)])  # noqa: S608 - our own text
    db.executemany("DELETE FROM pages WHERE name = ?", [(name,) for name in gone])
    db.execute("INSERT OR REPLACE INTO meta VALUES ('seq', ?)", (seq,))


def _write_cut(db: sqlite3.Connection, cut: Cut) -> int:
    """Settle the cut; up to which entry events go."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('base', ?)", (cut.seq,))
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?)", cut.told.items())
    db.execute("INSERT OR REPLACE INTO cuts VALUES (?, ?)", (cut.seq, cut.stamp))
    old = "SELECT seq FROM cuts WHERE stamp <= ? UNION SELECT seq FROM (SELECT seq FROM cuts ORDER BY seq DESC LIMIT -1 OFFSET ?)"
    [(gone,)] = db.execute(f"SELECT COALESCE(MAX(seq), 0) FROM ({old})", (cut.events_before, CUTS_KEPT)).fetchall()  # noqa: S608 - our own text
    db.execute("DELETE FROM cuts WHERE seq < ?", (gone,))
    return int(gone)


def _drop(db: sqlite3.Connection, table: str, column: str, upto: int) -> int:
    rows = f"SELECT rowid FROM {table} WHERE {column} <= ? ORDER BY {column} LIMIT ?"  # noqa: S608 - our own text
    return db.execute(f"DELETE FROM {table} WHERE rowid IN ({rows})", (upto, _AT_ONCE)).rowcount  # noqa: S608 - our own text


def _strip_dead_letters(db: sqlite3.Connection, seq: int) -> None:
    db.execute("UPDATE dead SET head = x'' WHERE seq <= ?", (seq,))


def _settle_erasure(db: sqlite3.Connection, seq: int) -> None:
    db.execute("DELETE FROM meta WHERE name = 'erasing' AND value <= ?", (seq,))


def lock(path: Path) -> IO[str]:
    """Hold the files of the board in ``path``. Raises ``BoardInUse``, ``NotWritable``."""
    return locked(path, lambda by: BoardInUse(f"{path} is in use by {by}: end it, or serve the board with `pheroboard up`"))
