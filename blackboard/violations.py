"""Values that break constraints (chapter 1, "Constraint tracking").

Laws:

- Checking is advice: the observation is recorded, whatever comes of it.
- A value is held against the constraints that stand when it arrives, a constraint against the values: so each pair is told once.
- It is told to those who see both: to everyone if both are shared, else to the owner of the private one.
- A soft constraint that faded lets values pass. They are remembered, and told of when it is confirmed again.
"""

from collections.abc import Iterable, Mapping

from blackboard import constraints, signals, views
from blackboard.errors import NotInView
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from bus import names
from bus.messages import Evidence

Passed = dict[str, dict[str, None]]
"""Faded constraint → the values that it let pass, in order."""


class Violations:
    """Holds values and constraints against each other. ``patience``: K of chapter 1, in the board's time."""

    def __init__(self, network: PheromoneNetwork, patience: float) -> None:
        self._network = network
        self._patience = patience
        self.passed: Passed = {}

    def notice(self, touch: Touch, arrivals: set[str], outcome: Outcome) -> None:
        """One item was touched; ``arrivals`` are the ids of all that arrived with it, at the board or at a key."""
        item = touch.item
        if touch.renamed and item.standing:
            self._met(item, arrivals, outcome)
        elif touch.fresh and item.standing:
            self._arrived(item, arrivals, outcome)
        elif touch.confirmed and item.standing:
            self._confirmed(item, outcome)
        elif not item.standing:
            self.passed.pop(item.id, None)

    def renamed(self, moved: Mapping[str, str]) -> None:
        """Items have other ids (former → present), values as the constraints on them."""
        for former, now in moved.items():
            if (passed := self.passed.pop(former, None)) is not None:
                self.passed.setdefault(now, {}).update({moved.get(value, value): None for value in passed})

    def forget(self, ids: Iterable[str]) -> None:
        """Remember these neither as constraints nor as values."""
        for each in ids:
            self.passed.pop(each, None)
            for values in self.passed.values():
                values.pop(each, None)

    def _arrived(self, item: ContextItem, arrivals: set[str], outcome: Outcome) -> None:
        if item.key is None or item.value is None:
            return
        if item.kind == constraints.KIND:
            self.passed.pop(item.id, None)
            for value in self._network.about(item.key):
                if value.kind != constraints.KIND and value.value is not None and value.standing:
                    self._check(item, value, outcome)
        else:
            for constraint in self._network.about(item.key, constraints.KIND):
                if constraint.id not in arrivals:  # it looks for values itself
                    self._check(constraint, item, outcome)

    def _met(self, item: ContextItem, along: set[str], outcome: Outcome) -> None:
        """An item came to a key: hold it against what was there; with those that came ``along`` it had been at its former key."""
        for other in list(self._network.about(item.key or "")):
            if other.id in along or item.value is None or other.value is None or not other.standing:
                continue
            if item.kind == constraints.KIND != other.kind:
                self._check(item, other, outcome)
            elif other.kind == constraints.KIND != item.kind:
                self._check(other, item, outcome)

    def _confirmed(self, item: ContextItem, outcome: Outcome) -> None:
        for value in self.passed.pop(item.id, ()):
            try:
                passed = self._network.get(value)
            except NotInView:
                continue
            if passed.standing:
                self._check(item, passed, outcome)

    def _check(self, constraint: ContextItem, item: ContextItem, outcome: Outcome) -> None:
        if names.SHARED not in {constraint.scope, item.scope} and constraint.owner != item.owner:
            return
        if not constraints.binds(constraint, item.target) or not constraints.breaks(constraint, item.value, item.unit):
            return
        now = self._network.now
        if not constraints.in_force(constraint, now, self._patience):
            if constraint.standing:
                self.passed.setdefault(constraint.id, {})[item.id] = None
            return
        hidden = item if item.scope != names.SHARED else constraint
        values = dict.fromkeys(item.asserters, item.value)
        evidence = Evidence(
            until=now, values=signals.quoted(values), agents=signals.named(values), constraint=constraint.id,
            rule=signals.excerpt(constraints.rule(constraint)),
        )  # fmt: skip
        reason = "hard" if constraint.hard else "soft"
        outcome.signal(views.audience(hidden), signals.about(item, "violated", now, evidence, reason=reason))
