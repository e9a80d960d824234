"""What a message speaks of – a hotel, a restaurant –, and whose slot a value in it is: *hotel_price* or *restaurant_price*.

Laws, the first that applies:
1. A value that says itself what it is, is that: *Garden Hotel*, *Riverside Lodge*; the last word counts, and none in brackets. A kind has
   the last word, and is not all: *lodge keys* are no lodge. A word of two meanings (饭店) leaves it to the rest which of them it has.
2. Else it is of the nearest topic in the message from which nothing like *near* parts it: in "near the hotel a sight with 4.5 points" the
   points are the sight's. What only hints at a topic (*ticket*, *dinner*) counts as farther away, and so does another sentence.
3. What is far from every topic is of the conversation's, if that is one of its own.

Places and distances are in bytes of UTF-8, as the engine counts.
"""

from bisect import bisect_left, bisect_right
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
    topics: tuple[str, ...]


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
        self._conversation, self._size = conversation, len(reading.text)
        self._sentences = [end for _, end in reading.sentences]
        marks = [mark for mark in reading.marks if mark.role in _ROLES]
        self._after = [mark.start for mark in marks if mark.role == "after"]
        self._before = [mark.end for mark in marks if mark.role == "before"]
        self._near = [mark.start for mark in marks if mark.role in ("after", "before")]
        self._brackets = [match.span() for match in _BRACKETS.finditer(reading.text)] if marks and b"(" in reading.text else []
        named = [Named(mark.start, mark.end, mark.meaning, mark.role) for mark in marks if mark.role not in ("after", "before")]
        self._named = self._outside(named, self._brackets)
        self._may: set[str | None] = {conversation, *(each.topic for each in self._named)}

    def __bool__(self) -> bool:
        """Is any spoken of, or hinted at?"""
        return self._may != {None}

    def may(self, topics: Sequence[str]) -> bool:
        """Can a value be of one of these?"""
        return not self._may.isdisjoint(topics)

    def of(self, values: Sequence[Span]) -> list[str | None]:
        """The topic of each value; None of those that can be of none."""
        # A value that can be of one topic only speaks of that, whatever words are in it: a Chinese restaurant among what a hotel has.
        single = [value for value in values if len(value.topics) == 1]
        named = self._outside(self._named, [(value.start, value.end) for value in single])
        named = sorted(named + [Named(value.start, value.end, value.topics[0], "hint") for value in single])
        own = {topics: [each for each in named if each.topic in topics] for topics in {value.topics for value in values}}
        return [self._of(value, own[value.topics]) if value.topics else None for value in values]

    def _outside(self, named: list[Named], stretches: Sequence[tuple[int, int]]) -> list[Named]:
        """Those that do not stand in these stretches."""
        if not stretches:
            return named
        within = bytearray(self._size)
        for start, end in stretches:
            within[start:end] = b"\1" * (end - start)
        return [each for each in named if not within[each.start]]

    def _of(self, value: Span, own: Sequence[Named]) -> str | None:
        """``own``: what names a topic whose slot the value can be, in order."""
        if len(value.topics) == 1:
            return value.topics[0]
        first, behind = bisect_left(own, (value.start,)), bisect_left(own, (value.end,))
        bracket = bisect_left(self._brackets, (value.start,))
        end = min([value.end, *(start for start, _ in self._brackets[bracket : bracket + 1])])
        inside = [
            each
            for each in own[first:behind]
            if each.start < end and (each.role != "kind" or (value.start < each.start and each.end == end))
        ]
        meanings = [each.topic for each in inside if each.start == inside[-1].start]
        if len(meanings) == 1:
            return meanings[0]
        allowed = meanings or value.topics
        best, least = meanings[-1] if meanings else None, 2 * (self._size + HINT) + SENTENCE * len(self._sentences)
        for places in (range(first - 1, -1, -1), range(behind, len(own))):
            for place in places:
                each = own[place]
                distance = value.start - each.end if place < first else each.start - value.end
                if distance >= least:
                    break  # those beyond are farther still
                farther = self._farther(each, value) if each.role != "kind" and each.topic in allowed else None
                if farther is not None and distance + farther < least:
                    best, least = each.topic, distance + farther
        if self._conversation in allowed and least > FAR:
            return self._conversation
        return best

    def _farther(self, each: Named, value: Span) -> int | None:
        """By how much it counts as farther away from a value than it is; None: something is only near to it."""
        start, end = (each.end, value.start) if each.start < value.start else (value.end, each.start)
        if bisect_left(self._near, start) < bisect_left(self._near, end):
            return None
        sentences = bisect_right(self._sentences, end) - bisect_right(self._sentences, start)
        return HINT * (each.role == "hint" and end - start > LABEL) + SENTENCE * sentences

    def spoken(self, values: Iterable[tuple[Span, str | None]]) -> list[tuple[int, str]]:
        """What is spoken of, and where: the topics of the values, and those that are named beside them.

        What something is only near to is not, unless nothing else is.
        """
        known = [(value.start, value.end, topic) for value, topic in values]
        beside = self._outside(self._named, [(start, end) for start, end, _ in known])
        found = [(start, end, topic) for start, end, topic in known if topic]
        found += [(each.start, each.end, each.topic) for each in beside if each.role == "topic"]
        plain = [(start, topic) for start, end, topic in found if not self._is_near(start, end)]
        return sorted(plain or [(start, topic) for start, _, topic in found])

    def _is_near(self, start: int, end: int) -> bool:
        """Does it stand only where something is?"""
        return _any_from(self._after, end, end + BESIDE) or _any_from(self._before, start - BESIDE, start)


def _any_from(places: Sequence[int], first: int, last: int) -> bool:
    return bisect_left(places, first) < bisect_right(places, last)
