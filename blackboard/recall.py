"""What a network recalls for a query, and why (chapter 2, "Recall").

Laws: recalling moves nothing, to the last bit. Relevance says who may enter, by words (``text``), along edges (``walks``) and, where there
is an embedder, in meaning (``dense``); strength and freshness say who goes first. Every item says why it is there.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import NamedTuple

from blackboard.dense import gains, of_question
from blackboard.errors import BadValue
from blackboard.holdings import Holdings, Partitions
from blackboard.items import ContextItem
from blackboard.text import WEIGHTS, Met, Query, Weights, day_of, meet
from blackboard.walks import Walks
from bus.messages import Via, Why

PREFERRED = 250
"""Of the strongest items, how many are looked at where a query says only what very many items say."""


class Hit(NamedTuple):
    """An item that a query recalls."""

    item: ContextItem
    score: float
    """Its relevance, with its strength and how recent it is weighed in: hits are sorted by it."""
    why: Why
    edges: tuple[str, ...] = ()
    """The edges over which it was reached, if what spread over them is more than it has itself: ids."""


def weight(strength: float, freshness: float, *, half: float) -> float:
    """By what relevance is multiplied: 1…2 for a strength (1.5 for one of ``half``), and up to a quarter more for what is fresh (0…1)."""
    return 1 + (strength / (strength + half) if strength else 0.0) + freshness / 4


class Recall(Holdings):
    """Holdings that recall. ``at`` is a time not before now; None is now."""

    def index(self, limit: int, *, partitions: Partitions = None) -> bool:
        """Do up to ``limit`` items' worth of what the next ``search`` has to do first; is there more of it?"""
        return any(census.text.catch_up(limit) for census in self._register.census(partitions))

    def search(self, text: str, top_k: int = 30, *, partitions: Partitions = None, at: float | None = None) -> list[ContextItem]:
        """Items that stand or are archived and have to do with a text: the most relevant ``top_k`` of them, the strongest first.

        Behind those that have words of it come those that are only near them.
        """
        hits = self.hits(text, top_k, partitions=partitions, at=at)
        hits.sort(key=lambda hit: (not hit.why.terms, -hit.item.strength_at(at), hit.item.ordinal))
        return [hit.item for hit in hits]

    def hits(
        self,
        text: str,
        top_k: int = 30,
        *,
        partitions: Partitions = None,
        at: float | None = None,
        today: date | None = None,
        weights: Weights = WEIGHTS,
    ) -> list[Hit]:
        """What a text recalls, standing or archived: the most relevant ``top_k``, the best first, each with why it is there.

        ``today``: what "yesterday" and the like are relative to; on a wall-clock network the day of ``at``, if not given.
        Raises ``BadValue`` for a query that is no text, and a day that is none.
        """
        if not isinstance(text, str):
            raise BadValue(f"a query is a text, not {type(text).__name__}: {text!r:.80}")
        if today is not None and not isinstance(today, date):
            raise BadValue(f"today is a date, not {type(today).__name__}: {today!r:.80}")
        seen = None if partitions is None else tuple(sorted(set(partitions)))
        if today is None and self.wall_clock:
            today = day_of(self.now if at is None else at)
        walks = Walks(self._links, self._items.get, self._pages.__getitem__, seen)
        texts = [census.text for census in self._register.census(seen)]
        query = Query.of(text, today)
        met = meet(
            texts,
            query,
            top_k,
            near=walks,
            preferred=lambda: [item.ordinal for item in self.top(PREFERRED, partitions=seen, at=at)],
            gains=self._gains(text, query, seen, weights),
            weights=weights,
        )
        return sorted((self._hit(each, walks, at) for each in met), key=lambda hit: (-hit.score, hit.item.ordinal))

    def _gains(self, text: str, query: Query, seen: Partitions, weights: Weights) -> Mapping[int, float]:
        """What nearness in meaning adds, where there is an embedder."""
        if self.embedder is None:
            return {}
        census = self._register.census(seen)
        for each in census:
            each.text.catch_up()
        speakers = {name for each in census for name in query.names if each.text.said_by(name)}
        asked = of_question(self.embedder, text, speakers)
        near = [each.meaning.near(asked, self._told) for each in census if each.meaning is not None]
        return gains(near, weight=weights.meaning)

    def _told(self, items: Iterable[ContextItem]) -> Iterator[tuple[str, str]]:
        """Of each item who said what, alone and between the two before and the two after it."""
        for item in items:
            before, after = (list(islice(self._along(item, forward=forward), 2)) for forward in (False, True))
            said = [f"{each.speaker}: {each.words}" for each in self._register.texts([*reversed(before), item, *after])]
            yield said[len(before)], "\n".join(said)

    def _along(self, item: ContextItem, *, forward: bool) -> Iterator[ContextItem]:
        """What comes after an item, or before it, along the strongest edge each time."""
        known = {item}
        while True:
            edges = self._links.strongest(item.id).get(item.partition, ())
            others = (self._items[edge.b if forward else edge.a] for edge in edges if (edge.a == item.id) is forward)
            found = next((other for other in others if other.present and other.partition == item.partition and other not in known), None)
            if found is None:
                return
            known.add(found)
            yield found
            item = found

    def _hit(self, met: Met, walks: Walks, at: float | None) -> Hit:
        item = self._pages[met.ordinal]
        policy, now = self.kinds[item.kind], self.now if at is None else at
        weighed = weight(item.strength_at(at), math.exp(-policy.rate * max(now - item.confirmed, 0.0)), half=self.core)
        via = tuple(Via(self._pages[source].id, share) for source, share in met.via)
        reached = met.via and met.via[0][1] > met.own
        edges = walks.path(met.via[0][0], met.ordinal) if reached else ()
        return Hit(item, met.relevance * weighed, Why(met.relevance, met.terms, via, met.names, met.gain), edges)
