"""What becomes of items whose key gets another name, or that of another key; and of what is private of an agent, when it is another's.

Laws:

- An item's id follows from what it is, so it changes with the key, and with the owner; its edges follow, and the ids that it had lead to
  it those who saw them, or who have come into their place.
- Two that say the same from then on are one. No strength is lost, and none counts twice: it is not said once more.
- Of two values for a slot, each of their sayers has withdrawn the one that was confirmed less recently.
"""

from collections.abc import Iterable

from blackboard.errors import BadValue
from blackboard.identity import folded_name, partition
from blackboard.items import ContextItem, in_order
from blackboard.moves import Moves
from blackboard.register import Slot, slot_of
from bus import names
from bus.messages import Cause


class Renaming(Moves):
    """Moves of all items of a key, or of an owner, at once."""

    def rename_key(self, key: str, to: str, *, by: str = "") -> dict[str, str]:
        """Let every item of a key, whatever its status, be one of the key ``to``; the id that each had → the one that it has.

        Two that say the same from then on are one, with the strength of the stronger. Of two values for a slot, each of their sayers has
        withdrawn the older. Former ids go on leading to their items. Raises ``BadValue`` if there is nothing to rename.
        """
        key, to = folded_name(key), folded_name(to)
        found = list(self.about(key))
        if not found:
            raise BadValue(f"key {key!r} has no items to rename: keys() lists those that have")
        if key == to:
            raise BadValue(f"key {key!r} is {to!r} already: give another")
        moved = self._reidentify(found, "rename", by, key=to)
        ids = {former: item.id for former, item in moved.items()}
        self._links.move(ids, "rename", self.now, by)
        self._settle_slots(moved.values(), by)
        return ids

    def hand_over(self, owner: str, to: str, *, by: str = "") -> dict[str, str]:
        """Let all that is private of ``owner`` be private of ``to``; the id that each item had → the one that it has, as ``rename_key``.

        All former ids that led ``owner`` to an item, to a shared one too, lead ``to`` there. There may be nothing. Raises ``BadValue``.
        """
        if owner == to:
            raise BadValue(f"what is private of {owner!r} is {to!r}'s already: give another")
        place, heir = partition(owner, names.PRIVATE), partition(to, names.PRIVATE)
        moved = self._reidentify(list(self.made_after(-1, (place,))), "handover", by, owner=to)
        ids = {former: item.id for former, item in moved.items()}
        for item in self._led_from(place):
            self._lead(item, {each: heir if whose == place else whose for each, whose in item.formerly.items()})
        self._links.move(ids, "handover", self.now, by, heir=(owner, to))
        self._settle_slots(moved.values(), by)
        return ids

    def erase_owned(self, owner: str, *, by: str = "") -> tuple[str, ...]:
        """Drop all that is private of an agent for good: items, whatever their status, and edges; all ids that the items ever had.

        What it has shared is not private, be it a summary; but no id from before leads there.
        """
        place = partition(owner, names.PRIVATE)
        gone = list(self.made_after(-1, (place,)))
        ids = [each for item in gone for each in (item.id, *item.formerly)]
        for item in reversed(gone):
            self._drop(item, "erase", by)
        for edge in self._links.within(place):
            self._links.discard(edge)
        for item in self._led_from(place):
            ids += (each for each, whose in item.formerly.items() if whose == place)
            self._lead(item, {each: whose for each, whose in item.formerly.items() if whose != place})
        return tuple(ids)

    def _led_from(self, place: str) -> list[ContextItem]:
        """The items that former ids lead those to who see a partition, in order of making."""
        return sorted(set(self.aliases.get(place, {}).values()), key=in_order)

    def _reidentify(
        self, items: Iterable[ContextItem], cause: Cause, by: str, *, key: str | None = None, owner: str | None = None
    ) -> dict[str, ContextItem]:
        """Let items be of another key or owner; the id that each had → what stands for it from now on."""
        return {
            item.id: self._become(item, item.identify(self.board, key=key, owner=owner, content=said[0]), cause, by, key=key, owner=owner)
            for item, said in self._register.said(items)
        }

    def _become(self, item: ContextItem, item_id: str, cause: Cause, by: str, *, key: str | None, owner: str | None) -> ContextItem:
        """Let an item have another id, and be one with the item there, which then says the same; what stands for it from now on.

        That is the one in force, if only one is. No strength is lost, and none counts twice: the stronger one's is that of both.
        """
        place = item.partition
        there = place if owner is None else partition(owner, item.scope)
        self._free(item_id, there)
        former = {each: there if whose == place else whose for each, whose in (*item.formerly.items(), (item.id, place))}
        stays, goes = item, self._items.get(item_id)
        if goes is not None:
            former |= goes.formerly
            if _force(goes) >= _force(item):
                stays, goes = goes, item
        old = strength = stays.strength
        if goes is not None:
            strength = max(old, goes.strength)
            self._remove(goes)
        if stays.standing:
            self._lane(stays).leave(stays)
        self._register.reword(stays)
        self._register.leave(stays)
        self._register.forget(stays)
        del self._items[stays.id]
        if owner is not None:
            item.pass_on(owner)
        stays.id = item_id
        if key is not None:
            stays.key = key
        if goes is not None:
            self._merge(goes, stays)
        self._items[item_id] = stays
        self._register.learn(stays)
        self._register.enter(stays)
        if stays.standing:
            self._lane(stays).resume(stays)
        if strength > old:
            self._lane(stays).strengthen(stays, strength)
        self._lead(stays, {**stays.formerly, **former})
        self._moved(stays, cause if stays is item else "merge", old, strength, by)
        return stays

    def _merge(self, goes: ContextItem, stays: ContextItem) -> None:
        """All that is known of one item is known of the other, which says the same; it ends when neither would stand."""
        if goes.present:
            for agent, hard in goes.asserters.items():
                stays.asserted(agent, hard or stays.asserters.get(agent, False))
            one, other = goes.expires_at, stays.expires_at
            stays.expires_at = None if one is None or other is None else max(one, other)
            stays.folded = not stays.standing and (stays.folded or goes.folded)
            self._await_expiry(stays)
        for (agent, cause), share in goes.contributions.items():
            stays.contribute(agent, cause, share.amount, share.last, share.count)
        stays.confirmed = max(stays.confirmed, goes.confirmed)
        stays.confirmations += goes.confirmations
        goes.id, goes.status = stays.id, "discarded"
        goes.detach(0.0)

    def _settle_slots(self, moved: Iterable[ContextItem], by: str) -> None:
        for slot in dict.fromkeys(slot_of(item) for item in moved if item.present):
            if slot is not None:
                self._settle_slot(slot, by)

    def _settle_slot(self, slot: Slot, by: str) -> None:
        """Of a slot's values each stays with who said it last."""
        sayers: set[str] = set()
        owners: set[str] = set()
        for item in sorted(self._register.slot(slot), key=lambda each: (each.confirmed, each.ordinal), reverse=True):
            said, owner = tuple(item.asserters), item.owner
            for sayer in said:
                if sayer in sayers:
                    self._unsay(item, sayer, "superseded", "supersede")
            if item.present and item.owner in owners:
                self.withdraw(item, "superseded", "supersede", by=by)
            sayers.update(said)
            owners.add(owner)


def _force(item: ContextItem) -> int:
    """How much an item is in force: it stands, or may come back, or is history."""
    return item.standing + item.present
