"""Whether a canary is promoted or rolled back, by the success of tasks with it and without it (chapter 5, "release").

Of the tasks that a canary speaks about, those that its share gives it are held against the others that began since. Looks are at fixed
numbers of ended tasks, ``Test.looks`` of them: asked in between, nothing is decided, so how often somebody looks changes nothing. At a look
both directions are tested by Fisher's exact test, one-sided (``exact.fisher``), each at the level ``alpha / looks``: by Bonferroni's
inequality (C. E. Bonferroni, *Teoria statistica delle classi e calcolo delle probabilità*, 1936) the chance that a canary which makes no
difference is promoted at any of them is at most ``alpha``, and so is that of being stopped for harm.

Laws: the decision is a function of the tasks, and of the first so many that ended, whenever it is asked for. What has shown no gain at the
last look is rolled back: nothing goes live for want of evidence.
"""

from collections.abc import Iterable
from math import nan
from typing import Literal

from msgspec import Struct

from agents.conditions import Situation
from agents.evolution.exact import fisher
from agents.evolution.matcher import Picked
from agents.evolution.strategies import Release
from agents.memory.records import TaskLog
from blackboard.errors import BadValue

Ruling = Literal["promote", "roll back", "go on"]


class Test(Struct, frozen=True):
    """How a canary is tested. Raises ``BadValue``, which names the field."""

    __test__ = False  # it is nothing for pytest

    tasks: int = 200
    """Ended tasks, with it and without it together, at the last look."""
    looks: int = 4
    """So many, after equal numbers of tasks."""
    alpha: float = 0.05
    """The chance of promoting one that makes no difference, at most."""

    def __post_init__(self) -> None:
        if self.looks < 1 or self.tasks < self.looks:
            raise BadValue(f"a test of {self.tasks} tasks in {self.looks} looks: give at least one look, and a task for each")
        if not 0 < self.alpha < 1:
            raise BadValue(f"alpha {self.alpha!r}: give a chance, above 0 and below 1")

    def look(self, ended: int) -> int:
        """How many looks there have been after so many ended tasks."""
        return min(self.looks, ended * self.looks // self.tasks)

    def at(self, look: int) -> int:
        """After how many ended tasks that look is: the first is number 1."""
        return -(-look * self.tasks // self.looks)


class Arm(Struct, frozen=True):
    """Tasks that ended, with a canary or without it."""

    tasks: int = 0
    successes: int = 0

    @property
    def share(self) -> float:
        """The share of successes; nan if there are no tasks."""
        return self.successes / self.tasks if self.tasks else nan

    def __str__(self) -> str:
        """As in *17 of 20*."""
        return f"{self.successes} of {self.tasks}"


class Decision(Struct, frozen=True):
    """What becomes of a canary, and why."""

    ref: str
    ruling: Ruling
    why: str
    look: int
    """How many looks there have been; the last one decided."""
    having: Arm
    without: Arm
    """At that look, or so far if there was none yet."""
    better: float = 1.0
    """How probable this or a larger gain would be if it made no difference: Fisher's p."""
    worse: float = 1.0
    """How probable this or a larger loss would be."""

    @property
    def scores(self) -> dict[str, float]:
        """In figures, to be kept with the release."""
        shares = {"with": self.having, "without": self.without}
        counts = {f"{name} tasks": float(arm.tasks) for name, arm in shares.items()}
        return {**counts, **{f"success {name}": arm.successes / (arm.tasks or 1) for name, arm in shares.items()}, "p": self.better}


def decide(canary: Release, tasks: Iterable[TaskLog], test: Test, *, since: float = 0.0) -> Decision:
    """What becomes of ``canary``, from the tasks that began at ``since`` (Unix seconds) or later."""
    ref = canary.strategy.ref
    ended = sorted(
        (task for task in tasks if task.verdict and task.began >= since and _about(canary, task)), key=lambda task: (task.ended, task.id)
    )
    looked = test.look(len(ended))
    for look in range(1, looked + 1):
        having, without = _arms(ref, ended[: test.at(look)])
        better = fisher(without.successes, without.tasks, having.successes, having.tasks)
        worse = fisher(having.successes, having.tasks, without.successes, without.tasks)
        level = test.alpha / test.looks
        said = f"success in {having} tasks with it and in {without} without"
        found = Decision(ref, "go on", "", look, having, without, better, worse)
        if worse <= level:
            return _ruled(
                found, "roll back", f"{said}: it does harm (p = {worse:.2g}, at most {level:.2g}, at look {look} of {test.looks})"
            )
        if better <= level:
            return _ruled(found, "promote", f"{said} (p = {better:.2g}, at most {level:.2g}, at look {look} of {test.looks})")
        if look == test.looks:
            return _ruled(found, "roll back", f"{said}: no gain is shown (p = {better:.2g}, above {level:.2g}, at the last look)")
    having, without = _arms(ref, ended)
    why = f"{len(ended)} tasks have ended; the next look is after {test.at(looked + 1)}"
    return Decision(ref, "go on", why, looked, having, without)


def _ruled(found: Decision, ruling: Ruling, why: str) -> Decision:
    return Decision(found.ref, ruling, why, found.look, found.having, found.without, found.better, found.worse)


def _about(canary: Release, task: TaskLog) -> bool:
    """Would it be in force for the task, if all had it?"""
    return canary.strategy.ref in task.strategies or bool(Picked.of([canary.strategy], Situation.of(task)).applied)


def _arms(ref: str, tasks: Iterable[TaskLog]) -> tuple[Arm, Arm]:
    counts = {True: [0, 0], False: [0, 0]}
    for task in tasks:
        arm = counts[ref in task.strategies]
        arm[0] += 1
        arm[1] += task.verdict is not None and task.verdict.outcome == "success"
    return Arm(*counts[True]), Arm(*counts[False])
