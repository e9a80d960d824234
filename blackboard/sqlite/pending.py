"""An agent's outbox: what it has said and the log has not acknowledged, in a file.

Laws:

- One process holds an outbox. It is of one agent on one board at one address, and says so before anything is kept in it.
- What is said while a commit is under way is committed together: the slower the disk, the more at a time.
- The epoch is in the file, so that what was settled before a crash goes out again under its old number.
"""

import asyncio
import sqlite3
from pathlib import Path
from typing import IO, NamedTuple

from blackboard.errors import Damaged, NotWritable, OutboxInUse, StoreError, WrongOutbox
from blackboard.pending import Parcel, Room, Said, new_epoch
from blackboard.sqlite.file import File, locked
from blackboard.sqlite.schema import OUTBOX


class _State(NamedTuple):
    """What the file says of itself."""

    of: str
    epoch: str
    number: int
    settled: int
    """The place of the last unit of post ``number``."""


class SqlitePending:
    """The outbox in ``path``, of the sender that ``of`` describes. Nothing is touched before ``open``."""

    durable = True

    def __init__(self, path: Path, of: str) -> None:
        self.name = str(path)
        self.reopened = False
        self.epoch, self.number, self.acknowledged = "", 0, 0
        self.last = self.left = 0
        self.news = asyncio.Event()
        self._path = path.resolve()  # under whatever name, and for SQLite never one of its own
        self._of = of
        self._settled = 0
        self._lock: IO[str] | None = None
        self._opened: File | None = None
        self._gathered: list[tuple[Said, asyncio.Future[None]]] = []
        self._committing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Lock the file, and make it if it is not there. Raises ``OutboxInUse``, ``WrongOutbox``, ``StoreError``."""
        self._lock = _lock(self._path)
        try:
            self._opened = await File.open(self._path, OUTBOX)
            state, self.last, waits = await self._file.run(_read, self._path)
            self.left = self.last - waits
            if state is None:
                self.epoch = new_epoch()
                return
            self._check(state.of, waits)
            self.reopened = True
            self.epoch, self.number, self._settled = state.epoch, state.number, state.settled
            self.acknowledged = state.number - 1 if await self._file.run(_holds, state.settled) else state.number
        except BaseException:
            await self.aclose()
            raise
        if waits:
            self.news.set()

    def _check(self, of: str, waits: int) -> None:
        if of != self._of:
            raise WrongOutbox(
                f"outbox {self._path} is that of {of}, not of {self._of}: name another file, or open that board as that agent, at that "
                f"very address, which `pheroboard up --port` keeps ({waits} of its units wait to be sent)"
            )

    async def begin(self) -> None:
        """Note whose it is."""
        if not self.reopened:
            await self._file.run(_write, self._state())

    async def keep(self, unit: Said) -> None:
        """Keep a unit; return once it is on the disk."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._gathered.append((unit, kept))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit(), name=f"outbox {self._path}")
        await kept

    async def _commit(self) -> None:
        try:
            while self._gathered:
                gathered, self._gathered = self._gathered, []
                error: Exception | None = None
                try:
                    self.last = await self._file.run(_insert, [unit for unit, _ in gathered])
                except StoreError as refused:
                    error = refused
                self.news.set()
                for _, kept in gathered:
                    if kept.done():  # its caller was cancelled
                        continue
                    if error is None:
                        kept.set_result(None)
                    else:
                        kept.set_exception(error)
        finally:
            self._committing = None

    async def next(self, room: Room, *, acknowledged: int) -> Parcel | None:
        """The post to be sent."""
        state, parcel = await self._file.run(_next, self._state(), room, acknowledged)
        self.number, self._settled = state.number, state.settled
        return parcel

    async def renew(self, *, without: int = 0) -> None:
        """Begin a new epoch."""
        state = _State(self._of, new_epoch(), 0, 0)
        await self._file.run(_renew, state, without)
        self.epoch, self.number, self._settled = state.epoch, 0, 0

    async def aclose(self) -> None:
        """Finish what is under way, close the file and let go of the lock."""
        if self._committing is not None:
            await asyncio.wait({self._committing})
        if self._opened is not None:
            await self._opened.aclose()
            self._opened = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _state(self) -> _State:
        return _State(self._of, self.epoch, self.number, self._settled)

    @property
    def _file(self) -> File:
        if self._opened is None:
            raise StoreError(f"outbox {self._path} is not open: call open() before anything else, and nothing after aclose()")
        return self._opened


def _read(db: sqlite3.Connection, path: Path) -> tuple[_State | None, int, int]:
    """What the file says, the place of the last unit that was ever kept, and how many wait."""
    try:
        states = db.execute("SELECT * FROM sender").fetchall()
    except sqlite3.OperationalError as error:
        raise Damaged(f"{path} is a database, but no outbox ({error}): name another file") from error
    [(last,)] = db.execute("SELECT TOTAL(seq) FROM sqlite_sequence WHERE name = 'units'").fetchall()
    [(waits,)] = db.execute("SELECT COUNT(*) FROM units").fetchall()
    return _State(*states[0]) if states else None, int(last), waits


def _holds(db: sqlite3.Connection, settled: int) -> bool:
    """Does the post that was settled last wait for its acknowledgement?"""
    return bool(db.execute("SELECT 1 FROM units WHERE place <= ? LIMIT 1", (settled,)).fetchall())


def _write(db: sqlite3.Connection, state: _State) -> None:
    db.execute("DELETE FROM sender")
    db.execute("INSERT INTO sender VALUES (?, ?, ?, ?)", state)


def _insert(db: sqlite3.Connection, units: list[Said]) -> int:
    db.executemany("INSERT INTO units (data, observations) VALUES (?, ?)", [(unit.data, unit.observations) for unit in units])
    [(last,)] = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'units'").fetchall()
    return int(last)


def _next(db: sqlite3.Connection, state: _State, room: Room, acknowledged: int) -> tuple[_State, Parcel | None]:
    if acknowledged < state.number:
        rows = db.execute("SELECT data, observations FROM units WHERE place <= ? ORDER BY place", (state.settled,))
        units = tuple(Said(*row) for row in rows)
    else:
        db.execute("DELETE FROM units WHERE place <= ?", (state.settled,))
        waiting = (Said(*row) for row in db.execute("SELECT data, observations FROM units ORDER BY place"))
        units = room.taken(waiting)
        if not units:
            return state, None
        # Places follow each other, since a transaction that failed has given none away.
        [(first,)] = db.execute("SELECT MIN(place) FROM units").fetchall()
        state = state._replace(number=state.number + 1, settled=first + len(units) - 1)
        _write(db, state)
    return state, Parcel(state.epoch, state.number, units, state.settled)


def _renew(db: sqlite3.Connection, state: _State, without: int) -> None:
    db.execute("DELETE FROM units WHERE place <= ?", (without,))
    _write(db, state)


def _lock(path: Path) -> IO[str]:
    if path.is_dir():
        raise NotWritable(f"outbox {path}", "it is a folder", "name a file in it")
    return locked(path, lambda by: OutboxInUse(f"outbox {path} is in use by {by}: end it, or name another file"))
