"""One agent of a crew: kept alive, woken in order, and known to be idle or not.

Laws:

- What an agent is woken for is done when its handlers have returned, not before: an agent that failed on it gets it again. The handlers
  that had returned are not called for it again.
- One handler at a time, whatever wakes it.
- ``steps`` counts every beginning and every end of something that the agent does. Two equal readings: nothing was done in between.
- An agent that fails is started again, after a pause that doubles; one that fails ``give_up`` times and gets nothing done in between is
  given up. A board that is out of reach is nobody's fault: that is waited for without limit.
"""

import logging
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from typing import TypeVar

import anyio
from msgspec import Struct

from agents.agent import Agent
from agents.handlers import Every, Handler, handlers_of
from blackboard.errors import Refused
from blackboard.feed import Feed
from bus import telemetry
from bus.errors import NoAnswer, Unreachable
from bus.messages import Change, Signal

LONGEST_PAUSE = 30.0
"""Seconds between two tries of an agent that fails again and again."""
GRACE = 5.0
"""Seconds that ``stop()`` may take."""
FAILURES_KEPT = 100
"""Of one agent, the newest."""

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Failure(Struct, frozen=True):
    """An agent failed at something."""

    agent: str
    doing: str
    """The hook or the handler that raised; *saying*: the board refused what it had said; *hearing*: its feed broke."""
    error: Exception

    @property
    def traceback(self) -> str:
        """The error as Python prints it."""
        return "".join(traceback.format_exception(self.error))


