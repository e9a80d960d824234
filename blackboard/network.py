"""The pheromone network: the three updates, and what happens by time alone (chapter 2). What may be asked of it stands in ``holdings``.

Laws:

- Every change of a strength is a deposit, a reinforcement or evaporation, and is told to the recorder with its cause.
- No loop over items stands on any path of decay or of what is due: evaporation moves one number a decay class.
- Time passes only by ``advance`` and ``evaporate``, and what happened by then depends on elapsed time alone.
- A new item is protected: it waits in a class of rate 0, and moves to its kind's class at exactly the time when its protection ends.
- What fades and is to be folded is archived, and waits until it has a relative: nothing that it said is lost meanwhile, nor afterwards.
- What does not stand has no strength. It stays in the history, unless its kind is discarded.
- Nobody says two values for one slot: who says the newer one has withdrawn the older.
"""

import math
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from blackboard.errors import BadValue, NotYours
from blackboard.holdings import EdgeRef, Holdings, ItemRef
from blackboard.items import ContextItem, Edge, partition
from blackboard.kinds import SUMMARY, Policy, amount
from blackboard.lanes import Lane, level_below
from blackboard.links import FOLDED
from blackboard.register import in_order, slot_of
from blackboard.waiting import folds, summary_of, waits
from bus import names
from bus.messages import Cause, Status


