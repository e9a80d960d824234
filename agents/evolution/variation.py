"""New versions of strategies, as small changes (chapter 5, "The evolution cycle", vary).

Laws: a version differs from its parent in ``MOST_CHANGED`` fields at most; what was rejected, or is there, is not proposed again; the same
input gives the same candidates in the same order. Candidates of one name are alternatives: the first that holds is to be taken.
"""

from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec import Struct

from agents.evolution.changes import Fields, changed, changes, fields, identity, told
from agents.evolution.strategies import Diagnosis, Lineage, Mend, Rule, Strategy
from agents.memory.records import TaskLog

MOST_CHANGED = 2
"""Fields: one of what it does, and one of when."""


class PassedOver(Struct, frozen=True):
    """A mend that became no candidate, and why."""

    mend: Mend
    why: str


class Varied(Struct, frozen=True):
    """What was made of the mends."""

    candidates: tuple[Strategy, ...]
    passed_over: tuple[PassedOver, ...] = ()


def vary(
    diagnoses: Iterable[Diagnosis],
    strategies: Sequence[Strategy],
    *,
    failures: Sequence[TaskLog] = (),
    successes: Sequence[TaskLog] = (),
    rejected: Collection[str] = (),
    cycle: str = "",
    at_most: int = 10,
) -> Varied:
    """A candidate for each mend that the diagnoses suggest, the one that most failures ask for first.

    ``strategies``: the newest version of each name, which the candidates follow; ``failures`` and ``successes``: the logs from which the
    conditions are generalised; ``rejected``: the ``changes.identity`` of what was turned down before.
    """
    asked: dict[bytes, tuple[Mend, list[Diagnosis]]] = {}
    for diagnosis in diagnoses:
        for mend in diagnosis.mends:
            asked.setdefault(msgspec.json.encode(mend, order="deterministic"), (mend, []))[1].append(diagnosis)
    by_name = {strategy.name: strategy for strategy in strategies}
    known = {identity(strategy) for strategy in strategies}
    candidates: list[Strategy] = []
    passed: list[PassedOver] = []
    for mend, behind in sorted(asked.values(), key=lambda each: -len(each[1])):
        lineage = Lineage(failures=tuple(sorted({each.task for each in behind})), cycle=cycle, reason=behind[0].reason)
        parent = by_name.get(mend.strategy) if mend.strategy else None
        if mend.strategy and parent is None:
            passed.append(PassedOver(mend, f"there is no strategy {mend.strategy!r}"))
            continue
        name = parent.name if parent else named(mend)
        candidate = Strategy(
            name,
            mend.body,
            version=parent.version + 1 if parent else 1,
            types=mend.types or (parent.types if parent else ()),
            when=mend.when or (parent.when if parent else {}),
            priority=parent.priority if parent else 0,
            note=mend.note,
            lineage=msgspec.structs.replace(lineage, parents=(parent.ref,) if parent else ()),
        )
        differs = changes(parent, candidate) if parent else {}
        if identity(candidate) in {*rejected, *known}:
            passed.append(PassedOver(mend, "it was proposed before"))
        elif len(differs) > MOST_CHANGED:
            passed.append(PassedOver(mend, f"it differs from {mend.strategy} in {len(differs)} fields, of {MOST_CHANGED}: {told(differs)}"))
        elif len(candidates) >= at_most:
            passed.append(PassedOver(mend, f"{at_most} others come first"))
        else:
            known.add(identity(candidate))
            candidates.append(candidate)
    return Varied(tuple(candidates), tuple(passed))


def cross(one: Strategy, other: Strategy, parent: Strategy | None = None, *, cycle: str = "") -> Strategy | None:
    """A version that does what both do: ``parent`` with what each says otherwise than it; None where they contradict each other.

    Without a parent the two must do the same kind of thing under the same conditions, and may be for neighbouring types of task: it is
    for the types of both.
    """
    if parent is None:
        if type(one.body) is not type(other.body) or (one.when, one.priority) != (other.when, other.priority):
            return None
        base = msgspec.structs.replace(one, types=tuple(sorted({*one.types, *other.types})) if one.types and other.types else ())
        ours: Fields = {}
        theirs = {field: value for field, value in fields(other).items() if field[0] == "body"}
        if any(fields(one).get(field, value) != value for field, value in theirs.items()):
            return None
    else:
        base, ours, theirs = parent, changes(parent, one), changes(parent, other)
        if not (ours and theirs) or any(ours.get(field, value) != value for field, value in theirs.items()):
            return None
    child = msgspec.structs.replace(
        changed(base, ours | theirs),
        version=max(one.version, other.version) + 1,
        note="",
        lineage=Lineage(
            parents=(one.ref, other.ref),
            failures=tuple(sorted({*one.lineage.failures, *other.lineage.failures})),
            cycle=cycle,
            reason=f"what {one.ref} and {other.ref} do, in one",
        ),
    )
    return None if identity(child) in {identity(one), identity(other)} else child


def named(mend: Mend) -> str:
    """A name for a new strategy, from what it does."""
    tool = str(mend.when.get("tool", {}).get("==", "")) or "-".join(mend.types) or "all"
    if isinstance(mend.body, Rule):
        what = mend.body.use or "-".join(sorted({*mend.body.defaults, *mend.body.set})) or "advice"
    else:
        what = type(mend.body).__name__.lower()
    return f"{tool}-{what}"
