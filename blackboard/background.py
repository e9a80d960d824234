"""An event loop in a thread of its own, for boards whose users have none, or many.

Laws:

- There is one in a process, and it is made when it is first asked for: so all boards that live on it share what is embedded.
- What is to be closed is closed when the main thread ends, before the interpreter waits for SQLite's threads.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """The loop, and what lives on it."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.closers: set[Callable[[], Coroutine[Any, Any, None]]] = set()
        """What is still to be closed at the end."""
        threading.Thread(target=self.loop.run_forever, name="pheroboard", daemon=True).start()
        threading.Thread(target=self._close_at_the_end, name="pheroboard end", daemon=True).start()

    def do(self, work: Awaitable[T]) -> T:
        """Wait for ``work``; an interrupt cancels it."""
        return wait_on(self.loop, work)

    def _close_at_the_end(self) -> None:
        # Not atexit: the interpreter waits for SQLite's threads before it calls that.
        threading.main_thread().join()
        for close in list(self.closers):
            self.do(close())


@cache
def background() -> Background:
    """The one of this process."""
    return Background()


def wait_on(loop: asyncio.AbstractEventLoop, work: Awaitable[T]) -> T:
    """Wait in this thread for work on a loop that runs in another; an interrupt cancels it."""
    future = asyncio.run_coroutine_threadsafe(_coroutine(work), loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def await_on(loop: asyncio.AbstractEventLoop, work: Awaitable[T]) -> T:
    """Await work on a loop that may be another one than this; being cancelled cancels it."""
    if asyncio.get_running_loop() is loop:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_coroutine(work), loop))


async def _coroutine(work: Awaitable[T]) -> T:
    return await work
