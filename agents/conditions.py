"""Conditions on a task or on a call of a tool, as data: nothing in them is ever run.

    when = {"request": {"matches": "by month"}, "tools": {"has": "query_sales"}, "parameters.limit": {"<": 100}}

Law: all of a mapping must hold, and so the empty one always does. A subject that a situation does not have meets no condition.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

When = Mapping[str, Mapping[str, Any]]
"""Subject → operator → value. Subjects: *request*, *type*, *tools*, *tool*, *parameters.NAME*, *facts.NAME*."""


class Situation(Struct, frozen=True):
    """What conditions are asked about: a task, and in it perhaps a call that is about to be made."""

    request: str = ""
    type: str = ""
    tools: tuple[str, ...] = ()
    facts: Mapping[str, Any] = {}
    tool: str | None = None
    parameters: Mapping[str, Any] = {}
