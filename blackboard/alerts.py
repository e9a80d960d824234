"""From what moved to signals: asks the detectors, in their turn or when time alone is due, and holds contests and violations beside them.

Laws:

- Work follows what changed; nothing here walks the board. What happens by time alone waits in one heap of due points: an entry that is no
  longer true is dropped, or put back at its later time, when it comes up.
- A signal is raised on the edge: once when something begins, not with every change while it lasts.
- A detector's state lives on its item (``marks``), so it is kept, moved and forgotten with it. States are listed in the detectors' order;
  patient detectors have none of a quiet item: theirs are made from the moment of its arrival once something is confirmed.
- A user's detector that fails is told of, and stops nothing.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from blackboard import constraints, signals, views
from blackboard.config import BoardConfig, label
from blackboard.contests import Contests
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from blackboard.trends import Detector, Finding, Moment
from blackboard.violations import Passed, Violations
from bus import names
from bus.messages import Evidence

Asked = tuple[int, Callable[[Any, Moment], Finding | None], Callable[..., float | None] | None, bool]
"""A detector's number, its ``notice``, its ``due`` if it may find something by time alone, and whether it is patient."""
_NONE_YET = object()
"""Stands for a state that is made when the detector is first asked."""


class AlertState(Struct):
    """What of it cannot be rebuilt from the items."""

    leaders: dict[str, str] = {}
    passed: Passed = {}


class Fresh(Struct, array_like=True, tag="fresh", frozen=True, gc=False):
    """In place of the states of an item that nothing was confirmed of: the moment it arrived in, of which they are made when needed."""

    t: float
    before: float
    after: float

    def moment(self, kind: str) -> Moment:
        """What a detector was told of it, or would have been."""
        return Moment(self.t, self.before, self.after, kind=kind, fresh=True)


