"""The background worker that condenses what is recorded (chapter 5, "Compression never blocks the task loop").

Laws:

- It reads what is on the board and puts what that came to. Whoever records waits for none of it.
- Nothing is lost by its end, at any moment: what has no record yet is seen on the board, and made when it comes again.
- A record is made from a whole step, or from a task that has ended, and never made anew.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol
from weakref import WeakValueDictionary

import anyio

from agents.memory.condensing import due, gathered
from agents.memory.essentials import Essence, essence
from agents.memory.journal import Journal
from agents.memory.records import StepRecord, TaskLog
from agents.memory.summarising import Guarded
from agents.memory.tasks import checked, following, summarised
from blackboard.errors import BadValue, BlackboardError
from bus.errors import BusError

GRACE = 2.0
"""Seconds in which what waits is finished when the worker ends; the rest is taken up when it comes again."""
LONG = 4_000
"""Characters of a turn, about: to read it takes some milliseconds."""

_logger = logging.getLogger(__name__)


class Condensable(Protocol):
    """A task, as far as it went."""

    log: TaskLog
    steps: tuple[StepRecord, ...]
    """What of it is condensed, from turn 0 on."""
    put: int
    """So many of these are on the board; the others go there with the next turn, so that they cost whoever records nothing."""
    read: dict[int, Essence]
    """What of its turns must not be lost, by their numbers: of those that have been read, and are in no step yet."""
    ended: bool
    """Its verdict is on the board."""


class _Ended:
    """A task that is not under way here."""

    def __init__(self, log: TaskLog, steps: tuple[StepRecord, ...]) -> None:
        self.log = log
        self.steps = steps
        self.put = len(steps)
        self.read: dict[int, Essence] = {}
        self.ended = True


class Compressor:
    """Condenses the tasks of one agent; ``summariser`` words what was extracted."""

    def __init__(self, journal: Journal, summariser: Guarded) -> None:
        self._journal = journal
        self._summariser = summariser
        self._under_way: WeakValueDictionary[str, Condensable] = WeakValueDictionary()
        self._waiting: dict[str, Condensable] = {}
        """By id, in order: tasks that may have something to condense."""
        self._failed: dict[str, Condensable] = {}
        """Those that the board could not be reached for: they wait for the next that comes."""
        self._one_by_one = anyio.Lock()
        """A task is condensed by one: the worker, or whoever asks for it now."""
        self._running = False
        self._stirred = anyio.Event()
        self._idle = anyio.Event()

    def look(self, task: Condensable) -> None:
        """Something was recorded of this task, or it has ended."""
        self._under_way[task.log.id] = task
        if self._running:
            self._waiting |= {**self._failed, task.log.id: task}
            self._failed.clear()
            self._stirred.set()
            if self._idle.is_set():
                self._idle = anyio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Condense in the background while the context is open; then finish what can be finished in some seconds.

        Where that is done already, as it is by a crew, it goes on as it does.
        """
        if self._running:
            yield
            return
        try:
            async with anyio.create_task_group() as tasks:
                self._running = True
                tasks.start_soon(self._run)
                try:
                    yield
                finally:
                    with anyio.move_on_after(GRACE, shield=True), suppress(BlackboardError, BusError):  # it stands to be made again
                        await self.settled()
                        await self._put_all()
                    self._running = False
                    tasks.cancel_scope.cancel()
        except ExceptionGroup as group:  # the worker raises nothing: it is the one error of whoever records
            raise group.exceptions[0] from None

    async def settled(self) -> None:
        """Return once all that was recorded by now is condensed; at once, if nothing runs in the background."""
        if self._running:
            await self._idle.wait()

    async def compress(self) -> None:
        """Condense all that there is to condense, now: of tasks under way, and of this agent's that have ended."""
        for task in list(self._under_way.values()):
            await self._condense(task)
        await self._put_all()
        await self._take_up()

    async def _put_all(self) -> None:
        """Put what waits for the next turn of a task: there may be none."""
        for task in list(self._under_way.values()):
            steps = task.steps
            await self._journal.put_steps(task.log.id, steps[task.put :])
            task.put = len(steps)

    async def _run(self) -> None:
        try:
            await self._take_up()
        except Exception as error:  # noqa: BLE001 - it harms no task
            _logger.warning("what was left is not condensed, until the agent comes again: %s", error)
        while True:
            while self._waiting:
                task = self._waiting.pop(next(iter(self._waiting)))
                try:
                    await self._condense(task)
                except BusError as error:
                    self._failed[task.log.id] = task
                    _logger.warning("task %s is not condensed yet: %s", task.log.id, error)
                except Exception:
                    _logger.exception("task %s is not condensed, until the agent comes again", task.log.id)
            self._idle.set()
            self._stirred = anyio.Event()
            await self._stirred.wait()

    async def _take_up(self) -> None:
        """What was left when the worker ended: tasks that have ended, and are not summed up. One that cannot be keeps back no other."""
        async with self._one_by_one:
            for task in await self._journal.unsummed():
                try:
                    await self._condense_alone(_Ended(await self._journal.log(task.id), tuple(await self._journal.steps(task.id))))
                except BadValue as error:
                    _logger.warning("task %s is not condensed: %s", task.id, error)

    async def _condense(self, task: Condensable) -> None:
        """Whatever is due of a task."""
        async with self._one_by_one:
            if task.log.id in self._under_way:  # else it was summed up meanwhile
                await self._condense_alone(task)

    async def _condense_alone(self, task: Condensable) -> None:
        log, ended = task.log, task.ended
        await self._read(task)
        for first, last in due(log.turns, following(task.steps), ended=ended):
            turns = log.turns[first : last + 1]
            extracted = gathered(turns, [task.read.pop(number) for number in range(first, last + 1)], first)
            task.steps = (*task.steps, await self._summariser.step(turns, extracted))
        if ended:
            summed = summarised(log, task.steps)
            record = checked(await self._summariser.task(log, summed))
            await anyio.lowlevel.checkpoint()  # whoever has begun with the next task meanwhile waits for either, not for both
            await self._journal.put_record(record, task.steps[task.put :])
            self._under_way.pop(log.id, None)

    @staticmethod
    async def _read(task: Condensable) -> None:
        """Read turns as they come, one at a time, so that no step has to be read at once; a long one in a thread."""
        turns = task.log.turns
        for number in range(following(task.steps), len(turns)):
            if number not in task.read:
                await anyio.lowlevel.checkpoint()
                turn = turns[number]
                task.read[number] = await anyio.to_thread.run_sync(essence, turn) if len(turn.text) > LONG else essence(turn)
