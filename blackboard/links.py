"""The edges of a network. They fade like items, in one decay class of their own, and are gone when they have faded.

Law: an edge's id follows its ends. When an item moves to another id, its edges move along, and the ids that they had still lead to them,
unless there is a new edge of that id. The edge from a summary to what it was made of is not forgotten while both are there: it grows
weak, and what was folded stays reachable.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

from blackboard.decay import DecayClass
from blackboard.errors import NotInView
from blackboard.identity import edge_identity, partition
from blackboard.items import Edge, in_order
from blackboard.kinds import Policy
from blackboard.lanes import Fading
from blackboard.recorder import Recorder
from blackboard.storage import Pages, edges_of
from blackboard.waiting import FOLDED
from bus import names
from bus.messages import Cause

WALKED_AT_ONCE = 8
"""Edges of an item that are walked from there, of each partition: a hub has many."""


class Links:
    """Edges by id and by the items that they join. Times are the network's."""

    def __init__(self, board: str, policy: Policy, now: float, recorder: Recorder) -> None:
        self.policy = policy
        self.decay = DecayClass(policy.name, policy.rate, now)
        self.fading = Fading(self.decay, policy.threshold)
        self.pages: Pages[Edge] = Pages("edges")
        self.counts: Counter[str] = Counter()
        """How many each partition has."""
        self._board = board
        self._recorder = recorder
        self._edges: dict[str, Edge] = {}
        self._aliases: dict[str, str] = {}
        self._adjacent: dict[str, dict[str, Edge]] = {}
        """item → edge → the edge"""
        self._strongest: dict[str, dict[str, tuple[Edge, ...]]] = {}
        """item → partition → its strongest edges, as long as none of them is moved: all fade alike, so their order stays."""

    def get(self, edge_id: str) -> Edge:
        """Raises ``NotInView``."""
        found = self._edges.get(self._aliases.get(edge_id, edge_id))
        if found is None:
            raise NotInView
        return found

    def of(self, item_id: str) -> list[Edge]:
        """The edges of an item, the strongest first."""
        return sorted(self._adjacent.get(item_id, {}).values(), key=strongest_first)

    def strongest(self, item_id: str) -> Mapping[str, Sequence[Edge]]:
        """Partition → the strongest edges of an item there, ``WALKED_AT_ONCE`` of them at most; in no order."""
        found = self._strongest.get(item_id)
        if found is None:
            if item_id not in self._adjacent:
                return {}
            places: dict[str, list[Edge]] = {}
            for edge in self.around(item_id):
                places.setdefault(edge.partition, []).append(edge)
            some = {place: nsmallest(WALKED_AT_ONCE, edges, key=strongest_first) for place, edges in places.items()}
            found = self._strongest[item_id] = {place: tuple(edges) for place, edges in some.items()}
        return found

    def around(self, item_id: str) -> Iterable[Edge]:
        """The edges of an item, in no order."""
        return self._adjacent.get(item_id, {}).values()

    def connect(self, edge: Edge, strength: float, now: float, by: str, cause: Cause = "link") -> Edge:
        """Put in a new edge, or strengthen the one that stands already, and give it back."""
        edge_id = self._identify(edge)
        twin = self._edges.get(edge_id)
        if twin is not None:
            self._strengthen(twin, max(twin.strength, self.policy.initial) + self.policy.confirm, cause, now, by)
            return twin
        edge.id = edge_id
        edge.first = strength
        edge.made = edge.touched = now
        edge.mark(strength, self.decay.level)
        self.pages.append(edge)
        self._take_up(edge)
        self._recorder.edge_moved(edge, cause, 0.0, strength, by)
        return edge

    def reinforce(self, edge: Edge, delta: float, now: float, by: str) -> None:
        """Add ``delta``."""
        self._strengthen(edge, edge.strength + delta, "reinforce", now, by)

    def use(self, edge: Edge, now: float, by: str) -> None:
        """Someone walked it: add δ·max(0, 1 - S/(2·S₀)) (chapter 2, "Using is reinforcing")."""
        strength = edge.strength
        gain = self.policy.use * (1 - strength / (2 * max(edge.first, self.policy.initial)))
        if gain > 0:
            self._strengthen(edge, strength + gain, "use", now, by)

    def within(self, place: str) -> list[Edge]:
        """The edges of a partition, in order. A walk over all there are: for what an operator seldom does."""
        return sorted((edge for edge in self._edges.values() if edge.partition == place), key=in_order)

    def move(self, moved: Mapping[str, str], cause: Cause, now: float, by: str, *, heir: tuple[str, str] | None = None) -> None:
        """Items have become others (former → present): their edges follow, each once; and all that is private of one agent is its heir's.

        Onto an edge that joins the same items, the stronger of the two stays.
        """
        owner, to = heir or ("", "")
        left = [] if heir is None else self.within(partition(owner, names.PRIVATE))
        for edge in sorted({*left, *(edge for item in moved for edge in self.around(item))}, key=in_order):
            a, b = moved.get(edge.a, edge.a), moved.get(edge.b, edge.b)
            if a == b:
                self.discard(edge)  # it joined the two that are one now
                continue
            strength = edge.strength
            self._let_go(edge)
            edge.a, edge.b = a, b
            if heir is not None and edge.scope == names.PRIVATE and edge.owner == owner:
                edge.belong(to)
            former, edge.id = edge.id, self._identify(edge)
            twin = self._edges.get(edge.id)
            if twin is not None:
                self.pages.remove(edge)
                edge.detach(strength)
                self._alias(twin, (*edge.formerly, former))
                self._strengthen(twin, max(twin.strength, strength), cause, now, by)
                continue
            self._take_up(edge)
            self._alias(edge, (former,))
            self.pages.touch(edge)
            self._recorder.edge_moved(edge, cause, strength, strength, by)

    def discard(self, edge: Edge) -> None:
        """Drop it for good."""
        strength = edge.strength
        self._let_go(edge)
        for former in edge.formerly:
            del self._aliases[former]
        self.pages.remove(edge)
        edge.detach(0.0)
        self._recorder.edge_moved(edge, "discard", strength, 0.0, "")

    def forget(self) -> None:
        """Drop what has faded."""
        for edge in self.fading.take_due():
            assert isinstance(edge, Edge)
            self.discard(edge)

    def change(self, policy: Policy, now: float) -> None:
        """From ``now`` on, another policy."""
        self.policy = policy
        self.decay.change(policy.rate, now)
        self.fading.threshold = policy.threshold

    def take_in(self, edge: Edge) -> None:
        """Take up an edge that was exported, as strong as it is."""
        edge.mark(edge.s, self.decay.level)
        self.pages.append(edge)
        self._take_up(edge)
        self._aliases.update(dict.fromkeys(edge.formerly, edge.id))

    def restore(self, pages: Mapping[str, bytes]) -> None:
        """Take up the edges of a snapshot."""
        for edge in edges_of(pages):
            self.pages.put(edge)
            self._take_up(edge)
            self._aliases.update(dict.fromkeys(edge.formerly, edge.id))

    def _identify(self, edge: Edge) -> str:
        return edge_identity(self._board, owner=edge.owner, scope=edge.scope, a=edge.a, b=edge.b, relation=edge.relation)

    def _strengthen(self, edge: Edge, strength: float, cause: Cause, now: float, by: str) -> None:
        old = edge.strength
        self._reorder(edge)
        edge.mark(strength, self.decay.level)
        edge.touched = now
        self.pages.touch(edge)
        self._recorder.edge_moved(edge, cause, old, strength, by)

    def _alias(self, edge: Edge, former: tuple[str, ...]) -> None:
        edge.formerly += former
        self._aliases.update(dict.fromkeys(edge.formerly, edge.id))

    def _take_up(self, edge: Edge) -> None:
        leads_to = self._aliases.pop(edge.id, None)
        if leads_to is not None:
            other = self._edges.get(leads_to, edge)  # itself, if it has its former id again
            other.formerly = tuple(former for former in other.formerly if former != edge.id)
            self.pages.touch(other)
        self._edges[edge.id] = edge
        self._reorder(edge)
        self._adjacent.setdefault(edge.a, {})[edge.id] = edge
        self._adjacent.setdefault(edge.b, {})[edge.id] = edge
        self.counts[edge.partition] += 1
        edge.decay = self.decay
        if edge.relation != FOLDED:
            self.fading.enter(edge)

    def _let_go(self, edge: Edge) -> None:
        del self._edges[edge.id]
        self._reorder(edge)
        for end in (edge.a, edge.b):
            del self._adjacent[end][edge.id]
            if not self._adjacent[end]:
                del self._adjacent[end]
        self.counts[edge.partition] -= 1
        if edge.relation != FOLDED:
            self.fading.leave()

    def _reorder(self, edge: Edge) -> None:
        """The strongest edges of its ends are to be looked for anew."""
        if self._strongest:
            self._strongest.pop(edge.a, None)
            self._strongest.pop(edge.b, None)


def strongest_first(edge: Edge) -> tuple[float, int]:
    """Sorts by it."""
    return -edge.strength, edge.ordinal
