"""One agent's board as a service reaches it: opened, found to be down, looked for, back.

Laws:

- ``do`` and ``ensure`` raise nothing, and wait at most ``within`` seconds, or not at all while the board is known to be down.
- It is told once that the board is down, and once that it is back.
- Slow is not down: a board that answered anything while a call waited for it is there, and only that call goes without. What has waited
  for half of its time asks it, since most calls answer only when all is done.
- Only what a board, its files or its transport raises means that it is down. What it refuses is told once for each reason; anything else is
  a fault of ours, or of an adapter's, and is told with its traceback. Neither costs anybody the board.
- What is ensured is done in the order in which it came, and once: its caller may stop waiting, or be cancelled, but it goes on, and what
  failed because the board was down is done again, before anything else, when it is back. What comes while that is done waits no longer
  than for that: so a board is not down for as long as its agent goes on talking. At most ``KEPT`` of it waits.
- A client that can come back is waited for, since what it was told may be on its way: another would say that again. One that cannot is
  replaced.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeVar

from blackboard.client import Board
from blackboard.errors import BlackboardError, Refused
from bus.errors import BadMessage, BadName, BusError, NoAnswer, TooLarge

AGAIN = 1.0
"""Seconds between two looks for a board that is down."""
BEHIND = 0.25
"""Seconds for which what nobody waits for gathers: a question is answered after all that its agent has said, so few wait for that."""
KEPT = 1000
"""Of what is ensured, so much waits for the board at most: the newest."""
TRIES = 3
"""Times that something is tried on a board that answers everything else."""

_NOT_TAKEN = (Refused, BadMessage, BadName, TooLarge)
"""What is wrong is what was said."""
_DOWN = (BlackboardError, BusError, OSError)

_logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Board], Awaitable[T]]


class Reached:
    """The board of ``agent``, which ``opening`` opens. It belongs to the event loop in which it is made."""

    def __init__(self, agent: str, opening: Callable[[], AbstractAsyncContextManager[Board]], within: float) -> None:
        self._agent, self._opening, self._within = agent, opening, within
        self._board: Board | None = None
        """None: it is not open yet, down, or closed."""
        self.trouble = ""
        """Why it is known to be down; "" if it is not."""
        self._closed = False
        self._moved = asyncio.Event()
        self._ensured: deque[_Ensured] = deque()
        """What is under way, or waits for the board, oldest first."""
        self._lost = 0
        self._answered = 0.0
        """When the board did last what it was asked to, by the loop's clock."""
        self._looking: asyncio.Task[None] | None = None
        self._told: set[str] = set()
        self._behind: list[Work[object]] = []
        self._gathering: asyncio.Task[None] | None = None
        self.loop = asyncio.get_running_loop()
        self._keeper = asyncio.create_task(self._keep(), name=f"memory of {agent}")

    async def do(self, work: Work[T], otherwise: T) -> T:
        """What ``work`` gives; ``otherwise`` if the board cannot be had, or does not take it. Being cancelled cancels it."""
        board: Board | None = None
        try:
            async with self._in_time():
                board = await self._there()
                if board is None:
                    return otherwise
                result = await work(board)
        except Exception as error:  # noqa: BLE001 - whatever it is: the framework's call goes on
            self._met(error, board)
            return otherwise
        self._answered = self.loop.time()
        return result

    def behind(self, work: Work[object]) -> None:
        """Do it soon, with what else comes until then, without anybody who waits for it; while the board is down, not at all."""
        self._behind.append(work)
        if self._gathering is None:
            self._gathering = asyncio.create_task(self._do_behind())

    async def _do_behind(self) -> None:
        while self._behind:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEHIND):
                    while not self._closed:
                        await self._moved.wait()
            works, self._behind = self._behind, []
            await asyncio.gather(*(self.do(work, None) for work in works))
        self._gathering = None

    async def ensure(self, work: Work[T], otherwise: T) -> T:
        """Let it be done, once; what it gives, or ``otherwise`` if the board is down and it will be done later."""
        if self._closed:
            return otherwise
        ensured = _Ensured(work, otherwise)
        self._ensured.append(ensured)
        if len(self._ensured) > KEPT:
            self._lost += 1
            self._ensured.popleft().drop()
            self._stir()
        if self._board is not None:
            _ = self._begin(ensured, self._board)
        try:
            async with self._in_time():
                while not (ensured.done or self.trouble or self._closed):
                    await self._moved.wait()
        except _Slow:
            pass  # it goes on
        except TimeoutError as error:
            self._met(error, self._board)
        gave: T = ensured.gave
        return gave

    async def aclose(self) -> None:
        """Do what is to be done yet, and close the board, which sends what was said. What waits for one that is down is lost, and told."""
        self._closed = True
        self._stir()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._within):
                while self._ensured and not self.trouble:
                    await self._moved.wait()
        if under_way := {task for task in (self._gathering, *(each.task for each in self._ensured)) if task is not None}:
            await asyncio.wait(under_way, timeout=self._within)
        if self._looking is not None:
            self._looking.cancel()
        self._keeper.cancel()
        await asyncio.wait({self._keeper})
        self._board = None
        for each in self._ensured:
            each.drop()
        if lost := self._lost + len(self._ensured):
            _logger.warning("the board of %s was away when its memory was closed: %d events that were observed are lost", self._agent, lost)

    # ---- its state ----------------------------------------------------------------------------------------------------------------------

    async def _there(self) -> Board | None:
        """The board, once it was opened or found to be down."""
        while self._board is None and not (self.trouble or self._closed):
            await self._moved.wait()
        return self._board

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        """The time that a call may wait. Raises ``TimeoutError`` for a board that has not answered anything meanwhile, else ``_Slow``."""
        began = self.loop.time()
        looks = self.loop.call_later(self._within / 2, self._look)
        try:
            async with asyncio.timeout(self._within):
                yield
        except TimeoutError:
            if self._answered > began:
                raise _Slow(f"its board is there, but took longer than {self._within:g} s") from None
            raise
        finally:
            looks.cancel()

    def _look(self) -> None:
        """See whether the board is there, unless somebody does already."""
        if self._board is not None and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._see(self._board))

    async def _see(self, board: Board) -> None:
        with suppress(*_DOWN):
            await board.stats()
            self._answered = self.loop.time()

    def _met(self, error: Exception, board: Board | None) -> bool:
        """Tell what went wrong; was it that ``board`` is down?"""
        if isinstance(error, _NOT_TAKEN) or (isinstance(error, ExceptionGroup) and error.split(_NOT_TAKEN)[1] is None):
            if self._first(error):
                _logger.warning("the board of %s does not take what its framework said (told once for each reason): %s", self._agent, error)
            return False
        if isinstance(error, _Slow):
            if self._first(error):
                _logger.warning("%s goes without its memory where that takes too long (told once): %s", self._agent, error)
            return False
        if not isinstance(error, _DOWN):
            if self._first(error):
                _logger.error("a fault beside the board of %s (told once for each kind)", self._agent, exc_info=error)
            return False
        if board is self._board:  # not one that was replaced meanwhile
            self._fall(error if str(error) else TimeoutError(f"no answer within {self._within:g} s"))
        return True

    def _first(self, error: Exception) -> bool:
        kind = type(error).__name__
        first = kind not in self._told
        self._told.add(kind)
        return first

    def _fall(self, error: Exception) -> None:
        if not (self.trouble or self._closed):
            _logger.warning("the board of %s is down, and its memory with it; it is looked for in the background: %s", self._agent, error)
        self._board, self.trouble = None, str(error) or type(error).__name__
        self._stir()

    def _rise(self, board: Board) -> None:
        if self.trouble:
            lost = f"; of what was observed meanwhile, the oldest {self._lost:,} events are lost" if self._lost else ""
            _logger.info("the board of %s is back%s", self._agent, lost)
        self._board, self.trouble, self._lost = board, "", 0
        for each in self._ensured:  # what came while the rest was done: nobody has begun it
            _ = self._begin(each, board)
        self._stir()

    def _stir(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    # ---- finding it ---------------------------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Open the board, and open it again where it is gone for good, until cancelled."""
        while True:
            try:
                async with self._opening() as board:
                    await self._hold(board)
            except _DOWN as error:
                self._fall(error)
            except Exception as error:  # a fault: it is tried again all the same
                if self._first(error):
                    _logger.exception("the board of %s cannot be opened (told once for each kind)", self._agent)
                self._fall(error)
            await asyncio.sleep(AGAIN)

    async def _hold(self, board: Board) -> None:
        """Give the board out while it is up. Raises what says that it will not come back by itself."""
        while True:
            await self._until_it_answers(board)  # also one that was just opened: who gave it open may have closed it
            if await self._catch_up(board):
                self._rise(board)
                while not self.trouble:
                    await self._moved.wait()

    async def _until_it_answers(self, board: Board) -> None:
        while True:
            try:
                await board.stats()  # which asks for some seconds
            except NoAnswer as error:
                self._fall(error)
                await asyncio.sleep(AGAIN)
            else:
                return

    # ---- what is ensured ----------------------------------------------------------------------------------------------------------------

    def _begin(self, ensured: "_Ensured", board: Board) -> "asyncio.Task[None]":
        ensured.task = asyncio.create_task(self._perform(ensured, board))
        return ensured.task

    async def _perform(self, ensured: "_Ensured", board: Board) -> None:
        ensured.tries += 1
        try:
            ensured.gave = await ensured.work(board)
        except Exception as error:  # noqa: BLE001 - as in ``do``
            if self._met(error, board):
                return
        else:
            self._answered = self.loop.time()
        finally:
            ensured.task = None
        ensured.done = True
        with suppress(ValueError):  # there may have been too many
            self._ensured.remove(ensured)
        self._stir()

    async def _catch_up(self, board: Board) -> bool:
        """Do what waits for the board now, one after the other; False if it went down meanwhile."""
        for each in list(self._ensured):
            if each.task is None and each.tries == TRIES:
                self._lost += 1
                self._ensured.remove(each)
                each.drop()
            elif not each.done:  # it may be among too many by now
                # What was under way when the board went down may only wait for its acknowledgement.
                await asyncio.wait({each.task or self._begin(each, board)})
                if not each.done:
                    return False
        return True


class _Slow(Exception):
    """A board that is there did not do something in time."""


class _Ensured:
    """Something that is to be done."""

    def __init__(self, work: Work[Any], otherwise: Any) -> None:
        self.work = work
        self.gave = otherwise
        self.task: asyncio.Task[None] | None = None
        """What does it now."""
        self.tries = 0
        self.done = False
        """Or given up."""

    def drop(self) -> None:
        self.done = True
        if self.task is not None:
            self.task.cancel()
