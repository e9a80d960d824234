"""How strength fades: decay classes, in closed form (chapter 2, "The three updates").

Laws:

- A class keeps its *level*: the decay -ln(1 - η) that has accumulated since its origin. What was ``s`` when the level was ``d`` is
  ``s · exp(d - level)`` now. So one number a class moves, and no item does.
- The level is ``base + λ·(t - origin)``: a function of elapsed time alone, never a sum of steps. How often someone looked leaves no trace.
"""

import math

from blackboard.errors import BadValue


def half_life_to_rate(half_life: float) -> float:
    """η, the share that evaporates in one round, from the rounds after which half is left: 1 - 2^(-1/h) (chapter 2).

    Any unit of time will do, if it is the same for both. An infinite half-life is a rate of 0. Raises ``BadValue``.
    """
    if not half_life > 0:
        raise BadValue(f"a half-life is a number above 0, not {half_life!r}")
    return -math.expm1(-math.log(2) / half_life)


def rate_to_half_life(rate: float) -> float:
    """The rounds after which half is left at an evaporation of ``rate`` a round; infinite for 0. Raises ``BadValue``."""
    slope = _slope(rate)
    return math.log(2) / slope if slope else math.inf


def _slope(rate: float) -> float:
    """λ = -ln(1 - η)."""
    if not 0 <= rate < 1:
        raise BadValue(f"an evaporation rate is at least 0 and below 1, not {rate!r}")
    return -math.log1p(-rate)


class DecayClass:
    """The accumulated decay of everything that fades at one rate."""

    __slots__ = ("base", "level", "name", "origin", "rate", "slope")

    def __init__(self, name: str, rate: float, now: float) -> None:
        self.name = name
        self.rate = rate
        self.slope = _slope(rate)
        self.base = 0.0
        self.origin = now
        self.level = 0.0
        """The level at the network's present, kept as a plain attribute: every read of a strength needs it."""

    def __repr__(self) -> str:
        return f"DecayClass({self.name!r}, rate={self.rate}, level={self.level})"

    def level_at(self, t: float) -> float:
        """The level at ``t`` by policy alone; before the origin it is what it was at the origin."""
        return self.base + self.slope * max(0.0, t - self.origin)

    def reaches(self, level: float) -> float:
        """The time from which on ``level_at`` is at least ``level``; infinite if never."""
        if level <= self.base:
            return self.origin
        if not self.slope or math.isinf(level):
            return math.inf
        t = self.origin + (level - self.base) / self.slope
        step = math.ulp(t)
        while self.level_at(t) < level:  # rounding: a waiter that comes at ``t`` must find it done
            t += step
            step *= 2
        return t

    def advance(self, now: float) -> None:
        """Let time pass by policy up to ``now``."""
        self.level = self.level_at(now)

    def change(self, rate: float, now: float) -> None:
        """Fade at another policy's ``rate`` from ``now`` on; strengths go on from where they are. Raises ``BadValue``.

        The same rate changes nothing: whatever waits for a level is due when it was, to the last bit.
        """
        if rate == self.rate:
            return
        self.slope = _slope(rate)
        self.rate = rate
        self.base = self.level
        self.origin = now

    def evaporate(self, rate: float, now: float) -> None:
        """One round, which ends at ``now``, at ``rate`` in place of the policy. Raises ``BadValue``."""
        self.base = self.level = self.level + _slope(rate)
        self.origin = now
