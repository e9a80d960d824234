"""New versions of strategies, as small changes (chapter 5, "The evolution cycle", vary).

Laws: a version differs from its parent in ``MOST_CHANGED`` fields at most; what was rejected, or is there, is not proposed again; the same
input gives the same candidates in the same order. Candidates of one name are alternatives: the first that holds is to be taken.
"""

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import count, islice
from typing import Any

import msgspec
from msgspec import Struct

from agents.conditions import validated
from agents.evolution.changes import changes, identity, told
from agents.evolution.crossing import crossings
from agents.evolution.separating import Condition, about, saying, separating, shared
from agents.evolution.signs import forbidding, says
from agents.evolution.strategies import Body, Diagnosis, Lineage, Mend, Parameters, PlanStep, Rule, Strategy, Template
from agents.memory.records import TaskLog
from blackboard.errors import BadValue
from blackboard.text import terms

Conditions = dict[str, dict[str, Any]]

MOST_CHANGED = 2
"""Fields in which a version may differ from its parent: one of what it does, and one of when."""
MOST_NEW = 3
"""Things that a new strategy may do, steps of a plan counted singly."""
OF_A_NAME = 3
"""Candidates of one name in one cycle."""
CROSSED = 2
"""Crossings in one cycle: they are guesses, and each costs retries."""


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
    """A candidate for each mend that the diagnoses suggest, the one that most failures ask for first; then crossings of strategies.

    ``strategies``: the newest version of each name, which the candidates follow; ``failures`` and ``successes``: the logs from which the
    conditions are generalised; ``rejected``: the ``changes.identity`` of what was turned down before.
    """
    by_name = {strategy.name: strategy for strategy in strategies}
    made = _Made({*rejected, *map(identity, strategies)}, at_most)
    for mend, behind in _asked(diagnoses):
        parent = by_name.get(mend.strategy) if mend.strategy else None
        if why := _wrong(mend, parent):
            made.passed_over.append(PassedOver(mend, why))
            continue
        tasks = {each.task for each in behind}
        candidates = _candidates(mend, parent, [log for log in failures if log.id in tasks], successes, by_name)
        if not candidates:
            made.passed_over.append(PassedOver(mend, "nothing tells the tasks that it fails from those that it serves"))
        for candidate in candidates:
            of, child = _following(candidate, strategies) if parent is None else (parent, candidate)
            lineage = Lineage((of.ref,) if of else (), tuple(sorted(tasks)), cycle, mend.note or behind[0].reason)
            made.offer(mend, of, msgspec.structs.replace(child, lineage=lineage))
    for one, child in islice(crossings(strategies, failures, cycle=cycle), CROSSED):
        made.offer(Mend(one.name, child.body, child.when, child.types, child.lineage.reason), one, child)
    return Varied(tuple(made.candidates), tuple(made.passed_over))


class _Made:
    """What has been made so far."""

    def __init__(self, known: set[str], at_most: int) -> None:
        self.candidates: list[Strategy] = []
        self.passed_over: list[PassedOver] = []
        self._known = known
        self._at_most = at_most

    def offer(self, mend: Mend, parent: Strategy | None, candidate: Strategy) -> None:
        """Take it, unless something speaks against it."""
        if why := self._against(mend, parent, candidate):
            self.passed_over.append(PassedOver(mend, why))
        else:
            self._known.add(identity(candidate))
            self.candidates.append(candidate)

    def _against(self, mend: Mend, parent: Strategy | None, candidate: Strategy) -> str:
        if identity(candidate) in self._known:
            return "it was proposed before"
        if why := too_large(msgspec.structs.replace(mend, when=candidate.when, types=candidate.types), parent):
            return why
        if sum(each.name == candidate.name for each in self.candidates) >= OF_A_NAME:
            return f"{OF_A_NAME} others of its name come first"
        return f"{self._at_most} others come first" if len(self.candidates) >= self._at_most else ""


def _wrong(mend: Mend, parent: Strategy | None) -> str:
    """What an analyst ought not to have suggested."""
    if mend.strategy and parent is None:
        return f"there is no strategy {mend.strategy!r}"
    try:
        validated(mend.when)
    except BadValue as error:
        return str(error)
    return ""


def _asked(diagnoses: Iterable[Diagnosis]) -> list[tuple[Mend, list[Diagnosis]]]:
    """Each mend once, with who asks for it: what most ask for first, then what was suggested first.

    What is asked for by several types of task is tried for all of them, and then for each alone.
    """
    asked: dict[bytes, list[tuple[int, Mend, Diagnosis]]] = {}
    for diagnosis in diagnoses:
        for place, mend in enumerate(diagnosis.mends):
            key = msgspec.json.encode((mend.strategy, mend.body, mend.when), order="deterministic")
            asked.setdefault(key, []).append((place, mend, diagnosis))
    groups = sorted(
        asked.values(), key=lambda group: (_is_advice(group[0][1]), -len(group), min(place for place, _, _ in group), -_size(group[0][1]))
    )
    return [each for group in groups for each in _by_types([(mend, diagnosis) for _, mend, diagnosis in group])]


def _following(candidate: Strategy, strategies: Iterable[Strategy]) -> tuple[Strategy | None, Strategy]:
    """What a new strategy follows, and as what: where one does the same for other types, it is that one, for these types too."""
    for strategy in strategies:
        if (strategy.body, strategy.when) == (candidate.body, candidate.when) and strategy.types and candidate.types:
            types = tuple(sorted({*strategy.types, *candidate.types}))
            return strategy, msgspec.structs.replace(strategy, version=strategy.version + 1, types=types, note=candidate.note)
    return None, candidate


