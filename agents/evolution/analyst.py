"""Whoever finds out why a task failed (chapter 5, "The evolution cycle", analyse)."""

from collections.abc import Sequence
from typing import Protocol

from agents.evolution.strategies import Diagnosis, Strategy
from agents.memory.records import TaskLog


class Analyst(Protocol):
    """Finds the cause of a failure."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
        """Why ``failure`` failed, and what might mend it; None if that cannot be told.

        ``successes`` are tasks of the same type that went well, the most alike first; ``strategies`` were in force.
        """
        ...


class Retry(Protocol):
    """Does a logged task once more, with other strategies, where nothing that it does counts: in a sandbox, or from records."""

    async def __call__(self, task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        """How it went, with a verdict. Raises what it likes: that is no verdict, and the evaluation says so."""
        ...
