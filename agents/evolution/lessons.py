"""Lessons from failures, as checks before an action: which risk factors told of tasks that failed, and how many of them are a warning.

    lessons = learn([trial(log, tools={"cancel_order"}) for log in logs], tools={"cancel_order"})
    for flag in lessons.check(log_so_far, call):
        print(flag.why)

A risk factor that failures bore is a lesson until the tasks speak against it: until it is clear that failures bore it hardly more often
than tasks that went well. To wait for proof instead holds less well on other tasks, since a few dozen prove little. A call is flagged if so
many lessons speak against it as few tasks that go well have. Every lesson counts alike: weights that are fitted to so few hold no better
(R. M. Dawes, *The robust beauty of improper linear models in decision making*, 1979).

How many is set so that of tasks that go well at most the share ``false_flags`` is expected to be flagged. Each success is tried by the
lessons of other tasks, and the bound is the conformal one (V. Vovk, *Cross-conformal predictors*, 2015).

Laws: the same trials teach the same, in whatever order. A single task teaches nothing, and nothing is learned from what came after a call.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from agents.evolution.proposals import before
from agents.evolution.risks import RISKS, risks
from agents.memory.records import Experience, TaskLog, ToolCall

FALSE_FLAGS = 0.1
LIFT = 1.25
"""Hardly more often: less than so many times the share of the successes."""
SURE = 1.645
"""Standard errors, for it to be clear: one-sided, 95 %."""
FAILURES = 2
"""So many tasks at least must have failed of what is to be a lesson."""


class Trial(Struct, frozen=True):
    """A logged task, as lessons are learned from it."""

    id: str
    task: str
    """What several trials may share: what is learned of it is not tried on it."""
    failed: bool
    acts: tuple[frozenset[str], ...]
    """The risk factors of each call that is checked, in order; in a failure up to the first that was wrong, with it."""


class Lesson(Struct, frozen=True):
    """A risk factor that told of failures."""

    risk: str
    """Its name: a key of ``RISKS``."""
    failed: tuple[str, ...]
    """The tasks that failed after a call bore it, sorted: the wrong call, or one before."""
    well: tuple[str, ...]
    """The tasks that went well although one did, sorted."""

    def __str__(self) -> str:
        return f"A call {RISKS[self.risk][0]}: {len(self.failed)} tasks failed so, {len(self.well)} went well."

    @property
    def experience(self) -> Experience:
        """The same in the shape of other experience: it applies where the facts name the risk."""
        when: dict[str, dict[str, Any]] = {f"facts.{self.risk}": {"==": True}}
        return Experience(id=f"risk-{self.risk}", outcome="failure", lesson=str(self), when=when, records=self.failed)


class Flag(Struct, frozen=True):
    """A lesson that speaks against a call."""

    lesson: Lesson
    why: str
    """The lesson, and what about the call bears it out."""


class Lessons(Struct, frozen=True):
    """What was learned, and when it is a warning."""

    lessons: tuple[Lesson, ...]
    """Those with the most failures first."""
    least: int | None
    """A call against which so many of them speak is flagged. None: no call is, since there were too few successes for a bound."""
    tools: tuple[str, ...]
    """Those whose calls are checked, sorted."""

    def flags(self, trial: Trial) -> bool:
        """Would a call of it have been flagged, and in a failure none too late?"""
        return self.least is not None and _most({lesson.risk for lesson in self.lessons}, trial) >= self.least

    def check(self, so_far: TaskLog, call: ToolCall) -> list[Flag]:
        """What speaks against a call that is about to be made after all that ``so_far`` holds; nothing, if that is not enough to warn."""
        if call.name not in self.tools or self.least is None:
            return []
        found = risks(so_far, call)
        flags = [Flag(lesson, f"{lesson} Here: {'; '.join(found[lesson.risk])}") for lesson in self.lessons if lesson.risk in found]
        return flags if len(flags) >= self.least else []


def trial(log: TaskLog, tools: Collection[str], task: str | None = None) -> Trial | None:
    """What may be learned from a log of calls of these tools; None: nothing, as it has no verdict, or it failed and none of them was wrong.

    ``task``: what other trials share with it; its id, unless it is given. Where it is not known which calls were expected, any call of a
    failure may have been the wrong one.
    """
    if log.verdict is None:
        return None
    failed = log.verdict.outcome == "failure"
    wrong = unexpected(log, tools) if failed else None
    if failed and wrong is None and log.verdict.expected is not None:
        return None
    acts = tuple(
        frozenset(risks(before(log, turn, number), call))
        for turn, number, call in acts_of(log, tools)
        if wrong is None or (turn, number) <= wrong
    )
    return Trial(log.id, log.id if task is None else task, failed, acts)


def unexpected(log: TaskLog, tools: Collection[str]) -> tuple[int, int] | None:
    """The first call of these tools that is none of those expected, in name and parameters: its turn, and its number in that.

    One that the tool refused was made all the same. None: there is none, or it is not known which calls were expected.
    """
    if log.verdict is None or log.verdict.expected is None:
        return None
    expected = [(call.name, call.parameters) for call in log.verdict.expected]
    return next(((turn, number) for turn, number, call in acts_of(log, tools) if (call.name, call.parameters) not in expected), None)


def acts_of(log: TaskLog, tools: Collection[str]) -> Iterator[tuple[int, int, ToolCall]]:
    """The calls of these tools, each with its turn and its number in that."""
    for turn, each in enumerate(log.turns):
        for number, call in enumerate(each.calls):
            if call.name in tools:
                yield turn, number, call


def learn(trials: Iterable[Trial | None], tools: Collection[str], *, false_flags: float = FALSE_FLAGS) -> Lessons:
    """What trials teach about calls of these tools. ``false_flags``: of tasks that go well, the share that may be flagged, 0…1.

    Of fewer successes than 1 ∕ ``false_flags`` − 1 no bound can be told, and nothing is flagged.
    """
    known = [each for each in trials if each is not None]
    told = sorted(_telling(known), key=lambda risk: (-len(_tasks(known, risk, failed=True)), risk))
    lessons = tuple(Lesson(risk, _tasks(known, risk, failed=True), _tasks(known, risk, failed=False)) for risk in told)
    return Lessons(lessons, _least(known, false_flags), tuple(sorted(tools)))


def _telling(trials: Sequence[Trial]) -> set[str]:
    """The risk factors that are lessons."""
    failures, successes = ([each for each in trials if each.failed == failed and each.acts] for failed in (True, False))
    return {risk for risk in RISKS if len(_tasks(failures, risk)) >= FAILURES and _may_tell(failures, successes, risk)}


def _may_tell(failures: Sequence[Trial], successes: Sequence[Trial], risk: str) -> bool:
    """May failures bear it ``LIFT`` times as often?

    By the upper end of Katz's interval of the risk ratio (D. Katz et al., *Obtaining confidence intervals for the risk ratio in cohort
    studies*, 1978), with ½ added to each count.
    """
    failed, well = (sum(_bears(each, risk) for each in trials) + 0.5 for trials in (failures, successes))
    of_failures, of_successes = len(failures) + 0.5, len(successes) + 0.5
    error = math.sqrt(1 / failed - 1 / of_failures + 1 / well - 1 / of_successes)
    return math.log(failed / of_failures) - math.log(well / of_successes) + SURE * error >= math.log(LIFT)


def _least(trials: Sequence[Trial], false_flags: float) -> int | None:
    well = [each for each in trials if not each.failed]
    told = {task: _telling([each for each in trials if each.task != task]) for task in {each.task for each in well if each.acts}}
    counts = [_most(told[each.task], each) if each.acts else 0 for each in well]
    return next((k for k in range(1, len(RISKS) + 1) if sum(count >= k for count in counts) + 1 <= false_flags * (len(well) + 1)), None)


def _most(told: Collection[str], one: Trial) -> int:
    return max((len(found.intersection(told)) for found in one.acts), default=0)


def _tasks(trials: Iterable[Trial], risk: str, failed: bool | None = None) -> tuple[str, ...]:
    return tuple(sorted({each.task for each in trials if _bears(each, risk) and failed in {None, each.failed}}))


def _bears(one: Trial, risk: str) -> bool:
    return any(risk in found for found in one.acts)
