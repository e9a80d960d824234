"""Kinds of items, and what each kind's policy is (chapter 2, "Kinds and their defaults").

Policies are configuration: a board may change the defaults, and a new kind is one line of ``policy(...)``.

Law: a policy that cannot be is not made, whether it was written here or read from a board's origin.
"""

import math
from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from blackboard.decay import half_life_to_rate, rate_to_half_life
from blackboard.errors import BadValue

STRONGEST = 1e6
"""No strength that is given, and no delta, may be above it."""

Then = Literal["archive", "fold", "discard"]


def amount(value: object, what: str) -> float:
    """A strength or a delta that may be given: above 0, at most 10⁶; else ``BadValue``."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= STRONGEST:
        raise BadValue(f"{what} {value!r}: give a number above 0 and at most {STRONGEST:,.0f}")
    return float(value)


class Policy(Struct, frozen=True, kw_only=True):
    """What becomes of a kind's items by time and by use. Times are rounds, or seconds on a wall-clock board."""

    name: str
    initial: float
    """The strength of a first deposit that gives none."""
    rate: float
    """η: what evaporates in a round (or a second)."""
    threshold: float
    """An item strictly below it fades."""
    then: Then
    """What fading means."""
    protect: float = 3.0
    """A new item does not evaporate by policy for so long."""
    confirm: float = 0.5
    """What a confirmation adds."""
    use: float = 0.5
    """δ: what a use adds at most."""

    def __post_init__(self) -> None:
        """Raises ``BadValue``, which names the kind and the field."""
        if not self.name:
            raise BadValue("a kind needs a name")
        if not 0 <= self.rate < 1:
            raise BadValue(f"kind {self.name!r}: rate is at least 0 and below 1, not {self.rate!r}")
        if not 0 < self.initial <= STRONGEST:
            raise BadValue(f"kind {self.name!r}: initial is above 0 and at most {STRONGEST:g}, not {self.initial!r}")
        for field in ("threshold", "protect", "confirm", "use"):
            number = getattr(self, field)
            if not (math.isfinite(number) and number >= 0):
                raise BadValue(f"kind {self.name!r}: {field} is a finite number of at least 0, not {number!r}")
        if self.then not in get_args(Then):
            raise BadValue(f"kind {self.name!r}: then is one of {', '.join(get_args(Then))}, not {self.then!r}")
        for field in ("initial", "rate", "threshold", "protect", "confirm", "use"):  # 1 and 1.0 differ in what a replay encodes
            force_setattr(self, field, float(getattr(self, field)))


def policy(
    name: str,
    *,
    initial: float,
    rate: float | None = None,
    half_life: float | None = None,
    threshold: float = 1.0,
    then: Then = "archive",
    protect: float = 3.0,
    confirm: float = 0.5,
    use: float = 0.5,
) -> Policy:
    """A kind's policy, from its evaporation ``rate`` or its ``half_life``. Raises ``BadValue``, which names the field."""
    if (rate is None) == (half_life is None):
        raise BadValue(f"kind {name!r}: give either rate or half_life")
    if rate is None:
        assert half_life is not None
        rate = half_life_to_rate(half_life)
    return Policy(name=name, initial=initial, rate=rate, threshold=threshold, then=then, protect=protect, confirm=confirm, use=use)


DEFAULTS: Mapping[str, Policy] = {
    kind.name: kind
    for kind in (
        policy("constraint", initial=8.0, rate=0.005),
        policy("preference", initial=6.0, rate=0.02),
        policy("fact", initial=4.0, rate=0.02, then="fold"),
        policy("slot", initial=4.0, rate=0.02),
        policy("tool_result", initial=4.0, rate=0.03, then="fold"),
        policy("summary", initial=3.0, rate=0.02, threshold=0.5),
        policy("state", initial=2.0, rate=0.05, then="discard"),
        policy("trace", initial=1.0, rate=0.1, threshold=0.5, then="discard"),
    )
}
"""The kinds that a board has if it is not told otherwise, by the round."""

EDGE = policy("edge", initial=1.0, rate=0.02, threshold=0.1, then="discard", protect=0.0, confirm=0.2, use=0.2)
"""How edges fade, by the round."""


def wall_clock(kinds: Mapping[str, Policy], seconds_per_round: float = 60.0) -> dict[str, Policy]:
    """The same kinds by the second: half-lives and protection last as many seconds as those rounds take. Raises ``BadValue``."""
    if not (math.isfinite(seconds_per_round) and seconds_per_round > 0):
        raise BadValue(f"a round takes a finite number of seconds above 0, not {seconds_per_round!r}")
    return {
        name: replace(
            kind,
            rate=half_life_to_rate(rate_to_half_life(kind.rate) * seconds_per_round),
            protect=kind.protect * seconds_per_round,
        )
        for name, kind in kinds.items()
    }
