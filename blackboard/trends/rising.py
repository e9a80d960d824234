"""``rising``, reason *activity*: confirmations come clearly faster than the item's own past predicts.

A Page test (CUSUM) on counts of confirmations, calibrated by the item itself: its base rate is a slow leaky count, its dispersion is
measured, and the threshold grows with the logarithm of the rate, or busy items would flood the board. Strength plays no part: a ratio of
strengths has the kind's decay as its memory, so that the same rise is plain in one kind and hidden in another.

``python -m tests.benchmarks.trends`` measures how well it finds rises.
"""

from math import exp, expm1, log, sqrt

from msgspec import Struct

from blackboard.trends.detector import Detector, Finding, Moment, positive
from bus.messages import Evidence

FACTOR = 1.8
"""The rise that the test is tuned for, as a factor of the base rate."""
GAIN = log(FACTOR)
"""What one confirmation adds to the statistic: the log-likelihood ratio of an event at ``FACTOR`` times the rate."""
THRESHOLD = 5.0
FAST, SLOW = 1.5, 20.0
"""Time constants of the two counts, in windows."""
BLOCK = 0.5
"""Dispersion is measured over blocks of this many windows,"""
SHRINKAGE = 5.0
"""pulled towards 1 with the weight of so many expected confirmations,"""
CLIP = 7.0
"""and a block counts for at most ``CLIP`` times the variance expected, plus 4: the first block of a rise must not hide the rise."""
REARM = 1.1
"""A rise is over when the fast count is back at so much of the base rate."""
ADOPT = 10.0
"""A rise that lasts so many windows is the new base."""


class RisingState(Struct, array_like=True, gc=False):
    """About 150 bytes an item."""

    birth: float
    t: float
    """The latest instant. Whatever is confirmed at one instant (a message, or a round) shares one charge."""
    fast: float = 0.0
    slow: float = 0.0
    """Leaky counts. The slow one is fed by what leaves the fast one, so the present does not enter its own base rate."""
    rate: float = 0.0
    """The base rate at ``t``, rounded up for what a small count does not tell."""
    page: float = 0.0
    """The statistic. Below 0 it is as good as 0 at the next instant."""
    onset: float = 0.0
    """The instant at which the statistic last left 0, the strength before it, and what was confirmed since."""
    before: float = 0.0
    confirmations: int = 0
    agents: list[str] = []
    fired: float | None = None
    """When the rise that is on was found. Until it is over, base rate and dispersion are frozen."""
    frozen: float = 0.0
    """The slow count for each unit of exposure, when it fired."""
    block: int = 0
    count: int = 0
    """The current block of the dispersion, numbered from birth, and the confirmations in it."""
    squares: float = 0.0
    expected: float = 0.0
    """Leaky sums over the blocks: squared deviations, and counts expected."""


