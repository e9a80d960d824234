"""What moved each item of a network that stands alone: so that ``explain`` works without a board's log."""

from blackboard.items import ContextItem, Edge
from blackboard.wire import to_wire
from bus.messages import Account, Act, Cause

Move = tuple[float, Cause, str, float, float]
"""(time, cause, agent, strength before, strength after)"""

KEPT = 64
"""How many acts of an item are remembered; of those before, the balance."""


class Ledger:
    """Records the moves of items, the latest of each; edges are not accounted for."""

    def __init__(self) -> None:
        self._moves: dict[int, list[Move]] = {}

    def moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, *, delta: float | None = None) -> None:  # noqa: ARG002 - a recorder's signature
        """An item moved."""
        move = (item.touched, cause, by, old, new)
        moves = self._moves.get(item.ordinal)
        if cause in {"discard", "erase"}:
            self._moves.pop(item.ordinal, None)
        elif moves is None:
            self._moves[item.ordinal] = [move]
        else:
            moves.append(move)
            if len(moves) > 2 * KEPT:
                del moves[: -KEPT - 1]  # the one before those kept says what had evaporated by the first of them

    def edge_moved(self, edge: Edge, cause: Cause, old: float, new: float, by: str) -> None:
        """An edge moved."""

    def account(self, item: ContextItem) -> Account:
        """How the item came by its strength, from the first act that is still known."""
        moves = self._moves.get(item.ordinal, [])
        acts, after = [], None
        for t, cause, by, old, new in moves[-KEPT - 1 :]:
            acts.append(Act(t=t, cause=cause, by=by, evaporated=0.0 if after is None else after - old, before=old, after=new))
            after = new
        acts = acts[-KEPT:]
        if not acts:
            return Account(item=to_wire(item), acts=(), opening=item.strength)
        opening = acts[0].before + acts[0].evaporated  # what evaporated before the first act is in its own line
        return Account(item=to_wire(item), acts=tuple(acts), opening=opening, evaporated_since=acts[-1].after - item.strength)