class Alerts:
    """Raises signals about what a unit, or time, did."""

    def __init__(self, network: PheromoneNetwork, detectors: tuple[Detector, ...], config: BoardConfig) -> None:
        self._network = network
        self._detectors = detectors
        self._labels = tuple(label(d) for d in detectors)
        self._timed = tuple(n for n, d in enumerate(detectors) if type(d).due is not Detector.due)
        """Those that may find something by time alone."""
        self._asked: tuple[Asked, ...] = tuple(
            (n, d.notice, d.due if n in self._timed else None, d.patient) for n, d in enumerate(detectors)
        )
        self._patient = all(d.patient for d in detectors)
        """May states be made when they are needed?"""
        self._heap: list[tuple[float, int, ContextItem]] = []
        """(due, code, item): a code is an item's ordinal and a detector's number in one."""
        self._queued: dict[int, float] = {}
        """Code → the due point that holds."""
        self._violations = Violations(network, config.patience * config.scale)
        self._contests = Contests(network)

    # ---- after a unit -------------------------------------------------------------------------------------------------------------------

    def notice(self, touches: Collection[Touch], outcome: Outcome) -> None:
        """One unit, or a step of time, is applied: raise what it gives cause for."""
        arrivals = {touch.item.id for touch in touches if touch.fresh}
        for touch in touches:
            item = touch.item
            self._violations.notice(touch, arrivals, outcome)
            if item.status == "standing":
                if touch.fresh:
                    item.marks = None
                if item.scope == names.SHARED:
                    self._detect(item, self._moment(touch), outcome)
            self._contests.notice(touch, outcome)

    def reinforced(self, item: ContextItem, before: float, delta: float, agent: str, outcome: Outcome) -> None:
        """A unit reinforced a standing item and did nothing else."""
        confirmed = ((agent, delta),)
        if item.kind == constraints.KIND or (item.value is not None and self._contests.concern(item)):
            self.notice((Touch(item, before, before + delta, list(confirmed)),), outcome)
        elif item.scope == names.SHARED:
            self._ask(self._asked, item, Moment(self._network.now, before, before + delta, confirmed, item.kind), outcome)

    def forget(self, ids: Iterable[str]) -> None:
        """Keep no trace of these items beyond their own records."""
        self._violations.forget(ids)

    def contested(self, item: ContextItem) -> bool:
        """Is this shared item one of several values for its slot, with none confirmed past the others?"""
        return self._contests.contested(item)

    def _moment(self, touch: Touch) -> Moment:
        return Moment(self._network.now, touch.before, touch.after, tuple(touch.confirmed), touch.item.kind, touch.fresh)

    def _detect(self, item: ContextItem, moment: Moment, outcome: Outcome) -> None:
        if item.marks is None and self._patient and not moment.confirmed:
            item.marks = Fresh(moment.t, moment.before, moment.after)
            for number in self._timed:
                self._await(item, number, self._due(number, item))
            return
        self._ask(self._asked, item, moment, outcome)

    def _states(self, item: ContextItem) -> list[Any]:
        """The states of an item that has none yet."""
        if type(item.marks) is Fresh:
            moment = item.marks.moment(item.kind)
            states = [detector.begin(moment) for detector in self._detectors]
        else:
            states = [_NONE_YET] * len(self._detectors)
        item.marks = states
        return states

    def _ask(self, asked: tuple[Asked, ...], item: ContextItem, moment: Moment, outcome: Outcome) -> None:
        """Let detectors notice a moment. One that fails is told of, and is not asked about this item again until it arrives anew."""
        states: list[Any] = item.marks if type(item.marks) is list else self._states(item)
        codes = item.ordinal * len(self._detectors)
        for number, notice, due, patient in asked:
            state = states[number]
            if state is None:
                continue
            try:
                if state is _NONE_YET:
                    state = states[number] = self._detectors[number].begin(moment)
                    if state is None:
                        continue
                finding = notice(state, moment)
                if finding is not None:
                    self._raise(number, item, msgspec.convert(msgspec.to_builtins(finding), Finding), outcome)
                if due is not None and (finding is not None or not patient or codes + number not in self._queued):
                    self._await(item, number, due(state, partial(self._network.falls_below, item)))
            except Exception as error:  # noqa: BLE001 – whatever a user's detector raises: it must not stop the board
                states[number] = None
                reason, name = type(error).__name__, self._labels[number]
                failed = signals.about(item, "failed", self._network.now, Evidence(), reason=reason, detector=name)
                outcome.signal(views.audience(item), failed)

    def _raise(self, number: int, item: ContextItem, finding: Finding, outcome: Outcome) -> None:
        evidence = finding.evidence
        if finding.signal == "fading" and item.kind == constraints.KIND and not item.hard:
            evidence = replace(evidence, relaxable=True)
        detector, now = self._labels[number], self._network.now
        outcome.signal(views.audience(item), signals.about(item, finding.signal, now, evidence, reason=finding.reason, detector=detector))

    # ---- by time alone ------------------------------------------------------------------------------------------------------------------

    def pace(self, items: Collection[ContextItem]) -> None:
        """These items' kind fades at another pace from now on: find their due points anew."""
        for item in items:
            if item.marks is not None:
                for number in self._timed:
                    self._await(item, number, self._due(number, item))

    def next_due(self) -> float | None:
        """The earliest time at which a detector has to be asked; what is down for too early is put off, what is gone is dropped."""
        while self._heap:
            came, code, item = self._heap[0]
            if self._queued.get(code) == came:
                due = self._due(code % len(self._detectors), item)
                if due is not None and due <= came:
                    return came
                del self._queued[code]
                if due is not None and due < inf:  # by now, perhaps: then it comes up again in its turn
                    self._queued[code] = due
                    heappush(self._heap, (due, code, item))
            heappop(self._heap)
        return None

    def due(self, outcome: Outcome) -> None:
        """Ask the detectors that are due by now."""
        now = self._network.now
        while (due := self.next_due()) is not None and due <= now:
            _, code, item = heappop(self._heap)
            del self._queued[code]
            self._network.touched(item)
            moment = Moment(t=now, before=item.strength, after=item.strength, kind=item.kind)
            number = code % len(self._detectors)
            self._ask(self._asked[number : number + 1], item, moment, outcome)

    def _due(self, number: int, item: ContextItem) -> float | None:
        """When a detector is due for an item (one in the archive may be silent, too); None if it is not, or cannot say."""
        if item.marks is None or not item.present:
            return None
        detector = self._detectors[number]
        state = detector.begin(item.marks.moment(item.kind)) if type(item.marks) is Fresh else item.marks[number]
        if state is None:
            return None
        try:
            due = detector.due(state, partial(self._network.falls_below, item))
            return None if due is None else float(due)
        except Exception:  # noqa: BLE001 – whatever a user's detector raises; it is told of when it next notices something
            return None

    def _await(self, item: ContextItem, number: int, due: float | None) -> None:
        """Put the item down for ``due``, unless that is over already; an entry that is only too early stays, and is put off in its turn."""
        code = item.ordinal * len(self._detectors) + number
        if due is None or not self._network.now < due < inf:
            if code in self._queued:  # mostly it is not
                del self._queued[code]
        elif code not in self._queued or due < self._queued[code]:
            self._queued[code] = due
            heappush(self._heap, (due, code, item))

    # ---- persistence --------------------------------------------------------------------------------------------------------------------

    def dump(self) -> AlertState:
        """What cannot be rebuilt from the items."""
        return AlertState(self._contests.leaders, self._violations.passed)

    def restore(self, state: AlertState) -> None:
        """Take up ``dump``'s state over a restored network: detectors' states become objects again, due points are found anew."""
        self._contests.leaders, self._violations.passed = state.leaders, state.passed
        for item in self._network.present():
            if item.marks is None:
                continue
            item.marks = self._restored(item.marks)
            for number in self._timed:
                self._await(item, number, self._due(number, item))

    def _restored(self, marks: Any) -> Fresh | list[Any]:
        if isinstance(marks, dict):  # as they were written once: by the detectors' names
            marks = [marks.get(name) for name in self._labels]
        if marks and marks[0] == "fresh":
            return msgspec.convert(marks, Fresh)
        return [None if state is None else msgspec.convert(state, d.state_type) for state, d in zip(marks, self._detectors, strict=True)]
