"""How much smaller tasks become by tier 1, on trajectories of tau-bench (the path is an argument; none of them is part of this project).

Tokens are counted of the same telling before and after: every turn with its calls and results, then the step records in their place. A
standing prompt is no turn of a task, and is left out of both. Beside it stands what the guard finds missing, which must be nothing.
"""

from pathlib import Path

from agents.memory.condensing import condense, due
from agents.memory.guard import lost
from agents.memory.imports import read_tau
from agents.memory.records import TaskLog
from agents.memory.telling import told_step, told_turn
from blackboard.tokens import count_tokens
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

LONG = 20
"""Turns from which on a task is a long one."""


def rows(path: Path, sizes: Sizes) -> list[Row]:
    """Fewer tokens, in per cent: over all tasks, and over the long ones; and what was lost."""
    logs = read_tau(path)
    found = [_condensed(log) for log in logs]
    long = [each for each in found if each[0] >= LONG]
    return [
        Row("fewer tokens of tau-bench tasks by step records", "%", (_saved(found),), note=f"{len(found)} tasks"),
        Row(f"… of those of {LONG} turns and more", "%", (_saved(long),), note=f"{len(long)} tasks"),
        Row("… sentences, numbers and parameters lost", "", (float(sum(missing for *_, missing in found)),), 0),
    ]


def _condensed(log: TaskLog) -> tuple[int, int, int, int]:
    """Turns, tokens before and after, and how much was lost."""
    turns = [turn for turn in log.turns if turn.by != "system"]
    steps = [condense(turns[first : last + 1], first) for first, last in due(turns, ended=True)]
    before = count_tokens("\n".join(told_turn(turn, number) for number, turn in enumerate(turns)))
    after = count_tokens("\n".join(map(told_step, steps)))
    return len(turns), before, after, sum(len(lost(turns[step.first : step.last + 1], step)) for step in steps)


def _saved(found: list[tuple[int, int, int, int]]) -> float:
    before, after = (sum(each[which] for each in found) for which in (1, 2))
    return 100 * (1 - after / before) if before else 0.0
