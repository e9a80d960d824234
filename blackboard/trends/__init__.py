"""Trend detectors: small objects with one method that notice what happens to a shared item (chapter 1, "Changes and signals").

``detector`` holds the port that users subclass, ``rising`` the test on the rate of confirmations, ``rules`` the rest.
"""

from blackboard.trends.detector import Detector, Finding, Heard, Moment
from blackboard.trends.rising import Rising
from blackboard.trends.rules import Burst, Consensus, Crossed, Fading, Jump
from bus.messages import Evidence

__all__ = ["Burst", "Consensus", "Crossed", "Detector", "Evidence", "Fading", "Finding", "Heard", "Jump", "Moment", "Rising", "defaults"]


def defaults(scale: float = 1.0, *, patience: float = 10.0, core: float = 3.0) -> tuple[Detector, ...]:
    """The detectors that a board has unless told otherwise.

    ``scale`` is how many units of board time a round is worth (60.0: seconds), ``patience`` the K rounds of ``fading``, ``core`` the
    strength whose crossing is told: where an item enters and leaves the core tier (chapter 2).
    """
    window = 10.0 * scale
    return (
        Rising(window),
        Jump(window),
        Fading(patience=patience * scale),
        Crossed(thresholds=(core,)),
        Burst(window=window),
        Consensus(window=window),
    )
