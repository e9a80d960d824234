"""Whose mistake decided that a task failed, and at which turn: by rules, without a model (chapter 5, "The evolution cycle", analyse)."""

from msgspec import Struct

from agents.memory.records import TaskLog

NOT_AGENTS = frozenset({"user", "system", "tool"})
"""Who says something in a log and is no agent."""


class Attribution(Struct, frozen=True):
    """A mistake that may have decided it."""

    agent: str
    turn: int
    """Its number in the log."""
    reason: str
    """What speaks for it, in words."""
    confidence: float
    """0…1: how probable it is, among the turns of this log, that it was this one."""


def attribute(log: TaskLog) -> Attribution | None:
    """The most probable of ``suspects``; None if no agent said anything."""
    return next(iter(suspects(log)), None)


def suspects(log: TaskLog) -> tuple[Attribution, ...]:
    """Every turn of an agent, the most probable first."""
    turns = [number for number, turn in enumerate(log.turns) if turn.by not in NOT_AGENTS]
    return tuple(Attribution(log.turns[number].by, number, "it came first", 1 / len(turns)) for number in turns)
