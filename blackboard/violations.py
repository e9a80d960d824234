"""Values that break constraints (chapter 1, "Constraint tracking").

Laws:

- Checking is advice: the observation is recorded, whatever comes of it.
- A value is held against the constraints that stand when it arrives, a constraint against the values: so each pair is told once.
- It is told to those who see both: to everyone if both are shared, else to the owner of the private one.
- A soft constraint that faded lets values pass. They are remembered, and told of when it is confirmed again.
"""

from collections.abc import Collection, Iterable, Mapping

from blackboard import constraints, signals, views
from blackboard.errors import NotInView
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT
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

    def notice(self, touch: Touch, arrivals: Collection[str], outcome: Outcome) -> None:
        """One item was touched; ``arrivals`` are the ids of all that arrived with it, at the board or at a key."""
        item = touch.item
        if not item.standing:
            self.passed.pop(item.id, None)
        if touch.renamed:
            self._hold(item, arrivals, outcome)  # what came along, or took in what did, it has met at its former key
        elif touch.fresh:
            binds = item.kind == CONSTRAINT
            if binds:
                self.passed.pop(item.id, None)  # whatever it let pass it finds again
            self._hold(item, () if binds else arrivals, outcome)  # a constraint that arrives looks for the values itself
        elif touch.confirmed and item.standing:
            self._confirmed(item, outcome)

    def moved(self, ids: Mapping[str, str]) -> None:
        """Items have other ids (former → present), values as the constraints on them."""
        former, self.passed = self.passed, {}
        for constraint, passed in former.items():
            self.passed.setdefault(ids.get(constraint, constraint), {}).update({ids.get(value, value): None for value in passed})

    def forget(self, ids: Iterable[str]) -> None:
        """Remember these neither as constraints nor as values."""
        for each in ids:
            self.passed.pop(each, None)
            for values in self.passed.values():
                values.pop(each, None)

    def _hold(self, item: ContextItem, met: Collection[str], outcome: Outcome) -> None:
        """A value that stands is held against the constraints of its key, a constraint against the values; but for those it has ``met``."""
        if item.key is None or item.value is None:
            return
        if item.kind == CONSTRAINT:
            for value in self._network.about(item.key):
                if value.kind != CONSTRAINT and value.value is not None and value.standing and value.id not in met:
                    self._check(item, value, outcome)
        elif item.standing:
            for constraint in self._network.about(item.key, CONSTRAINT):
                if constraint.id not in met:
                    self._check(constraint, item, outcome)

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
