"""Slots for which different values stand (chapter 1, "Supersession": *contested*).

Laws:

- A contest is between values, not between those who say them: the same value in other words is no contest.
- It is told when it begins, and when another value joins it. It is settled while one value leads, confirmed past all others; if another is
  then confirmed past the leader, or the leader goes, it is open again and told again.
- It ends when one value is left.
"""

from collections.abc import Mapping

from msgspec.json import encode

from blackboard import constraints, signals, views
from blackboard.identity import direction
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from bus import names
from bus.messages import Evidence

OPEN = ""
"""Stands for the leader of a contest that has none."""


class Contests:
    """The contests of a board's shared slots."""

    def __init__(self, network: PheromoneNetwork) -> None:
        self._network = network
        self.leaders: dict[str, str] = {}
        """Contested slot → the id of the value that leads, or ``OPEN``."""

    def begin(self) -> None:
        """Find the contests of a network that was made elsewhere: as far as it tells, the strongest value leads if it was confirmed."""
        for item in self._network.all_items((names.SHARED,)):
            rivals = [each for each in self._network.slot_mates(item) if each.standing and _differ(each, item)]
            if rivals and item.confirmations and all(item.strength > rival.strength for rival in rivals):
                self.leaders[_slot(item)] = item.id
            elif rivals:
                self.leaders.setdefault(_slot(item), OPEN)

    def contested(self, item: ContextItem) -> bool:
        """Do other agents assert other values for this shared item's slot, with none of them confirmed past the others?"""
        return item.standing and item.scope == names.SHARED and self.leaders.get(_slot(item)) == OPEN

    def concern(self, item: ContextItem) -> bool:
        """May what happens to this item make or end a contest? Not where its slot holds no other value, and there is no contest at all."""
        return bool(self.leaders) or self._network.shares_slot(item)

    def renamed(self, key: str, moved: Mapping[str, str]) -> None:
        """What was of ``key`` is of another, under another id (former → present): its contests go along."""
        for item_id in moved.values():
            item = self._network.get(item_id)
            leader = self.leaders.pop(_slot(item, key), None)
            if leader is not None:
                self.leaders.setdefault(_slot(item), moved.get(leader, leader))

    def notice(self, touch: Touch, arrivals: set[str], outcome: Outcome) -> None:
        """One item was touched: see what became of its slot. ``arrivals``: the ids of all that came with it, to the board or to a key."""
        item = touch.item
        if item.value is None or item.key is None or item.scope != names.SHARED:
            return
        if not self.concern(item):
            return
        slot = _slot(item)
        sides = [each for each in self._network.slot_mates(item) if each.standing]
        if not any(_differ(each, sides[0]) for each in sides):
            self.leaders.pop(slot, None)
            return
        rivals = [each for each in sides if _differ(each, item)]
        comes = touch.fresh or (touch.renamed and any(each.id not in arrivals for each in sides))
        joins = comes and item.standing and len(rivals) == len(sides) - 1
        former = self.leaders.get(slot)
        leader = next((each for each in sides if each.id == former), None)
        if former is None or joins or (former != OPEN and leader is None):
            self._open(slot, item if item.standing else sides[-1], sides, outcome)
        elif touch.confirmed and item.standing and all(item.strength > rival.strength for rival in rivals):
            if leader is None:
                self.leaders[slot] = item.id
            elif _differ(leader, item):
                self._open(slot, item, sides, outcome)

    def _open(self, slot: str, item: ContextItem, sides: list[ContextItem], outcome: Outcome) -> None:
        self.leaders[slot] = OPEN
        values = {agent: each.value for each in sides for agent in each.asserters}
        evidence = Evidence(until=self._network.now, values=signals.quoted(values), agents=signals.named(values))
        outcome.signal(views.audience(item), signals.about(item, "contested", self._network.now, evidence))


def _differ(one: ContextItem, other: ContextItem) -> bool:
    return not constraints.same(one.value, other.value) or one.unit != other.unit


def _slot(item: ContextItem, key: str | None = None) -> str:
    """A shared slot as a text, for the checkpoint: the item's, or the one that it would have of ``key``."""
    return encode((item.kind, key or item.key, item.target, direction(item.op))).decode()
