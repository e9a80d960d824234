"""The strongest items of one view and one decay class, kept in order by what writes touch.

Within a class decay does not change the order: ``u = ln s + d`` orders the items at every time, ties going to the earlier one. So an index
over ``u`` needs no upkeep as time passes, and the classes are merged when they are read.

A *hot list* holds the strongest few, sorted. All others lie in *buckets* by ``u``, unsorted: most reinforcements only move an item from one
bucket to another. A bucket is sorted once the hot list, or a reader, has come down to it, and is kept sorted from then on.

Laws: every item of a bucket is weaker than every hot one; where there are buckets, the hot list is not short.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice
from math import exp, floor, log

from blackboard.items import ContextItem

HOT = 64
LOW = 24  # more than the usual top-20 asks of one index
BUCKETS_PER_E = 32

Entry = tuple[float, int, ContextItem]
"""(u, -ordinal, item): ascending, so the strongest is last."""


def _entry(item: ContextItem) -> Entry:
    return item.u, -item.ordinal, item


class Ranking:
    """An index of items by ``u``. An item's ``u`` must not change while it is in it, but by ``move``."""

    __slots__ = ("_buckets", "_hot", "_numbers", "_runs", "_size")

    def __init__(self) -> None:
        self._hot: list[Entry] = []
        self._buckets: dict[int, set[ContextItem]] = {}
        """Number → the items of nearly one ``u``."""
        self._runs: dict[int, list[Entry]] = {}
        """The buckets that are sorted."""
        self._numbers: list[int] = []
        """The buckets' numbers, ascending."""
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[ContextItem]:
        """All items, in no order."""
        for _, _, item in self._hot:
            yield item
        for bucket in self._buckets.values():
            yield from bucket

    def add(self, item: ContextItem) -> None:
        self._size += 1
        entry = _entry(item)
        if self._numbers and entry < self._hot[0]:
            self._sink(item)
            return
        insort(self._hot, entry)
        if len(self._hot) > HOT:
            for _, _, weaker in self._hot[: HOT // 2]:
                self._sink(weaker)
            del self._hot[: HOT // 2]

    def remove(self, item: ContextItem) -> None:
        self._size -= 1
        entry = _entry(item)
        if entry < self._hot[0]:
            self._take(item)
            return
        del self._hot[bisect_left(self._hot, entry)]
        if len(self._hot) < LOW and self._numbers:
            self._rise()

    def move(self, item: ContextItem, strength: float, level: float) -> None:
        """Give an item another strength, and its new place. Mostly it moves among unsorted buckets, and that is done at once."""
        if self._numbers and strength:
            before, after, border = log(item.s) + item.d, log(strength) + level, self._hot[0][0]
            if before < border and after < border:
                former, number, runs = floor(before * BUCKETS_PER_E), floor(after * BUCKETS_PER_E), self._runs
                if not runs or (former not in runs and number not in runs):
                    item.s = strength
                    item.d = level
                    if former != number:
                        bucket = self._buckets[former]
                        bucket.remove(item)
                        if not bucket:
                            self._drop(former)
                        wanted = self._buckets.get(number)
                        if wanted is None:
                            wanted = self._new_bucket(number)
                        wanted.add(item)
                    return
        self.remove(item)
        item.mark(strength, level)
        self.add(item)

    def strongest(self, level: float) -> Iterator[tuple[float, int, ContextItem]]:
        """From the strongest on: (-strength at ``level``, ordinal, item)."""
        for _, _, item in reversed(self._hot):
            yield -item.s * exp(item.d - level), item.ordinal, item
        for number in reversed(self._numbers):
            for _, _, item in reversed(self._in_order(number)):
                yield -item.s * exp(item.d - level), item.ordinal, item

    def count_from(self, u: float) -> int:
        """How many items are at ``u`` or above."""
        if self._hot and u > self._hot[0][0]:
            return len(self._hot) - bisect_left(self._hot, u, key=lambda entry: entry[0])
        border = _number(u)
        count = len(self._hot)
        for number in reversed(self._numbers):
            if number < border:
                break
            members = self._buckets[number]
            count += len(members) if number > border else sum(item.u >= u for item in members)
        return count

    def _sink(self, item: ContextItem) -> None:
        number = _number(item.u)
        bucket = self._buckets.get(number)
        if bucket is None:
            bucket = self._new_bucket(number)
        bucket.add(item)
        if number in self._runs:
            insort(self._runs[number], _entry(item))

    def _take(self, item: ContextItem) -> None:
        number = _number(item.u)
        bucket = self._buckets[number]
        bucket.remove(item)
        if not bucket:
            self._drop(number)
        elif number in self._runs:
            run = self._runs[number]
            del run[bisect_left(run, _entry(item))]

    def _rise(self) -> None:
        """Fill the hot list up from the highest buckets."""
        while len(self._hot) < HOT // 2 and self._numbers:
            number = self._numbers[-1]
            run, bucket = self._in_order(number), self._buckets[number]
            risen = run[len(self._hot) - HOT // 2 :]
            del run[-len(risen) :]
            for _, _, item in risen:
                bucket.remove(item)
            self._hot[:0] = risen
            if not bucket:
                self._drop(number)

    def _in_order(self, number: int) -> list[Entry]:
        run = self._runs.get(number)
        if run is None:
            run = self._runs[number] = sorted(map(_entry, self._buckets[number]))
        return run

    def _new_bucket(self, number: int) -> set[ContextItem]:
        bucket = self._buckets[number] = set()
        insort(self._numbers, number)
        return bucket

    def _drop(self, number: int) -> None:
        del self._buckets[number]
        self._runs.pop(number, None)
        del self._numbers[bisect_left(self._numbers, number)]


def _number(u: float) -> int:
    return floor(u * BUCKETS_PER_E)


def strongest(rankings: Iterable[tuple[Ranking, float]], k: int) -> list[ContextItem]:
    """The ``k`` strongest items of many indices, each with its class's level; ties go to the earlier item."""
    heads = islice(merge(*(ranking.strongest(level) for ranking, level in rankings if ranking)), k)
    return [item for _, _, item in sorted(heads)]  # ``u`` rounds: two strengths that differ in their last bit may come out of order
