"""The recorder: writes down a task as it goes.

    async with agent.task("Sales by month, as a table", type="report", tools=("query_sales",)) as task:
        await task.step("I look them up", calls=(ToolCall("query_sales", {"by": "month"}, rows),), tokens=812)
        task.succeed(feedback="just what I wanted")

Laws:

- A turn is durable once ``step`` has returned, the verdict once the ``async with`` block has ended. What was recorded before a kill stands.
- An exception that leaves the block before the verdict is a failure of the task, with what it said as the feedback, and goes on from there.
  Being cancelled is none.
- A task without a verdict stays open: whoever gives its id later goes on with it, and may end it.
"""

import logging
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import anyio
from msgspec.structs import replace

from agents.conditions import Situation
from agents.evolution.library import Library
from agents.evolution.matcher import Picked, pick
from agents.memory.compressor import Compressor
from agents.memory.essentials import Essence
from agents.memory.experience import LESSONS, SUCCESSES, Recollection, recollect
from agents.memory.journal import Journal
from agents.memory.plain import as_read
from agents.memory.records import Outcome, StepRecord, TaskLog, ToolCall, Turn, Verdict
from agents.memory.tasks import consecutive
from agents.memory.telling import told_error
from agents.memory.validity import require_request, validated
from agents.memory.working_set import working_set
from blackboard.clock import Clock
from blackboard.errors import BadValue, BlackboardError
from bus.errors import BusError

_logger = logging.getLogger(__name__)


