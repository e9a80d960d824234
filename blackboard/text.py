"""Words of items, and which items a text is about.

Laws: an index holds one partition, so what one agent keeps never weighs in another's search. Indexing is left to the next search, so that
a write costs nothing for it; only then are texts looked at, many at a time. Who has others to serve meanwhile lets it catch up in slices.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import islice, pairwise
from typing import Any, Generic, TypeVar

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TERM = re.compile(rf"[{_CJK}]+|\d+(?:[.,:]\d+)+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")


def terms(text: str) -> list[str]:
    """The terms of a text, in order: casefolded words, numbers and times kept whole (50,000; 15:00), CJK runs as pairs of characters.

    How a text is encoded makes no difference: NFC or NFD, full or half width.
    """
    found: list[str] = []
    for term in _TERM.findall(_plain(text)):
        if len(term) > 1 and _IS_CJK.match(term):
            found.extend(a + b for a, b in pairwise(term))
        else:
            found.append(term)
    return found


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _findable(text: str) -> set[str]:
    """The terms by which a text is found; of CJK each character, too, for who asks with a single one."""
    return {*terms(text), *_IS_CJK.findall(_plain(text))}


T = TypeVar("T")


class TextIndex(Generic[T]):
    """Which items have which terms. Items are known by their ordinals; ``texts`` gives those of many, in order.

    The text of an item does not change but between ``reword`` and what is asked next.
    """

    __slots__ = ("_coming", "_going", "_postings", "_size", "_texts")

    def __init__(self, texts: Callable[[Iterable[T]], Iterable[str]]) -> None:
        self._texts = texts
        self._postings: dict[str, set[int]] = {}
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
            self._turn(ordinal, False, next(iter(self._texts((item,)))))
            self._coming[ordinal] = item

    def catch_up(self, limit: int) -> bool:
        """Index up to ``limit`` of the texts that wait for it; is there more to do?"""
        for waiting, comes in ((self._going, False), (self._coming, True)):
            some = list(islice(waiting.items(), limit))
            for (ordinal, _), text in zip(some, self._texts(item for _, item in some), strict=True):
                self._turn(ordinal, comes, text)
                del waiting[ordinal]
            limit -= len(some)
        return bool(self._going or self._coming)

    def having(self, term: str) -> set[int]:
        """The ordinals of the items that have the term."""
        self.catch_up(len(self._going) + len(self._coming))
        return self._postings.get(term, set())

    def _turn(self, ordinal: int, comes: bool, text: str) -> None:
        """Let the item come or go under each term of its text."""
        for term in _findable(text):
            if comes:
                self._postings.setdefault(term, set()).add(ordinal)
            else:
                having = self._postings[term]
                having.discard(ordinal)
                if not having:
                    del self._postings[term]


def relevant(indices: Iterable[TextIndex[Any]], text: str) -> dict[int, float]:
    """The items that share a term with ``text``: ordinal → score, higher the more terms it shares and the rarer they are."""
    indices = list(indices)
    size = sum(map(len, indices))
    scores: dict[int, float] = {}
    for term in dict.fromkeys(terms(text)):
        postings = [index.having(term) for index in indices]
        holding = sum(map(len, postings))
        for having in postings:
            for ordinal in having:
                scores[ordinal] = scores.get(ordinal, 0.0) + math.log1p(size / holding)
    return scores
