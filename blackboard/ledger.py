"""What moved each item of a network that stands alone: so that ``explain`` works without a board's log."""

from collections import deque

from blackboard.items import ContextItem, Edge, to_wire
from bus.messages import Account, Act, Cause

KEPT = 64
"""How many acts of an item are remembered; of those before, the balance."""


class Ledger:
    """Records the moves of items, the latest of each; edges are not accounted for."""

    def __init__(self) -> None:
        self._acts: dict[int, deque[Act]] = {}

    def moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, *, delta: float | None = None) -> None:  # noqa: ARG002 - a recorder's signature
        """An item moved."""
        if cause == "discard":
            self._acts.pop(item.ordinal, None)
            return
        acts = self._acts.setdefault(item.ordinal, deque(maxlen=KEPT))
        evaporated = acts[-1].after - old if acts else 0.0
        acts.append(Act(t=item.touched, cause=cause, by=by, evaporated=evaporated, before=old, after=new))

    def edge_moved(self, edge: Edge, cause: Cause, old: float, new: float, by: str) -> None:
        """An edge moved."""

    def account(self, item: ContextItem) -> Account:
        """How the item came by its strength, from the first act that is still known."""
        acts = tuple(self._acts.get(item.ordinal, ()))
        if not acts:
            return Account(item=to_wire(item), acts=(), opening=item.strength)
        opening = acts[0].before + acts[0].evaporated  # what evaporated before the first act is in its own line
        return Account(item=to_wire(item), acts=acts, opening=opening, evaporated_since=acts[-1].after - item.strength)