def _by_types(group: Sequence[tuple[Mend, Diagnosis]]) -> list[tuple[Mend, list[Diagnosis]]]:
    first = group[0][0]
    of: dict[tuple[str, ...], tuple[Mend, list[Diagnosis]]] = {}
    for mend, diagnosis in group:
        of.setdefault(mend.types, (mend, []))[1].append(diagnosis)
    each = list(of.values())
    if len(of) == 1 or () in of:
        return each
    every = tuple(sorted({name for types in of for name in types}))
    return [(msgspec.structs.replace(first, types=every), [diagnosis for _, diagnosis in group]), *each]


def _size(mend: Mend) -> float:
    """What a mend sets, if that is a number: where several suggest a limit, the greatest is tried first, which serves all the others."""
    return sum(value for value in _settings(mend.body).values() if isinstance(value, int | float))


def _settings(body: Body) -> dict[str, Any]:
    """The parameters and settings that it gives values."""
    match body:
        case Rule(defaults=given, set=fixed):
            return given | fixed
        case Parameters(values=values):
            return dict(values)
        case _:
            return {}


def _is_advice(mend: Mend) -> bool:
    return isinstance(mend.body, Rule) and not (mend.body.use or mend.body.defaults or mend.body.set)


def _candidates(
    mend: Mend, parent: Strategy | None, failures: Sequence[TaskLog], successes: Sequence[TaskLog], taken: Collection[str]
) -> list[Strategy]:
    """What a mend comes to, the most careful first.

    Where nothing speaks against it, it is applied under the conditions that it names. Where tasks went well that it would have changed, it
    is first tried under one condition more that tells the failures from them, if there is one: beside its parent then, and before it; so
    it is where it does what all the failures were asked for, and others were not. A
    mend that changes nothing but where its parent is applied needs a condition that tells those that it serves from the failures.
    """
    of_type = [log for log in successes if not mend.types or log.type in mend.types]
    failed = [there for log in failures if (there := about(mend.when, log))]
    served = [there for log in of_type if (there := about(mend.when, log))]
    if parent and (parent.body, parent.when, parent.types) == (mend.body, mend.when, mend.types):
        found = separating(served, failed)
        return [_next(parent, mend, _and(mend.when, found))] if found else []
    everywhere = _next(parent, mend, mend.when) if parent else _new(mend, mend.when, taken)
    found = separating(failed, served) or _wish(mend, failures)
    if not found:
        return [everywhere]
    careful = _new(mend, _and(mend.when, found), taken)
    return [msgspec.structs.replace(careful, priority=parent.priority + 1) if parent else careful, everywhere]


def _wish(mend: Mend, failures: Sequence[TaskLog]) -> Condition | None:
    """What all the failures were told not to do, if the mend is about that: elsewhere nobody has asked for it."""
    about_it = set(terms(" ".join(_settings(mend.body)).replace("_", " ")))
    for phrase in shared(log.request for log in failures):
        for clause in forbidding(phrase):
            if about_it.intersection(terms(clause)) or all(log.verdict and says(log.verdict.feedback, clause) for log in failures):
                return saying(clause)
    return None


def _next(parent: Strategy, mend: Mend, when: Conditions) -> Strategy:
    return msgspec.structs.replace(parent, body=mend.body, version=parent.version + 1, types=mend.types, when=when, note=mend.note)


def _new(mend: Mend, when: Conditions, taken: Collection[str]) -> Strategy:
    return Strategy(_free(named(mend), taken), mend.body, types=mend.types, when=when, note=mend.note)


def _and(when: Conditions, condition: Condition) -> Conditions:
    subject, operator, value = condition
    return when | {subject: when.get(subject, {}) | {operator: value}}


def too_large(mend: Mend, parent: Strategy | None) -> str:
    """Why a mend is more than a small change of ``parent``, or more than a new strategy may be; empty: it is not."""
    if parent:
        if isinstance(parent.body, Template) and isinstance(mend.body, Template):
            old, new = map(_encoded, parent.body.steps), map(_encoded, mend.body.steps)
            parts = SequenceMatcher(None, list(old), list(new), autojunk=False).get_opcodes()
            changed_steps = sum(max(there - here, then - now) for tag, here, there, now, then in parts if tag != "equal")
            if changed_steps > 1:
                return f"it changes {changed_steps} steps of {parent.ref}, of 1"
        child = msgspec.structs.replace(parent, body=mend.body, when=mend.when, types=mend.types)
        differs = changes(parent, child)
        return f"it differs from {parent.ref} in {len(differs)} fields, of {MOST_CHANGED}: {told(differs)}" * (len(differs) > MOST_CHANGED)
    match mend.body:
        case Rule(use=use, defaults=given, set=fixed, advice=advice):
            size = bool(use) + len(given) + len(fixed) + bool(advice)
        case Template(steps=steps):
            size = len(steps)
        case Parameters(values=values):
            size = len(values)
    return f"it does {size} things, of {MOST_NEW} that a new strategy may do" * (size > MOST_NEW)


def _encoded(step: PlanStep) -> bytes:
    return msgspec.json.encode(step, order="deterministic")


def named(mend: Mend) -> str:
    """A name for a new strategy, from what it does."""
    tool = mend.when.get("tool", {}).get("==") or mend.when.get("tools", {}).get("has") or "-".join(mend.types) or "all"
    match mend.body:
        case Rule(use=str(use)):
            what = use
        case Rule(defaults=given, set=fixed) if given or fixed:
            what = "-".join(sorted({*given, *fixed}))
        case Rule():
            what = "advice"
        case body:
            what = type(body).__name__.lower()
    return f"{tool}-{what}"


def _free(name: str, taken: Collection[str]) -> str:
    """The name, or the first with a number that is not ``taken``."""
    return next(each for n in count(1) if (each := name if n == 1 else f"{name}-{n}") not in taken)
