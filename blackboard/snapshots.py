"""A board's snapshot on the bus: what a host begins with that has not followed the log.

Laws:

- A snapshot is a backup: all of a board's files as of one entry. What stands behind that in the log is the tail.
- Who joins without a board, or with one that the log no longer goes on from, takes the snapshot in its place; never an older one.
- One that cannot be read is as good as none: who finds that drops it, and the leader gives another.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import msgspec
from msgspec import Struct

from blackboard.sqlite import back_up, discard, inspect, restore
from bus.errors import LogMismatch
from bus.messages import Beat, encode
from bus.port import Bus, Snapshot, Stretch

CHUNK = 128 * 1024
"""Bytes: what object stores take by default."""
WORTH = 20_000
"""Entries of a log from which on a host that has none of them rather begins with a snapshot."""
PATIENCE = 60.0
"""Seconds that a host waits for a snapshot that it cannot do without."""
_AGAIN = 0.5

_logger = logging.getLogger(__name__)


class About(Struct, frozen=True):
    """What is said of a snapshot."""

    seq: int
    """The last entry of the log that it has read."""
    log: str
    """The identity of that log."""


class Snapshots:
    """The snapshot of the board ``name`` on ``bus``, given from, and taken in the place of, the files at ``path``."""

    def __init__(self, bus: Bus, name: str, path: Path) -> None:
        self._bus = bus
        self._name = name
        self._path = path

    async def give(self) -> None:
        """Put one on the bus; the board may be in use. Raises ``StoreError``, ``BusError``."""
        with self._folder() as folder:
            file = Path(folder, "snapshot")
            with anyio.CancelScope(shield=True):  # a thread is not cancelled, and it works in there
                copied = await asyncio.to_thread(back_up, self._path, file)
            about = msgspec.json.encode(About(copied.cursor, copied.log or "")).decode()
            await self._bus.put_snapshot(self._name, about, _chunks(file))
        _logger.info("board %s: its snapshot as of entry %d is on the bus", self._name, copied.cursor)

    async def drop(self) -> None:
        """Leave no byte of the one that is there."""
        await self._bus.drop_snapshot(self._name)

    async def kept(self) -> bool:
        """Is there one?"""
        return await self._bus.snapshot(self._name) is not None

    async def missing(self) -> bool:
        """Is there none from which the log goes on?"""
        log, snapshot = await self._bus.stretch(self._name), await self._bus.snapshot(self._name)
        return log is not None and (snapshot is None or not _serves(_about(self._name, snapshot), log))

    async def join(self, host: str) -> None:
        """See that the board at ``path`` is one from which the log goes on, if need be by taking the snapshot.

        Raises ``LogMismatch`` if it is not, and no snapshot comes within ``PATIENCE`` seconds; ``StoreError``, ``BusError``.
        """
        log = await self._bus.stretch(self._name)
        cursor = self._cursor(log)
        if log is None or cursor is None:
            return  # opening the log says what is wrong, if something is
        gone = cursor + 1 < log.first
        if not gone and (cursor or log.last - log.first < WORTH):
            return
        try:
            async with asyncio.timeout(PATIENCE):
                while not await self._take(log):
                    if not gone:
                        return  # the log alone will do
                    await self._bus.beat(self._name, encode(Beat(host=host, cursor=cursor, joins=True)))
                    await asyncio.sleep(_AGAIN)
        except TimeoutError:
            raise LogMismatch(
                f"the log of board {self._name!r} begins at entry {log.first}, this host's copy ends at {cursor}, and no other host gives "
                "a snapshot: start one that has the board, or restore a backup"
            ) from None

    async def left_behind(self) -> bool:
        """Was the log cut further than the board at ``path`` goes, by a host that did not know of this one yet?"""
        log = await self._bus.stretch(self._name)
        cursor = self._cursor(log)
        return log is not None and cursor is not None and cursor + 1 < log.first

    def _cursor(self, log: Stretch | None) -> int | None:
        """Where the board at ``path`` stands in this log; None if it has read another."""
        stands = inspect(self._path) if self._path.exists() else None
        if stands is None or (stands.log is None and not stands.cursor):  # a file that its host has just made, and read no log into
            return 0
        return stands.cursor if log is not None and stands.log == log.identity else None

    async def _take(self, log: Stretch) -> bool:
        """Take the snapshot, if there is one from which the log goes on; so it goes further than a copy from which that does not."""
        snapshot = await self._bus.snapshot(self._name)
        if snapshot is None:
            return False
        about = _about(self._name, snapshot)
        if about is None or not _serves(about, log):
            return False
        with self._folder() as folder:
            file = Path(folder, "snapshot")
            try:
                async with await anyio.open_file(file, "wb") as whole:
                    async for chunk in snapshot.chunks:
                        await whole.write(chunk)
            except LogMismatch as error:
                _logger.warning("%s", error)
                now = await self._bus.snapshot(self._name)
                if now is not None and now.about == snapshot.about:  # it was not replaced: it is broken
                    await self._bus.drop_snapshot(self._name)
                return False
            with anyio.CancelScope(shield=True):
                await asyncio.to_thread(discard, self._path)
                await asyncio.to_thread(restore, file, self._path)
        _logger.info("board %s: begins with its snapshot as of entry %d", self._name, about.seq)
        return True

    def _folder(self) -> "TemporaryDirectory[str]":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return TemporaryDirectory(dir=self._path.parent, prefix=f".{self._path.name}.snapshot.")


def _about(name: str, snapshot: Snapshot) -> About | None:
    """What is said of it; ``None``: it is none of ours, and is replaced."""
    try:
        return msgspec.json.decode(snapshot.about, type=About)
    except msgspec.DecodeError as error:
        _logger.warning("the snapshot of board %s is none of ours: %s", name, error)
        return None


def _serves(about: About | None, log: Stretch) -> bool:
    return about is not None and about.log == log.identity and about.seq + 1 >= log.first


async def _chunks(file: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(file, "rb") as whole:
        while chunk := await whole.read(CHUNK):
            yield chunk
