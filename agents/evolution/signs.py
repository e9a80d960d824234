"""What in a task's log tells why it failed: plain cases, by rule (chapter 5, "The evolution cycle", analyse)."""

from msgspec import Struct

from agents.memory.records import Cause, TaskLog, ToolCall


class Sign(Struct, frozen=True):
    """Something that tells of a cause."""

    cause: Cause
    turn: int
    """Its number in the log."""
    reason: str
    confidence: float
    """0…1."""
    call: ToolCall | None = None
    """The call that it is about."""
    parameter: str | None = None
    """The parameter of that call."""


def signs(log: TaskLog) -> list[Sign]:
    """All that are found, the most telling first."""
    return []


def trouble(log: TaskLog) -> tuple[str, str, str]:
    """What kind of trouble a failure had: its type, the cause and the tool that its most telling sign names."""
    first = next(iter(signs(log)), None)
    return log.type, first.cause if first else "", first.call.name if first and first.call else ""
