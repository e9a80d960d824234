"""What a message speaks of – a hotel, a restaurant –, and whose slot a value in it is: *hotel_price* or *restaurant_price*.

Laws, the first that applies:
1. A value that says itself what it is, is that: *Garden Hotel*, *Riverside Lodge*; the last word counts, and none in brackets. A kind has
   the last word, and is not all: *lodge keys* are no lodge.
2. Else it is of the nearest topic in the message from which nothing like *near* parts it: in "near the hotel a sight with 4.5 points" the
   points are the sight's. What only hints at a topic (*ticket*, *dinner*) counts as farther away, and so does another sentence.
3. What is far from every topic is of the conversation's, if that is one of its own.

Places and distances are in bytes of UTF-8, as the engine counts.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blackboard.patterns import compiled
from blackboard.scent.clauses import Reading

HINT = 36
"""By so much farther away is what only hints at a topic,"""
LABEL = 12
"""unless it is no farther than this: then it is what the value is called by."""
SENTENCE = 60
"""By so much farther away is what stands in the next sentence."""
FAR = 120
BESIDE = 5
"""So far stands a place from the word that says that something is near to it."""

_ROLES = frozenset({"topic", "hint", "kind", "after", "before"})
_BRACKETS = compiled(r"[(][^()]*[)]")


class Span(NamedTuple):
    """A value at its place, and the topics whose slots it can be: of one that is no topic's there are none."""

    start: int
    end: int
    topics: Sequence[str]


class Named(NamedTuple):
    """A topic that a text names, or hints at, at one place."""

    start: int
    end: int
    topic: str
    role: str
    """*topic*: it is named; *hint*: hinted at; *kind*: it says what it is a part of."""


class Topics:
    """The topics of one text.

    :param conversation: what the conversation was last about
    """

    def __init__(self, reading: Reading, conversation: str | None) -> None:
        self._conversation = conversation
        self._sentences = [end for _, end in reading.sentences]
        marks = [mark for mark in reading.marks if mark.role in _ROLES]
        self._near = [(mark.start, mark.end, mark.role) for mark in marks if mark.role in ("after", "before")]
        self._brackets = [match.span() for match in _BRACKETS.finditer(reading.text)] if marks and b"(" in reading.text else []
        self._named = [
            Named(mark.start, mark.end, mark.meaning, mark.role)
            for mark in marks
            if mark.role not in ("after", "before") and not _within(mark.start, self._brackets)
        ]
        self._may: set[str | None] = {conversation, *(each.topic for each in self._named)}

    def may(self, topics: Sequence[str]) -> bool:
        """Can a value be of one of these?"""
        return not self._may.isdisjoint(topics)

    def of(self, values: Sequence[Span]) -> list[str | None]:
        """The topic of each value; None of those that can be of none."""
        # A value that can be of one topic only speaks of that, whatever words are in it: a Chinese restaurant among what a hotel has.
        single = [value for value in values if len(value.topics) == 1]
        inside = [(value.start, value.end) for value in single]
        named = [each for each in self._named if not _within(each.start, inside)]
        named += [Named(value.start, value.end, value.topics[0], "hint") for value in single]
        return [self._of(value, named) if value.topics else None for value in values]

    def _of(self, value: Span, named: Sequence[Named]) -> str | None:
        if len(value.topics) == 1:
            return value.topics[0]
        own = [each for each in named if each.topic in value.topics]
        end = next((start for start, _ in self._brackets if value.start <= start < value.end), value.end)
        inside = [each for each in own if value.start <= each.start < end]
        inside = [each for each in inside if each.role != "kind" or (each.end == end and each.start > value.start)]
        if inside:
            return max(inside).topic
        best, least = None, 0
        for each in own:
            if each.role == "kind":
                continue
            start, end = (each.end, value.start) if each.start < value.start else (value.end, each.start)
            if any(start <= place < end for place, _, _ in self._near):
                continue
            distance = end - start
            distance += HINT * (each.role == "hint" and distance > LABEL) + SENTENCE * sum(
                start < place <= end for place in self._sentences
            )
            if best is None or distance < least:
                best, least = each.topic, distance
        if self._conversation in value.topics and (best is None or least > FAR):
            return self._conversation
        return best

    def spoken(self, values: Iterable[tuple[Span, str | None]]) -> list[tuple[int, str]]:
        """What is spoken of, and where: the topics of the values, and those that are named beside them.

        What something is only near to is not, unless nothing else is.
        """
        known = [(value.start, value.end, topic) for value, topic in values]
        taken = [(start, end) for start, end, _ in known]
        found = [(start, end, topic) for start, end, topic in known if topic]
        found += [(each.start, each.end, each.topic) for each in self._named if each.role == "topic" and not _within(each.start, taken)]
        plain = [(start, topic) for start, end, topic in found if not self._is_near(start, end)]
        return sorted(plain or [(start, topic) for start, _, topic in found])

    def _is_near(self, start: int, end: int) -> bool:
        return any(end <= first <= end + BESIDE if role == "after" else start - BESIDE <= last <= start for first, last, role in self._near)


def _within(place: int, stretches: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in stretches)
