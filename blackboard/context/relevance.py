"""How relevant pieces are to a query, and how alike to one another (chapter 4, "Objective" and "Engine parts").

Law: a history is only added to, and what was added is looked at once: a query costs what shares a term with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from blackboard.context.pieces import Piece
from blackboard.context.similarity import Matrix, Numbers, by_terms, numbers
from blackboard.text import Query, Text, TextIndex, meet, terms
from blackboard.walks import BACKWARD, FORWARD


class Relevance(Protocol):
    """Scores the pieces of one history."""

    def add(self, pieces: Sequence[Piece]) -> None:
        """These come next; they are numbered on."""

    def scores(self, query: str, limit: int) -> Mapping[int, float]:
        """The ``limit`` pieces that have most to do with the query: number → above 0, about 1 for all that is asked."""

    def cosines(self, numbers: Sequence[int]) -> Matrix:
        """How alike these pieces are: (n, n), 0 … 1, 1 on the diagonal."""


class Lexical:
    """By the terms that pieces share with the query, and with one another. No model needed.

    In a dialogue a turn leaves a trace on those around it, as it does on a board: its terms count for the three before and after, too.
    Pieces that nobody says are no dialogue.
    """

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._index: TextIndex[Piece] = TextIndex(_texts)
        self._vocabulary: dict[str, int] = {}
        self._terms: dict[int, Numbers] = {}
        """Of those that were ever compared: the numbers of their terms."""

    def add(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            self._index.add(len(self._pieces), piece)
            self._pieces.append(piece)
        self._index.catch_up()

    def scores(self, query: str, limit: int, gains: Mapping[int, float] = MappingProxyType({})) -> Mapping[int, float]:
        """``gains``: what counts beside the words, number → what it adds."""
        today = self._pieces[-1].day if self._pieces else None

        def near(number: int) -> Sequence[tuple[int, float]]:
            # A query that stands in the history itself says nothing of what was said before it.
            return () if self._pieces[number].text == query else self._near(number)

        return {met.ordinal: met.relevance for met in meet([self._index], Query.of(query, today), limit, near=near, gains=gains)}

    def cosines(self, numbers: Sequence[int]) -> Matrix:
        return by_terms([self._terms_of(number) for number in numbers])

    def _near(self, number: int) -> list[tuple[int, float]]:
        """The turns on which one leaves a trace, with its weight there."""
        return [
            (other, weight)
            for sign, weights in ((1, FORWARD), (-1, BACKWARD))
            for other, weight in zip(range(number + sign, number + sign * 4, sign), weights, strict=True)
            if 0 <= other < len(self._pieces) and are_of_one(self._pieces[number], self._pieces[other])
        ]

    def _terms_of(self, number: int) -> Numbers:
        if number not in self._terms:
            known = self._vocabulary
            found = dict.fromkeys(terms(self._pieces[number].text))
            self._terms[number] = numbers([known.setdefault(term, len(known)) for term in found])
        return self._terms[number]


def _texts(pieces: Iterable[Piece]) -> Iterator[Text]:
    return (Text(piece.text, piece.speaker, piece.day) for piece in pieces)


def are_of_one(one: Piece, other: Piece) -> bool:
    """Are both turns of one dialogue? A day is a dialogue of its own."""
    return bool(one.speaker and other.speaker) and one.day == other.day
