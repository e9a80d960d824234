"""Relevance by what pieces mean, beside the words that they say (chapter 4, "embedder")."""

from collections.abc import Mapping, Sequence

from blackboard.context.pieces import Piece
from blackboard.context.relevance import Lexical, are_of_one
from blackboard.context.similarity import Matrix, by_vectors
from blackboard.dense import Vectors, gains, of_items, of_question
from blackboard.embedding import Embedder
from blackboard.text import WEIGHTS

BEFORE = 2
"""A turn's vector is also that of it behind so many others of its dialogue. (Those after it are not there yet.)"""


class Meaning:
    """By words, and by how near a piece is to the query in meaning; how alike pieces are, by meaning alone. None is embedded twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._words = Lexical()
        self._pieces: list[Piece] = []
        self._speakers: set[str] = set()
        self._vectors = Vectors(embedder.dimensions)
        self._rows: list[Matrix] = []

    def add(self, pieces: Sequence[Piece]) -> None:
        if not pieces:
            return
        self._words.add(pieces)
        start = len(self._pieces)
        self._pieces += pieces
        self._speakers |= {piece.speaker for piece in pieces} - {""}
        numbers = range(start, len(self._pieces))
        vectors = of_items(self._embedder, [piece.rendered for piece in pieces], [self._among(number) for number in numbers])
        self._vectors.put(numbers, vectors)
        self._rows += list(vectors)

    def scores(self, query: str, limit: int) -> Mapping[int, float]:
        if not self._pieces:
            return {}
        question = of_question(self._embedder, query, self._speakers)
        return self._words.scores(query, limit, gains([self._vectors.near(question)], weight=WEIGHTS.meaning))

    def cosines(self, numbers: Sequence[int]) -> Matrix:
        import numpy as np

        return by_vectors(np.array([self._rows[number] for number in numbers], np.float32).reshape(-1, self._embedder.dimensions))

    def _among(self, number: int) -> str:
        """A piece behind those before it."""
        piece = self._pieces[number]
        before = (other for other in self._pieces[max(0, number - BEFORE) : number] if are_of_one(other, piece))
        return "\n".join([*(other.rendered for other in before), piece.rendered])
