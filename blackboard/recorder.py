"""The port through which a network tells what it did."""

from typing import Protocol

from blackboard.items import ContextItem, Edge
from bus.messages import Cause


class Recorder(Protocol):
    """Is told of every move, one call each and in order, after the state has changed. Must not raise."""

    def moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, *, delta: float | None = None) -> None:
        """An item's strength went from ``old`` to ``new``.

        ``delta`` is what a confirmation asked to add (all else in ``new - old`` is the lift to what the item first was); None: it was none.
        """
        ...

    def edge_moved(self, edge: Edge, cause: Cause, old: float, new: float, by: str) -> None:
        """An edge's strength went from ``old`` to ``new``."""
        ...
