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
    name: str,
    *turns: ToolCall | Turn,
    outcome: Outcome = "failure",
    request: str = "An appointment, please",
    kind: str = "appointment",
    feedback: str = "",
    expected: tuple[ToolCall, ...] | None = None,
    **facts: Any,
) -> TaskLog:
    """A task of the desk, with a turn for each call."""
    made = tuple(each if isinstance(each, Turn) else Turn("desk", calls=(each,)) for each in turns)
    return TaskLog(name, "desk", request, kind, made, Verdict(outcome, feedback, "user", expected), tools=TOOLS, facts=facts)


def went_well(name: str, *turns: ToolCall | Turn, **more: Any) -> TaskLog:
    """One that did not fail."""
    return task(name, *turns, outcome="success", **more)
