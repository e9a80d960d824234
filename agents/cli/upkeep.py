"""Keeping the boards up that one process hosts.

Laws:

- What stops one board stops no other.
- A board that has stopped is put up again, after pauses that grow: it may have been left behind by a log that was cut, and begin with a
  snapshot. One that cannot stand from the beginning, or that stops again at once for the same reason, is given up; what may pass by itself
  is no reason to.
- Where none stands from the beginning, or all are given up, the first reason is raised.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import Self

from blackboard.errors import NotWritable
from blackboard.service import Service
from bus.errors import NoAnswer, Unreachable

AT_ONCE = 10.0
"""Seconds: a board that stopped before it stood for so long has stopped at once."""
AGAIN = (0.5, 60.0)
"""Seconds until a board is put up again: the first pause, and the longest."""
MAY_PASS = (NoAnswer, NotWritable, Unreachable)

_logger = logging.getLogger(__name__)


class Upkeep:
    """Keeps ``boards`` up while its context is open; ``serving`` serves one. ``told`` is called with those that do not stand, and why.

    Entering returns once each stands or is given up. Raises why the first is, if all are.
    """

    def __init__(
        self, boards: Iterable[str], serving: Callable[[str], AbstractAsyncContextManager[Service]], told: Callable[[dict[str, str]], None]
    ) -> None:
        self._boards = tuple(boards)
        self._serving = serving
        self._told = told
        self._stopped: dict[str, str] = {}
        self._given_up: list[Exception] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        opened: list[asyncio.Future[Exception | None]] = [loop.create_future() for _ in self._boards]
        self._tasks = [loop.create_task(self._keep(board, settled)) for board, settled in zip(self._boards, opened, strict=True)]
        try:
            await asyncio.wait(opened)
            unable = [why for each in opened if (why := each.result()) is not None]
            if len(unable) == len(self._boards):
                raise unable[0]  # noqa: TRY301 - what has been begun ends with it
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def ended(self) -> None:
        """Return never; raise once all are given up."""
        await asyncio.wait(self._tasks)
        raise self._given_up[0]

    async def _keep(self, board: str, settled: "asyncio.Future[Exception | None]") -> None:
        pause, longest = AGAIN
        former: Exception | None = None
        while True:
            begun = time.monotonic()
            try:
                async with self._serving(board) as service:
                    self._tell(board)
                    if not settled.done():
                        settled.set_result(None)
                    await service.wait()
            except Exception as error:  # noqa: BLE001 - no reason of one board's is another's
                self._tell(board, str(error))
                never_stood, at_once = not settled.done(), time.monotonic() - begun < AT_ONCE
                if never_stood:
                    settled.set_result(error)
                if (never_stood or (at_once and type(error) is type(former))) and not isinstance(error, MAY_PASS):
                    self._given_up.append(error)
                    break
                former, pause = error, pause if at_once else AGAIN[0]
            _logger.error("board %s has stopped, and is put up again in %g s: %s", board, pause, former)
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
        if len(self._boards) > 1:
            _logger.error("board %s is given up: %s", board, self._given_up[-1])

    def _tell(self, board: str, why: str = "") -> None:
        stopped = {each: said for each, said in self._stopped.items() if each != board} | ({board: why} if why else {})
        if stopped != self._stopped:
            self._stopped = stopped
            self._told(stopped)
