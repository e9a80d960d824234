"""Which pieces to take, one after the other (chapter 4, "selector").

Laws: the objective is monotone and submodular, so what a piece adds only shrinks while others are taken. So a gain that was computed
earlier bounds the present one from above, and only the head of the heap is ever computed anew (lazy greedy): what is taken is what the
plain greedy takes. Of equal gains the first piece wins.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import Literal, NamedTuple, Protocol, TypeAlias

Reason: TypeAlias = Literal["over budget", "over the count", "adds too little", "superseded"]


class Objective(Protocol):
    """A monotone submodular function of a set that grows; candidates are numbered from 0."""

    @property
    def value(self) -> float:
        """Of what was taken so far."""

    def gains(self) -> Sequence[float]:
        """What each candidate alone would add now."""

    def gain(self, candidate: int) -> float:
        """What this one would add now."""

    def take(self, candidate: int) -> None:
        """It is in from now on."""


class Terms(NamedTuple):
    """Under which a selection is made."""

    costs: Sequence[int]
    """Of each candidate, in tokens."""
    budget: float = inf
    """Tokens in all."""
    pieces: float = inf
    """Candidates in all."""
    stop: float = 0.0
    """End once the best gain is below this share of the first."""
    after: Mapping[int, int] = {}
    """Who may only be taken once another was: what was overturned → what overturned it."""


class Walk(NamedTuple):
    """What was taken, in order, each with its gain; of the others why not; and what it is worth."""

    taken: dict[int, float]
    left: dict[int, Reason]
    value: float


def by_gain(objective: Objective, terms: Terms, first: Sequence[int] = ()) -> Walk:
    """Take whatever adds most. For a count: at least 1 − 1/e of the best value there is.

    ``first``: those that are taken before all others, in this order, each if it fits.
    """
    return _greedy(objective, terms, first, per_token=False)


def by_density(objective: Objective, terms: Terms, first: Sequence[int] = ()) -> Walk:
    """Take whatever adds most per token. Alone it fills up with what is short, and promises nothing."""
    return _greedy(objective, terms, first, per_token=True)


def best_of_two(make: Callable[[], Objective], terms: Terms, first: Sequence[int] = ()) -> Walk:
    """The better of both: under a budget at least ½(1 − 1/e) of the best value there is. ``make``: the objective, with nothing taken."""
    return max(by_gain(make(), terms, first), by_density(make(), terms, first), key=lambda walk: walk.value)


def _greedy(objective: Objective, terms: Terms, first: Sequence[int], *, per_token: bool) -> Walk:
    taken: dict[int, float] = {}
    left: dict[int, Reason] = {}
    freed: dict[int, list[int]] = {}
    for old, new in terms.after.items():
        freed.setdefault(new, []).append(old)
    spent = 0
    heap: list[tuple[float, int, int]] = []

    def worth(candidate: int, gain: float) -> float:
        return gain / max(terms.costs[candidate], 1) if per_token else gain

    def take(candidate: int, gain: float) -> None:
        nonlocal spent
        objective.take(candidate)
        taken[candidate] = gain
        spent += terms.costs[candidate]
        for old in freed.get(candidate, ()):
            left.pop(old, None)
            heappush(heap, (-worth(old, objective.gain(old)), old, len(taken)))

    left.update(dict.fromkeys(terms.after, "superseded"))
    for candidate in first:
        if candidate in taken or (candidate in terms.after and terms.after[candidate] not in taken):
            continue
        if len(taken) >= terms.pieces:
            left[candidate] = "over the count"
        elif spent + terms.costs[candidate] > terms.budget:
            left[candidate] = "over budget"
        else:
            take(candidate, objective.gain(candidate))
    fresh = enumerate(objective.gains())
    heap += [(-worth(each, gain), each, len(taken)) for each, gain in fresh if not (each in taken or each in left)]
    heapify(heap)
    enough: float | None = None
    while heap:
        negative, candidate, known = heappop(heap)
        if candidate in taken:
            continue
        if len(taken) >= terms.pieces:
            left[candidate] = "over the count"
        elif spent + terms.costs[candidate] > terms.budget:
            left[candidate] = "over budget"
        elif negative >= 0.0 or (enough is not None and -negative < enough):
            left[candidate] = "adds too little"
        elif known < len(taken):
            heappush(heap, (-worth(candidate, objective.gain(candidate)), candidate, len(taken)))
        else:
            if enough is None:
                enough = -negative * terms.stop
            take(candidate, objective.gain(candidate) if per_token else -negative)
    return Walk(taken, left, objective.value)
