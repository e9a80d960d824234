"""Why a task failed, by rule: no model is asked (chapter 5, "The evolution cycle", analyse)."""

from collections.abc import Sequence

from agents.evolution.signs import signs
from agents.evolution.strategies import Diagnosis, Mend, Rule, Strategy
from agents.memory.records import TaskLog


class RuleAnalyst:
    """The ``Analyst`` that works without a model."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
        """See ``diagnose``, which is not asynchronous."""
        return diagnose(failure, successes, strategies)


def diagnose(failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
    """What the most telling sign says, and mends from what successes did otherwise; None if there is neither."""
    for sign in signs(failure):
        mends = (Mend(None, Rule(advice=sign.reason), types=(failure.type,)),)
        return Diagnosis(failure.id, sign.cause, failure.agent, sign.turn, sign.reason, sign.confidence, mends)
    return None
