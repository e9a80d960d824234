"""Which items have which terms.

Laws: an index holds one partition, so what one agent keeps never weighs in another's search. Indexing is left to the next search, so that
a write costs nothing for it; only then are texts looked at, many at a time. Who has others to serve meanwhile lets it catch up in slices.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import inf
from typing import Generic, TypeVar

from blackboard.text.analysis import Analysis, Text, analyse
from blackboard.text.cache import AnalysisCache

T = TypeVar("T")

LONG = 200
"""Terms: a text takes as long as one more for each so many."""
_MOST = 255
"""Times that a term is counted in a text, at most."""
_said: dict[int, int] = {}
"""Each number of ``packed`` once: many items say a term as often, in as many."""


def packed(count: int, length: int) -> int:
    """How often an item says a term, of how many terms in all; in one number, since there are many."""
    said = length * (_MOST + 1) + min(count, _MOST)
    return _said.setdefault(said, said)


def unpacked(said: int) -> tuple[int, int]:
    """Count and length."""
    return said % (_MOST + 1), said // (_MOST + 1)


_NONE: Mapping[int, int] = {}


class TextIndex(Generic[T]):
    """Which items have which terms, how often. Items are known by their ordinals; ``texts`` gives what many are found by, in order.

    The text of an item does not change but between ``reword`` and what is asked next. What it comes to is in the ``cache`` perhaps.
    """

    __slots__ = ("_cache", "_coming", "_days", "_going", "_postings", "_size", "_speakers", "_texts", "_total")

    def __init__(self, texts: Callable[[Iterable[T]], Iterable[Text]], cache: AnalysisCache | None = None) -> None:
        self._texts = texts
        self._cache = AnalysisCache() if cache is None else cache
        self._postings: dict[str, dict[int, int]] = {}
        self._days: dict[str, set[int]] = {}
        self._speakers: dict[str, set[int]] = {}
        self._total = 0
        self._coming: dict[int, T] = {}
        self._going: dict[int, T] = {}
        """What is yet to be indexed, and what is no longer to be: ordinal → item."""
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, ordinal: int, item: T) -> None:
        self._size += 1
        if self._going.pop(ordinal, None) is None:  # coming and going cancel out
            self._coming[ordinal] = item

    def remove(self, ordinal: int, item: T) -> None:
        self._size -= 1
        if self._coming.pop(ordinal, None) is None:
            self._going[ordinal] = item

    def reword(self, ordinal: int, item: T) -> None:
        """The text of an item that is there is about to change."""
        if ordinal not in self._coming:
            self._turn(ordinal, False, analyse(*self._texts((item,))))
            self._coming[ordinal] = item

    def catch_up(self, limit: int | None = None) -> bool:
        """Index up to ``limit`` of the texts that wait for it, fewer if they are long, or all; is there more to do?"""
        room = inf if limit is None else limit
        for waiting, comes in ((self._going, False), (self._coming, True)):
            some = dict(islice(waiting.items(), None if limit is None else int(max(room, 0))))
            texts = self._texts(some.values())
            # What goes is no longer kept, and must not be again.
            analyses = self._cache.analyses(zip(some, texts, strict=True)) if comes else map(analyse, texts)
            for ordinal, analysis in zip(some, analyses, strict=True):
                self._turn(ordinal, comes, analysis)
                del waiting[ordinal]
                room -= 1 + analysis.length // LONG
                if room <= 0:
                    break
        return bool(self._going or self._coming)

    # ---- of what is indexed -------------------------------------------------------------------------------------------------------------

    def having(self, term: str) -> Mapping[int, int]:
        """The items that have the term → how often, ``packed`` with their length."""
        return self._postings.get(term, _NONE)

    def of_day(self, word: str) -> frozenset[int] | set[int]:
        """The items that were said on a day that the word is of: ``8``, ``may``, ``2026`` as terms, or ``@2026-05-08``."""
        return self._days.get(word, frozenset())

    def said_by(self, speaker: str) -> frozenset[int] | set[int]:
        """What somebody said, by the name in the text's plain form."""
        return self._speakers.get(speaker, frozenset())

    @property
    def total(self) -> int:
        """The terms of all items."""
        return self._total

    def _turn(self, ordinal: int, comes: bool, text: Analysis) -> None:
        """Let the item come or go under each term of its text."""
        for term, count in text.counts.items():
            if comes:
                self._postings.setdefault(term, {})[ordinal] = packed(count, text.length)
            else:
                having = self._postings[term]
                del having[ordinal]
                if not having:
                    del self._postings[term]
        for word in text.days:
            self._enter(self._days, word, ordinal, comes)
        if text.speaker:
            self._enter(self._speakers, text.speaker, ordinal, comes)
        self._total += text.length if comes else -text.length

    @staticmethod
    def _enter(places: dict[str, set[int]], place: str, ordinal: int, comes: bool) -> None:
        if comes:
            places.setdefault(place, set()).add(ordinal)
        else:
            places[place].remove(ordinal)
            if not places[place]:
                del places[place]
