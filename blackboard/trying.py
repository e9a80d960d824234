"""Work that is long, and work that fails for a while."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from bus.errors import NoAnswer, Unreachable

STRETCH = 0.003
"""Seconds that work goes on before questions are answered again."""
BREATH = 6
"""Turns of the event loop in which a question comes in from a connection, is answered, and goes out."""
TRY_AGAIN = (0.05, 2.0)
"""Seconds between two tries: the first pause, and the longest."""

T = TypeVar("T")

_logger = logging.getLogger(__name__)


class Work:
    """Work that may be long, and says where it can be interrupted, so that questions that have come are answered."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._since = self._clock()

    async def breathe(self) -> None:
        """Let others go first for a moment, if this has gone on for ``STRETCH`` seconds."""
        if self._clock() - self._since >= STRETCH:
            for _ in range(BREATH):
                await asyncio.sleep(0)
            self._since = self._clock()

    async def rest(self) -> None:
        """Let others have as much time as this had, if it has gone on for ``STRETCH`` seconds. For work that nothing waits for."""
        if self._clock() - self._since >= STRETCH:
            await asyncio.sleep(STRETCH)
            self._since = self._clock()


async def persistently(act: Callable[[], Awaitable[T]]) -> T:
    """Do it until the bus has done it: it may be done twice."""
    pause, longest = TRY_AGAIN
    while True:
        try:
            return await act()
        except (NoAnswer, Unreachable) as error:
            _logger.warning("the bus is in trouble, trying again: %s", error)
            await anyio.sleep(pause)
            pause = min(2 * pause, longest)
