"""What has faded and waits to be folded: which items are related, and so make one summary (chapter 2, "Forgetting is three things").

Laws:

- An item waits while it is in the archive, its kind's policy is to fold, and no summary says yet what it says. What ends at a time of its
  own does not wait (a summary would outlive it), nor what is too long to be summarised with another.
- Two that wait are related if they are of one partition and one owner, and have one key, or an edge of that same partition joins them, or
  edges of it come to both from one summary: so nobody learns from a summary of an edge that is another's alone.
- Groups are found from what came to wait since the last look, never by a walk over all that waits. Which groups are offered depends on what
  waits, not on when it was looked for.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush

from blackboard.items import ContextItem, Edge, in_order
from blackboard.kinds import SUMMARY, Policy

FOLDED = "folded"
"""The relation of a summary to each of the items that it was made of."""
MOST = 64
"""Items in one summary."""
LONGEST = 12_288
"""Characters of an item that is folded: two always fit into one summary."""
LARGEST = 2 * LONGEST
"""Characters of all the items of a summary."""

Group = tuple[ContextItem, ...]
"""Related items, in order of making."""


def waits(item: ContextItem, kinds: Mapping[str, Policy]) -> bool:
    """Is the item one that a summary may stand for?"""
    return item.status == "archived" and not item.folded and item.expires_at is None and item.length <= LONGEST and folds(item.kind, kinds)


def folds(kind: str, kinds: Mapping[str, Policy]) -> bool:
    """Is what fades of this kind folded (and is there a kind for what that makes)?"""
    return kind in kinds and kinds[kind].then == "fold" and SUMMARY in kinds


def summary_of(group: Group, content: str) -> ContextItem:
    """The item that says together what a group's items said: theirs in owner and scope, and in key and target where they agree."""
    one = group[0]
    return ContextItem(
        content,
        kind=SUMMARY,
        key=one.key if all(each.key == one.key for each in group) else None,
        target=one.target if all(each.target == one.target for each in group) else None,
        owner=one.owner,
        scope=one.scope,
    )


class Waiting:
    """The items that wait. ``edges``: those of an item, by its id; ``find``: the item with an id, if there is one."""

    def __init__(
        self, kinds: Mapping[str, Policy], edges: Callable[[str], Iterable[Edge]], find: Callable[[str], ContextItem | None]
    ) -> None:
        self.kinds = kinds
        self._edges = edges
        self._find = find
        self._items: dict[int, ContextItem] = {}
        self._by_key: dict[tuple[str, str, str], list[int]] = {}
        """(partition, owner, key) → ordinals, in order"""
        self._stirred: list[int] = []
        """A heap of the ordinals of those to look at: of any two that are related, one is here."""
        self._stirring: set[int] = set()
        """The same as a set; one that waits no longer is dropped when it comes up."""

    def __len__(self) -> int:
        return len(self._items)

    def enter(self, item: ContextItem) -> None:
        """An item has come into the archive: it waits, if it is one that does."""
        if not waits(item, self.kinds):
            return
        self._items[item.ordinal] = item
        if item.key is not None:
            insort(self._by_key.setdefault((item.partition, item.owner, item.key), []), item.ordinal)
        self.stir(item)

    def leave(self, item: ContextItem) -> None:
        """An item is about to leave the archive, or to change hands."""
        if self._items.pop(item.ordinal, None) is None or item.key is None:
            return
        slot = item.partition, item.owner, item.key
        same = self._by_key[slot]
        del same[bisect_left(same, item.ordinal)]
        if not same:
            del self._by_key[slot]

    def stir(self, item: ContextItem) -> None:
        """It may have a relative now that it had not before."""
        if item.ordinal in self._items and item.ordinal not in self._stirring:
            self._stirring.add(item.ordinal)
            heappush(self._stirred, item.ordinal)

    def groups(self, limit: int) -> list[Group]:
        """Up to ``limit`` groups of two or more related items, no item in two of them, in order of making.

        They go on waiting, until they are folded.
        """
        found: list[Group] = []
        taken: set[int] = set()
        kept: list[int] = []
        while self._stirred and len(found) < limit:
            ordinal = heappop(self._stirred)
            self._stirring.discard(ordinal)
            item = self._items.get(ordinal)
            if item is None or next(self._relatives(item), None) is None:
                continue
            kept.append(ordinal)
            if ordinal not in taken and len(group := self._gather(item, taken)) > 1:
                taken.update(each.ordinal for each in group)
                found.append(tuple(sorted(group, key=in_order)))
        self._stirring.update(kept)
        for ordinal in kept:
            heappush(self._stirred, ordinal)
        return sorted(found, key=lambda group: group[0].ordinal)

    def _gather(self, item: ContextItem, taken: set[int]) -> list[ContextItem]:
        """The item and what is related to it, at one remove or more, as far as one summary holds it."""
        group, seen, size = [item], {item.ordinal, *taken}, item.length
        for each in group:
            for other in self._relatives(each):
                if other.ordinal in seen:
                    continue
                size += other.length
                if size > LARGEST or len(group) == MOST:
                    return group
                seen.add(other.ordinal)
                group.append(other)
        return group

    def _relatives(self, item: ContextItem) -> Iterator[ContextItem]:
        """The others that wait and are related to it at one remove, in order: those of its key, then those at its edges."""
        if item.key is not None:
            for ordinal in self._by_key[item.partition, item.owner, item.key]:
                if ordinal != item.ordinal:
                    yield self._items[ordinal]
        waiting = (other for other in map(self._find, self._joined(item)) if other is not None and other.ordinal in self._items)
        alike = (other for other in waiting if (other.partition, other.owner) == (item.partition, item.owner))
        yield from sorted(alike, key=in_order)

    def _joined(self, item: ContextItem) -> Iterator[str]:
        """What edges join it with, and what else a summary says that says it."""
        for edge in self._edges(item.id):
            if edge.partition != item.partition:
                continue
            other = edge.b if edge.a == item.id else edge.a
            yield other
            if edge.relation == FOLDED and edge.b == item.id:
                said = (each for each in self._edges(other) if each.relation == FOLDED and each.a == other)
                yield from (each.b for each in said if each.b != item.id and each.partition == item.partition)