class Task:
    """A task under way: an agent's ``task(…)`` makes one, and ``async with`` begins and ends it.

    ``log`` is how far it went, ``steps`` what of that is condensed by now, ``picked`` the strategies in force. ``resumed``: it had begun
    before, and its turns are there.
    """

    def __init__(
        self,
        log: TaskLog,
        journal: Journal,
        compressor: Compressor,
        clock: Clock,
        *,
        under_way: set[str],
        new: bool,
        picked: Picked | None = None,
    ) -> None:
        """``under_way``: ids of the tasks that the agent is at: this one is added. ``new``: no task can have its id yet. ``picked``: in
        place of what the board's library has.
        """
        self.log = log
        self.picked = picked or Picked(self.situation)
        self._picks = picked is None
        self._all_under_way = under_way
        self.resumed = False
        self.steps: tuple[StepRecord, ...] = ()
        self.put = 0
        """So many of the steps are on the board; the others go there with the next turn."""
        self.read: dict[int, Essence] = {}
        """What the background has read of the turns that are in no step yet."""
        self.ended = False
        self._new = new
        self._journal = journal
        self._compressor = compressor
        self._clock = clock
        self._last = 0.0
        """When the turn before ended."""
        self._one_by_one = anyio.Lock()
        self._under_way = False

    @property
    def id(self) -> str:
        """The task's id."""
        return self.log.id

    @property
    def situation(self) -> Situation:
        """What conditions are asked about."""
        return Situation(self.log.request, self.log.type, self.log.tools, self.log.facts)

    async def __aenter__(self) -> Self:
        require_request(self.log.request)
        if self.id in self._all_under_way or self.ended:
            raise BadValue(f"task {self.id!r} {'has ended' if self.ended else 'is under way already'}: begin another one, of another id")
        self._all_under_way.add(self.id)
        try:
            await self._begin()
        except BaseException:
            self._all_under_way.discard(self.id)
            raise
        return self

    async def _begin(self) -> None:
        self._last = self._clock.now()
        if self._picks:
            self.picked = pick(await Library(self._journal.board).releases(), self.situation, task=self.id)
        begins = replace(self.log, began=self._last, strategies=self.picked.refs)
        if self._new:
            await self._journal.put_task(begins)
            stands = begins
        else:
            stands = await self._journal.begin(begins)
        self.resumed = stands is not begins
        self.log = _gone_on(stands, begins)
        if self.resumed:
            if self._picks:
                self.picked = await self._as_begun()
            self.steps = consecutive(await self._journal.steps(self.id), self.log.turns)
            self.put = len(self.steps)
        self._under_way, self._new = True, False

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._under_way = False
        self._all_under_way.discard(self.id)
        if isinstance(error, Exception) and self.log.verdict is None:
            self.log = replace(self.log, verdict=Verdict("failure", told_error(error), by=self.log.agent))
        if self.log.verdict is None:
            return
        try:
            await self._end()
        except (BlackboardError, BusError) as trouble:
            if error is None:
                raise
            _logger.warning("how task %s ended is not recorded: %s", self.id, trouble)  # what ended it goes on from here

    async def _end(self) -> None:
        """Put the verdict on the board."""
        log, steps = replace(self.log, ended=self._clock.now()), self.steps
        await self._journal.put_task(log, steps[self.put :])
        self.log, self.ended, self.put = log, True, len(steps)
        self._compressor.look(self)

    async def step(
        self,
        text: str = "",
        *,
        by: str | None = None,
        calls: Iterable[ToolCall] = (),
        tokens: int = 0,
        seconds: float | None = None,
        done: bool = False,
    ) -> int:
        """Record a turn, and return its number once it is durable.

        ``by``: who spoke or acted: *user*, *system*, *tool*, or an agent, by default this one. ``calls``: the tools that were called.
        ``tokens``: what it cost. ``seconds``: what it took, by default since the turn before. ``done``: a sub-step ends with it.

        Raises ``BadValue`` for a turn that says nothing, for what is no JSON, and once the task has its verdict; and what saying raises.
        """
        self._require_open("a step")
        async with self._one_by_one:
            now = self._clock.now()
            took = max(0.0, now - self._last) if seconds is None else seconds
            turn = validated(Turn(self.log.agent if by is None else by, text, tuple(calls), tokens, took, done))
            number = len(self.log.turns)
            steps = self.steps
            await self._journal.put_turn(self.id, number, turn, steps[self.put :])  # which ride along: they cost no commit of their own
            self.log, self.put = replace(self.log, turns=(*self.log.turns, turn)), len(steps)
            self._last = now
        self._compressor.look(self)
        return number

    async def _as_begun(self) -> Picked:
        """The strategies that were in force when it began, as far as the library has them: what was released since is for other tasks."""
        there = {release.strategy.ref: release.strategy for release in await Library(self._journal.board).releases()}
        return Picked.of([there[ref] for ref in self.log.strategies if ref in there], self.situation)

    async def experiences(self, *, successes: int = SUCCESSES, lessons: int = LESSONS) -> Recollection:
        """What was learnt that applies to this task: up to so many of what went well, and of what failed; each with why.

        What is taken is noted in the log, so that it shows later whether it helped, and grows stronger on the board. Raises ``BadValue``.
        """
        self._require_open("experiences")
        found = recollect(await self._journal.experiences(), self.situation, successes=successes, lessons=lessons)
        new = [each for each in found.ids if each not in self.log.recalled]
        if new:
            self.log = replace(self.log, recalled=(*self.log.recalled, *new))
            await self._journal.put_task(self.log)
            await self._journal.use(new)
        return found

    def context(self, max_tokens: int = 2000) -> str:
        """What of the task goes into a prompt now: what was condensed by its step records, the rest as it was; the newest first to go in.

        Raises ``BadValue`` if the request and the sentences that must be kept are more than ``max_tokens``.
        """
        return working_set(self.log, self.steps, max_tokens)

    def succeed(self, feedback: str = "", *, by: str | None = None, expected: Iterable[ToolCall] | None = None) -> None:
        """Say that the task went well; ``feedback`` is what whoever judged it said, and ``by`` who that is (this agent, if not given).

        Raises ``BadValue`` if it has its verdict already, or is not under way.
        """
        self._judge("success", feedback, by, expected)

    def fail(self, feedback: str = "", *, by: str | None = None, expected: Iterable[ToolCall] | None = None) -> None:
        """Say that it did not; ``expected``: the calls that ought to have been made, where that is known. Raises as ``succeed``."""
        self._judge("failure", feedback, by, expected)

    def _judge(self, outcome: Outcome, feedback: str, by: str | None, expected: Iterable[ToolCall] | None) -> None:
        self._require_open(f"the verdict {outcome!r}")
        verdict = Verdict(outcome, feedback, self.log.agent if by is None else by, None if expected is None else tuple(expected))
        self.log = replace(self.log, verdict=as_read(verdict))

    def _require_open(self, what: str) -> None:
        if self.log.verdict is not None:
            raise BadValue(f"{what} for task {self.id!r}, which has its verdict already: {self.log.verdict.outcome}")
        if not self._under_way:
            raise BadValue(f"{what} for task {self.id!r}, which is not under way: say it inside the `async with` block")


def _gone_on(begun: TaskLog, asked: TaskLog) -> TaskLog:
    """The task as it went so far, for whoever goes on with it."""
    if begun.agent != asked.agent:
        raise BadValue(f"task {begun.id!r} is {begun.agent!r}'s: {asked.agent!r} gives another id, or none")
    if begun.verdict is not None:
        raise BadValue(f"task {begun.id!r} has ended ({begun.verdict.outcome}): give another id, or none")
    if begun.request != asked.request:
        raise BadValue(f"task {begun.id!r} asks for something else: {begun.request!r}: give another id, or none")
    return begun
