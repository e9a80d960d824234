"""What is said on a board so that it raises a signal when success falls or failures cluster (chapter 5).

The board notices, as it does for all else: a value that breaks a constraint is *violated*, what is confirmed again and again is a *burst*,
or *rising*. So here is only what to say:

- the success rate of the last tasks, as a value, and the constraint that it stay where chance would leave it: above the lower limit of a
  p chart, p − 3·√(p·(1 − p)/n) (W. A. Shewhart, *Economic Control of Quality of Manufactured Product*, 1931), where p is the rate before;
- each failure, in words that are the same for those that go the same way: so the second confirms the first.
"""

from collections.abc import Sequence
from math import sqrt

from msgspec import Struct

from agents.memory.records import Outcome, TaskRecord

SUCCESS, FAILURES = "success_rate", "failures"
"""The keys under which it is said."""
SIGMAS = 3.0


class Rate(Struct, frozen=True):
    """The success rate of the last tasks, and how low it may be."""

    tasks: int
    """How many had ended."""
    of: int
    """The last so many are counted."""
    successes: int
    floor: float | None
    """The least that chance leaves; None: too little is known of the time before."""

    @property
    def value(self) -> float:
        """The share of successes."""
        return self.successes / self.of

    def __str__(self) -> str:
        """For people."""
        return f"after {self.tasks} tasks: of the last {self.of} {self.successes} succeeded"


def rate(outcomes: Sequence[Outcome], of: int) -> Rate | None:
    """The rate of the last ``of`` of these, oldest first; None before there are so many. The floor needs as many before them."""
    if len(outcomes) < of:
        return None
    before, last = outcomes[:-of], outcomes[-of:]
    floor = None
    if len(before) >= of:
        p = before.count("success") / len(before)
        floor = round(max(0.0, p - SIGMAS * sqrt(p * (1 - p) / of)), 3)
    return Rate(len(outcomes), of, last.count("success"), floor)


def cluster(failure: TaskRecord) -> str:
    """What is said of a failure: the same for all of its type that went the same way."""
    of_type = f" of the type {failure.type}" if failure.type else ""
    return f"tasks{of_type} fail, and go the same way ({failure.fingerprint})"
