"""How a query that says little is widened (chapter 4, "Rules on top")."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from blackboard.context.pieces import Piece
from blackboard.text import terms

Expander: TypeAlias = Callable[[str, Sequence[Piece]], Mapping[str, float]]
"""What to search for in the place of a query, each with its weight; it is given the history's pieces, too."""

SHORT = 4
"""Terms; with fewer, a query is taken to be vague."""


def as_asked(query: str, _said: Sequence[Piece]) -> Mapping[str, float]:
    """The query as it is."""
    return {query: 1.0}


class Widened:
    """A query of fewer than ``short`` terms is searched for together with the agent's goal and what was said last, at ``weight`` each."""

    def __init__(self, goal: str = "", *, last: int = 2, weight: float = 0.3, short: int = SHORT) -> None:
        self._goal = goal
        self._last = last
        self._weight = weight
        self._short = short

    def __call__(self, query: str, said: Sequence[Piece]) -> Mapping[str, float]:
        if len(set(terms(query))) >= self._short:
            return {query: 1.0}
        beside = [self._goal, *(piece.text for piece in said[len(said) - self._last :])]
        return {text: self._weight for text in beside if text.strip()} | {query: 1.0}
