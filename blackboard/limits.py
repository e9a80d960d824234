"""How fast one agent may speak, so that none holds up the others: the generic cell rate algorithm (ITU-T I.371), as a leaky bucket.

Laws:

- What an agent has said is its *debt*, in observations; the rate pays it off. Only a debt above the burst keeps it from saying more: so a
  single unit of any size passes where there is none.
- Time is the log's. A clock that is set back pays off nothing, and goes on paying from there.
- Whoever learns of its debt later than the log (a sender, when its post is acknowledged) reckons it higher, never lower.
"""

from typing import NamedTuple

from msgspec import Struct


class Limits(Struct, frozen=True):
    """``rate`` observations a second, and ``burst`` of them at once."""

    rate: float
    burst: float


class Debt(NamedTuple):
    """What an agent owes: ``amount`` observations, at ``stamp`` (seconds)."""

    amount: float = 0.0
    stamp: float = 0.0

    def at(self, stamp: float, limits: Limits) -> "Debt":
        """What is left of it then."""
        return Debt(max(self.amount - max(stamp - self.stamp, 0.0) * limits.rate, 0.0), stamp)

    def wait(self, limits: Limits) -> float:
        """Seconds until more may be said; 0: now."""
        return max(self.amount - limits.burst, 0.0) / limits.rate

    def more(self, observations: float) -> "Debt":
        """With what is said now."""
        return Debt(self.amount + observations, self.stamp)
