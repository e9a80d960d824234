"""Relevance by what pieces mean, beside the words that they say (chapter 4, "embedder"). The model is whoever's it is."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from blackboard.context.pieces import Piece
from blackboard.context.relevance import Lexical
from blackboard.context.similarity import Matrix, by_vectors, deviations

WEIGHT = 0.15
"""What a standard deviation of nearness is worth, where sharing all terms of a query is worth 1."""


class Embedder(Protocol):
    """Whatever makes vectors of texts."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts: (n, dimensions), each of length 1, or 0 if it says nothing."""


class Meaning:
    """By words, and by how near a piece is to the query in meaning; how alike pieces are, by meaning alone. None is embedded twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._words = Lexical()
        self._vectors: Matrix | None = None

    def add(self, pieces: Sequence[Piece]) -> None:
        import numpy as np

        self._words.add(pieces)
        if pieces:
            vectors = self._embedder.embed([piece.rendered for piece in pieces])
            self._vectors = vectors if self._vectors is None else np.concatenate([self._vectors, vectors])

    def scores(self, query: str, limit: int) -> Mapping[int, float]:
        if self._vectors is None:
            return {}
        scores = dict(self._words.scores(query, limit))
        nearness = deviations(self._vectors, self._embedder.embed([query])[0])
        for number in nearness.argsort(kind="stable")[::-1][:limit].tolist():
            if nearness[number] > 0:
                scores[number] = scores.get(number, 0.0) + WEIGHT * float(nearness[number])
        return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit])

    def cosines(self, numbers: Sequence[int]) -> Matrix:
        import numpy as np

        return by_vectors(np.zeros((0, 1), np.float32) if self._vectors is None else self._vectors[list(numbers)])
