"""Records for tests."""

from typing import Any

from agents.memory.records import Outcome, TaskRecord


def record(
    id: str,  # noqa: A002 - a record's own word
    request: str = "Sales by month",
    outcome: Outcome = "success",
    path: tuple[str, ...] = ("query_sales", "plot"),
    **more: Any,
) -> TaskRecord:
    given = {"agent": "analyst", "type": "report", "tools": tuple(sorted(set(path))), "fingerprint": f"{outcome} {' '.join(path)}"} | more
    return TaskRecord(id=id, request=request, outcome=outcome, path=path, **given)
