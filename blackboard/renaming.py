"""What becomes of items whose key gets another name, or that of another key.

Laws:

- An item's id follows from what it is, so it changes with the key; its edges follow, and the ids that it had lead to it.
- Two that say the same from then on are one. No strength is lost, and none counts twice: it is not said once more.
- Of two values for a slot, each of their sayers has withdrawn the one that was confirmed less recently.
"""

from blackboard.errors import BadValue
from blackboard.identity import folded_name
from blackboard.items import ContextItem
from blackboard.moves import Moves
from blackboard.register import Slot, slot_of


class Renaming(Moves):
    """Moves of all items of a key at once."""

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
        moved = {item.id: self._rename(item, to, by) for item in found}
        for slot in dict.fromkeys(slot_of(item) for item in moved.values() if item.present):
            if slot is not None:
                self._settle_slot(slot, by)
        return {former: item.id for former, item in moved.items()}

    def _rename(self, item: ContextItem, key: str, by: str) -> ContextItem:
        """Let an item be of another key, and one with the item there that then says the same; what stands for it from now on.

        That is the one in force, if only one is. No strength is lost, and none counts twice: the stronger one's is that of both.
        """
        former_id, item_id = item.id, item.identify(self.board, key=key)
        self._free(item_id)
        former = {**item.formerly, former_id: item.partition}
        stays, goes = item, self._items.get(item_id)
        if goes is not None:
            former |= goes.formerly
            if _force(goes) >= _force(item):
                stays, goes = goes, item
        old = strength = stays.strength
        if goes is not None:
            strength = max(old, goes.strength)
            self._remove(goes)
        self._register.reword(stays)
        self._register.leave(stays)
        self._register.forget(stays)
        del self._items[stays.id]
        stays.id, stays.key = item_id, key
        if goes is not None:
            self._merge(goes, stays)
        self._items[item_id] = stays
        self._register.learn(stays)
        self._register.enter(stays)
        if strength > old:
            self._lane(stays).strengthen(stays, strength)
        self._lead_on(stays, former)
        self._moved(stays, "rename" if stays is item else "merge", old, strength, by)
        self._links.move_ends(former_id, item_id, "rename", self.now, by)
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
