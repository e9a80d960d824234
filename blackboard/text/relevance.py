"""How much of a query each item meets: BM25's saturation over what its words say and what spreads to it from its neighbours.

For a term t and an item i, with the items o that are near it, each at a weight w (itself: 1):

    x(t, i) = Σ w(o → i) · tf(t, o) / (1 - b + b · length(o) / mean length)  +  1 if t is of the day on which i was said
    relevance(i) = Σ idf(t) · x / (k + x)  /  Σ idf(t),      idf(t) = ln(1 + (N - n + ½) / (n + ½))

so it is between 0 and 1. It is the terms that spread, before they saturate, and not the scores: an item whose neighbours say half of what
is asked each meets all of it (chapter 2, "Recall"). On top of that comes nearness in meaning, where there is an embedder, and what the
query names: what was said by the one speaker that it names counts more, and so does what was said on a day that it names.

Law: a query costs no more where everything has to do with it. Only what the best have themselves spreads (``SPREADING`` of them); and a
term that very many items have (``COMMON``) brings in none but the preferred ones of them, of which there are few. Nor does it cost more the
longer it is: it is looked for by its rarest terms (``TERMS``).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from heapq import nlargest
from types import MappingProxyType
from typing import Any, NamedTuple

from blackboard.text.index import TextIndex, unpacked
from blackboard.text.times import dates, term_of, times
from blackboard.text.words import ngrams, plain, terms

SPREADING = 150
"""How many items spread what they have of a query."""
COMMON = 5_000
"""What more items have tells them apart so little that not all of them are looked at for it."""

TERMS = 200
"""So many terms of a query are looked for, the rarest of those that there are: a page that is given as a query costs no more."""

_ROUNDING = 1e-9
"""More than what rounding may take off a relevance."""

NAMED = 0.2
"""The relevance of what somebody said, to a query that is only about who that is."""

Near = Callable[[int], Sequence[tuple[int, float]]]
"""Item → the items on which its terms leave a trace, each with a weight."""


class Weights(NamedTuple):
    """What weighs how much. The defaults are those that were published for LoCoMo; ``python -m tests.benchmarks locomo`` tries others."""

    length: float = 0.6
    """b: how much the length of an item counts, 0…1."""
    saturation: float = 0.4
    """k: how soon further mentions of a term count for little."""
    speaker: float = 1.3
    """By what the relevance is multiplied of what the one speaker said whom the query names."""
    day: float = 0.2
    """What is added to the relevance of what was said on a day that the query names."""
    meaning: float = 0.15
    """What is added for each standard deviation that something is nearer in meaning than the mean, where there is an embedder."""


WEIGHTS = Weights()


class Query(NamedTuple):
    """What is asked."""

    terms: tuple[str, ...]
    """Each once, in order."""
    days: tuple[str, ...]
    """The days that it names, as terms."""
    names: frozenset[str]
    """Its words, and up to three of them in a row: what may name a speaker."""

    @classmethod
    def of(cls, text: str, today: date | None = None) -> "Query":
        """``today``: for what is asked relative to it ("yesterday")."""
        asked = plain(text)
        days = tuple(sorted(map(term_of, dates(asked, today))))
        return cls(tuple(dict.fromkeys((*terms(asked), *sorted(times(asked)), *days))), days, ngrams(asked, 3))


class Met(NamedTuple):
    """An item, and how it meets a query."""

    ordinal: int
    relevance: float
    terms: tuple[str, ...]
    """Those that it has itself."""
    via: tuple[tuple[int, float], ...]
    """From which items how much of the relevance spread, the most first."""
    names: tuple[str, ...]
    """The speaker and the days that the query names and it has."""
    gain: float
    """What of the relevance came from elsewhere."""
    own: float
    """What its own terms would bring alone, and the gain."""


def meet(
    indices: Iterable[TextIndex[Any]],
    query: Query,
    limit: int,
    *,
    near: Near = lambda _: (),
    preferred: Callable[[], Iterable[int]] = tuple,
    gains: Mapping[int, float] = MappingProxyType({}),
    weights: Weights = WEIGHTS,
) -> list[Met]:
    """The ``limit`` items that meet the query best, the best first; ties in order of making, but of a speaker alone the newest first.

    ``preferred``: of items that only have common terms, those that are looked at. ``gains``: what nearness in meaning adds to the relevance
    of items, as ``weights`` has it.
    """
    return _Search(tuple(indices), query, near, weights).best(limit, preferred, gains)


class _Xs(dict[int, float]):
    """x of a term that an item has: how often, by its length. Many items say a term as often, in as many."""

    def __init__(self, mean: float, b: float) -> None:
        self._mean, self._b = mean, b

    def __missing__(self, said: int) -> float:
        count, length = unpacked(said)
        x = self[said] = count / (1 - self._b + self._b * length / self._mean)
        return x


class _Gains(dict[int, float]):
    """What a term adds to the score of an item that has it."""

    def __init__(self, idf: float, k: float, xs: _Xs) -> None:
        self._idf, self._k, self._xs = idf, k, xs

    def __missing__(self, said: int) -> float:
        x = self._xs[said]
        gain = self[said] = self._idf * x / (self._k + x)
        return gain


class _Search:
    """One query over some indices, which hold different items."""

    def __init__(self, indices: tuple[TextIndex[Any], ...], query: Query, near: Near, weights: Weights) -> None:
        for each in indices:
            each.catch_up()
        self._indices = indices
        self._near = near
        self._weights = weights
        self._size = size = sum(map(len, indices))
        self._mean = max(sum(each.total for each in indices) / max(size, 1), 1.0)
        self._holding = {term: sum(len(each.having(term)) + len(each.of_day(term)) for each in indices) for term in query.terms}
        rarest_first = sorted((n, term) for term, n in self._holding.items() if n)[:TERMS]
        self._idf = {term: math.log1p(max(size - n + 0.5, 0.5) / (n + 0.5)) for n, term in rarest_first}
        """Of the terms that there are, the rarest first."""
        self._whole = sum(self._idf.values())
        speakers = {name for each in indices for name in query.names if each.said_by(name)}
        self._speaker = min(speakers) if len(speakers) == 1 else ""
        self._days = query.days
        self._xs = _Xs(self._mean, weights.length)
        self._says: dict[int, dict[str, float]] = {}
        """Seed → term → x of what it says itself."""

    def best(self, limit: int, preferred: Callable[[], Iterable[int]], gains: Mapping[int, float]) -> list[Met]:
        traces: dict[int, Sequence[tuple[int, float]]] = {}
        for seed in self._seeds(max(limit, SPREADING), preferred):
            traces[seed] = self._near(seed) if len(traces) < SPREADING else ()
        scores: dict[int, float] = {}
        for term, idf in self._idf.items():
            for ordinal, x in self._spread(term, traces).items():
                scores[ordinal] = scores.get(ordinal, 0.0) + idf * x / (self._weights.saturation + x) / self._whole
        # Something is always nearest in meaning. What is recalled for that alone is to be two fifths as far above the mean as the nearest
        # of so many would be by chance, which is √(2 ln N) standard deviations.
        alone = 0.4 * self._weights.meaning * math.sqrt(2 * math.log(max(self._size, 2)))
        for ordinal, gain in gains.items():
            if ordinal in scores or gain >= alone:
                scores[ordinal] = scores.get(ordinal, 0.0) + gain
        if not scores and self._speaker:  # nothing is asked but what somebody said: the newest of it
            newest = nlargest(limit, (ordinal for index in self._indices for ordinal in index.said_by(self._speaker)))
            return [self._met(ordinal, self._with_names(ordinal, NAMED), (), 0.0) for ordinal in newest]
        met = self._best(limit, scores)
        sources: dict[int, list[tuple[int, float]]] = {ordinal: [] for ordinal, _ in met}
        for seed, near in traces.items():
            for other, weight in near:
                if other in sources:
                    sources[other].append((seed, weight))
        return [self._met(ordinal, relevance, sources[ordinal], gains.get(ordinal, 0.0)) for ordinal, relevance in met]

    def _seeds(self, size: int, preferred: Callable[[], Iterable[int]]) -> list[int]:
        """The ``size`` items that meet the query best by what they have themselves, the best first."""
        scores: dict[int, float] = {}
        rest, k = self._whole, self._weights.saturation
        some: AbstractSet[int] | None = None
        for term, idf in self._idf.items():
            if some is None and len(scores) >= size and self._at_most(rest) < (least := nlargest(size, scores.values())[-1] / self._whole):
                enough = self._at_least(least) - rest
                scores = {ordinal: score for ordinal, score in scores.items() if score >= enough}
                some = scores.keys()  # nothing else can be among the best any more
            elif some is None and self._holding[term] > COMMON:
                some = {*scores, *preferred()}
            rest -= idf
            for index in self._indices:
                having, of_day = index.having(term), index.of_day(term)
                there: Iterable[int] = having if some is None else having.keys() & some
                if of_day:
                    there = [ordinal for ordinal in there if ordinal not in of_day]
                gains = _Gains(idf, k, self._xs)
                for ordinal in there:
                    scores[ordinal] = scores.get(ordinal, 0.0) + gains[having[ordinal]]
                for ordinal in of_day if some is None else some & of_day:
                    x = 1.0 + (self._xs[having[ordinal]] if ordinal in having else 0.0)
                    scores[ordinal] = scores.get(ordinal, 0.0) + idf * x / (k + x)
        return [ordinal for ordinal, _ in self._best(size, {ordinal: score / self._whole for ordinal, score in scores.items()})]

    def _best(self, size: int, scores: Mapping[int, float]) -> list[tuple[int, float]]:
        """The ``size`` best and their relevance, with what the query names; the best first, ties in order of making."""
        if self._days or self._speaker:
            scores = {ordinal: self._with_names(ordinal, score) for ordinal, score in scores.items()}
        if len(scores) > 8 * size:
            least = nlargest(size, scores.values())[-1]
            scores = {ordinal: score for ordinal, score in scores.items() if score >= least}
        best = sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:size]  # the second one leaves ties as they are
        return [(ordinal, scores[ordinal]) for ordinal in best]

    def _at_most(self, score: float) -> float:
        """The relevance of an item with that score if it were of a day and of the speaker that the query names."""
        relevance = score / self._whole + (self._weights.day if self._days else 0.0)
        return relevance * self._weights.speaker if self._speaker else relevance

    def _at_least(self, relevance: float) -> float:
        """A score below which ``_at_most`` stays below a relevance."""
        score = relevance / self._weights.speaker if self._speaker else relevance
        return (score - (self._weights.day if self._days else 0.0) - _ROUNDING) * self._whole

    def _spread(self, term: str, traces: Mapping[int, Sequence[tuple[int, float]]]) -> dict[int, float]:
        """X of a term: of each item that the seeds say it in, leave a trace on, or that was said on a day of it."""
        spread: dict[int, float] = {}
        for index in self._indices:
            having, of_day = index.having(term), index.of_day(term)
            for seed in having.keys() & traces.keys() if len(having) > len(traces) else having:
                if (near := traces.get(seed)) is not None:
                    x = self._says.setdefault(seed, {})[term] = self._xs[having[seed]]
                    spread[seed] = spread.get(seed, 0.0) + x
                    for other, weight in near:
                        spread[other] = spread.get(other, 0.0) + weight * x
            for seed in of_day & traces.keys():
                spread[seed] = spread.get(seed, 0.0) + 1.0
        return spread

    def _with_names(self, ordinal: int, relevance: float) -> float:
        if any(self._is_of_day(ordinal, day) for day in self._days):
            relevance += self._weights.day
        return relevance * self._weights.speaker if self._is_speaker(ordinal) else relevance

    def _is_of_day(self, ordinal: int, day: str) -> bool:
        return any(ordinal in index.of_day(day) for index in self._indices)

    def _is_speaker(self, ordinal: int) -> bool:
        return bool(self._speaker) and any(ordinal in index.said_by(self._speaker) for index in self._indices)

    def _met(self, ordinal: int, relevance: float, sources: Iterable[tuple[int, float]], gain: float) -> Met:
        """With the account of it: what spreads to an item is told by what it would bring alone."""
        via = ((source, self._share(source, weight)) for source, weight in sources if source in self._says)
        names = [day.removeprefix("@") for day in self._days if self._is_of_day(ordinal, day)]
        if self._is_speaker(ordinal):
            names.append(self._speaker)
        return Met(
            ordinal=ordinal,
            relevance=relevance,
            terms=tuple(self._says.get(ordinal, ())),
            via=tuple(sorted(via, key=lambda each: (-each[1], each[0]))),
            names=tuple(names),
            gain=gain,
            own=gain + (self._share(ordinal, 1.0) if ordinal in self._says else 0.0),
        )

    def _share(self, source: int, weight: float) -> float:
        k, idf, share = self._weights.saturation, self._idf, 0.0
        for term, x in self._says[source].items():
            share += idf[term] * weight * x / (k + weight * x)
        return share / self._whole
