"""Doing something until a bus in trouble has done it."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from bus.errors import NoAnswer, Unreachable

TRY_AGAIN = (0.05, 2.0)
"""Seconds between two tries: the first pause, and the longest."""

T = TypeVar("T")

_logger = logging.getLogger(__name__)


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
