"""The tools of the data desk, with the ways in which such tools fail.

``query_sales`` returns the first page of rows and does not say that there are more; it adds up amounts as they were booked, in two
currencies, unless it is told which one to use; the row store gives up on a long range. ``monthly_summary`` is as old as its last load,
unless it is to add what came since. ``plot`` draws on a log scale unless it is told which.
"""

import sqlite3
from collections.abc import Callable
from datetime import date
from typing import Any

from examples.learning_crew.world import CNY, LOAD

ALL = "all"
"""Of a filter: it does not matter."""
LONGEST = 100
"""Days: what the row store reads in its five seconds without an index."""
MEASURES = {"units": "sum(units)", "revenue": "sum({amount})", "returns": "1.0 * sum(returned) / count(*)"}


GROUPS = {ALL: "'all'", "month": "substr(day, 1, 7)"} | {name: name for name in ("product", "category", "region", "channel")}
ROW = ("day", "region", "product", "category", "channel", "units", "returned")


class ToolError(Exception):
    """A tool could not do what it was asked, and says why."""


class Tools:
    """The tools, over one database."""

    def __init__(self, world: sqlite3.Connection) -> None:
        self._world = world
        self._tools: dict[str, Callable[..., dict[str, Any]]] = {
            "convert": self.convert,
            "describe": self.describe,
            "monthly_summary": self.monthly_summary,
            "plot": self.plot,
            "query_sales": self.query_sales,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Sorted."""
        return tuple(self._tools)

    def call(self, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """What the tool returns. Raises ``ToolError``."""
        if name not in self._tools:
            raise ToolError(f"there is no tool {name}: there are {', '.join(self._tools)}")
        tool = self._tools[name]
        taken = tool.__code__.co_varnames[1 : tool.__code__.co_argcount + tool.__code__.co_kwonlyargcount]
        if unknown := sorted(set(parameters) - set(taken)):
            raise ToolError(f"{name} has no parameter {unknown[0]!r}: it takes {', '.join(taken)}")
        try:
            return tool(**parameters)
        except TypeError as error:
            raise ToolError(str(error)) from error

    def describe(self) -> dict[str, Any]:
        """What the sales table holds."""
        columns = [row[1] for row in self._world.execute("pragma table_info(sales)")]
        rows, first, last = self._world.execute("select count(*), min(day), max(day) from sales").fetchone()
        return {"columns": columns, "rows": rows, "first": first, "last": last}

    def query_sales(
        self,
        *,
        since: str,
        until: str,
        measure: str = "revenue",
        by: str = ALL,
        region: str = ALL,
        category: str = ALL,
        aggregate: bool = False,
        currency: str | None = None,
        limit: int = 200,
        index: str | None = None,
    ) -> dict[str, Any]:
        """Sales between two days: the first ``limit`` rows, or, with ``aggregate``, the measure by group, from the column store."""
        if by not in GROUPS or measure not in MEASURES:
            raise ToolError(f"unknown column {by if by not in GROUPS else measure!r}")
        if index not in {None, "sales_day"}:
            raise ToolError(f"no such index: {index}; there is sales_day")
        if currency not in {None, *CNY}:
            raise ToolError(f"unknown currency {currency!r}: give {' or '.join(CNY)}")
        days = (date.fromisoformat(until) - date.fromisoformat(since)).days + 1
        if days > LONGEST and not aggregate and not index:
            raise ToolError(f"statement timeout after 5 s: sequential scan over {days} days of sales")
        amount = "amount" if currency is None else f"amount * case currency when 'USD' then {CNY['USD']} else 1 end / {CNY[currency]}"
        where, values = "day between ? and ?", [since, until]
        for column, value in (("region", region), ("category", category)):
            if value != ALL:
                where, values = f"{where} and {column} = ?", [*values, value]
        booked = currency or "as booked"
        if aggregate:
            what = MEASURES[measure].format(amount=amount)
            query = f"select {GROUPS[by]}, {what} from sales where {where} group by 1 limit ?"  # noqa: S608 – nothing in it is a caller's
            return {"groups": dict(self._world.execute(query, (*values, limit)).fetchall()), "currency": booked}
        hint = f"indexed by {index}" if index else ""
        query = f"select {', '.join(ROW)}, {amount} from sales {hint} where {where} order by day limit ?"  # noqa: S608
        rows = [dict(zip((*ROW, "amount"), row, strict=True)) for row in self._world.execute(query, (*values, limit))]
        return {"rows": rows, "currency": booked}

    def monthly_summary(
        self, *, since: str, until: str, measure: str = "revenue", by: str = "month", region: str = ALL, realtime: bool = False
    ) -> dict[str, Any]:
        """The months between two days, in CNY, from the table that is loaded once a month; ``realtime`` adds what came since."""
        if by != "month":
            raise ToolError(f"monthly_summary holds months, not {by}")
        what = {"units": "sum(units)", "revenue": "sum(revenue)", "returns": "1.0 * sum(returned) / sum(orders)"}[measure]
        source = f"(select * from monthly union all {LOAD})" if realtime else "monthly"  # noqa: S608
        query = f"select month, {what} from {source} where month between ? and ? and ? in ('all', region) group by 1"  # noqa: S608
        return {"groups": dict(self._world.execute(query, (since[:7], until[:7], region)).fetchall()), "currency": "CNY"}

    def convert(self, *, values: dict[str, float], source: str, target: str) -> dict[str, Any]:
        """Amounts of one currency in another, at the rate of the books."""
        return {"groups": {name: value * CNY[source] / CNY[target] for name, value in values.items()}, "currency": target}

    def plot(self, *, title: str, kind: str = "line", scale: str = "log") -> dict[str, Any]:
        """Draw what was found last."""
        return {"chart": f"{kind} chart of {title}", "scale": scale}
