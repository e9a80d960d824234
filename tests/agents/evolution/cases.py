"""Tasks of a clinic's desk, invented: what the tests of the evolution's rooms learn from."""

from typing import Any

from agents.memory.records import Outcome, TaskLog, ToolCall, Turn, Verdict

TOOLS = ("book", "find_slots", "list_doctors", "send", "slots_of_week")


def call(name: str, error: str | None = None, result: Any = None, **parameters: Any) -> ToolCall:
    """A call of a tool."""
    return ToolCall(name, parameters, result, error)


def said(by: str, text: str) -> Turn:
    """A turn without calls."""
    return Turn(by, text)


def task(
    id: str,
    *turns: ToolCall | Turn,
    outcome: Outcome = "failure",
    request: str = "An appointment, please",
    type: str = "appointment",
    feedback: str = "",
    expected: tuple[ToolCall, ...] | None = None,
    **facts: Any,
) -> TaskLog:
    """A task of the desk, with a turn for each call."""
    made = tuple(each if isinstance(each, Turn) else Turn("desk", calls=(each,)) for each in turns)
    return TaskLog(id, "desk", request, type, made, Verdict(outcome, feedback, "user", expected), tools=TOOLS, facts=facts)


def went_well(id: str, *turns: ToolCall | Turn, **more: Any) -> TaskLog:
    """One that did not fail."""
    return task(id, *turns, outcome="success", **more)
