"""What moved each item of a network that stands alone: so that ``explain`` works without a board's log."""

from msgspec import Struct
from msgspec.structs import replace

from blackboard.items import ContextItem, Edge
from blackboard.wire import to_wire
from bus.messages import Account, Act, Cause

KEPT = 64
"""How many acts of an item are remembered; of those before, the balance."""


class Move(Struct, frozen=True, gc=False):
    """One of an item's moves, at the end of a chain of those before it."""

    former: "Move | None"
    number: int
    """How many the chain has."""
    t: float
    cause: Cause
    by: str
    old: float
    new: float


class Ledger:
    """Records the moves of items, the latest of each; edges are not accounted for."""

    def __init__(self) -> None:
        self._latest: dict[int, Move] = {}
        """By the items' ordinals."""

    def moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, *, delta: float | None = None) -> None:  # noqa: ARG002 - a recorder's signature
        """An item moved."""
        ordinal = item.ordinal
        former = self._latest.get(ordinal)
        if cause in {"discard", "erase"}:
            self._latest.pop(ordinal, None)
            return
        number = 1 if former is None else former.number + 1
        if number > 2 * KEPT:
            former, number = _cut(former), KEPT + 2  # the one before those kept says what had evaporated by the first of them
        self._latest[ordinal] = Move(former, number, item.touched, cause, by, old, new)

    def edge_moved(self, edge: Edge, cause: Cause, old: float, new: float, by: str) -> None:
        """An edge moved."""

    def account(self, item: ContextItem) -> Account:
        """How the item came by its strength, from the first act that is still known."""
        acts: list[Act] = []
        after = None
        for move in _chain(self._latest.get(item.ordinal)):
            evaporated = 0.0 if after is None else after - move.old
            acts.append(Act(t=move.t, cause=move.cause, by=move.by, evaporated=evaporated, before=move.old, after=move.new))
            after = move.new
        acts = acts[-KEPT:]
        if not acts:
            return Account(item=to_wire(item), acts=(), opening=item.strength)
        opening = acts[0].before + acts[0].evaporated  # what evaporated before the first act is in its own line
        return Account(item=to_wire(item), acts=tuple(acts), opening=opening, evaporated_since=acts[-1].after - item.strength)


def _chain(move: Move | None) -> list[Move]:
    """The latest moves of a chain, one more than are kept, in order."""
    found: list[Move] = []
    while move is not None and len(found) <= KEPT:
        found.append(move)
        move = move.former
    return found[::-1]


def _cut(latest: Move | None) -> Move | None:
    """The chain of those moves alone."""
    last = None
    for number, move in enumerate(_chain(latest), 1):
        last = replace(move, former=last, number=number)
    return last
