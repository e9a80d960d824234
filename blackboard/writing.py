"""Writing that cannot be done for a while: the disk is full, the file read-only, another program works on it.

Law: nothing that is to be written is given up before the host ends, and nothing counts as written before it is.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from blackboard.errors import NotWritable
from blackboard.progress import Progress

TRY_AGAIN = (0.1, 5.0)
"""Seconds between two tries: the first pause, and the longest."""

T = TypeVar("T")

_logger = logging.getLogger(__name__)


async def written(what: str, act: Callable[[], Awaitable[T]], progress: Progress) -> T:
    """Do it, again and again until it is done; it is done whole or not at all. Raises ``NotWritable`` only where the host is to end."""
    pause, longest = TRY_AGAIN
    while True:
        try:
            done = await act()
        except NotWritable as error:
            if progress.ending.is_set():
                raise
            if progress.trouble_begins(what, f"{what} cannot be written {error.why}; nothing is lost, and it goes on by itself"):
                _logger.error("%s; trying again until it works", error)  # noqa: TRY400 - its sentence says all
            with anyio.move_on_after(pause):
                await progress.ending.wait()
            pause = min(2 * pause, longest)
        else:
            if progress.trouble_over(what):
                _logger.warning("%s can be written again", what)
            return done
