"""What is recalled for a query, and why (chapter 2, "Recall"). Pure: it moves nothing."""

from typing import NamedTuple

from blackboard.items import ContextItem
from bus.messages import Why


class Hit(NamedTuple):
    """An item that a query recalls."""

    item: ContextItem
    score: float
    """Its relevance, with its strength and how recent it is weighed in: hits are sorted by it."""
    why: Why
    edges: tuple[str, ...] = ()
    """The edges over which it was reached, if it was: ids."""
