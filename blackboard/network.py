"""The pheromone network: the three updates, and what happens by time alone (chapter 2). What may be asked of it stands in ``holdings``.

Laws:

- Every change of a strength is a deposit, a reinforcement or evaporation; ``moves`` tells it to the recorder with its cause.
- No loop over items stands on any path of decay or of what is due: evaporation moves one number a decay class.
- Time passes only by ``advance`` and ``evaporate``, and what happened by then depends on elapsed time alone.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import date

from blackboard.assembly import assemble
from blackboard.errors import BadValue, NotInView, NotYours
from blackboard.holdings import EdgeRef, ItemRef
from blackboard.items import ContextItem, Edge
from blackboard.kinds import STRONGEST, Policy, amount
from blackboard.lanes import Lane
from blackboard.renaming import Renaming
from blackboard.tokens import TokenCounter, count_tokens
from blackboard.waiting import folds
from bus import names
from bus.messages import Assemble, Assembled


class PheromoneNetwork(Renaming):
    """Items and edges whose strength says what matters.

    ``now`` and all times are rounds, or seconds on a wall clock (the policies then count in seconds). ``core``: from this strength on an
    item is *core*. Without a ``recorder`` the network keeps a ledger of its own, for ``explain``. What has faded and is related
    is folded when time is told to it, as ``summariser`` says it; without one (None), when ``fold`` is called. Wherever an id is taken, the
    object is taken too. Not safe for threads: one owner calls it.
    """

    # ---- the three updates --------------------------------------------------------------------------------------------------------------

    def deposit(self, item: ContextItem, *, initial_strength: float | None = None, by: str | None = None) -> ContextItem:
        """Put an item in, or confirm the one that says the same already; gives back the record that stands.

        Settles ``item.id``. ``by``: the item's owner, if not given. Raises ``UnknownKind``, ``BadValue``.
        """
        policy = self._policy(item.kind)
        initial = policy.initial if initial_strength is None else amount(initial_strength, "initial_strength")
        if item.expires_at is not None and not self.now < item.expires_at:
            raise BadValue(f"expires_at {item.expires_at!r} has passed already: it is {self.now!r}")
        if (item.decay is not None or item.shelved) and self._items.get(item.id) is not item:
            raise BadValue(f"{item!r} is in another network already: deposit a ContextItem of its own")
        by = item.owner if by is None else by
        item_id = item.id if item.decay is not None else item.identify(self.board)
        hard, twin = item.hard, self._twin(item_id, item.partition)
        if twin is None:
            twin = item
            self._make(twin, item_id, by, hard)
            self._begin(twin, initial, "deposit", by)
        elif twin.standing:
            self._restate_expiry(twin, item)
            twin.asserted(by, hard)
            self._confirm(twin, by)
        else:
            self._register.leave(twin)
            self._take_over(twin, item.owner)
            twin.expires_at = item.expires_at
            twin.asserted(by, hard)
            self._begin(twin, initial, "revive", by)
        self._supersede(twin, by)
        if item is not twin:
            item.id = twin.id
            item.detach(twin.strength)
        return twin

    def connect(
        self,
        a: ItemRef,
        b: ItemRef,
        *,
        initial_strength: float | None = None,
        relation: str | None = None,
        owner: str | None = None,
        scope: str = "private",
        by: str = "",
    ) -> Edge:
        """Associate two items; again: max(S, 1) + 0.2. The owner is ``a``'s, if not given. Raises ``NotInView``, ``BadValue``."""
        one, other = self.get(a), self.get(b)
        if one is other:
            raise BadValue(f"an edge joins two items, not {one!r} with itself")
        self._waiting.stir(one)
        strength = self._links.policy.initial if initial_strength is None else amount(initial_strength, "initial_strength")
        edge = Edge(one.id, other.id, relation=relation, owner=one.owner if owner is None else owner, scope=scope)
        return self._links.connect(edge, strength, self.now, by)

    def confirm(self, item: ItemRef, *, by: str = "") -> None:
        """It still holds: max(S, S₀) + 0.5. Raises ``NotInView``; ``BadValue`` for what does not stand."""
        self._confirm(self._standing(item), by)

    def reinforce(self, item: ItemRef, delta: float, *, by: str = "") -> None:
        """Add ``delta``. Raises ``NotInView``; ``BadValue`` for what does not stand, and for a delta that is no amount."""
        if type(delta) is not float or not 0.0 < delta <= STRONGEST:
            delta = amount(delta, "delta")
        found = self.known(item if isinstance(item, str) else item.id)
        if found is None or found.status != "standing":
            found = self._standing(item)
        old = found.strength
        self.strengthen(found, old, delta, by)
        self._recorder.moved(found, "reinforce", old, old + delta, by, delta=delta)

    def strengthen(self, item: ContextItem, old: float, delta: float, by: str) -> None:
        """``reinforce``, for who has made sure that the item stands in this network, ``old`` strong, and tells the recorder himself."""
        now, decay, new = self.now, item.decay, old + delta
        lane = self._open[item.kind]
        if lane.decay is not decay:
            lane = self._protected[item.kind]
        lane.rankings[item.partition].move(item, new, lane.decay.level)
        item.confirmed = item.touched = now
        item.confirmations += 1
        if new > old:
            item.contribute(by, "reinforce", new - old, now)
        self._pages.touch(item)

    def reinforce_edge(self, edge: EdgeRef, delta: float, *, by: str = "") -> None:
        """Add ``delta`` to an edge. Raises ``NotInView``, ``BadValue``."""
        amount(delta, "delta")
        self._links.reinforce(self.get_edge(edge), delta, self.now, by)

    def use(self, item: ItemRef, *, by: str = "") -> ContextItem:
        """Fetch an item to use it: adds δ·max(0, 1 - S/(2·S₀)); an archived one comes back at half its kind's initial strength.

        No evidence that it holds (chapter 2, "Using is reinforcing"). Raises ``NotInView``, ``BadValue``.
        """
        found = self.get(item)
        policy = self.kinds[found.kind]
        if found.status == "archived":
            self._register.leave(found)
            found.protected_until = self.now
            self._rise(found, policy.initial / 2, "revive", by)
            return found
        strength = self._standing(found).strength
        gain = policy.use * (1 - strength / (2 * self.s0(found)))
        if gain > 0:
            self._strengthen(found, strength, strength + gain, "use", by)
        return found

    load = use

    def assemble(
        self,
        query: str,
        max_tokens: int = 2000,
        reserved_tokens: int = 0,
        *,
        fill: bool = False,
        traces: bool = False,
        min_strength: float = 0.0,
        max_candidates: int = 150,
        today: date | None = None,
        count: TokenCounter = count_tokens,
        beside: str = "",
        use: bool = True,
        by: str = "",
    ) -> Assembled:
        """A section for a prompt about ``query``, of at most ``max_tokens - reserved_tokens`` as ``count`` counts them, and its account.

        What is in it is used, and so is each edge over which it was reached; unless ``use`` is False, which only looks. ``fill``: what
        remains is filled with the strongest; ``traces``: drafts may be in it, too; ``min_strength``: below it an item is too weak;
        ``max_candidates``: so many are considered; ``today``: what "tomorrow" in the query is relative to; ``beside``: what the prompt has
        besides, which is not said again, but for hard constraints. ``by`` reads it: what others own is marked as data. Raises ``BadValue``.
        """
        asked = Assemble(query, max_tokens, reserved_tokens, fill, traces, min_strength, max_candidates, today, beside)
        assembled = assemble(self, asked, reader=by, count=count)
        if use:
            for item in assembled.items:
                self.use(item, by=by)
            for edge in assembled.edges:
                self.use_edge(edge, by=by)
        return assembled

    def use_edge(self, edge: EdgeRef, *, by: str = "") -> None:
        """An edge was walked to something that is used. Raises ``NotInView``."""
        self._links.use(self.get_edge(edge), self.now, by)

    def evaporate(self, rate: float | None = None) -> None:
        """One round: by each class's policy, or at one ``rate`` for everything, protected or not. Raises ``BadValue``."""
        if rate is None:
            self.advance(self.now + 1)
            return
        if not 0 <= rate < 1:
            raise BadValue(f"an evaporation rate is at least 0 and below 1, not {rate!r}")
        self.now += 1
        for decay in self._classes().values():
            decay.evaporate(rate, self.now)
        self._settle(self._lanes())

    def advance(self, to: float) -> None:
        """Let time pass by policy: evaporation, protections that end, items and edges that fade, items that expire.

        Raises ``BadValue`` for the past.
        """
        if not self.now <= to < math.inf:
            raise BadValue(f"time does not run from {self.now!r} to {to!r}")
        if to == self.now:
            return
        self.now = float(to)
        for decay in self._classes().values():
            decay.advance(to)
        self._settle(self._open.values())

    # ---- other acts ---------------------------------------------------------------------------------------------------------------------

    def share(self, item: ItemRef, *, by: str) -> ContextItem:
        """Move a private item to its shared id, or join it with the shared item that says the same. Raises ``NotInView``, ``BadValue``."""
        found = self._standing(item)
        if found.scope == names.SHARED:
            return found
        strength, former = found.strength, {**found.formerly, found.id: found.partition}
        former_id, shared_id = found.id, found.identify(self.board, scope=names.SHARED)
        twin = self._twin(shared_id, names.SHARED)
        if twin is None:
            self._move_to_shared(found, shared_id, by)
            twin = found
        else:
            self._join(found, twin, strength, by)
        self._lead(twin, {**twin.formerly, **former})
        self._links.move({former_id: twin.id}, "share", self.now, by)
        self._supersede(twin, by)
        return twin

    def retract(self, item: ItemRef, *, by: str) -> None:
        """Withdraw one's assertion: the owner's item passes to the next asserter, and with the last one the item is released.

        What is archived is asserted still (a hard constraint binds from there). Raises ``NotInView``, ``NotYours``, ``BadValue``.
        """
        found = self.get(item)
        if not found.present:
            raise BadValue(f"the item is {found.status}: there is nothing to withdraw")
        if by not in found.asserters:
            raise NotYours(f"{by!r} has not said {found!r}: only what one has said oneself can be withdrawn")
        self._unsay(found, by, "released", "retract")

    def supersede(self, item: ItemRef, *, by: str) -> None:
        """``by`` says it no longer, since something newer takes its place; nothing, if that is so already."""
        with suppress(NotInView):
            found = self.get(item)
            if found.present and by in found.asserters:
                self._unsay(found, by, "superseded", "supersede")

    def erase(self, item: ItemRef, *, by: str = "") -> tuple[str, ...]:
        """Drop an item for good, whatever its status, and its edges; all ids that it ever had. Raises ``NotInView``.

        With it go the summaries that say what it said; what else they stood for waits for another.
        """
        gone = [self.get(item)]
        for each in gone:
            gone += (summary for summary in self.summaries_of(each) if summary not in gone)
        for summary in gone[1:]:
            self._unfold(summary)
        ids = [each_id for each in gone for each_id in (each.id, *each.formerly)]
        for each in reversed(gone):
            self._drop(each, "erase", by)
        return tuple(ids)

    def set_kinds(self, kinds: Mapping[str, Policy], edge: Policy) -> None:
        """Let these be all kinds, and this the policy of edges, from now on.

        Strengths go on from where they are, protections as they were begun; what is below a new threshold fades with the next step of time.
        Raises ``BadValue`` if a kind goes that has items.
        """
        for name in self.kinds:
            if name not in kinds and self.holds(name):
                raise BadValue(f"kind {name!r} has items: keep it until they are gone")
        turned = [name for name in kinds if folds(name, kinds) != folds(name, self.kinds)]
        self.kinds = self._waiting.kinds = dict(kinds)
        for item in [item for name in turned for item in self._register.past(name)]:  # a walk, but of what an operator seldom does
            self._waiting.leave(item)
            self._waiting.enter(item)
        self._open = {name: self._changed(self._open.get(name), kind, kind.rate) for name, kind in kinds.items()}
        self._protected = {name: self._changed(self._protected.get(name), kind, 0.0) for name, kind in kinds.items()}
        self._links.change(edge, self.now)

    def _changed(self, lane: Lane | None, policy: Policy, rate: float) -> Lane:
        if lane is None:
            return Lane(policy, rate, self.now)
        lane.change(policy, rate, self.now)
        return lane

    def touched(self, item: ContextItem) -> None:
        """Its ``marks`` were changed from outside: the next snapshot holds it."""
        self._pages.touch(item)
