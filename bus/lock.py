"""A file that one process holds at a time. The kernel lets go of it when the process dies, in whatever way."""

import os
import sys
from pathlib import Path
from typing import IO

import anyio

_AGAIN = 0.05
"""Seconds."""


class Held(Exception):
    """Another process holds the file; ``holder`` is its number, as far as it is known."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"held by process {holder}")
        self.holder = holder


def hold(path: Path) -> IO[str]:
    """Hold ``path`` for as long as the file that is given back stays open, here or in a process that inherited it.

    It is made if it is not there, and never deleted, since that would race with the next holder. Raises ``Held``, ``OSError``.
    """
    lock = path.open("a+", encoding="utf-8")
    try:
        try:
            _lock_exclusively(lock)
        except OSError as error:
            lock.seek(0)
            raise Held(lock.read().strip() or "unknown") from error
        lock.seek(0)
        lock.truncate()
        lock.write(str(os.getpid()))
        lock.flush()
    except BaseException:
        lock.close()
        raise
    return lock


async def take(path: Path, within: float) -> IO[str]:
    """Hold ``path`` as ``hold`` does, once whoever holds it lets go. Raises ``Held`` when that takes longer than ``within`` seconds."""
    give_up = anyio.current_time() + within
    while True:
        try:
            return hold(path)
        except Held:
            if anyio.current_time() >= give_up:
                raise
        await anyio.sleep(_AGAIN)


if sys.platform == "win32":
    import msvcrt

    def _lock_exclusively(lock: IO[str]) -> None:
        # Windows locks bytes against reading, too: take one far behind the holder's number.
        lock.seek(1 << 20)
        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_exclusively(lock: IO[str]) -> None:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
