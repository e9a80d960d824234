"""Strengths computed anew from what was said, each multiplied out round by round: nothing of the board's own way of computing them."""

from collections import Counter, defaultdict

from bus.messages import Confirm, Deposit, EndRound, Reinforce, Unit
from tests.chaos.acts import CLAIMS, KINDS, LEDGERS, id_of

WATCHED = (*LEDGERS, *CLAIMS)


class Item:
    """A shared item that nobody retracts, and that never fades wholly."""

    def __init__(self, said: Deposit, now: int) -> None:
        self.policy = KINDS[said.kind or ""]
        self.strength = self.policy.initial
        self.protected_until = now + self.policy.protect

    def confirm(self) -> float:
        """What it adds."""
        old, self.strength = self.strength, max(self.strength, self.policy.initial) + self.policy.confirm
        return self.strength - old

    def end_round(self, now: int) -> None:
        if now > self.protected_until:
            self.strength *= 1 - self.policy.rate


class Naive:
    """A board of rounds, as far as its ledgers and claims go."""

    def __init__(self, board: str) -> None:
        self.items: dict[str, Item] = {}
        self.amounts: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        """(item, agent, cause) → what it added."""
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self._now = 0
        self._ids = {said.content: id_of(said, "anyone", board) for said in WATCHED}

    def say(self, agent: str, unit: Unit) -> None:
        """Apply a unit that the board has not refused."""
        for said in unit:
            match said:
                case Deposit() if said.content in self._ids:
                    item = self._ids[said.content]
                    if item in self.items:
                        self._add(item, agent, "confirm", self.items[item].confirm())
                    else:
                        self.items[item] = Item(said, self._now)
                        self._add(item, agent, "deposit", self.items[item].strength)
                case Confirm(item):
                    self._add(item, agent, "confirm", self.items[item].confirm())
                case Reinforce(item, delta):
                    self.items[item].strength += delta
                    self._add(item, agent, "reinforce", delta)
                case EndRound(number) if number == self._now:
                    self._now += 1
                    for each in self.items.values():
                        each.end_round(self._now)

    def _add(self, item: str, agent: str, cause: str, amount: float) -> None:
        self.amounts[item, agent, cause] += amount
        self.counts[item, agent, cause] += 1
