"""The four figures that are watched (chapter 5, "What is watched"), over time.

Success rate; turns per task; how often memory was found, and whether it helped; the health of the strategy library.

Law: whether memory helped is asked among tasks of one type, since hard types may have more of it. Over all types it is the difference of
success that Mantel and Haenszel's weights give (S. Greenland and J. M. Robins, *Estimation of a common effect parameter from sparse
follow-up data*, 1985): Σ (a·m − b·n)/N over Σ n·m/N, where of a type's N tasks n had memory, a of them with success, and m had none, b of
them with success. It is no proof of a cause: a task that is like a former one may be easy for that.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan
from typing import get_args

from msgspec import Struct

from agents.evolution.decisions import Decision, standing
from agents.evolution.release import Arm
from agents.evolution.strategies import Status
from agents.memory.records import TaskRecord
from blackboard.errors import BadValue

DAY = 86_400.0
"""Seconds."""
STATUSES: tuple[str, ...] = get_args(Status)


class Window(Struct, frozen=True):
    """Tasks that ended one after the other."""

    first: int
    last: int
    """Their numbers among all, from 1, both counted in."""
    began: float
    ended: float
    """When the first and the last ended, in Unix seconds."""
    success: float
    """The share of them that succeeded."""
    turns: float
    """On average."""
    found: float
    """The share of them into which memory went."""
    having: Arm = Arm()
    without: Arm = Arm()
    """The same tasks with memory, and without it."""
    library: dict[str, int] = {}
    """Status → versions of strategies at its end, and *all*."""


class Help(Struct, frozen=True):
    """Success with memory and without it, among tasks of a type."""

    type: str
    having: Arm
    without: Arm


class Report(Struct, frozen=True):
    """The four figures."""

    tasks: int
    success: float
    turns: float
    found: float
    """Over all tasks, as in ``Window``; nan if there is none."""
    helped: float
    """By how much success was higher with memory than without, among tasks of one type; nan where no type has both."""
    by_type: tuple[Help, ...]
    windows: tuple[Window, ...]
    library: dict[str, int]
    """Status → versions of strategies now, and *all*."""


def report(
    records: Iterable[TaskRecord],
    decisions: Mapping[str, Sequence[Decision]] | None = None,
    *,
    tasks: int | None = None,
    days: float | None = None,
) -> Report:
    """The figures of these tasks, in windows of so many ``tasks``, or of so many ``days``; if neither is given, in ten at most.

    ``decisions``: about the versions of each strategy, by its name, in the log's order. Raises ``BadValue``.
    """
    if tasks is not None and days is not None:
        raise BadValue(f"windows of {tasks} tasks and of {days:g} days: give one of the two")
    if (tasks is not None and tasks < 1) or (days is not None and not days > 0):
        raise BadValue(f"windows of {tasks if days is None else days}: give a number above 0")
    done = sorted(records, key=lambda record: (record.ended, record.id))
    about = list((decisions or {}).values())
    return Report(
        len(done),
        *_figures(done),
        helped=_helped(done),
        by_type=tuple(Help(type_, *_arms([each for each in done if each.type == type_])) for type_ in sorted({each.type for each in done})),
        windows=tuple(_window(first, some, about) for first, some in _windows(done, tasks, days)),
        library=_library(about, inf),
    )


def _windows(done: Sequence[TaskRecord], tasks: int | None, days: float | None) -> Iterable[tuple[int, Sequence[TaskRecord]]]:
    if days is None:
        size = tasks or max(1, -(-len(done) // 10))
        for first in range(0, len(done), size):
            yield first, done[first : first + size]
        return
    first = 0
    while first < len(done):
        number = done[first].ended // (days * DAY)
        some = [record for record in done[first:] if record.ended // (days * DAY) == number]
        yield first, some
        first += len(some)


def _library(about: Iterable[Sequence[Decision]], until: float) -> dict[str, int]:
    statuses: Counter[str] = Counter()
    for decisions in about:
        statuses.update(each.status for each in standing([each for each in decisions if each.at <= until]).values())
    return {"all": statuses.total(), **{status: statuses[status] for status in STATUSES}}


def _window(first: int, some: Sequence[TaskRecord], about: Iterable[Sequence[Decision]]) -> Window:
    library = _library(about, some[-1].ended)
    return Window(first + 1, first + len(some), some[0].ended, some[-1].ended, *_figures(some), *_arms(some), library=library)


def _figures(some: Sequence[TaskRecord]) -> tuple[float, float, float]:
    if not some:
        return nan, nan, nan
    success = sum(record.outcome == "success" for record in some)
    return success / len(some), sum(record.turns for record in some) / len(some), sum(bool(record.recalled) for record in some) / len(some)


def _arms(some: Iterable[TaskRecord]) -> tuple[Arm, Arm]:
    counts = {True: [0, 0], False: [0, 0]}
    for record in some:
        arm = counts[bool(record.recalled)]
        arm[0] += 1
        arm[1] += record.outcome == "success"
    return Arm(*counts[True]), Arm(*counts[False])


def _helped(done: Sequence[TaskRecord]) -> float:
    above = below = 0.0
    for type_ in {record.type for record in done}:
        having, without = _arms(record for record in done if record.type == type_)
        of = having.tasks + without.tasks
        above += (having.successes * without.tasks - without.successes * having.tasks) / of
        below += having.tasks * without.tasks / of
    return above / below if below else nan
