"""Why a task failed, by rule: no model is asked (chapter 5, "The evolution cycle", analyse)."""

from collections.abc import Sequence

from agents.conditions import Situation
from agents.evolution.attribution import attribute
from agents.evolution.deviations import known
from agents.evolution.matcher import Picked
from agents.evolution.mending import Case
from agents.evolution.mends import mends
from agents.evolution.signs import Sign, signs
from agents.evolution.strategies import Diagnosis, Rule, Strategy
from agents.memory.records import NOT_AGENTS, Cause, TaskLog

BY_CONTRAST = 0.3
"""The confidence of a diagnosis that nothing in the failure tells, but what successes did otherwise."""


class RuleAnalyst:
    """The ``Analyst`` that works without a model."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
        """See ``diagnose``, which is not asynchronous."""
        return diagnose(failure, successes, strategies)


def diagnose(failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
    """The cause that the most telling sign names, and what might mend it; None if there is no sign and successes did nothing otherwise.

    Of ``strategies`` those are looked at that apply to the task. Where several agents spoke, whose mistake it was and at which turn
    ``attribution`` says, as certain as that is, unless it is known which calls were expected.
    """
    told = signs(failure, known(successes))
    sign = next(iter(told), None)
    applied = [choice.strategy for choice in Picked.of(strategies, Situation.of(failure)).applied]
    found = mends(Case(failure, told, successes, applied))
    speakers = {turn.by for turn in failure.turns} - NOT_AGENTS
    if len(speakers) > 1 and not (sign and sign.deviation) and (blamed := attribute(failure)):
        return Diagnosis(failure.id, sign.cause if sign else "plan", blamed.agent, blamed.turn, blamed.reason, blamed.confidence, found)
    if sign:
        return Diagnosis(failure.id, sign.cause, _by(failure, sign), sign.turn, sign.reason, sign.confidence, found)
    if not found:
        return None
    by_plan = not isinstance(found[0].body, Rule) or found[0].body.use is not None
    cause: Cause = "plan" if by_plan else "tool"
    return Diagnosis(failure.id, cause, failure.agent, max(len(failure.turns) - 1, 0), found[0].note, BY_CONTRAST, found)


def _by(failure: TaskLog, sign: Sign) -> str:
    """Whoever spoke at that turn, or the last agent before it."""
    spoke = (turn.by for turn in reversed(failure.turns[: sign.turn + 1]) if turn.by not in NOT_AGENTS)
    return next(spoke, failure.agent)