class PheromoneNetwork(Holdings):
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
        if item.decay is not None and self._items.get(item.id) is not item:
            raise BadValue(f"{item!r} is in another network already: deposit a ContextItem of its own")
        by = item.owner if by is None else by
        item_id = item.id if item.decay is not None else item.identify(self.board)
        hard, twin = item.hard, self._twin(item_id)
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
        amount(delta, "delta")
        found = item if isinstance(item, ContextItem) and self._fades_here(item) else self._standing(item)
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
        self._links.reinforce(self._edge(edge), delta, self.now, by)

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

    def use_edge(self, edge: EdgeRef, *, by: str = "") -> None:
        """An edge was walked to something that is used. Raises ``NotInView``."""
        self._links.use(self._edge(edge), self.now, by)

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
        former, strength = found.id, found.strength
        shared_id = found.identify(self.board, scope=names.SHARED)
        twin = self._items.get(shared_id)
        if twin is None:
            self._move_to_shared(found, shared_id, by)
            twin = found
        else:
            self._join(found, twin, strength, by)
        twin.formerly += (former,)
        self.aliases[former] = shared_id
        self._links.move_ends(former, shared_id, self.now, by)
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

    def erase(self, item: ItemRef, *, by: str = "") -> tuple[str, ...]:
        """Drop an item for good, whatever its status, and its edges; all ids that it ever had. Raises ``NotInView``.

        With it go the summaries that say what it said; what else they stood for waits for another.
        """
        gone = [self.get(item)]
        for each in gone:
            gone += (summary for summary in self.summaries_of(each) if summary not in gone)
        for summary in gone[1:]:
            for edge in self.edges_of(summary):
                original = self._items[edge.b]
                if edge.relation == FOLDED and original.folded:
                    original.folded = False
                    self._waiting.enter(original)
                    self._pages.touch(original)
        ids = [each_id for each in gone for each_id in (each.id, *each.formerly)]
        for each in reversed(gone):
            self._drop(each, "erase", by)
        return tuple(ids)

    def withdraw(self, item: ItemRef, status: Status, cause: Cause, *, by: str = "") -> None:
        """Take an item out of the ranking and keep it in the history, as ``status``. Raises ``NotInView``."""
        found = self.get(item)
        old = found.strength
        self._register.leave(found)
        if found.standing:
            self._lane(found).leave(found)
        found.detach(0.0)
        found.status = status
        found.touched = self.now
        self._register.enter(found)
        self._pages.touch(found)
        self._recorder.moved(found, cause, old, 0.0, by)

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

    def fold(self, items: Iterable[ItemRef], content: str) -> ContextItem | None:
        """Let a summary that says ``content`` stand for related items, which stay in the archive, each at an edge of the summary's.

        If they do not all wait for that any more, as one group, nothing happens, and the answer is None.
        """
        found = [self._items.get(self.aliases.get(each, each) if isinstance(each, str) else each.id) for each in items]
        group = tuple(sorted({each for each in found if each is not None and waits(each, self.kinds)}, key=in_order))
        if not 1 < len(group) == len(found) or len({(each.partition, each.owner) for each in group}) > 1:
            return None
        said = summary_of(group, content)
        item_id, initial = said.identify(self.board), self.kinds[SUMMARY].initial
        summary = self._twin(item_id)
        if summary is None:
            summary = said
            self._make(summary, item_id, said.owner, hard=False)
            self._begin(summary, initial, "fold", "")
        elif not summary.standing:
            self._register.leave(summary)
            self._take_over(summary, said.owner)
            summary.asserted(said.owner, summary.asserters.get(said.owner, False))
            summary.expires_at = None
            self._begin(summary, initial, "fold", "")
        elif summary.partition == said.partition:  # what one has shared since does not grow from what one keeps private
            old = summary.strength
            self._strengthen(summary, old, max(old, self.s0(summary)), "fold", "")
        for each in group:
            if each is not summary:
                self._waiting.leave(each)
                each.folded = True
                self._moved(each, "fold", 0.0, 0.0, "")
                edge = Edge(summary.id, each.id, relation=FOLDED, owner=said.owner, scope=said.scope)
                self._links.connect(edge, self._links.policy.initial, self.now, "", "fold")
        return summary

    def touched(self, item: ContextItem) -> None:
        """Its ``marks`` were changed from outside: the next snapshot holds it."""
        self._pages.touch(item)

    # ---- what happens by time alone -----------------------------------------------------------------------------------------------------

    def _settle(self, lanes: Iterable[Lane]) -> None:
        """Do what has become due; in these lanes items fade. What is protected cannot fade by policy, however weak it began."""
        levels: dict[float, float] = {}
        while self._protections and self._protections[0][0] <= self.now:
            entry = heappop(self._protections)
            if self._is_protected(*entry):
                until, _, item = entry
                before, after = self._protected[item.kind], self._open[item.kind]
                before.leave(item)
                level = after.decay.level_at(until) + (item.d - before.decay.level)
                after.enter(item, item.s, levels.setdefault(level, level))  # one number for all that were let go together
                self._pages.touch(item)
        faded = [each for lane in lanes for each in lane.fading.take_due()]
        for each in sorted(faded, key=in_order):
            assert isinstance(each, ContextItem)
            if self._expired_first(each):
                self.withdraw(each, "expired", "expire")
            elif self.kinds[each.kind].then == "discard":
                self._drop(each, "discard", "")
            else:
                self.withdraw(each, "archived", "archive")
        while self._next_expiry() <= self.now:
            self.withdraw(self._expiries[0][2], "expired", "expire")
        self._links.forget()
        while self._summariser is not None and (groups := self.foldings()):
            for group in groups:
                content = self._summariser.summarise(group)
                if not isinstance(content, str) or not content.strip():
                    raise BadValue(f"summariser {self._summariser!r} gave {content!r}: a network without a board needs a text, at once")
                self.fold(group, content)

    def _expired_first(self, item: ContextItem) -> bool:
        """Did what has faded by now expire before it faded? (Asked of each item: how time was cut into steps must not show in others.)"""
        faded = self._open[item.kind].decay.reaches(level_below(item.u, self.kinds[item.kind].threshold))
        return item.expires_at is not None and item.expires_at <= min(faded, self.now)

    def _await_expiry(self, item: ContextItem) -> None:
        if item.expires_at is not None:
            heappush(self._expiries, (item.expires_at, item.ordinal, item))

    def _restate_expiry(self, item: ContextItem, said: ContextItem) -> None:
        """Its owner may let it end at another time; others, who only say that it holds, may not."""
        if said.expires_at not in {None, item.expires_at} and said.owner == item.owner:
            item.expires_at = said.expires_at
            self._await_expiry(item)

    # ---- how an item moves --------------------------------------------------------------------------------------------------------------

    def _make(self, item: ContextItem, item_id: str, asserter: str, hard: bool) -> None:
        """Take in an item that is not here yet."""
        item.id = item_id
        item.made = self.now
        item.confirmations, item.formerly, item.asserters = 0, (), {}  # whatever it was elsewhere
        item.asserted(asserter, hard)
        item.forget_contributions()
        self._items[item_id] = item
        self._pages.append(item)
        self._register.learn(item)

    def _begin(self, item: ContextItem, initial: float, cause: Cause, by: str) -> None:
        """A first deposit, or what counts as one."""
        item.first = initial
        item.confirmed = self.now
        until = self.now + self.kinds[item.kind].protect
        self._until = until if until != self._until else self._until  # one number for all that are protected alike
        item.protected_until = self._until
        self._rise(item, initial, cause, by)

    def _rise(self, item: ContextItem, strength: float, cause: Cause, by: str) -> None:
        """Let an item stand that did not."""
        item.status = "standing"
        item.folded = False
        protected = item.protected_until > self.now
        lane = (self._protected if protected else self._open)[item.kind]
        lane.enter(item, strength, lane.decay.level)
        if protected:
            heappush(self._protections, (item.protected_until, item.ordinal, item))
        self._await_expiry(item)
        self._register.enter(item)
        self._moved(item, cause, 0.0, strength, by)

    def _confirm(self, item: ContextItem, by: str) -> None:
        delta, strength = self.kinds[item.kind].confirm, item.strength
        self._strengthen(item, strength, max(strength, self.s0(item)) + delta, "confirm", by, delta)

    def _strengthen(self, item: ContextItem, old: float, strength: float, cause: Cause, by: str, confirms: float | None = None) -> None:
        """Let a standing item, ``old`` strong, be ``strength`` strong. If it was confirmed, ``confirms`` is what that was to add."""
        self._lane(item).strengthen(item, strength)
        if confirms is not None:
            item.confirmed = self.now
            item.confirmations += 1
        self._moved(item, cause, old, strength, by, delta=confirms)

    def _moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, *, delta: float | None = None) -> None:
        item.touched = self.now
        gain = (delta or 0.0) if cause == "share" else new - old  # what is shared brings its own contributions along
        if gain > 0 and cause != "fold":  # a summary is nobody's contribution
            item.contribute(by, cause, gain, self.now)
        self._pages.touch(item)
        self._recorder.moved(item, cause, old, new, by, delta=delta)

    def _supersede(self, newer: ContextItem, by: str) -> None:
        """A value of a slot supersedes what its sayer, or in whose name it is said, said before; also if that is archived by now."""
        slot = slot_of(newer)
        for older in self._register.slot(slot) if slot is not None else ():
            if older is newer:
                continue
            if by in older.asserters:
                self._unsay(older, by, "superseded", "supersede")
            elif older.owner == newer.owner:
                self.withdraw(older, "superseded", "supersede", by=by)

    def _unsay(self, item: ContextItem, by: str, status: Status, cause: Cause) -> None:
        """``by`` says it no longer: the item passes to the next who does, and with the last one it is ``status``."""
        item.unsaid(by)
        if not item.asserters:
            self.withdraw(item, status, cause, by=by)
            return
        if item.owner == by:
            self._register.leave(item)
            item.owner = next(iter(item.asserters))
            self._register.enter(item)
        strength = item.strength
        self._moved(item, cause, strength, strength, by)

    def _move_to_shared(self, item: ContextItem, shared_id: str, by: str) -> None:
        lane = self._lane(item)
        lane.leave(item)
        self._register.leave(item)
        del self._items[item.id]
        item.id, item.scope, item.partition = shared_id, names.SHARED, partition(item.owner, names.SHARED)
        self._items[shared_id] = item
        self._register.enter(item)
        lane.resume(item)
        item.touched = self.now
        self._pages.touch(item)
        self._recorder.moved(item, "share", item.strength, item.strength, by)

    def _join(self, item: ContextItem, twin: ContextItem, strength: float, by: str) -> None:
        """Let a private item go into the shared one that says the same."""
        until = item.protected_until
        self._remove(item)
        item.id, item.status = twin.id, "discarded"
        item.detach(strength)
        if not twin.standing:
            self._register.leave(twin)
            self._take_over(twin, item.owner)
        for agent, hard in item.asserters.items():
            twin.asserted(agent, hard or twin.asserters.get(agent, False))
        for (agent, cause), share in item.contributions.items():
            twin.contribute(agent, cause, share.amount, share.last, share.count)
        if twin.standing:
            self._restate_expiry(twin, item)
            delta, old = self.kinds[twin.kind].confirm, twin.strength
            self._strengthen(twin, old, max(old, strength) + delta, "share", by, delta)
        else:
            twin.first, twin.confirmed, twin.protected_until, twin.expires_at = item.first, item.confirmed, until, item.expires_at
            self._rise(twin, strength, "share", by)

    @staticmethod
    def _take_over(twin: ContextItem, owner: str) -> None:
        """Somebody says what is history: it is theirs from now on. What merely faded, its asserters never took back."""
        if twin.status != "archived":
            twin.owner = owner
            twin.asserters = {}

    def _drop(self, item: ContextItem, cause: Cause, by: str) -> None:
        """Drop an item for good, and its edges."""
        strength = item.strength
        edges = self._links.of(item.id)
        self._remove(item)
        for former in item.formerly:
            del self.aliases[former]
        item.detach(0.0)
        item.status = "discarded"
        item.touched = self.now
        self._recorder.moved(item, cause, strength, 0.0, by)
        for edge in edges:
            self._links.discard(edge)

    def _remove(self, item: ContextItem) -> None:
        """Take an item out of everything but its edges."""
        if item.standing:
            self._lane(item).leave(item)
        self._register.leave(item)
        self._register.forget(item)
        self._pages.remove(item)
        del self._items[item.id]

    def _fades_here(self, item: ContextItem) -> bool:
        """Does the item stand in this network? Its decay class tells, without looking anything up by id."""
        lane = self._open.get(item.kind)
        return lane is not None and item.decay is not None and item.decay in (lane.decay, self._protected[item.kind].decay)

    def _standing(self, item: ItemRef) -> ContextItem:
        found = self.get(item)
        if not found.standing:
            cure = "use it to bring it back, or deposit it again" if found.status == "archived" else "deposit it again if it holds still"
            raise BadValue(f"the item is {found.status}: {cure}")
        return found

    def _twin(self, item_id: str) -> ContextItem | None:
        """What says the same already. The id of something shared leads there while that stands; after that it is free again."""
        shared_id = self.aliases.get(item_id)
        if shared_id is None:
            return self._items.get(item_id)
        twin = self._items[shared_id]
        if twin.standing:
            return twin
        del self.aliases[item_id]
        twin.formerly = tuple(former for former in twin.formerly if former != item_id)
        self._pages.touch(twin)
        return None
