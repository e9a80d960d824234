"""How an item moves within a network: it rises, grows stronger, fades, passes to another, and leaves. When, ``network`` decides.

Laws:

- Every move is told to the recorder with its cause, after the state has changed.
- A new item is protected: it waits in a class of rate 0, and moves to its kind's class at exactly the time when its protection ends.
- What fades and is to be folded is archived, and waits until it has a relative: nothing that it said is lost meanwhile, nor afterwards.
- What does not stand has no strength. It stays in the history, unless its kind is discarded, and what it says goes into the archive.
- Nobody says two values for one slot: who says the newer one has withdrawn the older.
- A summary says nothing for long that no longer holds: it gives way to one of what is left, which takes its strength over, or to nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import heappush

from blackboard.errors import BadValue
from blackboard.holdings import ItemRef
from blackboard.identity import partition
from blackboard.items import ContextItem, Edge, in_order
from blackboard.kinds import SUMMARY
from blackboard.lanes import Lane, level_below
from blackboard.persistence import Persistent
from blackboard.register import slot_of
from blackboard.waiting import FOLDED, summary_of, waits
from bus import names
from bus.messages import Cause, Status


class Moves(Persistent):
    """Holdings that move."""

    def withdraw(self, item: ItemRef, status: Status, cause: Cause, *, by: str = "") -> None:
        """Take an item out of the ranking and keep it in the history, as ``status``. Raises ``NotInView``."""
        found = self.get(item)
        old = found.strength
        self._register.leave(found)
        if found.standing:
            self._lane(found).leave(found)
        found.detach(0.0)
        found.status = status
        found.shelve(self.archive)
        found.touched = self.now
        self._register.enter(found)
        self._pages.touch(found)
        self._recorder.moved(found, cause, old, 0.0, by)
        if not found.present:
            self._outdate(found)

    def fold(self, items: Iterable[ItemRef], content: str) -> ContextItem | None:
        """Let a summary that says ``content`` stand for related items, which stay in the archive, each at an edge of the summary's.

        If they do not all wait for that any more, as one group, nothing happens, and the answer is None.
        """
        ids = [each if isinstance(each, str) else each.id for each in items]
        found = [self._items.get(each) or self.led(each) for each in ids]
        group = tuple(sorted({each for each in found if each is not None and waits(each, self.kinds)}, key=in_order))
        if not 1 < len(group) == len(found) or len({(each.partition, each.owner) for each in group}) > 1:
            return None
        said = summary_of(group, content)
        item_id, initial = said.identify(self.board), self.kinds[SUMMARY].initial
        former = dict.fromkeys(each for original in group for each in self.summaries_of(original))
        summary = self._twin(item_id, said.partition)
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
        for each in former:
            if each is not summary and each.present and each.partition == said.partition and self._is_outdated(each):
                old, strength = summary.strength, each.strength
                self._unsay(each, each.owner, "superseded", "supersede")
                if not each.present and strength > old and summary.partition == said.partition:
                    self._strengthen(summary, old, strength, "fold", "")
        return summary

    def _outdate(self, original: ContextItem) -> None:
        """What summaries say of it holds no longer. They stand until what else they were made of is folded anew, if it can be.

        What one has shared since does not follow what one keeps private.
        """
        for summary in self.summaries_of(original):
            if summary.present and original.partition in {summary.partition, names.SHARED}:
                left = Counter(each.owner for each in self._unfold(summary) if each.partition == summary.partition)
                if not summary.standing or max(left.values(), default=0) < 2:
                    self._unsay(summary, summary.owner, "superseded", "supersede")

    def _is_outdated(self, summary: ContextItem) -> bool:
        return not all(original.present for original in self.originals_of(summary))

    def _unfold(self, summary: ContextItem) -> list[ContextItem]:
        """Let what a summary was made of wait for another: all of it that does."""
        originals = self.originals_of(summary)
        for each in originals:
            if each.folded:
                each.folded = False
                self._waiting.enter(each)
                self._pages.touch(each)
        return [each for each in originals if waits(each, self.kinds)]

    # ---- what happens by time alone -----------------------------------------------------------------------------------------------------

    def _settle(self, lanes: Iterable[Lane]) -> None:
        """Do what has become due; in these lanes items fade. What is protected cannot fade by policy, however weak it began."""
        levels: dict[float, float] = {}
        for item in self._protections.take_due(self.now):
            before, after = self._protected[item.kind], self._open[item.kind]
            before.leave(item)
            level = after.decay.level_at(item.protected_until) + (item.d - before.decay.level)
            after.enter(item, item.s, levels.setdefault(level, level))  # one number for all that were let go together
            self._pages.touch(item)
        faded = [each for lane in lanes for each in lane.fading.take_due()]
        for each in sorted(faded, key=in_order):
            assert isinstance(each, ContextItem)
            if not each.standing:
                continue  # a summary of what has just expired
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
        item.confirmations, item.asserters = 0, {}  # whatever it was elsewhere
        if item.formerly:
            item.formerly = {}
        item.asserted(asserter, hard)
        item.forget_contributions()
        self._items[item_id] = item
        self._pages.append(item)
        self._register.learn(item)

    def _begin(self, item: ContextItem, initial: float, cause: Cause, by: str) -> None:
        """A first deposit, or what counts as one."""
        item.keep_contributions()
        item.first = initial
        item.confirmed = self.now
        item.protected_until = self._protections.end(self.now + self.kinds[item.kind].protect)
        self._rise(item, initial, cause, by)

    def _rise(self, item: ContextItem, strength: float, cause: Cause, by: str) -> None:
        """Let an item stand that did not."""
        item.unshelve()
        item.status = "standing"
        item.folded = False
        protected = item.protected_until > self.now
        lane = (self._protected if protected else self._open)[item.kind]
        lane.enter(item, strength, lane.decay.level)
        if protected:
            self._protections.enter(item)
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
        # What is joined brings its own contributions along.
        gain = (delta or 0.0) if cause in {"share", "merge"} else new - old if old else new
        if gain > 0 and cause != "fold":  # a summary is nobody's contribution
            item.contribute(by, cause, gain, self.now)
        self._pages.touch(item)
        self._recorder.moved(item, cause, old, new, by, delta=delta)

    def _lead(self, item: ContextItem, former: Mapping[str, str]) -> None:
        """Let these ids lead to an item, each those who see a partition, and no others; but for what is another's there."""
        for each, whose in item.formerly.items():
            del self.aliases[whose][each]
        item.formerly = {each: whose for each, whose in former.items() if each != item.id and not self._is_taken(each, whose)}
        for each, whose in item.formerly.items():
            self.aliases.setdefault(whose, {})[each] = item
        self._pages.touch(item)

    def _is_taken(self, item_id: str, place: str) -> bool:
        """Has an item of that partition the id, or does it lead those who see it to one?"""
        there = self._items.get(item_id)
        return item_id in self.aliases.get(place, ()) or (there is not None and there.partition == place)

    def _free(self, item_id: str, place: str) -> None:
        """Let an id lead those nowhere who see a partition: something new of it is to have the id."""
        leads_to = self.aliases.get(place, {}).get(item_id)
        if leads_to is not None:
            self._lead(leads_to, {former: whose for former, whose in leads_to.formerly.items() if former != item_id})

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
            self._register.reword(item)  # it is found by who says it
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
        twin.keep_contributions()
        if twin.status != "archived":
            twin.owner = owner
            twin.asserters = {}

    def _drop(self, item: ContextItem, cause: Cause, by: str) -> None:
        """Drop an item for good, and its edges."""
        strength = item.strength
        edges = self._links.of(item.id)
        self._remove(item)
        item.detach(0.0)
        item.status = "discarded"
        item.touched = self.now
        self._recorder.moved(item, cause, strength, 0.0, by)
        for edge in edges:
            self._links.discard(edge)

    def _remove(self, item: ContextItem) -> None:
        """Take an item out of everything but its edges; the record itself has again what it says."""
        item.unshelve()
        if item.standing:
            self._lane(item).leave(item)
        self._register.leave(item)
        self._register.forget(item)
        if item.formerly:
            self._lead(item, {})
        self._pages.remove(item)
        del self._items[item.id]

    def _standing(self, item: ItemRef) -> ContextItem:
        found = self.get(item)
        if not found.standing:
            cure = "use it to bring it back, or deposit it again" if found.status == "archived" else "deposit it again if it holds still"
            raise BadValue(f"the item is {found.status}: {cure}")
        return found

    def _twin(self, item_id: str, place: str) -> ContextItem | None:
        """What says the same in a partition already. A former id leads to its item while that stands; after that it is free again."""
        twin = self._items.get(item_id) or self.aliases.get(place, {}).get(item_id)
        if twin is None or twin.id == item_id or twin.standing:
            return twin
        self._free(item_id, place)
        return None
