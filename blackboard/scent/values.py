"""The values that a text states or asks about, as the patterns of its types find them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from blackboard.scent.clauses import Clause, Reading
from blackboard.scent.rules import Pattern, Rules, ScentType

_AROUND = " \"'\n,.:;!?-*“”‘’「」『』。、,，：；！？"
"""What may stand around a value, and is no part of it."""


class Found(NamedTuple):
    """What a pattern found."""

    start: int
    """Where the value stands; of a type without values, where the match does."""
    end: int
    type: ScentType
    name: str
    """Of the scent: the type's, with its topic's before it if it has topics."""
    topic: str | None
    target: str | None
    value: str | None
    asked: bool


class _Match(NamedTuple):
    start: int
    rank: int
    """The later rule first."""
    longer: int
    end: int
    pattern: Pattern
    match: Any


def find(reading: Reading, rules: Rules, met: Sequence[int], topic: str | None) -> list[Found]:
    """What the patterns of these numbers find, in the order in which it is said.

    Of several that claim one stretch that one has it whose match begins first; of those that begin at one place the later rule.
    """
    matches = []
    for number in met:
        pattern = rules.patterns[number]
        for match in pattern.regex.finditer(reading.text):
            start, end = match.span()
            if start < end and not reading.is_quoted(start):
                matches.append(_Match(start, -number, -end, end, pattern, match))
    if not matches:
        return []
    matches.sort(key=lambda each: each[:3])
    found: list[Found] = []
    claimed = bytearray(len(reading.text))
    last: dict[str, ScentType] = {}
    for start, _, _, end, pattern, match in matches:
        place, stop = match.span(pattern.value) if pattern.value else (start, end)
        if place < 0 or 1 in claimed[place:stop]:
            continue
        clauses = reading.clauses_of(start, max(stop, start + 1))
        if clauses[0].has_before(start, "negation", "conditional"):
            continue
        type_ = pattern.type
        if pattern.correction and type_.group:
            type_ = last.get(type_.group, type_)
        asked = not type_.stated and any(clause.asks for clause in clauses)
        value = None
        if pattern.value:
            value = _bare(reading.slice(place, stop), rules)
            if value is None:
                continue
            value = value.upper() if type_.upper else value
        elif asked:
            continue
        about = _topic(reading, type_, place, clauses[0], topic) if type_.topics else None
        if type_.topics and about is None:
            continue
        claimed[place:stop] = b"\1" * (stop - place)
        target = None
        if pattern.target and match.span(pattern.target)[0] >= 0:
            target = reading.slice(*match.span(pattern.target))
        if type_.group:
            last[type_.group] = type_
        found.append(Found(place, stop, type_, f"{about}_{type_.name}" if about else type_.name, about, target, value, asked))
    found.sort(key=lambda each: each.start)
    return found


def _bare(said: str, rules: Rules) -> str | None:
    """A value without what stands around it; None if it only points to one."""
    behind = rules.trailing.search(said)
    bare = (said[: behind.start()] if behind else said).strip(_AROUND)
    return None if not bare or rules.pointing.search(bare) else bare


def _topic(reading: Reading, type_: ScentType, place: int, clause: Clause, topic: str | None) -> str | None:
    """The topic whose slot a value is of: the nearest that its clause names; else what was named last; else the conversation's."""
    here = [mark for mark in clause.marks if mark.role == "topic" and mark.meaning in type_.topics]
    if here:
        return min(here, key=lambda mark: abs(mark.start - place)).meaning
    before = [mark for mark in reading.marks if mark.role == "topic" and mark.start < place]
    if before and before[-1].meaning in type_.topics:
        return before[-1].meaning
    return topic if topic in type_.topics else None
