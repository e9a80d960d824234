"""Two strategies that do well, in one (chapter 5, "The evolution cycle", vary): the union of what they say, where they agree."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from agents.evolution.changes import Fields, changed, changes, contradict, fields, identity
from agents.evolution.strategies import Lineage, Strategy
from agents.memory.records import TaskLog


def cross(one: Strategy, other: Strategy, parent: Strategy | None = None, *, cycle: str = "") -> Strategy | None:
    """A version that does what both do: ``parent`` with what each says otherwise than it; None where they contradict each other.

    Without a parent it follows ``one``. Then the two must speak about the same conditions, for neighbouring types of task: it is for the
    types of both.
    """
    if type(one.body) is not type(other.body):
        return None
    if parent is None:
        if (one.when, one.priority) != (other.when, other.priority):
            return None
        base = msgspec.structs.replace(one, types=tuple(sorted({*one.types, *other.types})) if one.types and other.types else ())
        ours: Fields = fields(one)
        theirs: Fields = {field: value for field, value in fields(other).items() if field[0] == "body"}
    else:
        base, ours, theirs = parent, changes(parent, one), changes(parent, other)
    if not (ours and theirs) or contradict(ours, theirs):
        return None
    child = msgspec.structs.replace(
        changed(base, theirs if parent is None else ours | theirs),
        version=max(one.version, other.version) + 1 if one.name == other.name else one.version + 1,
        note="",
        lineage=Lineage(
            parents=(one.ref, other.ref),
            failures=tuple(sorted({*one.lineage.failures, *other.lineage.failures})),
            cycle=cycle,
            reason=f"what {one.ref} and {other.ref} do, in one",
        ),
    )
    return None if identity(child) in {identity(one), identity(other)} else child


def crossings(strategies: Sequence[Strategy], failures: Sequence[TaskLog], *, cycle: str = "") -> Iterator[tuple[Strategy, Strategy]]:
    """The first parent and the child of those that are in force for neighbouring types, and do together what neither does for all of them.

    A child is made for the ``failures`` of these types; where there are none it has nothing to mend.
    """
    for one, other in combinations(sorted(strategies, key=lambda each: each.name), 2):
        child = cross(one, other, cycle=cycle) if one.types != other.types else None
        if child and (ids := sorted(log.id for log in failures if not child.types or log.type in child.types)):
            yield one, msgspec.structs.replace(child, lineage=msgspec.structs.replace(child.lineage, failures=tuple(ids)))
