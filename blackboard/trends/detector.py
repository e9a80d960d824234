"""What a detector sees, what it finds, and the one method that it is.

Laws:

- A detector works from what changed: one ``Moment`` of one shared item at a time, never the board.
- It is deterministic, and all that it remembers is in the item's state: the log replayed gives the same findings.
- Only confirmations are evidence. A use, a first deposit and time alone come with ``confirmed`` empty.
- It fires on the edge: once, and not again before what it found had ended (hysteresis) and some time has passed (cool-down).
- Times are the board's, stored as they came. The difference of two of them is exact, so Unix seconds cost no precision.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from blackboard.errors import BadValue
from bus.messages import Evidence


class Moment(Struct, frozen=True, gc=False):
    """What one unit, or time alone, did to one shared item."""

    t: float
    """Board time: rounds (whole numbers, which may repeat) or Unix seconds. Never before the moment last seen."""
    before: float
    after: float
    """Strength before and after."""
    confirmed: tuple[tuple[str, float], ...] = ()
    """(agent, delta) of each confirmation in the unit: second deposits, ``confirm``, ``reinforce``."""
    kind: str = "fact"
    fresh: bool = False
    """A first deposit, or one that is said again after it was gone: nobody confirmed anything, and every state begins anew."""


Heard = tuple[float, float, float, str | None, float]
"""In short, a moment in which at most one confirmed something: when, strength before and after, who (None: nobody), and the delta."""


class Finding(Struct, frozen=True, gc=False):
    """What a detector noticed: the signal's name, the reason where it has several, and the evidence."""

    signal: str
    evidence: Evidence
    reason: str = ""


class Detector(ABC):
    """Subclass it with a ``name``, a ``version`` (both go into the log: a new behaviour is a new version) and ``notice``.

    For a fresh moment the board makes a state by ``begin``; then ``notice`` gets it with that moment and each later one. The state is plain
    data: a dict, or the ``msgspec.Struct`` that ``state_type`` names. It is persisted through msgspec, and comes back by
    ``msgspec.convert(data, state_type)``.

    One that raises, or finds what is no ``Finding``, is told of as the signal ``failed`` (its reason is the error's type), and is not asked
    about that item again until it arrives anew.
    """

    name: str
    version: int = 1
    state_type: Any = dict[str, Any]
    least: float = 0
    """Optional, for speed: for how many moments of an item it can wait before it is told of them. 0: it is told of each at once.

    Above 0 it is *patient*, and promises of an item whose first moment is fresh, with nothing confirmed in it:

    - of that moment it finds nothing, and remembers no more than ``begin`` does;
    - before the ``least``-th moment after that it finds nothing but what ``sudden`` tells of;
    - it sees nothing differently that it is told of late;
    - while it finds nothing, what happens only puts its due time off, or, from the ``ripe``-th moment on, makes it due where it was not.
    """
    ripe: float = 1
    """Of the patient: from which moment on it may be due where it was not."""

    def begin(self, moment: Moment) -> Any:  # noqa: ARG002 – for those who start from it
        """The state for an item whose first moment is ``moment``."""
        return self.state_type()

    @abstractmethod
    def notice(self, state: Any, moment: Moment) -> Finding | None:
        """Take ``moment`` into ``state``, and say what it shows."""

    def sudden(self, first: float, heard: tuple[Heard, ...]) -> bool:  # noqa: ARG002 – most are not
        """Of the patient: may it find something in the last of these moments, although they are fewer than ``least``?

        They are all that happened to an item that began ``first`` strong, and of which this detector has found nothing.
        """
        return False

    def due(self, state: Any, falls_below: Callable[[float], float | None]) -> float | None:  # noqa: ARG002 – most know no due time
        """When to be noticed though nothing happens; asked again after each notice, and an earlier answer is then void.

        Changes nothing. ``falls_below(threshold)`` tells when policy alone takes (or took) the item below a strength since it last moved
        (None: never, or it was below already). At the due time, or at the first round after it, the board asks once more; if that time has
        come it calls ``notice`` with ``before`` and ``after`` the strength there, and nothing confirmed.
        """
        return None


def positive(whose: str, name: str, value: float) -> float:
    """``value``, or ``BadValue`` where somebody's parameter is not a finite number above 0."""
    if not 0 < value < float("inf"):
        raise BadValue(f"{whose}: {name} is {value!r}; give a finite number above 0")
    return value
