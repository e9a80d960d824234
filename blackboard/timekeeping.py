"""Time on a wall-clock board (chapter 1, "Time"): ticks when something is due, and clocks that are wrong.

Laws:

- Time moves with the log's stamps alone, and never back. Where the log's clock was set back, time stands still until it has caught up:
  nothing is lost, and what is due is done then.
- A clock that is wrong is told as a trouble, with by how much, and changes nothing about the board.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import anyio

from blackboard.board import Board
from blackboard.clock import Clock
from blackboard.progress import Progress
from blackboard.voice import Voice
from bus.messages import Tick

TICK_AGAIN = 1.0
"""Seconds until a tick is repeated that did not do what was due: the log's clock is behind."""
TOLERATED = 2.0
"""Seconds by which clocks may differ before it is told."""


class Timekeeper:
    """Keeps the time of one wall-clock board."""

    def __init__(self, board: Board, clock: Clock, progress: Progress) -> None:
        self._board = board
        self._clock = clock
        self._progress = progress
        self._stamp = 0.0
        """The log's, of what was stored last."""
        self._stands_until = 0.0
        """When, by the clock, the log's clock has caught up; 0: it need not."""

    async def keep(self, voice: Voice) -> None:
        """The leader's: publish a ``Tick`` when something is due by time alone, for ever."""
        while True:
            due, said = await self._until_due(), self._clock.now()
            await voice.say((Tick(),))
            if (ahead := said - self._stamp) > TOLERATED:
                self._progress.trouble_begins("ahead", _apart(ahead, "ahead of", "waits for the log's"))
            if self._board.next_due() == due:
                await self._clock.sleep_until(self._clock.now() + TICK_AGAIN)

    def took(self, stamp: float) -> None:
        """A batch was stored, the last of whose entries bears this stamp: compare the clocks."""
        self._stamp, now = stamp, self._clock.now()
        back = self._board.now - stamp
        if back > TOLERATED:
            self._stands_until = now + back
            self._progress.trouble_begins(
                "time",
                f"the clock of the log is {back:,.0f} s behind what it was: time stands still on this board until it has caught up, and "
                "what is due meanwhile is done then; see to the clocks of the servers",
            )
        else:
            self._caught_up()
        if stamp - now > TOLERATED:
            self._progress.trouble_begins("behind", _apart(stamp - now, "behind", "is done so much later"))
        else:
            self._progress.trouble_over("behind")
        if now - stamp <= TOLERATED:
            self._progress.trouble_over("ahead")

    async def watch(self) -> None:
        """Notice, without an entry that says so, that the log's clock has caught up, for ever."""
        while True:
            await self._progress.until(lambda: self._stands_until > 0)
            await self._clock.sleep_until(self._stands_until)
            if self._stands_until <= self._clock.now():
                self._caught_up()

    def _caught_up(self) -> None:
        self._stands_until = 0.0
        self._progress.trouble_over("time")

    async def _until_due(self) -> float:
        """Wait until the clock has reached the board's next due time; which one it was. Each batch may bring an earlier one."""
        while True:
            due, cursor = self._board.next_due(), self._progress.cursor
            if due is not None and due <= self._clock.now():
                return due
            async with anyio.create_task_group() as tasks:

                async def first(wait: Callable[[], Awaitable[None]]) -> None:
                    await wait()
                    tasks.cancel_scope.cancel()

                if due is not None:
                    tasks.start_soon(first, partial(self._clock.sleep_until, due))
                tasks.start_soon(first, partial(self._progress.until, partial(self._progress.beyond, cursor)))


def _apart(seconds: float, how: str, so: str) -> str:
    return f"the clock of this host is {seconds:,.0f} s {how} the log's: what is due by time alone {so}; see to the clocks of both"
