"""An event loop in a thread of its own, for boards whose users have none, or many.

Laws:

- There is one in a process, and it is made when it is first asked for, by however many threads at once, and runs when they get it: so all
  boards that live on it share what is embedded.
- What is to be closed is closed when the main thread ends, and the process ends after that.
- A process that was forked has none yet: threads are not inherited.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

AT_THE_END = 30.0
"""Seconds in which all must be closed when the process ends; each board has been patient before."""

_logger = logging.getLogger(__name__)


class Background:
    """The loop, and what lives on it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.closers: set[Callable[[], Coroutine[Any, Any, None]]] = set()
        """What is still to be closed at the end."""
        threading.Thread(target=self.loop.run_forever, name="pheroboard", daemon=True).start()
        self.do(_nothing())  # one that is not running yet would be taken for one that has ended
        # No daemon: the interpreter waits for it. And not atexit: the interpreter waits for SQLite's threads before it calls that.
        threading.Thread(target=self._close_at_the_end, name="pheroboard end", daemon=False).start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for ``work``; an interrupt cancels it."""
        return wait_on(self.loop, work)

    def _close_at_the_end(self) -> None:
        threading.main_thread().join()
        try:
            submit(self.loop, self._close()).result(AT_THE_END)
        except TimeoutError:
            _logger.error("boards were not closed within %g s: what was said last may be lost", AT_THE_END)  # noqa: TRY400 - it says all

    async def _close(self) -> None:
        for error in await asyncio.gather(*(close() for close in self.closers), return_exceptions=True):
            if error is not None:
                _logger.error("a board could not be closed at the end", exc_info=error)


_made: Background | None = None
_making = threading.Lock()


def background() -> Background:
    """The one of this process."""
    global _made  # noqa: PLW0603 - there is one
    with _making:
        if _made is None:
            _made = Background()
        return _made


def _forked() -> None:
    global _made, _making
    _made, _making = None, threading.Lock()  # another thread may have held the other, and is not here to let it go


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


async def _nothing() -> None:
    """It is enough that it was done."""


def submit(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> Future[T]:
    """Begin work on a loop that runs in another thread. Raises ``RuntimeError`` if that is closed."""
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()
        raise


def wait_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Wait in this thread for work on a loop that runs in another; an interrupt cancels it."""
    future = submit(loop, work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def await_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Await work on a loop that may be another one than this; being cancelled cancels it."""
    if asyncio.get_running_loop() is loop:
        return await work
    return await asyncio.wrap_future(submit(loop, work))
