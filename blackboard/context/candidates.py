"""Which pieces are weighed against one another, and which are in before that (chapter 4, "Rules on top").

Laws: relevance says who may enter; how new a piece is, and the weight that it was given, say how much that counts. What was overturned is
worth as much to what overturned it, and may only follow it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from blackboard.context.history import History
from blackboard.context.selection import Why

CANDIDATES = 256
"""So many of the most relevant are weighed against one another."""
RECENCY = 0.1
"""So much less than the newest counts what is long past;"""
HALF_LIFE = 100
"""half of it is lost after so many pieces."""
PROTECTED = 0.5
"""The share of a budget that pieces may take by what they say alone (must, never, promised), before all others."""


class Candidates(NamedTuple):
    """Pieces by number. Everything else is by place in ``numbers``."""

    numbers: list[int]
    """Those that are in before all others, then the most worthy first."""
    worth: list[float]
    first: dict[int, Why]
    """Those that are in before all others, if they fit, in this order."""
    after: dict[int, int]
    """What was overturned → what overturned it."""
    ranking: list[int]
    """The most worthy first."""
    topics: list[str]
    """Those that follow from what a piece is; where there is none, what it says decides."""


def candidates(history: History, scores: Mapping[int, float], tokens: float, count: float, *, newest: bool) -> Candidates:
    """The candidates for a budget of ``tokens`` and a ``count`` of pieces, either of which may be infinite."""
    overturned = history.overturned()
    worth = _worth(history, scores, overturned)
    first: dict[int, Why] = dict.fromkeys(history.sacred, "protected")
    if newest:
        first |= dict.fromkeys(history.newest(), "newest")
    tokens, count = tokens * PROTECTED, count * PROTECTED
    for number in sorted(history.protected, key=lambda each: (-worth.get(each, 0.0), -each)):
        if number not in first and number not in overturned and history.tokens[number] <= tokens and count >= 1:
            first[number] = "protected"
            tokens, count = tokens - history.tokens[number], count - 1
    leading = sorted(worth, key=lambda number: (-worth[number], -number))
    numbers = list(dict.fromkeys([*first, *leading]))
    place = {number: n for n, number in enumerate(numbers)}
    return Candidates(
        numbers,
        [worth.get(number, 0.0) for number in numbers],
        {place[number]: why for number, why in first.items()},
        # What was overturned by a piece that is no candidate cannot be chosen: it follows itself.
        {place[old]: place.get(new, place[old]) for old, new in overturned.items() if old in place},
        [place[number] for number in leading] + [place[number] for number in first if number not in leading],
        _topics(history, numbers),
    )


def _worth(history: History, scores: Mapping[int, float], overturned: Mapping[int, int]) -> dict[int, float]:
    pieces, last = history.pieces, len(history.pieces) - 1
    relevance = {number: score for number, score in scores.items() if pieces[number].whole}
    for old, new in overturned.items():
        if (score := relevance.get(old, 0.0)) > relevance.get(new, 0.0) and pieces[new].whole:
            relevance[new] = score
    return {
        number: score * pieces[number].weight * (1 - RECENCY + RECENCY * 0.5 ** ((last - number) / HALF_LIFE))
        for number, score in relevance.items()
    }


def _topics(history: History, numbers: list[int]) -> list[str]:
    """A summary and its originals say the same; what is protected shares its worth with nobody, so it never gives way for diversity."""
    summarised = {
        number: history.pieces[summary].id
        for summary in history.summaries
        for name in (*history.pieces[summary].summarises, history.pieces[summary].id)
        for number in history.numbers(name)
    }
    alone = {*history.sacred, *history.protected}
    return [
        f"protected {number}"
        if number in alone
        else f"summary {summarised[number]}"
        if number in summarised
        else history.pieces[number].topic and f"topic {history.pieces[number].topic}"
        for number in numbers
    ]
