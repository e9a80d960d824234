"""Where to find an item by what it says: by key, content, slot and words. Follows what the network does; decides nothing.

Laws: an item is *known* from its making until it is discarded. It is *present* in its partition while it stands or is archived: what was
superseded, released or has expired is found in the history only.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import islice

from blackboard.archive import Archive, Said
from blackboard.dense import MeaningIndex
from blackboard.embedding import Embedder
from blackboard.identity import direction, folded, folded_name
from blackboard.items import ContextItem, in_order
from blackboard.kinds import CONSTRAINT
from blackboard.storage import ROWS
from blackboard.text import AnalysisCache, Text, TextIndex, day_of
from blackboard.waiting import Waiting

Slot = tuple[str, str, str, str | None, str | None]
"""(partition, kind, key, target, direction of the operator)"""

_AT_ONCE = 1024
"""Items whose contents are looked up in the archive together."""


class Census:
    """Who and what is present in one partition."""

    __slots__ = ("archived", "constraints", "meaning", "owners", "text")

    def __init__(
        self, texts: Callable[[Iterable[ContextItem]], Iterable[Text]], analyses: AnalysisCache, embedder: Embedder | None
    ) -> None:
        self.owners: Counter[str] = Counter()
        """How many standing items each owner has."""
        self.archived = 0
        self.constraints: dict[int, ContextItem] = {}
        """By their ordinals."""
        self.text = TextIndex(texts, analyses)
        self.meaning = None if embedder is None else MeaningIndex(embedder)


class Register:
    """The indices of a network's items. ``waiting`` is told which are archived, and which no longer; ``archive`` has what those say,
    and ``analyses`` perhaps what the items' texts come to.

    ``wall_clock``: its times are Unix seconds.
    """

    def __init__(
        self,
        waiting: Waiting,
        archive: Archive,
        analyses: AnalysisCache,
        *,
        wall_clock: bool = False,
        embedder: Embedder | None = None,
    ) -> None:
        self._waiting = waiting
        self._archive = archive
        self._analyses = analyses
        self._wall_clock = wall_clock
        self._embedder = embedder
        self._by_key: dict[str, dict[str, list[ContextItem]]] = {}
        """key → kind → items, in order"""
        self._by_content: dict[str, list[ContextItem]] | None = None
        """Made when it is first asked for: most networks never are, and then it costs nothing."""
        self._past: dict[str, dict[int, ContextItem]] = {}
        """kind → ordinal → what no longer stands"""
        self._slots: dict[Slot, tuple[ContextItem, ...]] = {}
        """Mostly it is one that fills a slot."""
        self._census: dict[str, Census] = {}
        self._places: dict[str, dict[int, int]] = {}
        """partition → page of ordinals → how many of its items, whatever their status, are on that page"""

    # ---- what the network tells ---------------------------------------------------------------------------------------------------------

    def learn(self, item: ContextItem) -> None:
        """There is a new item, or one of a new key."""
        if item.key is not None:
            items = self._by_key.setdefault(item.key, {}).setdefault(item.kind, [])
            if items and items[-1].ordinal > item.ordinal:
                insort(items, item, key=in_order)
            else:
                items.append(item)
        if self._by_content is not None:
            self._by_content.setdefault(folded(item.content), []).append(item)

    def forget(self, item: ContextItem) -> None:
        """An item is gone, from the history, too, or of another key or owner from now on."""
        self._analyses.drop(item.ordinal)
        if item.key is not None:
            kinds = self._by_key[item.key]
            items = kinds[item.kind]
            del items[bisect_left(items, item.ordinal, key=in_order)]
            if not items:
                del kinds[item.kind]
            if not kinds:
                del self._by_key[item.key]
        if self._by_content is not None:
            content = folded(item.content)
            self._by_content[content].remove(item)
            if not self._by_content[content]:
                del self._by_content[content]

    def enter(self, item: ContextItem) -> None:
        """An item has a (new) status and partition."""
        places = self._places.setdefault(item.partition, {})
        page = item.ordinal // ROWS
        places[page] = places.get(page, 0) + 1
        if not item.standing:
            self._past.setdefault(item.kind, {})[item.ordinal] = item
        if not item.present:
            return
        census = self._census.get(item.partition)
        if census is None:
            census = self._census[item.partition] = Census(self.texts, self._analyses, self._embedder)
        census.text.add(item.ordinal, item)
        if census.meaning is not None:
            census.meaning.add(item.ordinal, item)
        if item.kind == CONSTRAINT:
            census.constraints[item.ordinal] = item
        if item.standing:
            census.owners[item.owner] += 1
        else:
            census.archived += 1
            self._waiting.enter(item)
        if (slot := slot_of(item)) is not None:
            there = self._slots.get(slot)
            self._slots[slot] = (item,) if there is None else (*there, item)

    def leave(self, item: ContextItem) -> None:
        """An item is about to change its status or partition."""
        places = self._places[item.partition]
        page = item.ordinal // ROWS
        places[page] -= 1
        if not places[page]:
            del places[page]
        if not item.standing:
            del self._past[item.kind][item.ordinal]
        if not item.present:
            return
        census = self._census[item.partition]
        census.text.remove(item.ordinal, item)
        if census.meaning is not None:
            census.meaning.remove(item.ordinal)
        if item.kind == CONSTRAINT:
            del census.constraints[item.ordinal]
        if item.standing:
            census.owners[item.owner] -= 1
        else:
            census.archived -= 1
            self._waiting.leave(item)
        if (slot := slot_of(item)) is not None:
            others = tuple(each for each in self._slots[slot] if each is not item)
            if others:
                self._slots[slot] = others
            else:
                del self._slots[slot]

    def reword(self, item: ContextItem) -> None:
        """What an item is found by is about to change: its words, or who says them."""
        if item.present:
            self._census[item.partition].text.reword(item.ordinal, item)

    # ---- what is asked ------------------------------------------------------------------------------------------------------------------

    def about(self, key: str, kind: str | None = None) -> Iterator[ContextItem]:
        """All items with that key (and kind), whatever their status, in order."""
        kinds = self._by_key.get(folded_name(key), {})
        if kind is not None:
            return iter(kinds.get(kind, ()))
        return merge(*kinds.values(), key=in_order)

    def about_lately(self, key: str, kind: str) -> Iterator[ContextItem]:
        """All items with that key and kind, whatever their status, the latest first."""
        return reversed(self._by_key.get(folded_name(key), {}).get(kind, []))

    def keys_of(self, kind: str) -> list[str]:
        """The keys of a kind's items, in order."""
        return sorted(key for key, kinds in self._by_key.items() if kind in kinds)

    def all_keys(self) -> list[str]:
        """All keys, in order."""
        return sorted(self._by_key)

    def saying(self, content: str, known: Iterable[ContextItem]) -> list[ContextItem]:
        """All items with that content; ``known`` are all there are, in order: the first question looks through them."""
        if self._by_content is None:
            self._by_content = {}
            for item, said in self.said(known):
                self._by_content.setdefault(folded(said[0]), []).append(item)
        return self._by_content.get(folded(content), [])

    def past(self, kind: str) -> Iterable[ContextItem]:
        """The items of a kind that no longer stand."""
        return self._past.get(kind, {}).values()

    def slot(self, slot: Slot) -> list[ContextItem]:
        """The items of a slot that stand or are archived, in order."""
        return sorted(self._slots.get(slot, ()), key=in_order)

    def superseded(self, slot: Slot, among: int) -> list[ContextItem]:
        """What was superseded in a slot, the latest first, as far as it is among the last items of its key and kind."""
        _, kind, key, _, _ = slot
        items = self._by_key.get(key, {}).get(kind, [])
        return [each for each in reversed(items[-among:]) if each.status == "superseded" and slot_of(each) == slot]

    def crowded(self, slot: Slot) -> bool:
        """Are there several in a slot?"""
        return len(self._slots.get(slot, ())) > 1

    def places(self, partitions: Iterable[str] | None, after: int) -> list[int]:
        """The pages that hold items of these partitions (or of all) with ordinals above ``after``, in order."""
        parts = self._places.values() if partitions is None else [self._places.get(each, {}) for each in partitions]
        first = (after + 1) // ROWS
        return sorted({page for part in parts for page in part if page >= first})

    def census(self, partitions: Iterable[str] | None) -> list[Census]:
        """The censuses of these partitions, or of all."""
        return list(self._census.values()) if partitions is None else [self._census[p] for p in partitions if p in self._census]

    def said(self, items: Iterable[ContextItem]) -> Iterator[tuple[ContextItem, Said]]:
        """The items with what they say; those in the archive are looked up many at a time."""
        rest = iter(items)
        while some := list(islice(rest, _AT_ONCE)):
            shelved = self._archive.look_all([each.ordinal for each in some if each.shelved])
            for each in some:
                yield each, shelved[each.ordinal] if each.shelved else (each.content, each.meta)

    def texts(self, items: Iterable[ContextItem]) -> Iterator[Text]:
        """What items are found by: their words; who said them, and when, as their ``meta`` tells or else their record."""
        for item, (content, meta) in self.said(items):
            speaker, at = meta.get("speaker", item.owner), meta.get("time", item.made if self._wall_clock else None)
            words = " ".join(filter(None, (content, item.key, item.target)))
            yield Text(words, speaker if isinstance(speaker, str) else "", day_of(at))


def slot_of(item: ContextItem) -> Slot | None:
    """The slot that an item fills, if it carries a value for a key."""
    if item.key is None or item.value is None:
        return None
    return item.partition, item.kind, item.key, item.target, direction(item.op)
