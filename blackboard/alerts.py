"""From what moved to signals: asks the detectors, in their turn or when time alone is due, and holds contests and violations beside them.

Laws:

- Work follows what changed; nothing here walks the board. What happens by time alone waits in one heap of due points: an entry that is no
  longer true is dropped, or put back at its later time, when it comes up.
- A signal is raised on the edge: once when something begins, not with every change while it lasts.
- A detector's state lives on its item (``marks``), so it is kept, moved and forgotten with it.
- A user's detector that fails is told of, and stops nothing.
"""

from collections.abc import Iterable
from functools import partial
from heapq import heappop, heappush
from math import inf

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from blackboard import constraints, signals, views
from blackboard.config import BoardConfig, label
from blackboard.contests import Contests
from blackboard.errors import NotInView
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from blackboard.trends import Detector, Finding, Moment
from blackboard.violations import Passed, Violations
from bus import names
from bus.messages import Evidence


class AlertState(Struct):
    """What of it cannot be rebuilt from the items."""

    leaders: dict[str, str] = {}
    passed: Passed = {}


class Alerts:
    """Raises signals about what a unit, or time, did."""

    def __init__(self, network: PheromoneNetwork, detectors: tuple[Detector, ...], config: BoardConfig) -> None:
        self._network = network
        self._detectors = detectors
        self._labels = tuple(label(d) for d in detectors)
        self._timed = frozenset(n for n, d in enumerate(detectors) if type(d).due is not Detector.due)
        """Those that may find something by time alone."""
        self._heap: list[tuple[float, int, int, str]] = []
        self._queued: dict[tuple[str, int], float] = {}
        self._violations = Violations(network, config.patience * config.scale)
        self._contests = Contests(network)

    # ---- after a unit -------------------------------------------------------------------------------------------------------------------

    def notice(self, touches: Iterable[Touch], outcome: Outcome) -> None:
        """One unit, or a step of time, is applied: raise what it gives cause for."""
        touches = tuple(touches)
        arrivals = {touch.item.id for touch in touches if touch.fresh}
        for touch in touches:
            self._violations.notice(touch, arrivals, outcome)
            if touch.item.standing:
                if touch.fresh:
                    touch.item.marks = None
                if touch.item.scope == names.SHARED:
                    self._detect(touch, outcome)
            self._contests.notice(touch, outcome)

    def contested(self, item: ContextItem) -> bool:
        """Is this shared item one of several values for its slot, with none confirmed past the others?"""
        return self._contests.contested(item)

    def _detect(self, touch: Touch, outcome: Outcome) -> None:
        item = touch.item
        moment = Moment(
            t=self._network.now, before=touch.before, after=touch.after, confirmed=tuple(touch.confirmed), kind=item.kind, fresh=touch.fresh
        )
        for number in range(len(self._detectors)):
            self._ask(number, item, moment, outcome)

    def _ask(self, number: int, item: ContextItem, moment: Moment, outcome: Outcome) -> None:
        """Let a detector notice a moment. One that fails is told of, and is not asked about this item again until it arrives anew."""
        detector, name = self._detectors[number], self._labels[number]
        marks = item.marks = {} if item.marks is None else item.marks
        try:
            if name not in marks:
                marks[name] = detector.begin(moment)
            state = marks[name]
            if state is None:
                return
            finding = detector.notice(state, moment)
            if finding is not None:
                self._raise(number, item, msgspec.convert(msgspec.to_builtins(finding), Finding), outcome)
            if number in self._timed:
                self._await(item, number, detector.due(state, partial(self._network.falls_below, item)))
        except Exception as error:  # noqa: BLE001 – whatever a user's detector raises: it must not stop the board
            marks[name] = None
            failed = signals.about(item, "failed", self._network.now, Evidence(), reason=type(error).__name__, detector=name)
            outcome.signal(views.audience(item), failed)

    def _raise(self, number: int, item: ContextItem, finding: Finding, outcome: Outcome) -> None:
        evidence = finding.evidence
        if finding.signal == "fading" and item.kind == constraints.KIND and not item.hard:
            evidence = replace(evidence, relaxable=True)
        detector, now = self._labels[number], self._network.now
        outcome.signal(views.audience(item), signals.about(item, finding.signal, now, evidence, reason=finding.reason, detector=detector))

    # ---- by time alone ------------------------------------------------------------------------------------------------------------------

    def next_due(self) -> float | None:
        """The earliest time at which a detector has to be asked; what is down for too early is put off, what is gone is dropped."""
        while self._heap:
            came, _, number, item_id = self._heap[0]
            if self._queued.get((item_id, number)) == came:
                item = self._find(item_id)
                due = None if item is None else self._due(number, item)
                if due is not None and due <= came:
                    return came
                del self._queued[item_id, number]
                if item is not None and due is not None and due < inf:  # by now, perhaps: then it comes up again in its turn
                    self._queued[item_id, number] = due
                    heappush(self._heap, (due, item.ordinal, number, item_id))
            heappop(self._heap)
        return None

    def due(self, outcome: Outcome) -> None:
        """Ask the detectors that are due by now."""
        now = self._network.now
        while (due := self.next_due()) is not None and due <= now:
            _, _, number, item_id = heappop(self._heap)
            del self._queued[item_id, number]
            item = self._network.get(item_id)
            self._network.touched(item)
            moment = Moment(t=now, before=item.strength, after=item.strength, kind=item.kind)
            self._ask(number, item, moment, outcome)

    def _due(self, number: int, item: ContextItem) -> float | None:
        """When a detector is due for an item (one in the archive may be silent, too); None if it is not, or cannot say."""
        state = (item.marks or {}).get(self._labels[number])
        if state is None or not item.present:
            return None
        try:
            due = self._detectors[number].due(state, partial(self._network.falls_below, item))
            return None if due is None else float(due)
        except Exception:  # noqa: BLE001 – whatever a user's detector raises; it is told of when it next notices something
            return None

    def _find(self, item_id: str) -> ContextItem | None:
        try:
            return self._network.get(item_id)
        except NotInView:
            return None

    def _await(self, item: ContextItem, number: int, due: float | None) -> None:
        """Put the item down for ``due``, unless that is over already; an entry that is only too early stays, and is put off in its turn."""
        key = item.id, number
        if due is None or not self._network.now < due < inf:
            self._queued.pop(key, None)
        elif key not in self._queued or due < self._queued[key]:
            self._queued[key] = due
            heappush(self._heap, (due, item.ordinal, number, item.id))

    # ---- persistence --------------------------------------------------------------------------------------------------------------------

    def dump(self) -> AlertState:
        """What cannot be rebuilt from the items."""
        return AlertState(self._contests.leaders, self._violations.passed)

    def restore(self, state: AlertState) -> None:
        """Take up ``dump``'s state over a restored network: detectors' states become objects again, due points are found anew."""
        self._contests.leaders, self._violations.passed = state.leaders, state.passed
        for item in self._network.present():
            for number, name in enumerate(self._labels):
                if item.marks is not None and item.marks.get(name) is not None:
                    item.marks[name] = msgspec.convert(item.marks[name], self._detectors[number].state_type)
                    self._await(item, number, self._due(number, item))
