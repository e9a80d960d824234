"""Which failures are worth learning from (chapter 5, "The evolution cycle", select).

Law: the same records give the same choice in the same order. What a failure scores is the sum of its parts, and they are told.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec import Struct

from agents.memory.records import TaskRecord


class Weights(NamedTuple):
    """What each of the parts counts, which are between 0 and 1."""

    repeated: float = 1.0
    """1 − 1/n, for n failures that went the same way; those of the same type and cause that went another way count half."""
    critical: float = 1.0
    """Its task was critical."""
    feedback: float = 1.0
    """Whoever judged it said what was wrong."""
    new: float = 0.5
    """Nothing that was learned from went the same way, or had the same type and cause."""


class Selected(Struct, frozen=True):
    """A failure that is worth learning from, and why."""

    task: str
    score: float
    parts: dict[str, float]
    """What each part adds, those alone that add something."""
    alike: tuple[str, ...] = ()
    """Ids of the other failures that went the same way."""


def select(
    records: Sequence[TaskRecord], *, learned: Collection[str] = (), at_most: int = 20, of_a_kind: int = 5, weights: Weights | None = None
) -> list[Selected]:
    """The failures among ``records`` that score highest, the newest first of equals; those that score nothing are left out.

    ``learned``: ids of those that an earlier cycle has learned from. They are not taken again, but count as repetitions. Of those that
    went the same way ``of_a_kind`` are taken at most, so that one trouble does not hide the others.
    """
    failures = [record for record in records if record.outcome == "failure"]
    ways = Counter(map(_way, failures))
    causes = Counter(map(_cause, failures))
    known = {kind(record) for record in failures if record.id in learned for kind in (_way, _cause)} - {None}
    found: list[tuple[float, TaskRecord, dict[str, float]]] = []
    for record in failures:
        if record.id in learned:
            continue
        same = ways[_way(record)]
        related = causes[_cause(record)] - same if record.cause else 0
        said = {
            "repeated": 1 - 1 / (same + max(related, 0) / 2),
            "critical": float(record.critical),
            "feedback": float(bool(record.feedback.strip())),
            "new": float(_way(record) not in known and _cause(record) not in known),
        }
        parts = {name: part * weight for (name, part), weight in zip(said.items(), weights or Weights(), strict=True) if part * weight}
        if parts:
            found.append((sum(parts.values()), record, parts))
    found.sort(key=lambda each: (-each[0], -each[1].began, each[1].id))
    chosen: list[Selected] = []
    taken: Counter[tuple[str, str]] = Counter()
    for score, record, parts in found:
        way = _way(record)
        if len(chosen) < at_most and taken[way] < of_a_kind:
            taken[way] += 1
            alike = sorted(each.id for each in failures if _way(each) == way and each.id != record.id)
            chosen.append(Selected(record.id, score, parts, tuple(alike)))
    return chosen


def _way(record: TaskRecord) -> tuple[str, str]:
    return record.type, record.fingerprint


def _cause(record: TaskRecord) -> tuple[str, str, str] | None:
    return (record.type, "cause", record.cause) if record.cause else None