class Rising(Detector):
    """Confirmations come faster than before; ``window`` W in board time is how soon one wants to know.

    ``evidence.since`` estimates the onset, and ``agents`` lists those who confirmed since then. A rise is found once, and must be over
    before there is another: not before W, and not while the count is above its old level. After 10 W the new level is the normal one.
    """

    name = "rising"
    state_type = RisingState
    least = THRESHOLD / GAIN  # the dispersion is never below 1

    def __init__(self, window: float = 10.0) -> None:
        """``window``: rounds, or seconds on a wall-clock board. Raises ``BadValue`` if it is not a finite number above 0."""
        self.window = positive(self.name, "window", window)
        self._fast = FAST * window
        self._slow = SLOW * window
        self._flow = self._slow / (self._slow - self._fast)
        self._block = BLOCK * window
        self._keep = exp(-self._block / self._slow)

    def begin(self, moment: Moment) -> RisingState:
        """A new item: nothing counted yet."""
        return RisingState(birth=moment.t, t=moment.t, onset=moment.t, before=moment.before)

    def notice(self, state: RisingState, moment: Moment) -> Finding | None:
        """Count what was confirmed; find a rise at most once until it is over."""
        if not moment.confirmed:
            return None
        if moment.t > state.t:
            self._pass_time(state, moment)
        count = len(moment.confirmed)
        state.fast += count
        state.count += count
        if state.fired is not None:
            return None
        dispersion = _dispersion(state)
        state.page += count * GAIN / dispersion
        state.confirmations += count
        for agent, _ in moment.confirmed:
            if agent not in state.agents:
                state.agents.append(agent)
        if state.page < THRESHOLD or state.confirmations < 3 * dispersion or state.onset == moment.t:
            return None  # one instant alone, however busy, is no trend
        if state.page < THRESHOLD + log(1 + state.rate * self.window / dispersion):
            return None
        state.fired = moment.t
        state.frozen = state.slow / self._exposures(state)[1]
        agents, state.agents = tuple(sorted(state.agents)), []
        evidence = Evidence(
            since=state.onset, until=moment.t, before=state.before, after=moment.after, agents=agents, confirmations=state.confirmations
        )
        return Finding(signal="rising", reason="activity", evidence=evidence)

    def _pass_time(self, state: RisingState, moment: Moment) -> None:
        """Bring the counts from ``state.t`` to the instant of ``moment``, and charge the statistic for the time between."""
        gap = moment.t - state.t
        slow, fast = exp(-gap / self._slow), exp(-gap / self._fast)
        state.slow = state.slow * slow + state.fast * (slow - fast) * self._flow
        state.fast *= fast
        state.t = moment.t
        fast_exposure, slow_exposure = self._exposures(state)
        self._close_blocks(state, slow_exposure)
        if state.fired is not None and moment.t - state.fired >= self.window:
            if state.fast <= REARM * fast_exposure * _rounded_up(state.frozen * slow_exposure) / slow_exposure:
                state.slow = state.frozen * slow_exposure
                state.fired = None
            elif moment.t - state.fired >= ADOPT * self.window:
                state.slow = state.fast / fast_exposure * slow_exposure
                state.fired = None
            if state.fired is None:
                state.page = 0.0
        if state.fired is not None:
            return
        state.rate = _rounded_up(state.slow) / slow_exposure
        if state.page <= 0.0:
            state.page = 0.0
            state.onset = moment.t
            state.before = moment.before
            state.confirmations = 0
            state.agents.clear()
        # Clipped before the charge, not after it: the events of an instant are paid for by the gap before them, the first of a climb too.
        state.page -= (FACTOR - 1) * state.rate * gap / _dispersion(state)

    def _exposures(self, state: RisingState) -> tuple[float, float]:
        """What the fast and the slow count would be at a rate of 1 since birth, in closed form."""
        age = state.t - state.birth
        fast, slow = -expm1(-age / self._fast), -expm1(-age / self._slow)
        return self._fast * fast, self._slow * slow - (fast - slow) * self._flow * self._fast

    def _close_blocks(self, state: RisingState, exposure: float) -> None:
        """Take the blocks that ended before this instant into the dispersion: one with a count, and perhaps empty ones after it."""
        block = int((state.t - state.birth) / self._block)
        ended = block - state.block
        if not ended:
            return
        if state.fired is None:
            mean = (state.slow + 0.5) / exposure * self._block
            most = CLIP * _dispersion(state) * mean + 4
            squares = state.squares * self._keep + min((state.count - mean) ** 2, most)
            expected = state.expected * self._keep + mean
            kept = self._keep ** (ended - 1)
            empty = (1 - kept) / (1 - self._keep)  # the sum of the weights that the empty ones have by now
            state.squares = squares * kept + min(mean * mean, most) * empty
            state.expected = expected * kept + mean * empty
        state.block = block
        state.count = 0


def _dispersion(state: RisingState) -> float:
    """Variance over mean of the counts, at least 1: agents that confirm in clumps make a rise of chance likelier."""
    return max(1.0, (SHRINKAGE + state.squares) / (SHRINKAGE + state.expected))


def _rounded_up(count: float) -> float:
    """A count as large as it might have been: one more, and half a standard deviation."""
    return count + 1 + 0.5 * sqrt(count + 1)
