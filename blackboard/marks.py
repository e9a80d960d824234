"""What the detectors of a board remember of an item, as long as few of them have cause to.

Laws:

- The mark of an item is ``ARRIVED``, then a ``Quiet``, then the list of its states, in the detectors' order; None on one that nobody hears
  of.
- Nothing is made before it is needed: what ``ARRIVED`` stands for is on the item itself, and a ``Quiet`` has the states of those detectors
  only that something concerned. The others' can be made from it at any time.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from blackboard.items import ContextItem
from blackboard.trends import Heard, Moment

ARRIVED = True
"""The mark of an item that nothing happened to since it was made."""


class Quiet(Struct, array_like=True, tag="fresh", gc=False):
    """The moment in which an item arrived, those since, and the states of the detectors that these concerned."""

    t: float
    before: float
    after: float
    heard: tuple[Heard, ...] = ()
    awake: dict[int, Any] | None = None
    """Detector's number → its state, with all of ``heard`` told to it."""

    def began(self, kind: str) -> Moment:
        """What a detector is to begin with."""
        return Moment(self.t, self.before, self.after, kind=kind, fresh=True)

    def since(self, kind: str) -> Iterable[Moment]:
        """What it is to notice then."""
        for moment in self.heard:
            yield moment_of(moment, kind)


def moment_of(heard: Heard, kind: str) -> Moment:
    """A moment in full."""
    t, before, after, agent, delta = heard
    return Moment(t, before, after, () if agent is None else ((agent, delta),), kind)


def quiet_of(item: ContextItem) -> Quiet | None:
    """What is known of an item by its mark; None if that is no ``Quiet``, and stands for none."""
    marks = item.marks
    if marks is ARRIVED:
        return Quiet(item.made, 0.0, item.first)
    return marks if type(marks) is Quiet else None
