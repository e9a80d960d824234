"""A small world to evolve in: reports that time out unless a limit is given. What it does follows from task and strategies alone."""

from collections.abc import Iterable, Sequence

from agents.conditions import Situation
from agents.evolution.matcher import Picked
from agents.evolution.strategies import Diagnosis, Mend, Rule, Strategy
from agents.memory.journal import Journal
from agents.memory.records import Outcome, TaskLog, TaskRecord, ToolCall, Turn, Verdict

TOOL = "query_sales"
ACTIVE = Strategy("politeness", Rule(advice="be polite"))
"""In force before, and to be so after."""


def logged(number: int, outcome: Outcome = "failure", *, strategies: Sequence[str] = (), at: float | None = None) -> TaskLog:
    """Task *t007* asks for a report of a region."""
    began = float(number) if at is None else at
    return TaskLog(
        f"t{number:03}", "analyst", f"report of region {number}", type="report", tools=(TOOL,), began=began, ended=began + 0.5,
        turns=(_turn(outcome),), verdict=Verdict(outcome), strategies=tuple(strategies),
    )  # fmt: skip


def recorded(log: TaskLog) -> TaskRecord:
    """What a logged task came to."""
    assert log.verdict is not None
    return TaskRecord(
        log.id, log.agent, log.request, log.verdict.outcome, f"way-{log.verdict.outcome}", type=log.type, path=(TOOL,), tools=(TOOL,),
        cause="tool" if log.verdict.outcome == "failure" else None, turns=len(log.turns), began=log.began, ended=log.ended,
        strategies=log.strategies,
    )  # fmt: skip


def tasks(failures: int = 12, successes: int = 12) -> list[TaskLog]:
    """Odd ones fail: those for which a limit matters."""
    odd = [logged(2 * n + 1) for n in range(failures)]
    return [*odd, *(logged(2 * n, "success") for n in range(successes))]


async def lay(journal: Journal, logs: Iterable[TaskLog]) -> None:
    """Put them on a board, with their records."""
    for log in logs:
        await journal.put_log(log)
        await journal.put_record(recorded(log))


async def retry(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
    """An odd task goes well with a limit of at least 100, an even one with any below 1000, or none."""
    picked = Picked.of(strategies, Situation.of(task))
    limit = picked.call(TOOL, {}).parameters.get("limit")
    is_odd = int(task.id[1:]) % 2 == 1
    went_well = (limit or 0) >= 100 if is_odd else limit is None or limit < 1000
    outcome: Outcome = "success" if went_well else "failure"
    return logged(int(task.id[1:]), outcome)


class Guesses:
    """Knows two mends: one that breaks what went well, and one that holds."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
        del successes, strategies
        mends = tuple(Mend(None, Rule(set={"limit": limit}), when={"tool": {"==": TOOL}}, types=("report",)) for limit in (5000, 100))
        return Diagnosis(failure.id, "tool", failure.agent, 0, "it times out without a limit", 0.9, mends)


def _turn(outcome: Outcome) -> Turn:
    return Turn("analyst", "I look it up", (ToolCall(TOOL, {}, error=None if outcome == "success" else "timed out"),), tokens=10)