class Member:
    """Runs ``agent``, whose board is open."""

    def __init__(self, agent: Agent, *, give_up: int, pause: float) -> None:
        self.agent = agent
        self.failures: deque[Failure] = deque(maxlen=FAILURES_KEPT)
        self.given_up = False
        self.steps = 0
        self.finished = anyio.Event()
        """The agent's ``run`` has returned, or it was given up."""
        self._give_up = give_up
        self._pause = pause
        self._marked = handlers_of(agent)
        self._jobs: deque[tuple[Handler, int]] = deque()
        """Rounds and beats that it has yet to be woken for."""
        self._up = False
        self._busy = 0
        self._done = 0
        """How much was dealt with for good."""
        self._turn = anyio.Lock()
        self._stirred = anyio.Event()
        self._feed: Feed[Change | Signal]
        self._position: str
        """The agent's place in the board's events: everything before it is dealt with."""
        self._returned: dict[str, tuple[int, int]] = {}
        """Audience → an entry of the log, and how many calls of handlers for its events have returned: more than ``_position`` tells."""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Hear what happens from now on, while the context is open. What is heard before ``live`` waits."""
        self._feed = self.agent.board.feed(own=True)
        try:
            async with self._feed:
                self._position = self._feed.position
                yield
        finally:
            with anyio.CancelScope(shield=True):
                await self._feed.aclose()  # which may be a later one

    def play(self, number: int) -> None:
        """Wake the agent for a round, unless it is given up."""
        for wake, handler in self._marked:
            if isinstance(wake, Every) and wake.rounds and number % wake.rounds == 0 and not self.given_up:
                self._jobs.append((handler, number))
        self._stir()

    # ---- living -------------------------------------------------------------------------------------------------------------------------

    async def live(self) -> None:
        """Run the agent, again and again if need be. Returns when it is given up; ends by being cancelled."""
        tries = faults = 0
        while True:
            done = self._done
            try:
                await self._once()
            except Exception as error:  # noqa: BLE001 - whatever an agent raises was reported, and stops here
                if self._done > done:
                    tries = faults = 0
                tries += 1
                faults += not _out_of_reach(error)
            if faults >= self._give_up:
                break
            await anyio.sleep(min(LONGEST_PAUSE, self._pause * 2 ** (tries - 1)))
            await self._feed.aclose()
            self._feed = self.agent.board.feed(own=True, since=self._position)
        _logger.error("agent %s is given up: it failed %d times and got nothing done in between", self.agent.name, faults)
        self.given_up = True
        self.finished.set()
        self._stir()
        await self._feed.aclose()

    async def _once(self) -> None:
        """One life, from ``start()`` to ``stop()``. Ends only by an exception."""
        try:
            async with self._doing("start"):
                await self.agent.start()
            self._up = True
            self._stir()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._run)
                tasks.start_soon(self._hear)
                tasks.start_soon(self._work)
                for wake, handler in self._marked:
                    if isinstance(wake, Every) and wake.seconds:
                        tasks.start_soon(self._beat, handler, wake.seconds)
        finally:
            self._up = False
            with anyio.move_on_after(GRACE, shield=True), suppress(Exception), self._reported("stop"):
                await self.agent.stop()

    async def _run(self) -> None:
        """The agent's own course, once: what has returned is not run again in the next life."""
        if not self.finished.is_set():
            with self._reported("run"):
                await self.agent.run()
            self._done += 1
            self.finished.set()
            self._stir()

    async def _hear(self) -> None:
        """Wake the agent for what happens. An entry that it failed on comes again as a whole, with the same events in the same order."""
        entry, calls = ("", 0), 0
        while True:
            with self._reported("hearing"):
                event = await self._feed.take()
            if self._feed.entry != entry:
                entry, calls = self._feed.entry, 0
            audience, n = entry
            for wake, handler in self._marked:
                if not isinstance(wake, Every) and wake.meets(event, self.agent.name):
                    calls += 1
                    if (n, calls) <= self._returned.get(audience, (0, 0)):
                        continue
                    async with self._doing(handler.__name__):
                        with telemetry.handling(self._feed.place, self._feed.trace, type(event).__name__, handler.__name__):
                            await handler(event)
                    self._returned[audience] = (n, calls)
            if self._feed.position != self._position:  # which moves by whole entries of the log
                self._position = self._feed.position
                self._done += 1

    async def _work(self) -> None:
        """Wake the agent for rounds and beats."""
        while True:
            await self._until(lambda: bool(self._jobs))
            handler, number = self._jobs[0]
            async with self._doing(handler.__name__):
                await handler(number)
                self._jobs.popleft()
                self._done += 1

    async def _beat(self, handler: Handler, seconds: float) -> None:
        """Wake the agent every so often; a beat that comes while the one before still waits is left out."""
        for number in count():
            await anyio.sleep(seconds)
            if all(waiting != handler for waiting, _ in self._jobs):
                self._jobs.append((handler, number))
                self._stir()

    # ---- being idle ---------------------------------------------------------------------------------------------------------------------

    async def settle(self) -> None:
        """Wait until the agent is idle (all that it said is applied, all that it is to hear is heard and dealt with), or given up."""
        while True:
            await self._until(lambda: self.given_up or (self._up and not self._busy and not self._jobs))
            if self.given_up:
                return
            steps = self.steps
            await self._applied()
            newest = await patiently(self.agent.board.newest)
            await self._feed.reach(newest)
            if steps == self.steps:
                return

    async def _applied(self) -> None:
        """What was said is applied. What was refused of it has no other way to come out than here."""
        try:
            await patiently(self.agent.board.wait_applied)
        except* Refused as refusals:
            for error in refusals.exceptions:
                assert isinstance(error, Exception)
                self._report("saying", error)

    @asynccontextmanager
    async def _doing(self, what: str) -> AsyncIterator[None]:
        """Do one thing, after whatever is being done; count it, and report it if it fails."""
        self._busy += 1
        self._stir()
        try:
            async with self._turn:
                with self._reported(what):
                    yield
        finally:
            self._busy -= 1
            self._stir()

    @contextmanager
    def _reported(self, doing: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._report(doing, error)
            raise

    def _report(self, doing: str, error: Exception) -> None:
        self.failures.append(Failure(self.agent.name, doing, error))
        _logger.error("agent %s failed at %s", self.agent.name, doing, exc_info=error)

    def _stir(self) -> None:
        self.steps += 1
        self._stirred.set()
        self._stirred = anyio.Event()

    async def _until(self, true: Callable[[], bool]) -> None:
        while not true():
            await self._stirred.wait()


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask the board, until it is within reach."""
    while True:
        try:
            return await ask()
        except (NoAnswer, Unreachable) as error:
            _logger.warning("the board is out of reach, trying again: %s", error)
            await anyio.sleep(1.0)


def _out_of_reach(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(map(_out_of_reach, error.exceptions))
    return isinstance(error, NoAnswer | Unreachable)
