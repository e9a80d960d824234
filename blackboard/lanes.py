"""A decay class with what is kept for its items: their order, and when each fades.

Laws: nothing here walks the items of a class. An entry of the list of fading may be too early, never too late: strength only grows by what
agents do, so an entry is put right when it comes up. The list is in the order of ``u``, which is that of fading at any threshold: so a
class's threshold and its rate may change, and the list stays as it is.
"""

import math
from heapq import heapify, heappop, heappush, heapreplace

from blackboard.decay import DecayClass
from blackboard.items import ContextItem, Pheromone
from blackboard.kinds import Policy
from blackboard.ranking import Ranking

SLACK = 1e-10
"""What is at its threshold exactly stays: fading takes so much more decay, which is above what rounding does and below what anyone sees."""


def level_below(u: float, threshold: float) -> float:
    """The level of its class at which what is at ``u`` is strictly below ``threshold``; infinite for a threshold of 0."""
    return u - math.log(threshold) + SLACK if threshold > 0 else math.inf


class Fading:
    """When each item of a decay class falls below the kind's ``threshold``."""

    __slots__ = ("_decay", "_heap", "_stale", "threshold")

    def __init__(self, decay: DecayClass, threshold: float) -> None:
        self._decay = decay
        self.threshold = threshold
        self._heap: list[tuple[float, int, Pheromone]] = []
        self._stale = 0

    def enter(self, pheromone: Pheromone) -> None:
        pheromone.due = pheromone.u
        heappush(self._heap, (pheromone.u, pheromone.ordinal, pheromone))

    def leave(self, pheromone: Pheromone) -> None:
        if pheromone.due is None:
            return
        pheromone.due = None
        self._stale += 1
        if self._stale > 64 and self._stale * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if self._holds(entry)]
            heapify(self._heap)
            self._stale = 0

    def next_due(self) -> float:
        """When the next one fades by policy; infinite if none does."""
        self._settle()
        return self._decay.reaches(level_below(self._heap[0][0], self.threshold)) if self._heap else math.inf

    def take_due(self) -> list[Pheromone]:
        """Take out what has fallen below the threshold, in order."""
        taken = []
        self._settle()
        while self._heap and level_below(self._heap[0][0], self.threshold) <= self._decay.level:
            _, _, pheromone = heappop(self._heap)
            pheromone.due = None
            taken.append(pheromone)
            self._settle()
        return taken

    def _holds(self, entry: tuple[float, int, Pheromone]) -> bool:
        u, _, pheromone = entry
        return pheromone.due == u and pheromone.decay is self._decay

    def _settle(self) -> None:
        """Make the first entry a true one: drop what left, put off what grew."""
        while self._heap:
            entry = self._heap[0]
            u, ordinal, pheromone = entry
            if not self._holds(entry):
                heappop(self._heap)
                self._stale -= 1
                continue
            if pheromone.u <= u:
                return
            pheromone.due = pheromone.u
            heapreplace(self._heap, (pheromone.u, ordinal, pheromone))


class Lane:
    """One decay class: items that fade at one rate, ranked within each partition."""

    __slots__ = ("decay", "fading", "rankings")

    def __init__(self, policy: Policy, rate: float, now: float) -> None:
        self.decay = DecayClass(policy.name, rate, now)
        self.fading = Fading(self.decay, policy.threshold)
        self.rankings: dict[str, Ranking] = {}

    def change(self, policy: Policy, rate: float, now: float) -> None:
        """From ``now`` on, another policy."""
        self.decay.change(rate, now)
        self.fading.threshold = policy.threshold

    def enter(self, item: ContextItem, strength: float, level: float) -> None:
        """Let an item fade here, ``strength`` strong as of ``level``."""
        item.decay = self.decay
        item.mark(strength, level)
        self.resume(item)

    def resume(self, item: ContextItem) -> None:
        """Take up an item that is marked already."""
        self.ranking(item.partition).add(item)
        self.fading.enter(item)

    def leave(self, item: ContextItem) -> None:
        """Let go of an item."""
        self.rankings[item.partition].remove(item)
        self.fading.leave(item)

    def strengthen(self, item: ContextItem, strength: float) -> None:
        """Let an item be ``strength`` strong from now on."""
        self.rankings[item.partition].move(item, strength, self.decay.level)

    def ranking(self, partition: str) -> Ranking:
        """The index of a partition's items."""
        found = self.rankings.get(partition)
        if found is None:
            found = self.rankings[partition] = Ranking()
        return found
