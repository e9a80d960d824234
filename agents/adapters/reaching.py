"""One agent's board as a service reaches it: opened, found to be down, looked for, back.

Laws:

- ``do`` raises nothing of the board's, and waits at most ``within`` seconds, or not at all while the board is known to be down.
- It is told once that the board is down, and once that it is back.
- What is to be done ``later`` is done in order, before anything else, once the board is back; at most ``KEPT`` of it is kept.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from blackboard.client import Board
from blackboard.errors import Refused

AGAIN = 1.0
"""Seconds between two looks for a board that is down."""
KEPT = 1000
"""Of what is to be done later, the newest."""

_logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Board], Awaitable[T]]


class Reached:
    """The board of ``agent``, which ``opening`` opens. It belongs to one event loop."""

    def __init__(self, agent: str, opening: Callable[[], AbstractAsyncContextManager[Board]], within: float) -> None:
        self._agent, self._opening, self._within = agent, opening, within
        self._board: Board | None = None
        """None: it is not open yet, or down."""
        self._down = False
        """Is it known to be?"""
        self._moved = asyncio.Event()
        self._later: deque[Work[Any]] = deque(maxlen=KEPT)
        self._lost = 0
        self._refused: set[str] = set()
        self._behind: set[asyncio.Task[None]] = set()
        self._keeper: asyncio.Task[None] | None = None

    async def do(self, work: Work[T], otherwise: T, *, later: bool) -> T:
        """What ``work`` gives; ``otherwise`` if the board cannot be had, or refuses it."""
        if self._keeper is None:
            self._keeper = asyncio.create_task(self._keep(), name=f"memory of {self._agent}")
        try:
            async with asyncio.timeout(self._within):
                while self._board is None and not self._down:
                    await self._moved.wait()
                if self._board is not None:
                    return await work(self._board)
        except Refused as error:
            self._tell_refused(error)
            return otherwise
        except Exception as error:  # noqa: BLE001 - whatever a board raises: the framework's call goes on
            # What was under way is not done later: a client says what it was told to, as soon as it can.
            self._fall(error if str(error) else TimeoutError(f"no answer within {self._within:g} s"))
            return otherwise
        if later:
            self._lost += len(self._later) == KEPT
            self._later.append(work)
        return otherwise

    def behind(self, work: Work[Any]) -> None:
        """Do it without anybody who waits for it; while the board is down, not at all."""
        task = asyncio.create_task(self.do(work, None, later=False))
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)

    async def aclose(self) -> None:
        """Close the board, which sends what was said. What is to be done later is not done."""
        if self._behind:
            await asyncio.wait(self._behind)
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.wait({keeper})
        self._board, self._down = None, False

    # ---- finding it ---------------------------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Open the board, and open it again where it is gone for good, until cancelled."""
        while True:
            try:
                async with self._opening() as board:
                    await self._hold(board)
            except Exception as error:  # noqa: BLE001 - it is told, and tried again
                self._fall(error)
            await asyncio.sleep(AGAIN)

    async def _hold(self, board: Board) -> None:
        """Give the board out while it is up. Raises what says that it will not come back by itself."""
        while True:
            await self._catch_up(board)
            self._rise(board)
            while not self._down:
                await self._moved.wait()
            await board.stats()  # which asks for some seconds; what it raises closes the client, and opens another

    async def _catch_up(self, board: Board) -> None:
        """Do what was to be done later."""
        while self._later:
            try:
                await self._later[0](board)
            except Refused as error:
                self._tell_refused(error)
            self._later.popleft()

    def _rise(self, board: Board) -> None:
        if self._down:
            lost = f"; of what was observed meanwhile, the oldest {self._lost:,} events are lost" if self._lost else ""
            _logger.info("the board of %s is back%s", self._agent, lost)
        self._board, self._down, self._lost = board, False, 0
        self._stir()

    def _fall(self, error: Exception) -> None:
        if not self._down:
            _logger.warning("the board of %s is down, and its memory with it; it is looked for in the background: %s", self._agent, error)
        self._board, self._down = None, True
        self._stir()

    def _tell_refused(self, error: Refused) -> None:
        if error.code not in self._refused:
            self._refused.add(error.code)
            _logger.warning("the board of %s does not take what its framework said (told once for each reason): %s", self._agent, error)

    def _stir(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()
