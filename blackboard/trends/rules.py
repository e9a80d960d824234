"""The rules beside ``rising``: *jump*, ``fading``, ``crossed``, ``burst`` and ``consensus``. Each says when it is armed again.

Windows are half-open: what happened at t counts until just before t + window.
"""

from collections.abc import Callable, Iterable
from math import fsum, inf

from msgspec import Struct

from blackboard.errors import BadValue
from blackboard.trends.detector import Detector, Finding, Heard, Moment, positive
from bus.messages import Evidence

ROUNDING = 1e-9
"""Relative. A strength that is at a threshold up to the last bits has reached it."""


def _agents(confirmed: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    return tuple(sorted({agent for agent, _ in confirmed}))


class JumpState(Struct, array_like=True, gc=False):
    last: float | None = None
    """The latest confirmation. The first deposit is none."""


class Jump(Detector):
    """``rising``, reason *jump*: one unit adds ≥ 0.5 and ≥ 10 % of the strength before it to what nobody confirmed in the last ``window``.

    A rate is silent on one event, and one event can matter. The sum of the deltas is compared, never a difference of strengths: that is off
    in its last bits. The cool-down needs no record: a jump is a confirmation, so the next one cannot come within a window.
    """

    name = "jump"
    state_type = JumpState
    least = inf

    def __init__(self, window: float = 10.0) -> None:
        """``window``: rounds, or seconds on a wall-clock board. Raises ``BadValue`` if it is not a finite number above 0."""
        self.window = positive(self.name, "window", window)

    def sudden(self, first: float, heard: tuple[Heard, ...]) -> bool:  # noqa: ARG002 – what was added counts
        """Is it large enough?"""
        _, before, _, _, delta = heard[-1]
        return delta >= 0.5 and delta >= 0.1 * before

    def notice(self, state: JumpState, moment: Moment) -> Finding | None:
        """Compare what the unit added, if the item was quiet."""
        if not moment.confirmed:
            return None
        last, state.last = state.last, moment.t
        if moment.fresh or (last is not None and moment.t - last < self.window):
            return None
        delta = fsum([delta for _, delta in moment.confirmed])
        if delta < 0.5 or delta < 0.1 * moment.before:
            return None
        evidence = Evidence(
            since=moment.t,
            until=moment.t,
            before=moment.before,
            after=moment.after,
            agents=_agents(moment.confirmed),
            confirmations=len(moment.confirmed),
            delta=delta,
        )
        return Finding(signal="rising", reason="jump", evidence=evidence)


WANTED = 3
"""Confirmations after which the silence of what is no constraint means something."""


class FadingState(Struct, array_like=True, gc=False):
    last: float
    """The deposit, or the latest confirmation; and the strength after it."""
    strength: float
    wanted: int
    """Confirmations that the item still needs before its silence means something."""
    told: bool = False


class Fading(Detector):
    """``fading``: not confirmed for ``patience``; a constraint since its deposit, any other item once it had three confirmations.

    Told by its due time, once. A new confirmation arms it again.
    """

    name = "fading"
    state_type = FadingState
    least = inf
    ripe = WANTED

    def __init__(self, patience: float = 10.0) -> None:
        """``patience`` K: rounds, or seconds on a wall-clock board. Raises ``BadValue`` if it is not a finite number above 0."""
        self.patience = positive(self.name, "patience", patience)

    def begin(self, moment: Moment) -> FadingState:
        """A new item: silent from here on."""
        return FadingState(last=moment.t, strength=moment.after, wanted=0 if moment.kind == "constraint" else WANTED)

    def notice(self, state: FadingState, moment: Moment) -> Finding | None:
        """A confirmation begins the wait anew; else see whether it is over."""
        if moment.confirmed:
            state.last = moment.t
            state.strength = moment.after
            if state.wanted:
                state.wanted = max(0, state.wanted - len(moment.confirmed))
            state.told = False
            return None
        if state.told or state.wanted or moment.t < state.last + self.patience:
            return None
        state.told = True
        return Finding(signal="fading", evidence=Evidence(since=state.last, until=moment.t, before=state.strength, after=moment.after))

    def due(self, state: FadingState, falls_below: Callable[[float], float | None]) -> float | None:  # noqa: ARG002 – silence, not strength
        """When the wait is over."""
        return None if state.told or state.wanted else state.last + self.patience


class Side(Struct, array_like=True, gc=False):
    above: bool
    level: float
    """Where the item changes sides: the threshold itself at first, then the far end of the hysteresis."""


class CrossedState(Struct, array_like=True, gc=False):
    sides: list[Side]
    """One for each threshold, ascending."""
    t: float
    strength: float
    """The latest moment and the strength after it."""


class Crossed(Detector):
    """``crossed``, reason *up* or *down*: strength passed a threshold θ.

    The first deposit sets the side silently, and the first crossing is told at θ itself. Afterwards, with hysteresis h: what went down must
    reach θ(1 + h) to have gone up, and what went up must fall below θ(1 − h) to have gone down. Down is told when it happens, by time alone
    too; up takes a confirmation: what use alone lifted over θ is told with the next one. Of several thresholds that are passed at once the
    farthest is told (``evidence.threshold``).
    """

    name = "crossed"
    state_type = CrossedState
    least = inf
    ripe = inf  # before it finds that it went up, at least

    def __init__(self, thresholds: Iterable[float] = (3.0,), hysteresis: float = 0.1) -> None:
        """``thresholds``: strengths; ``hysteresis``: relative, 0 ≤ h < 1. Raises ``BadValue`` for what cannot be."""
        self.thresholds = tuple(sorted({positive(self.name, "a threshold", threshold) for threshold in thresholds}))
        if not 0 <= hysteresis < 1:
            raise BadValue(f"{self.name}: hysteresis is {hysteresis!r}; give a part of the threshold, from 0 to below 1")
        self.hysteresis = hysteresis

    def begin(self, moment: Moment) -> CrossedState:
        """A new item: on whichever side it is."""
        sides = [Side(above=moment.after >= threshold, level=threshold) for threshold in self.thresholds]
        return CrossedState(sides=sides, t=moment.t, strength=moment.after)

    def sudden(self, first: float, heard: tuple[Heard, ...]) -> bool:
        """Is it on another side of a threshold than it was at first?"""
        after = heard[-1][2]
        for threshold in self.thresholds:  # noqa: SIM110 – a generator takes three times as long
            if after < threshold if first >= threshold else after >= threshold * (1 - ROUNDING):
                return True
        return False

    def notice(self, state: CrossedState, moment: Moment) -> Finding | None:
        """Move the sides that the strength has left."""
        found: tuple[str, float] | None = None
        after = moment.after
        for number, side in enumerate(state.sides):
            if side.above:
                if after < side.level:
                    threshold = self.thresholds[number]
                    side.above, side.level = False, threshold * (1 + self.hysteresis)
                    found = found or ("down", threshold)
            elif moment.confirmed and after >= side.level * (1 - ROUNDING):
                threshold = self.thresholds[number]
                side.above, side.level = True, threshold * (1 - self.hysteresis)
                found = ("up", threshold)
        since, strength = state.t, state.strength
        state.t = moment.t
        state.strength = after
        if found is None:
            return None
        reason, threshold = found
        evidence = Evidence(
            since=since,
            until=moment.t,
            before=strength,
            after=moment.after,
            agents=_agents(moment.confirmed),
            confirmations=len(moment.confirmed),
            delta=fsum(delta for _, delta in moment.confirmed),
            threshold=threshold,
        )
        return Finding(signal="crossed", reason=reason, evidence=evidence)

    def due(self, state: CrossedState, falls_below: Callable[[float], float | None]) -> float | None:
        """When policy takes it below the highest level that it is above."""
        level = 0.0
        for side in state.sides:
            if side.above and side.level > level:
                level = side.level
        return falls_below(level) if level else None


class LatestState(Struct, array_like=True, gc=False):
    latest: list[tuple[float, str, float]] = []
    """The latest confirmations, oldest first: time, agent, strength before."""
    fired: float | None = None
    """When it fired; None while it is armed."""


class _Gathered(Detector):
    """So many confirmations within a window. Armed again a window after it fired, once there are fewer."""

    state_type = LatestState
    distinct: bool
    """Does only the latest confirmation of each agent count?"""

    def __init__(self, size: int, window: float) -> None:
        self.size = size
        self.window = positive(self.name, "window", window)

    def notice(self, state: LatestState, moment: Moment) -> Finding | None:
        """Add what was confirmed, and see whether that makes enough."""
        if not moment.confirmed:
            return None
        now, latest = moment.t, state.latest
        if state.fired is not None and now - state.fired >= self.window and not self._enough(latest, now):
            state.fired = None
        for agent, _ in moment.confirmed:
            if self.distinct:
                for place, entry in enumerate(latest):
                    if entry[1] == agent:
                        del latest[place]
                        break
            latest.append((now, agent, moment.before))
        if len(latest) > self.size:
            del latest[: -self.size]
        if state.fired is not None or not self._enough(latest, now):
            return None
        state.fired = now
        since, _, before = latest[0]
        agents = tuple(sorted({agent for _, agent, _ in latest}))
        evidence = Evidence(since=since, until=moment.t, before=before, after=moment.after, agents=agents, confirmations=self.size)
        return Finding(signal=self.name, evidence=evidence)

    def _enough(self, latest: list[tuple[float, str, float]], t: float) -> bool:
        return len(latest) == self.size and t - latest[0][0] < self.window


class Burst(_Gathered):
    """``burst``: confirmed ``count`` times within a window, by whomever."""

    name = "burst"
    distinct = False

    def __init__(self, count: int = 5, window: float = 10.0) -> None:
        """``window``: rounds, or seconds on a wall-clock board. Raises ``BadValue`` for what cannot be."""
        if count < 1:
            raise BadValue(f"{self.name}: count is {count!r}; give a number of confirmations, at least 1")
        super().__init__(count, window)
        self.least = float(count)


class Consensus(_Gathered):
    """``consensus``: at least ``agents`` different agents confirmed it within a window. The evidence lists them, each counted once."""

    name = "consensus"
    distinct = True
    least = inf

    def __init__(self, agents: int = 3, window: float = 10.0) -> None:
        """``window``: rounds, or seconds on a wall-clock board. Raises ``BadValue`` for what cannot be."""
        if agents < 1:
            raise BadValue(f"{self.name}: agents is {agents!r}; give a number of agents, at least 1")
        super().__init__(agents, window)

    def sudden(self, first: float, heard: tuple[Heard, ...]) -> bool:  # noqa: ARG002 – who confirmed it counts
        """Are there enough who did?"""
        return len(heard) >= self.size and len({agent for _, _, _, agent, _ in heard if agent is not None}) >= self.size
