"""Which failures lessons would have stopped, on tau-bench's airline: ``python -m tests.benchmarks tau PATH [--train PATH]``.

A failure has a *wrong write* if it called a tool that changes something otherwise than the task's own solution does: by another name, or
with other parameters, whatever the tool made of it. A failure is *flagged* if a check would have spoken up at its first wrong write or
before it; a success, if one would have at any write. Lessons are learned from other tasks only: both trials of a task are left out when
either is judged. With ``--train`` they are learned from another file of trajectories, again without the task that is judged.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from agents.evolution.analysis import diagnose
from agents.evolution.lessons import Lessons, Trial, acts_of, learn, trial, unexpected
from agents.evolution.proposals import before
from agents.evolution.risks import RISKS, risks
from agents.memory.imports import read_tau
from agents.memory.records import TaskLog
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

WRITES = frozenset(
    {
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    }
)
"""The airline's tools that change something, as tau-bench has them."""


class Flagged(NamedTuple):
    """Ids of the trials that were flagged."""

    failures: tuple[str, ...]
    successes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.failures)} failures and {len(self.successes)} successes flagged"


def task_of(log: TaskLog) -> str:
    """The task that a trajectory tries: its id without the trial's number."""
    return log.id.rpartition(".")[0]


def trials(logs: Sequence[TaskLog]) -> list[Trial]:
    """All that is learned from, and judged."""
    return [each for log in logs if (each := trial(log, WRITES, task_of(log))) is not None]


def flagged(judged: Sequence[Trial], flags: Callable[[Trial], bool]) -> Flagged:
    """Those that ``flags`` flags."""
    found = [each for each in judged if flags(each)]
    return Flagged(*(tuple(each.id for each in found if each.failed == failed) for failed in (True, False)))


def writes(log: TaskLog) -> list[tuple[bool, Trial]]:
    """Each of its writes by itself: was it right, and what was there to be seen?"""
    expected = [(call.name, call.parameters) for call in (log.verdict and log.verdict.expected) or ()]
    return [
        (
            (call.name, call.parameters) in expected,
            Trial(log.id, task_of(log), _failed(log), (frozenset(risks(before(log, turn, number), call)),)),
        )
        for turn, number, call in acts_of(log, WRITES)
    ]


def left_out(judged: Sequence[Trial], known: Sequence[Trial]) -> Flagged:
    """Those that are flagged by lessons from the other tasks of ``known``."""
    of_others = {task: learn([each for each in known if each.task != task], WRITES) for task in {each.task for each in judged}}
    return flagged(judged, lambda each: of_others[each.task].flags(each))


def without(known: Sequence[Trial], risk: str) -> list[Trial]:
    """The same, but nobody knows this risk factor."""
    return [replace(each, acts=tuple(found - {risk} for found in each.acts)) for each in known]


def rows(path: Path, _: Sizes, train: Path | None = None) -> list[Row]:
    """All figures."""
    logs = read_tau(path)
    judged = trials(logs)
    known = trials(read_tau(train)) if train else judged
    lessons = learn(known, WRITES)
    return [
        *_rows_flagged(logs, judged, known, lessons),
        *_rows_writes(logs, known),
        *_rows_lessons(judged, known, lessons),
        *_rows_causes(logs),
    ]


def _rows_flagged(logs: Sequence[TaskLog], judged: Sequence[Trial], known: Sequence[Trial], lessons: Lessons) -> list[Row]:
    failures = [each.id for each in judged if each.failed]
    successes = [each.id for each in judged if not each.failed]
    found = left_out(judged, known)
    missed = ", ".join(each for each in failures if each not in found.failures)
    amiss = {log.id for log in logs if unexpected(log, WRITES)}
    of_these = f"{len(amiss.intersection(found.successes))} of these made a wrong write, too" if found.successes else ""

    def share(part: Collection[str], whole: Collection[str]) -> tuple[float]:
        return (100 * len(part) / max(len(whole), 1),)

    told = f"{len(found.failures)} of {len(failures)} with one, of {sum(_failed(log) for log in logs)} failures; missed: {missed}"
    false = f"{len(found.successes)} of {len(successes)}: {', '.join(found.successes) or 'none'}"
    unlearned = flagged(judged, lambda each: any(len(found) >= (lessons.least or 1) for found in each.acts))
    every = flagged(judged, lambda each: bool(each.acts))
    fitted = flagged(judged, lessons.flags)
    return [
        Row("left out: failures flagged before their wrong write", "%", share(found.failures, failures), 50.0, least=True, note=told),
        Row("left out: successes flagged", "%", share(found.successes, successes), 10.0, note="; ".join(filter(None, (false, of_these)))),
        Row("fitted: failures flagged", "%", share(fitted.failures, failures), least=True, note=str(fitted)),
        Row("fitted: successes flagged", "%", share(fitted.successes, successes)),
        Row(
            "nothing learned, all risk factors: failures flagged", "%", share(unlearned.failures, failures), least=True, note=str(unlearned)
        ),
        Row("nothing learned, all risk factors: successes flagged", "%", share(unlearned.successes, successes)),
        Row("every write flagged: successes flagged", "%", share(every.successes, successes), note=str(every)),
    ]


def _rows_writes(logs: Sequence[TaskLog], known: Sequence[Trial]) -> list[Row]:
    found = []
    for what, right in (("wrong", False), ("right", True)):
        each = [one for log in logs for so, one in writes(log) if so == right]
        failures, successes = left_out(each, known)
        count = len(failures) + len(successes)
        note = f"{count} of {len(each)}, {len(successes)} of them in successes"
        found.append(
            Row(f"left out: {what} writes flagged, each by itself", "%", (100 * count / max(len(each), 1),), least=not right, note=note)
        )
    return found


def _rows_lessons(judged: Sequence[Trial], known: Sequence[Trial], lessons: Lessons) -> list[Row]:
    told = {lesson.risk for lesson in lessons.lessons}
    failures = [each for each in judged if each.failed]
    of_these = sum(any(found & told for found in each.acts) for each in failures)
    found = [
        Row("failures with a wrong write of which a lesson tells", "%", (100 * of_these / max(len(failures), 1),), note=f"{of_these}"),
        Row("lessons that must hold for a flag", "", (float(lessons.least or 0),), note="0: none is ever raised"),
    ]
    for lesson in lessons.lessons:
        others = left_out(without(judged, lesson.risk), without(known, lesson.risk))
        note = f"{len(lesson.well)} went well so; left out, without this lesson: {others}"
        found.append(Row(f"lesson: a call {RISKS[lesson.risk][0]}: tasks that failed so", "", (float(len(lesson.failed)),), note=note))
    return found


def _rows_causes(logs: Sequence[TaskLog]) -> list[Row]:
    failures = [log for log in logs if _failed(log)]
    told = Counter[str]()
    for log in failures:
        well = [other for other in logs if not _failed(other) and task_of(other) != task_of(log)]
        diagnosis = diagnose(log, well, ())
        told[diagnosis.cause if diagnosis else "not told"] += 1
    whole = max(len(failures), 1)
    return [
        Row(f"cause of the failures: {cause}", "%", (100 * count / whole,), note=f"{count} of {whole}")
        for cause, count in told.most_common()
    ]


def _failed(log: TaskLog) -> bool:
    return log.verdict is not None and log.verdict.outcome == "failure"
