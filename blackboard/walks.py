"""Where what is hit leaves traces: walks along edges (chapter 2, "Recall"). Pure: it moves nothing.

What has words of the query in it is hit, and a hit leaves a trace on what is near it: along edges, the strongest first, up to three of them
one after the other. So "cat" brings back the cat's name and its allergy, and of a dialogue, whose turns are linked in order, what was said
just before and after. What a weak edge passes on is little.

Law: an asker walks along edges and through items that it sees, and how much others keep in private shows in nothing.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from blackboard.items import ContextItem, Edge
from blackboard.links import Links, strongest_first

FORWARD = (0.25, 0.3, 0.2)
"""What one, two and three edges pass on from ``a`` to ``b``: of a dialogue, to what was said later."""
BACKWARD = (0.27, 0.15, 0.08)
"""And from ``b`` to ``a``. (Measured on LoCoMo; two turns on, the same speaker speaks again.)"""
WALKED = 24
"""Items that one leaves a trace on, at most."""


class Walks:
    """Where what is hit leaves traces, for one asker. Items are known by their ordinals, as the text index knows them."""

    def __init__(
        self, links: Links, known: Callable[[str], ContextItem | None], of: Callable[[int], ContextItem], seen: Collection[str] | None
    ) -> None:
        """``known``: id → item; ``of``: ordinal → item; ``seen``: the partitions that the asker sees, None for all."""
        self._links = links
        self._known = known
        self._of = of
        self._seen = seen
        self._paths: dict[tuple[int, int], tuple[str, ...]] = {}

    def __call__(self, ordinal: int) -> Sequence[tuple[int, float]]:
        """The items on which one leaves a trace, each with its weight; the near ones first."""
        start = self._of(ordinal)
        if not self._links.strongest(start.id):
            return ()
        traces: dict[int, float] = {}
        front = [_Step(start, FORWARD, 1.0, ())]
        for hop in range(len(FORWARD)):
            back, front = front, []
            for step in back:
                for edge in self._edges(step.item):
                    other = self._known(edge.b if edge.a == step.item.id else edge.a)
                    if other is None or other is start or other.ordinal in traces or not self._sees(other):
                        continue
                    if len(traces) == WALKED:
                        return tuple(traces.items())
                    way = step.way if edge.a == step.item.id else BACKWARD
                    passed = step.passed * 2 * edge.strength / (edge.strength + self._links.policy.initial)
                    there = _Step(other, way, passed, (*step.path, edge.id))
                    traces[other.ordinal] = way[hop] * passed
                    self._paths[ordinal, other.ordinal] = there.path
                    front.append(there)
        return tuple(traces.items())

    def path(self, source: int, to: int) -> tuple[str, ...]:
        """The edges over which ``source`` left its trace: their ids."""
        return self._paths[source, to]

    def _edges(self, item: ContextItem) -> list[Edge]:
        by_partition = self._links.strongest(item.id)
        seen = [edge for place, edges in by_partition.items() if self._seen is None or place in self._seen for edge in edges]
        return sorted(seen, key=strongest_first) if len(seen) > 1 else seen

    def _sees(self, item: ContextItem) -> bool:
        return item.present and (self._seen is None or item.partition in self._seen)


class _Step(NamedTuple):
    """How far a walk has come."""

    item: ContextItem
    way: tuple[float, ...]
    """Forward as long as all edges were walked forward."""
    passed: float
    """What its edges pass on: 1 if each is as strong as a new one, less than 2 however strong."""
    path: tuple[str, ...]
