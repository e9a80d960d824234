"""The data desk: it plans by its strategies, and where they say nothing by habit.

Its habit is a beginner's: fetch the rows, add them up, take amounts for CNY, draw what was found.
"""

import json
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from agents.evolution.matcher import Picked
from agents.evolution.strategies import PlanStep
from agents.memory.records import ToolCall, Turn
from examples.learning_crew.books import Answer, first
from examples.learning_crew.requests import Wish
from examples.learning_crew.tools import ALL, ToolError, Tools

NAME = "data-desk"
NEXT = "′"
"""Behind the groups of the second period."""


class Done(NamedTuple):
    """What came of a request."""

    answer: Answer | None
    scale: str | None = None
    """Of the chart."""


def habit(wish: Wish) -> Iterator[PlanStep]:
    """How it goes about a request for which it has no plan."""
    asked = {name: value for name in ("region", "category") if (value := getattr(wish, name)) != ALL}
    spans = ((wish.since, wish.until), (wish.then_since, wish.then_until))
    for since, until in filter(all, spans):
        parameters = {"since": since, "until": until, "measure": wish.measure, "by": wish.by, **asked}
        yield PlanStep(f"Fetch the sales from {since} to {until}", "query_sales", parameters)
    yield PlanStep("Draw it", "plot", {"title": wish.measure})


class Work:
    """One request, turn by turn: iterate over ``turns()``, then read ``done``."""

    def __init__(self, wish: Wish, tools: Tools, picked: Picked) -> None:
        self.done = Done(None)
        self._wish = wish
        self._tools = tools
        self._picked = picked

    def turns(self) -> Iterator[Turn]:
        """What it says and does. An error of a tool ends it."""
        try:
            yield from self._plan()
        except ToolError as error:
            yield Turn(NAME, f"I could not find out: {error}.", done=True)

    def _plan(self) -> Iterator[Turn]:
        wish, answer, scale = self._wish, Answer(), None
        asked = 0
        for step in self._picked.plan() or habit(wish):
            if step.tool == "plot" and not wish.chart:
                continue
            result = yield from self._call(step.say, step.tool or "describe", step.parameters)
            if step.tool == "plot":
                scale = result["scale"]
                continue
            found = _figures(result, wish)
            booked = "CNY" if result["currency"] == "as booked" else result["currency"]
            if wish.measure == "revenue" and booked != wish.currency:
                said = f"Convert it from {booked} to {wish.currency}"
                converted = yield from self._call(said, "convert", {"values": found, "source": booked, "target": wish.currency})
                found = converted["groups"]
            answer |= {f"{name}{NEXT * asked}": figure for name, figure in first(found, wish.top).items()}
            asked += 1
        self.done = Done(answer, scale)
        decimals = int(self._picked.parameters.get("decimals", 2))
        told = ", ".join(f"{name} {figure:,.{decimals}f}" for name, figure in answer.items())
        yield Turn(NAME, f"{wish.measure}: {told or 'nothing was sold'}.", tokens=_tokens(told), done=True)

    def _call(self, say: str, tool: str, parameters: dict[str, Any]) -> Generator[Turn, None, dict[str, Any]]:
        call = self._picked.call(tool, parameters)
        said = f"{say}{''.join(f' ({why})' for why in call.why)}"
        try:
            result = self._tools.call(call.tool, call.parameters)
        except ToolError as error:
            yield Turn(NAME, said, (ToolCall(call.tool, call.parameters, error=str(error)),), tokens=_tokens(said), seconds=5.0)
            raise
        yield Turn(NAME, said, (ToolCall(call.tool, call.parameters, _noted(result)),), tokens=_tokens(said, result), done=True)
        return result


def _figures(result: dict[str, Any], wish: Wish) -> Answer:
    """What a result comes to: groups as they are, rows added up."""
    if "groups" in result:
        return dict(result["groups"])
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in result["rows"]:
        name = {ALL: ALL, "month": row["day"][:7]}.get(wish.by) or row[wish.by]
        groups.setdefault(name, []).append(row)
    column = {"units": "units", "revenue": "amount", "returns": "returned"}[wish.measure]
    sums = {name: float(sum(row[column] for row in rows)) for name, rows in groups.items()}
    return {name: value / len(groups[name]) for name, value in sums.items()} if wish.measure == "returns" else sums


def _noted(result: dict[str, Any]) -> dict[str, Any]:
    """A result as the log keeps it: of rows how many there were, and the first."""
    rows = result.get("rows")
    return {**result, "rows": len(rows), "first": rows[:1]} if isinstance(rows, list) else result


def _tokens(*what: object) -> int:
    """About four characters each."""
    return sum(len(json.dumps(each)) for each in what) // 4
