"""What a cycle is about: which failures, and which tasks it tries candidates on.

Law: whether a task takes part follows from its id alone, and is the same in every cycle. So what candidates are tried on at last was never
learned from, in whichever cycle.
"""

from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256

from msgspec.structs import replace

from agents.evolution.entries import Chosen, Settings
from agents.evolution.selecting import select
from agents.evolution.strategies import Strategy
from agents.memory.records import TaskLog, TaskRecord
from blackboard.text import terms

KEPT = 100
"""Tasks in each of the sets that candidates are tried on, at most: the newest."""
NAMED = 5
"""Failures that are named as alike, at most."""


def is_aside(task: str, share: float) -> bool:
    """Does the task of this id take no part in the evolution?"""
    return int.from_bytes(sha256(f"aside\0{task}".encode()).digest()[:8]) < share * 2**64


def choose(records: Sequence[TaskRecord], live: Iterable[str], *, learned: Collection[str], settings: Settings) -> Chosen:
    """The failures worth learning from, and beside them tasks of their types before those of others."""
    part = [record for record in records if not is_aside(record.id, settings.aside)]
    failures = select(part, learned=learned, at_most=settings.failures)
    chosen = {each.task for each in failures}
    types = {record.type for record in part if record.id in chosen}
    successes = [record for record in part if record.outcome == "success"]
    aside = [record for record in records if is_aside(record.id, settings.aside)]
    return Chosen(
        failures=tuple(replace(each, alike=each.alike[:NAMED]) for each in failures),
        successes=_some(successes, types),
        aside=_some(aside, types),
        live=tuple(live),
    )


def tried_on(candidate: Strategy, logs: Iterable[TaskLog]) -> list[TaskLog]:
    """Those that a candidate may make a difference to."""
    return [log for log in logs if not candidate.types or log.type in candidate.types]


def most_alike(failure: TaskLog, successes: Iterable[TaskLog], at_most: int) -> list[TaskLog]:
    """Successes of the failure's type, those first that ask for the same in most words."""
    asked = set(terms(failure.request))
    alike = [log for log in successes if log.type == failure.type]
    return sorted(alike, key=lambda log: (-_overlap(asked, set(terms(log.request))), log.id))[:at_most]


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _some(records: Iterable[TaskRecord], types: Collection[str]) -> tuple[str, ...]:
    newest = sorted(records, key=lambda record: (record.type not in types, -record.began, record.id))
    return tuple(record.id for record in newest[:KEPT])
