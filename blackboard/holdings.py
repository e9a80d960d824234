"""What a network holds, and what may be asked of it. What changes it stands in ``network``, and how it is kept in ``persistence``.

Laws:

- Reads change nothing, to the last bit. (Indices may sort themselves meanwhile; no answer depends on when.)
- The strongest come from indices, never from a scan.
- An item's record has what it says while it stands, and then alone; else the archive has it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop
from itertools import chain
from typing import TypedDict, cast

from blackboard.archive import Archive, Said
from blackboard.decay import DecayClass
from blackboard.embedding import Embedder
from blackboard.errors import NotInView, UnknownKind
from blackboard.identity import direction, folded_name
from blackboard.items import ContextItem, Edge, in_order
from blackboard.kinds import DEFAULTS, EDGE, Policy
from blackboard.lanes import Lane, Protections, level_below
from blackboard.ledger import Ledger
from blackboard.links import Links
from blackboard.ranking import Ranking, strongest
from blackboard.recorder import Recorder
from blackboard.register import Register, slot_of
from blackboard.storage import Pages
from blackboard.summaries import DEFAULT, Summariser
from blackboard.text import AnalysisCache
from blackboard.waiting import FOLDED, Group, Waiting
from bus.messages import Account, Status

RECENT = 256
"""Items of a key among which ``superseded`` looks."""

ItemRef = ContextItem | str
EdgeRef = Edge | str
Partitions = Iterable[str] | None
"""The partitions that a question is about; ``None`` for all."""


class Counts(TypedDict):
    """What is in a network, in figures: how many stand; of the tiers, *archived* counts what may come back."""

    items: int
    edges: int
    kinds: dict[str, int]
    tiers: dict[str, int]
    owners: dict[str, int]


class Holdings:
    """The state of a network, and all that only reads it. ``at`` is a time not before now; None is now."""

    def __init__(
        self,
        *,
        kinds: Mapping[str, Policy] = DEFAULTS,
        edge: Policy = EDGE,
        board: str = "",
        now: float = 0.0,
        core: float = 3.0,
        recorder: Recorder | None = None,
        summariser: Summariser | None = DEFAULT,
        archive: Archive | None = None,
        analyses: AnalysisCache | None = None,
        wall_clock: bool = False,
        embedder: Embedder | None = None,
    ) -> None:
        self.kinds = dict(kinds)
        self.board = board
        self.now = float(now)
        self.core = core
        self.wall_clock = wall_clock
        self.embedder = embedder
        """With one, what is near in meaning is recalled, too."""
        self.archive = Archive() if archive is None else archive
        """What the items say that do not stand."""
        self.analyses = AnalysisCache() if analyses is None else analyses
        """What the items' texts come to, as far as that is kept."""
        self.aliases: dict[str, dict[str, ContextItem]] = {}
        """Partition → former id → the item that it leads those to who see the partition."""
        self._ledger = Ledger()
        self._recorder: Recorder = self._ledger if recorder is None else recorder
        self._open = {name: Lane(kind, kind.rate, now) for name, kind in self.kinds.items()}
        self._protected = {name: Lane(kind, 0.0, now) for name, kind in self.kinds.items()}
        self._protections = Protections(self._is_protected)
        self._expiries: list[tuple[float, int, ContextItem]] = []
        """A heap of (``expires_at``, ordinal, item); one whose item has left meanwhile is dropped when it comes up."""
        self._items: dict[str, ContextItem] = {}
        self.known = self._items.get
        """The record that has this very id, whatever its status, or None."""
        self._pages: Pages[ContextItem] = Pages("items")
        self._summariser = summariser
        self._links = Links(board, edge, now, self._recorder)
        self._waiting = Waiting(self.kinds, self._links.around, self._items.get)
        self._register = Register(self._waiting, self.archive, self.analyses, wall_clock=wall_clock, embedder=embedder)

    def begin(self, now: float) -> None:
        """Let the time of a network that holds nothing yet start at ``now``: decay counts from here, so its figures stay small."""
        self.now = float(now)
        for decay in self._classes().values():
            decay.origin = now

    # ---- one item -----------------------------------------------------------------------------------------------------------------------

    def get(self, item: ItemRef) -> ContextItem:
        """The record with that id, whatever its status; a former id of it will do. Raises ``NotInView``."""
        item_id = item if isinstance(item, str) else item.id
        found = self._items.get(item_id) or self.led(item_id)
        if found is None:
            raise NotInView
        return found

    def led(self, item_id: str, partitions: Partitions = None) -> ContextItem | None:
        """The item that a former id leads to, for those who see one of these partitions; if several, the one made first."""
        places = self.aliases.values() if partitions is None else (self.aliases[each] for each in partitions if each in self.aliases)
        return min((place[item_id] for place in places if item_id in place), key=in_order, default=None)

    def __contains__(self, item_id: str) -> bool:
        """Is there an item with that id, now or formerly its own?"""
        return item_id in self._items or self.led(item_id) is not None

    def find_by_content(self, content: str) -> ContextItem | None:
        """The item that says exactly this, but for white space: the strongest that stands, else one of the history."""
        found = self._register.saying(content, self._pages)
        return max(found, key=lambda item: (item.standing, item.strength, -item.ordinal), default=None)

    def strength(self, thing: ContextItem | Edge | str, at: float | None = None) -> float:
        """The strength of an item (or its id), or of an edge. Raises ``NotInView``."""
        record = self.get_edge(thing) if isinstance(thing, Edge) else self.get(thing)
        return record.strength_at(at)

    @property
    def edge(self) -> Policy:
        """The policy of edges."""
        return self._links.policy

    def holds(self, kind: str) -> bool:
        """Is there an item of this kind, in the history perhaps? Raises ``UnknownKind``."""
        return any(len(ranking) for ranking, _ in self._rankings(self._lanes(kind), None)) or any(True for _ in self._register.past(kind))

    def s0(self, item: ContextItem) -> float:
        """S₀: the larger of what the item first was and its kind's initial strength (chapter 1, "What a restatement does")."""
        return max(item.first, self.kinds[item.kind].initial)

    def tier(self, item: ItemRef) -> str:
        """``core``, ``working``, or ``archived`` for what does not stand. Raises ``NotInView``."""
        found = self.get(item)
        if not found.standing:
            return "archived"
        return "core" if found.strength >= self.core else "working"

    def falls_below(self, item: ItemRef, threshold: float) -> float | None:
        """When policy alone takes (or took) an item below ``threshold``; None if never, or if it was there when it last moved.

        Raises ``NotInView``.
        """
        found = item if isinstance(item, ContextItem) and item.decay is not None else self.get(item)
        if not found.standing or found.s < threshold or threshold <= 0:
            return None
        decay, u = self._open[found.kind].decay, found.u
        if found.decay is not decay:  # protected: this is the ``u`` that it will have, to the bit
            u = math.log(found.s) + (decay.level_at(found.protected_until) + (found.d - self._protected[found.kind].decay.level))
        due = decay.reaches(level_below(u, threshold))
        return None if math.isinf(due) else due

    def explain(self, item: ItemRef) -> Account:
        """How an item came by its strength, as far as this network's own ledger goes back. Raises ``NotInView``."""
        return self._ledger.account(self.get(item))

    def get_edge(self, edge: EdgeRef) -> Edge:
        """The edge with that id; a former id of it will do. Raises ``NotInView``."""
        return self._links.get(edge if isinstance(edge, str) else edge.id)

    def edges_of(self, item: ItemRef) -> list[Edge]:
        """The edges of an item, the strongest first. Raises ``NotInView``."""
        return self._links.of(self.get(item).id)

    def edges_from(self, item: ItemRef) -> list[Edge]:
        """The edges that begin at an item (``a``), in the order of their ids. Raises ``NotInView``."""
        found = self.get(item)
        return sorted((edge for edge in self._links.of(found.id) if edge.a == found.id), key=lambda edge: edge.id)

    def summaries_of(self, item: ItemRef) -> list[ContextItem]:
        """The summaries that an item was folded into. Raises ``NotInView``."""
        found = self.get(item)
        return [self._items[edge.a] for edge in self.edges_of(found) if edge.relation == FOLDED and edge.b == found.id]

    def originals_of(self, item: ItemRef) -> list[ContextItem]:
        """What a summary was made of, in order of making; nothing, for what is none. Raises ``NotInView``."""
        found = self.get(item)
        joined = (edge.b for edge in self._links.around(found.id) if edge.relation == FOLDED and edge.a == found.id)
        return sorted({self._items[each] for each in joined}, key=in_order)

    def next_due(self) -> float | None:
        """The earliest time, always after now, at which a protection ends, or an item or an edge fades, or expires; None if never."""
        due = min((lane.fading.next_due() for lane in self._open.values()), default=math.inf)
        due = min(due, self._links.fading.next_due(), self._protections.next_end(), self._next_expiry())
        return None if math.isinf(due) else max(due, math.nextafter(self.now, math.inf))

    # ---- many items ---------------------------------------------------------------------------------------------------------------------

    def all_items(self, partitions: Partitions = None) -> list[ContextItem]:
        """Everything that stands, in order of making."""
        return sorted((item for ranking, _ in self._rankings(self._lanes(), partitions) for item in ranking), key=in_order)

    def made_after(self, ordinal: int, partitions: Partitions = None) -> Iterator[ContextItem]:
        """Everything of these partitions, whatever its status, in order of making, behind ``ordinal``: page by page, no scan."""
        seen = None if partitions is None else set(partitions)
        for page in self._register.places(seen, ordinal):
            for item in self._pages.page(page):
                if item.ordinal > ordinal and (seen is None or item.partition in seen):
                    yield item

    def top(self, k: int, *, partitions: Partitions = None, kind: str | None = None, at: float | None = None) -> list[ContextItem]:
        """The ``k`` strongest, ties in order of making. Raises ``UnknownKind``."""
        return strongest(self._rankings(self._lanes(kind), partitions, at), k)

    def slot(self, partition: str, kind: str, key: str, target: str | None, op: str | None) -> list[ContextItem]:
        """What stands or is archived with a value in a slot, of any owner, in order of making."""
        return self._register.slot((partition, kind, folded_name(key), None if target is None else folded_name(target), direction(op)))

    def shares_slot(self, item: ContextItem) -> bool:
        """Does anything else stand or lie archived in the slot that an item fills? (What ``slot_mates`` would tell, in less time.)"""
        slot = slot_of(item)
        return slot is not None and self._register.crowded(slot)

    def slot_mates(self, item: ContextItem) -> list[ContextItem]:
        """What stands or is archived in the slot that an item fills, in order of making, itself too; nothing if it fills none."""
        slot = slot_of(item)
        return [] if slot is None else self._register.slot(slot)

    def superseded(self, item: ContextItem) -> list[ContextItem]:
        """What was superseded in the slot that an item fills, the latest first; of a key of many items, among the latest alone."""
        slot = slot_of(item)
        return [] if slot is None else self._register.superseded(slot, RECENT)

    def binding(self, partitions: Partitions = None) -> list[ContextItem]:
        """The hard constraints, standing or archived, in order of making. Looks at all constraints of these partitions."""
        found = (item for census in self._register.census(partitions) for item in census.constraints.values() if item.hard)
        return sorted(found, key=in_order)

    def said(self, items: Iterable[ContextItem]) -> dict[int, Said]:
        """What these items say, by their ordinals; for many in the archive quicker than one after the other."""
        return {item.ordinal: said for item, said in self._register.said(items)}

    def about(self, key: str, kind: str | None = None) -> Iterator[ContextItem]:
        """All items of a key (and kind), whatever their status, in order of making."""
        return self._register.about(key, kind)

    def about_lately(self, key: str, kind: str) -> Iterator[ContextItem]:
        """All items of a key and kind, whatever their status, the latest first."""
        return self._register.about_lately(key, kind)

    def keys_of(self, kind: str) -> list[str]:
        """The keys of a kind's items, in order. Looks at all keys there are."""
        return self._register.keys_of(kind)

    def all_keys(self) -> list[str]:
        """All keys that there are, in order."""
        return self._register.all_keys()

    def foldings(self, limit: int = 16) -> list[Group]:
        """Up to ``limit`` groups of related items that have faded and wait to be folded into a summary each. Looks at what is new only."""
        return self._waiting.groups(limit)

    def of_kind(self, kind: str) -> list[ContextItem]:
        """All items of a kind, whatever their status, in order of making. Raises ``UnknownKind``."""
        standing = (item for ranking, _ in self._rankings(self._lanes(kind), None) for item in ranking)
        return sorted(chain(standing, self._register.past(kind)), key=in_order)

    def present(self) -> Iterator[ContextItem]:
        """Everything that stands or is archived, in order of making. A walk over all there is: for who takes up a snapshot."""
        return (item for item in self._pages if item.present)

    def keys(self) -> dict[str, Counter[Status]]:
        """Every key, in order → how many items of each status it has."""
        return {key: Counter(cast("Status", item.status) for item in self.about(key)) for key in self._register.all_keys()}

    def history(self, key: str, target: str | None = None, *, partitions: Partitions = None) -> list[ContextItem]:
        """All that was ever said about a key (and target), in order of making."""
        target = None if target is None else folded_name(target)
        seen = None if partitions is None else set(partitions)
        found = (item for item in self.about(key) if target in {None, item.target} and (seen is None or item.partition in seen))
        return sorted(found, key=in_order)

    def present_about(self, keys: Iterable[str], target: str | None = None, *, partitions: Partitions = None) -> list[ContextItem]:
        """What of the history of each of these keys stands or is archived, in order of making."""
        seen = None if partitions is None else tuple(partitions)
        found = (item for key in keys for item in self.history(key, target, partitions=seen) if item.present)
        return sorted(found, key=in_order)

    def stats(self, partitions: Partitions = None, *, at: float | None = None) -> Counts:
        """How many items there are by kind, tier and owner, and how many edges."""
        partitions = None if partitions is None else tuple(partitions)
        kinds = {kind: sum(len(ranking) for ranking, _ in self._rankings(self._lanes(kind), partitions)) for kind in self.kinds}
        core = math.log(self.core) if self.core > 0 else -math.inf
        strong = sum(ranking.count_from(core + level) for ranking, level in self._rankings(self._lanes(), partitions, at))
        owners: dict[str, int] = {}
        archived = 0
        for census in self._register.census(partitions):
            archived += census.archived
            for owner, count in census.owners.items():
                owners[owner] = owners.get(owner, 0) + count
        edges = self._links.counts
        items = sum(kinds.values())
        return {
            "items": items,
            "edges": edges.total() if partitions is None else sum(edges[each] for each in partitions),
            "kinds": {kind: count for kind, count in kinds.items() if count},
            "tiers": {"core": strong, "working": items - strong, "archived": archived},
            "owners": {owner: count for owner, count in sorted(owners.items()) if count},
        }

    # ---- for both -----------------------------------------------------------------------------------------------------------------------

    def _is_protected(self, item: ContextItem) -> bool:
        return item.decay is not None and item.decay is self._protected[item.kind].decay

    def _next_expiry(self) -> float:
        """When the next item expires, one in the archive too; infinite if none does."""
        while self._expiries and not (self._expiries[0][2].present and self._expiries[0][2].expires_at == self._expiries[0][0]):
            heappop(self._expiries)
        return self._expiries[0][0] if self._expiries else math.inf

    def _policy(self, kind: str) -> Policy:
        policy = self.kinds.get(kind)
        if policy is None:
            raise UnknownKind(f"kind {kind!r}: there are {', '.join(sorted(self.kinds))}; new kinds are configuration")
        return policy

    def _lane(self, item: ContextItem) -> Lane:
        """The lane of a standing item."""
        lane = self._open[item.kind]
        return lane if item.decay is lane.decay else self._protected[item.kind]

    def _lanes(self, kind: str | None = None) -> tuple[Lane, ...]:
        """A kind's lanes, the open and the protected one; or those of all kinds."""
        if kind is None:
            return (*self._open.values(), *self._protected.values())
        self._policy(kind)
        return self._open[kind], self._protected[kind]

    def _classes(self) -> dict[str, DecayClass]:
        """Every decay class, by a name of its own."""
        return {
            **{f"open/{name}": lane.decay for name, lane in self._open.items()},
            **{f"protected/{name}": lane.decay for name, lane in self._protected.items()},
            "edges": self._links.decay,
        }

    @staticmethod
    def _rankings(lanes: Iterable[Lane], partitions: Partitions, at: float | None = None) -> Iterator[tuple[Ranking, float]]:
        """The indices of these partitions, each with its class's level."""
        partitions = None if partitions is None else tuple(dict.fromkeys(partitions))
        for lane in lanes:
            level = lane.decay.level if at is None else lane.decay.level_at(at)
            if partitions is None:
                yield from ((ranking, level) for ranking in lane.rankings.values())
            else:
                yield from ((lane.rankings[each], level) for each in partitions if each in lane.rankings)
