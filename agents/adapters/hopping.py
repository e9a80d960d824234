"""To the event loop of the boards, and back, from whatever loop or thread a framework calls in.

Laws:

- Whoever hops raises nothing because of the other loop, and waits at most as long as was said: that loop may be blocked, by the very call
  that waits for it, or end. Once it was found blocked nobody waits for it until it runs again.
- What is being cancelled is cancelled over there, too, but for what is to be done surely: that is not waited for any longer, and done.
"""

import asyncio
import concurrent.futures
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from blackboard.background import submit

BLOCKED = (
    "the event loop of its board does not get to run: the machine is busy, or a call without await blocks the loop in which it was opened:"
    " use the async twin there, or give an address"
)
ENDED = "the event loop in which its board was opened has ended"
ITSELF = "a call without await, in the event loop of its board, would wait for itself: use the async twin, or give an address"

_logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]


class Hop:
    """To the loop that ``loop`` gives, for at most ``within`` seconds."""

    def __init__(self, loop: Callable[[], asyncio.AbstractEventLoop], within: float) -> None:
        self._loop, self._within = loop, within
        self._blocked = False
        self._told: set[str] = set()

    async def do(self, work: Work[T], otherwise: T, *, surely: bool = False) -> T:
        """What ``work`` gives on the loop; ``otherwise`` if that cannot be had."""
        loop = self._loop()
        if asyncio.get_running_loop() is loop:
            return await work()
        future = self._submit(loop, work, surely=surely)
        if future is None:
            return otherwise
        waits = asyncio.wrap_future(future)
        try:
            async with asyncio.timeout(self._within):
                return await (asyncio.shield(waits) if surely else waits)
        except TimeoutError:
            self._found_blocked(loop)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not future.cancelled() or (task is not None and task.cancelling()):
                raise
            self._tell(ENDED)
        return otherwise

    def do_sync(self, work: Work[T], otherwise: T, *, surely: bool = False) -> T:
        """``do`` for code without an event loop."""
        loop = self._loop()
        there = on(loop)
        if there:
            self._tell(ITSELF)
        if (there and not surely) or (future := self._submit(loop, work, surely=surely)) is None or there:
            return otherwise
        try:
            return future.result(self._within)
        except TimeoutError:
            self._found_blocked(loop)
        except concurrent.futures.CancelledError:
            self._tell(ENDED)
        finally:
            if not surely:
                future.cancel()  # whatever ended the waiting; if it is done, that changes nothing
        return otherwise

    def _submit(self, loop: asyncio.AbstractEventLoop, work: Work[T], *, surely: bool) -> Future[T] | None:
        """Begin it; None where there is nothing to wait for."""
        future: Future[T] | None = None
        try:
            if not loop.is_running():
                self._tell(ENDED)
            elif surely or not self._blocked:
                future = submit(loop, work())
        except RuntimeError:
            self._tell(ENDED)
        return None if self._blocked else future

    def _found_blocked(self, loop: asyncio.AbstractEventLoop) -> None:
        self._blocked = True
        self._tell(BLOCKED)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._found_free)

    def _found_free(self) -> None:
        self._blocked = False

    def _tell(self, why: str) -> None:
        if why not in self._told:
            self._told.add(why)
            _logger.warning("no memory: %s", why)


def on(loop: asyncio.AbstractEventLoop) -> bool:
    """Are we on this loop?"""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
