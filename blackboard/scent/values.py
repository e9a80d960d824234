"""The values that a text states or asks about, as the patterns of its types find them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from blackboard.scent.clauses import Reading
from blackboard.scent.rules import Pattern, Rules, ScentType
from blackboard.scent.topics import Span, Topics

_AROUND = " \"'\n,.:;!?-*“”‘’「」『』。、,，：；！？"
"""What may stand around a value, and is no part of it."""


class Found(NamedTuple):
    """What a pattern found."""

    start: int
    """Where the value stands; of a type without values, where the match does."""
    end: int
    type: ScentType
    name: str
    """Of the scent: the type's, with its topic in the place of the star if it has topics."""
    topic: str | None
    target: str | None
    value: str | None
    asked: bool

    @property
    def span(self) -> Span:
        """Where it is, for its topic."""
        return Span(self.start, self.end, self.type.topics)


class _Match(NamedTuple):
    topics: int
    """Of which it can be: how many."""
    start: int
    rank: int
    """The later rule first."""
    longer: int
    end: int
    pattern: Pattern
    match: Any


def find(reading: Reading, rules: Rules, met: Sequence[int], topics: Topics) -> list[Found]:
    """What the patterns of these numbers find, in the order in which it is said.

    Of several that claim one stretch that has it which can be of the fewest topics; then the one whose match begins first; then the later
    rule.
    """
    matches = []
    for number in met:
        pattern = rules.patterns[number]
        if pattern.type.topics and not topics.may(pattern.type.topics):
            continue
        for match in pattern.regex.finditer(reading.text):
            start, end = match.span()
            if start < end and not reading.is_quoted(start):
                matches.append(_Match(len(pattern.type.topics), start, -number, -end, end, pattern, match))
    if not matches:
        return []
    matches.sort(key=lambda each: each[:4])
    found: list[Found] = []
    claimed = bytearray(len(reading.text))
    last: dict[str, ScentType] = {}
    for _, start, _, _, end, pattern, match in matches:
        place, stop = match.span(pattern.value) if pattern.value else (start, end)
        if place < 0 or 1 in claimed[place:stop]:
            continue
        type_ = pattern.type
        clauses = reading.clauses_of(place, max(stop, place + 1))
        # The word "order" before its number is none that bids.
        if clauses[0].denies(start if type_.names_entity else place, named=type_.names_entity):
            claimed[place:stop] = b"\1" * (stop - place)  # and by no other pattern is it a value
            continue
        # What is looked for may be supposed: "if there is a hotel of four points".
        if not type_.stated and clauses[0].has_before(place, "conditional"):
            continue
        if pattern.correction and type_.group:
            type_ = last.get(type_.group, type_)
        asked = not type_.stated and any(clause.asks for clause in clauses)
        value = None
        if pattern.value:
            value = _bare(reading.slice(place, stop), rules)
            if value is None or (type_.never is not None and type_.never.search(value)):
                continue
            value = value.upper() if type_.upper else value
        elif asked:
            continue
        claimed[place:stop] = b"\1" * (stop - place)
        target = None
        if pattern.target and match.span(pattern.target)[0] >= 0:
            target = reading.slice(*match.span(pattern.target))
        if type_.group:
            last[type_.group] = type_
        found.append(Found(place, stop, type_, type_.name, None, target, value, asked))
    found.sort(key=lambda each: each.start)
    return _of_topics(found, topics)


def _of_topics(found: list[Found], topics: Topics) -> list[Found]:
    """Each under the topic whose slot it is of."""
    if not any(each.type.topics for each in found):
        return found
    about = zip(found, topics.of([each.span for each in found]), strict=True)
    return [
        each._replace(topic=topic, name=each.type.name.replace("*", topic)) if topic else each
        for each, topic in about
        if topic or not each.type.topics
    ]


def _bare(said: str, rules: Rules) -> str | None:
    """A value without what stands around it; None if it only points to one."""
    bare = said.strip(_AROUND)
    if bare.lower().endswith(rules.tails) and (behind := rules.trailing.search(bare)):
        bare = bare[: behind.start()].strip(_AROUND)
    if not bare or (bare.split(None, 1)[0].lower() in rules.heads and rules.pointing.search(bare)):
        return None
    return bare
