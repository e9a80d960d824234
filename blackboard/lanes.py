"""A decay class with what is kept for its items: their order, and when each fades.

Laws: nothing here walks the items of a class. What fades waits in a calendar of ``u``, which is in the order of fading at any threshold:
so a class's threshold and its rate may change, and the calendar stays as it is. Strength only grows by what agents do, so no entry is too
late.
"""

import math
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from blackboard.calendar import Calendar
from blackboard.decay import DecayClass
from blackboard.items import ContextItem, Pheromone, in_order
from blackboard.kinds import Policy
from blackboard.ranking import Ranking

SLACK = 1e-10
"""What is at its threshold exactly stays: fading takes so much more decay, which is above what rounding does and below what anyone sees."""
WIDTH = 1 / 32
"""Of a cell of what fades, in decay: two rounds or so."""


def level_below(u: float, threshold: float) -> float:
    """The level of its class at which what is at ``u`` is strictly below ``threshold``; infinite for a threshold of 0."""
    return u - math.log(threshold) + SLACK if threshold > 0 else math.inf


class Fading:
    """When each item of a decay class falls below the kind's ``threshold``."""

    __slots__ = ("_decay", "_waiting", "threshold")

    def __init__(self, decay: DecayClass, threshold: float) -> None:
        self._decay = decay
        self._waiting: Calendar[Pheromone] = Calendar(WIDTH, self._u)
        self.threshold = threshold

    def enter(self, pheromone: Pheromone) -> None:
        self._waiting.put(pheromone, pheromone.u)

    def leave(self) -> None:
        """One that fades here does so no longer."""
        self._waiting.left()

    def next_due(self) -> float:
        """When the next one fades by policy; infinite if none does."""
        first = self._waiting.first()
        return math.inf if first is None else self._decay.reaches(level_below(first[0], self.threshold))

    def take_due(self) -> list[Pheromone]:
        """Take out what has fallen below the threshold, in order."""
        taken: dict[Pheromone, None] = {}
        while (first := self._waiting.first()) is not None and level_below(first[0], self.threshold) <= self._decay.level:
            taken[self._waiting.take()] = None
        return list(taken)

    def _u(self, pheromone: Pheromone) -> float | None:
        return pheromone.u if pheromone.decay is self._decay else None


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
        self.fading.leave()

    def strengthen(self, item: ContextItem, strength: float) -> None:
        """Let an item be ``strength`` strong from now on."""
        self.rankings[item.partition].move(item, strength, self.decay.level)

    def ranking(self, partition: str) -> Ranking:
        """The index of a partition's items."""
        found = self.rankings.get(partition)
        if found is None:
            found = self.rankings[partition] = Ranking()
        return found


class Protections:
    """When each item's protection ends: by cohorts, one of all whose ends at the same time."""

    __slots__ = ("_cohorts", "_ends", "_protected")

    def __init__(self, protected: Callable[[ContextItem], bool]) -> None:
        """``protected``: is an item so still? One that is not, or whose end is another by now, is dropped when it comes up."""
        self._protected = protected
        self._cohorts: dict[float, list[ContextItem]] = {}
        self._ends: list[float] = []
        """A heap."""

    def enter(self, item: ContextItem) -> None:
        """It is protected until its ``protected_until``."""
        cohort = self._cohorts.get(item.protected_until)
        if cohort is None:
            self._cohorts[item.protected_until] = [item]
            heappush(self._ends, item.protected_until)
        else:
            cohort.append(item)

    def end(self, until: float) -> float:
        """That time: for all that are protected until then, one number."""
        cohort = self._cohorts.get(until)
        return until if cohort is None else cohort[0].protected_until

    def next_end(self) -> float:
        """When the next protection ends; infinite if none does."""
        while self._ends:
            end = self._ends[0]
            cohort = self._cohorts[end]
            while cohort and not (cohort[-1].protected_until == end and self._protected(cohort[-1])):
                cohort.pop()
            if cohort:
                return end
            del self._cohorts[heappop(self._ends)]
        return math.inf

    def take_due(self, now: float) -> Iterator[ContextItem]:
        """Take out those whose protection has ended by ``now``, in the order of their ends and of their making."""
        while self._ends and self._ends[0] <= now:
            end = heappop(self._ends)
            for item in sorted(self._cohorts.pop(end), key=in_order):
                if item.protected_until == end and self._protected(item):
                    yield item
