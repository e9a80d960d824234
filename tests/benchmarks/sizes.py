"""How large a run is."""

from msgspec import Struct


class Sizes(Struct, frozen=True):
    """Items of the boards, pairs of each comparison, and how much is done in each."""

    name: str
    few: int
    some: int
    many: int
    pairs: int
    reads: int
    """Reads of one kind in one run."""
    writes: int
    """Observations in one run of a pure room."""
    posts: int
    """Posts of 200 units that one run sends through the whole pipeline."""
    messages: int
    """Single messages whose latency is taken in one run."""
    seconds: float
    """How long a peer writes durably, and how long reads are taken beside writing, in one run."""


FULL = Sizes("full", 1_000, 100_000, 1_000_000, 5, 60, 20_000, 160, 200, 3.0)
QUICK = Sizes("quick", 1_000, 10_000, 40_000, 3, 20, 4_000, 40, 40, 1.0)
TINY = Sizes("tiny", 100, 400, 800, 1, 3, 400, 2, 5, 0.2)
"""For the tests: proves that it works, measures nothing."""
