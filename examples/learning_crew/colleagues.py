"""Whoever asks: they compare an answer with the books, say what is wrong, and show how they would have asked.

Most show it well (let the store add up, in one currency), some as one does in a hurry: with a page that is just large enough.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

from agents.memory.records import ToolCall, Turn, Verdict
from examples.learning_crew.books import Answer, count, right
from examples.learning_crew.desk import Done
from examples.learning_crew.requests import NO_LOG, Request
from examples.learning_crew.tools import ALL


def verdict(request: Request, turns: Sequence[Turn], done: Done) -> Verdict:
    """How a request ended."""
    said = fault(request, done.answer, done.scale)
    if not said:
        return Verdict("success", by="colleague")
    return Verdict("failure", feedback=said, by="colleague", expected=tuple(_corrected(request, turns)))


def fault(request: Request, answer: Answer | None, scale: str | None) -> str:
    """What whoever asked says about an answer and the scale of its chart; empty: nothing, it is right."""
    if answer is None:
        return "I got no answer."
    expected = right(request.wish)
    if missing := sorted(expected.keys() - answer.keys()):
        return f"There is nothing about {', '.join(missing)}."
    if wrong := next((name for name in expected if abs(answer.get(name, 0.0) - expected[name]) > 1e-6 * abs(expected[name])), None):
        return f"The figure for {wrong} is wrong: our books say {expected[wrong]:,.2f}."
    if request.wish.chart and scale is None:
        return "There is no chart."
    if NO_LOG in request.text and scale != "linear":
        return f"The chart has a {scale} scale. I said: {NO_LOG}."
    if "on a log scale" in request.text and scale != "log":
        return f"The chart has a {scale} scale. I asked for a log scale."
    return ""


def _corrected(request: Request, turns: Sequence[Turn]) -> Iterator[ToolCall]:
    """The calls as they ought to have been made."""
    for call in (call for turn in turns for call in turn.calls):
        match call.name:
            case "monthly_summary":
                yield ToolCall(call.name, {**call.parameters, "realtime": True})
            case "query_sales":
                yield ToolCall(call.name, {**call.parameters, **_better(request, call)})
            case "plot" if NO_LOG in request.text:
                yield ToolCall(call.name, {**call.parameters, "scale": "linear"})
            case _:
                yield ToolCall(call.name, call.parameters)


def _better(request: Request, call: ToolCall) -> dict[str, Any]:
    """What was wrong about a query, put right."""
    wish, given = request.wish, call.parameters
    rows = count(wish, given["since"], given["until"])
    better: dict[str, Any] = {}
    if call.error or call.result.get("rows", rows) < rows:
        in_a_hurry = not call.error and _draw(request, "hurry") < 0.4
        better |= {"limit": math.ceil(rows / 10) * 10} if in_a_hurry else {"aggregate": True}
    if wish.measure == "revenue" and wish.region in {ALL, "overseas"}:
        better |= {"currency": "CNY"}
    return better


def _draw(request: Request, what: str) -> float:
    """A number in [0, 1) of a request's own, the same at each try."""
    return crc32(f"{what} {request.text}".encode()) / 2**32
