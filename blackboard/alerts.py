"""From what moved to signals: asks the detectors, in their turn or when time alone is due, and holds contests and violations beside them.

Laws:

- Work follows what changed; nothing here walks the board. What happens by time alone waits in a calendar for each detector that has a due
  time: an entry that is no longer true is dropped, or put back at its later time, when it comes up.
- A signal is raised on the edge: once when something begins, not with every change while it lasts.
- A detector's state lives on its item (``marks``), so it is kept, moved and forgotten with it. A detector that nothing about an item
  concerns has none there: the item's few moments are kept, and told to it once one of them may show it something.
- A user's detector that fails is told of, and stops nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from math import inf, isfinite
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from blackboard import signals, views
from blackboard.calendar import Calendar
from blackboard.config import BoardConfig, label
from blackboard.contests import Contests
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT
from blackboard.marks import ARRIVED, Quiet, moment_of, quiet_of
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from blackboard.trends import Detector, Finding, Heard, Moment
from blackboard.violations import Passed, Violations
from bus import names
from bus.messages import Evidence

Asked = tuple[int, Callable[[Any, Moment], Finding | None], Callable[..., float | None] | None, bool]
"""A detector's number, its ``notice``, its ``due`` if it may find something by time alone, and whether it is patient."""
KEPT = 8
"""Moments of an item that are kept back at most: an item of which more is told is not quiet."""
_NOBODY = ((None, 0.0),)
"""In place of who confirmed an item."""
_NONE_YET = object()
"""Stands for a state that is made when the detector is first asked."""


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
        self._timed = tuple(n for n, d in enumerate(detectors) if type(d).due is not Detector.due)
        """Those that may find something by time alone."""
        self._asked: tuple[Asked, ...] = tuple(
            (n, d.notice, d.due if n in self._timed else None, d.least > 0) for n, d in enumerate(detectors)
        )
        self._most = min((KEPT, *(d.least for d in detectors)))
        """From that many moments of an item on, all detectors are told of each."""
        self._sudden = tuple(d.sudden for d in detectors if type(d).sudden is not Detector.sudden)
        self._ripe = tuple((n, detectors[n].ripe) for n in self._timed if detectors[n].ripe < self._most)
        """Those that may become due while an item is quiet, and from which moment on."""
        self._calendars = {n: Calendar(config.scale, partial(self._point, n)) for n in self._timed}
        self._downs: dict[tuple[int, int], float] = {}
        """(detector's number, ordinal) → the due point that holds; of the impatient, who may call it off."""
        self._violations = Violations(network, config.patience * config.scale)
        self._contests = Contests(network)

    # ---- after a unit -------------------------------------------------------------------------------------------------------------------

    def notice(self, touches: Collection[Touch], outcome: Outcome) -> None:
        """One unit, or a step of time, is applied: raise what it gives cause for."""
        renamed = any(touch.renamed for touch in touches)  # elsewhere what took in what came has met nothing of what came beside it
        arrivals = {touch.item.id for touch in touches if touch.fresh or touch.renamed or (touch.merged and renamed)}
        for touch in touches:
            item = touch.item
            self._violations.notice(touch, arrivals, outcome)
            if item.status == "standing":
                if touch.fresh:
                    item.marks = None
                    item.awaited = 0  # it is down for what its former life was due for, which may be later
                named_only = (touch.renamed or touch.merged) and touch.before == touch.after
                if item.scope == names.SHARED and not named_only:
                    self._detect(item, self._moment(touch), outcome)
            self._contests.notice(touch, arrivals, outcome)

    def reinforced(self, item: ContextItem, before: float, delta: float, agent: str, outcome: Outcome) -> None:
        """A unit reinforced a standing item and did nothing else."""
        now, after = self._network.now, before + delta
        if item.kind == CONSTRAINT or (item.value is not None and self._contests.concern(item)):
            self.notice((Touch(item, before, after, [(agent, delta)]),), outcome)
        elif item.scope == names.SHARED and not self._keep(item, (now, before, after, agent, delta), outcome):
            moment = Moment(now, before, after, ((agent, delta),), item.kind)
            self._ask(self._asked, self._states(item, outcome), item, moment, outcome)

    def forget(self, ids: Iterable[str]) -> None:
        """Keep no trace of these items beyond their own records."""
        self._violations.forget(ids)

    def moved(self, ids: Mapping[str, str], *, of_key: str | None = None) -> None:
        """Items have other ids (former → present). ``of_key``: they were of this key, and are of another."""
        self._violations.moved(ids)
        if of_key is not None:
            self._contests.renamed(of_key, ids)

    def contested(self, item: ContextItem) -> bool:
        """Is this shared item one of several values for its slot, with none confirmed past the others?"""
        return self._contests.contested(item)

    def _moment(self, touch: Touch) -> Moment:
        return Moment(self._network.now, touch.before, touch.after, tuple(touch.confirmed), touch.item.kind, touch.fresh)

    def _detect(self, item: ContextItem, moment: Moment, outcome: Outcome) -> None:
        agent, delta = (moment.confirmed or _NOBODY)[0]
        if item.marks is None and self._most > 0 and not moment.confirmed:
            made_now = moment.t == item.made and not moment.before and moment.after == item.first
            item.marks = ARRIVED if made_now else Quiet(moment.t, moment.before, moment.after)
            for number in self._timed:
                self._await(item, number, self._due(number, item, moment))
        elif len(moment.confirmed) > 1 or not self._keep(item, (moment.t, moment.before, moment.after, agent, delta), outcome):
            self._ask(self._asked, self._states(item, outcome), item, moment, outcome)

    def _keep(self, item: ContextItem, moment: Heard, outcome: Outcome) -> bool:
        """Keep a moment of a quiet item back from all detectors but those that it may concern. False: it may concern all."""
        quiet = item.marks if type(item.marks) is Quiet else quiet_of(item)
        if quiet is None:
            return False
        heard = (*quiet.heard, moment)
        if len(heard) >= self._most:
            return False
        concerns = quiet.awake is not None
        try:
            if not concerns:
                for sudden in self._sudden:
                    if sudden(quiet.after, heard):
                        concerns = True
                        break
        except Exception:  # noqa: BLE001 – whatever a user's detector raises: it is told of when it notices the moment, if it does so there
            return False
        item.marks = quiet
        if concerns:
            self._stir(quiet, item, heard, outcome)
        quiet.heard = heard
        for number, ripe in self._ripe:
            if len(heard) >= ripe and not item.awaited >> number & 1 and not (quiet.awake and number in quiet.awake):
                self._await(item, number, self._due(number, item))
        return True

    def _stir(self, quiet: Quiet, item: ContextItem, heard: tuple[Heard, ...], outcome: Outcome) -> None:
        """Let those notice the last of these moments that it concerns, and who are awake already."""
        awake = quiet.awake or {}
        for number, detector in enumerate(self._detectors):
            if number not in awake and _is_sudden(detector, quiet.after, heard):
                awake[number] = self._caught_up(number, item, quiet.began(item.kind), quiet.since(item.kind), outcome)
        if awake:
            quiet.awake = awake
            self._ask([self._asked[number] for number in sorted(awake)], awake, item, moment_of(heard[-1], item.kind), outcome)

    def _states(self, item: ContextItem, outcome: Outcome) -> list[Any]:
        """The states of an item, those of all detectors."""
        if type(item.marks) is list:
            return item.marks
        quiet = quiet_of(item)
        if quiet is None:
            states = [_NONE_YET] * len(self._detectors)
        else:
            awake, began, since = quiet.awake or {}, quiet.began(item.kind), list(quiet.since(item.kind))
            states = [
                awake[number] if number in awake else self._caught_up(number, item, began, since, outcome)
                for number in range(len(self._detectors))
            ]
        item.marks = states
        return states

    def _state(self, number: int, item: ContextItem, outcome: Outcome) -> list[Any] | dict[int, Any]:
        """The states of an item, that of this detector among them."""
        quiet = quiet_of(item)
        if quiet is None:
            return self._states(item, outcome)
        if quiet.awake is None:
            quiet.awake = {}
        if number not in quiet.awake:
            quiet.awake[number] = self._caught_up(number, item, quiet.began(item.kind), quiet.since(item.kind), outcome)
        item.marks = quiet
        return quiet.awake

    def _caught_up(self, number: int, item: ContextItem, began: Moment, since: Iterable[Moment], outcome: Outcome) -> Any:
        """A detector's state after these moments, in which it finds nothing, if it is as patient as it says."""
        detector = self._detectors[number]
        try:
            state = detector.begin(began)
            if state is not None:
                for moment in since:
                    finding = detector.notice(state, moment)
                    if finding is not None:
                        self._raise(number, item, finding, outcome)
        except Exception as error:  # noqa: BLE001 – whatever a user's detector raises: it must not stop the board
            self._failed(number, item, error, outcome)
            return None
        return state

    def _ask(self, asked: Iterable[Asked], states: list[Any] | dict[int, Any], item: ContextItem, moment: Moment, outcome: Outcome) -> None:
        """Let detectors notice a moment. One that fails is told of, and is not asked about this item again until it arrives anew."""
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
                    self._raise(number, item, finding, outcome)
                if due is not None and (finding is not None or not patient or not item.awaited >> number & 1):
                    self._await(item, number, due(state, partial(self._network.falls_below, item)))
            except Exception as error:  # noqa: BLE001 – likewise
                states[number] = None
                self._failed(number, item, error, outcome)

    def _failed(self, number: int, item: ContextItem, error: Exception, outcome: Outcome) -> None:
        reason, name = type(error).__name__, self._labels[number]
        failed = signals.about(item, "failed", self._network.now, Evidence(), reason=reason, detector=name)
        outcome.signal(views.audience(item), failed)

    def _raise(self, number: int, item: ContextItem, found: Finding, outcome: Outcome) -> None:
        finding = msgspec.convert(msgspec.to_builtins(found), Finding)  # what a user's detector gives is checked field by field
        evidence = finding.evidence
        if finding.signal == "fading" and item.kind == CONSTRAINT and not item.hard:
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
        firsts = (calendar.first() for calendar in self._calendars.values())
        return min((first[0] for first in firsts if first is not None), default=None)

    def due(self, outcome: Outcome) -> None:
        """Ask the detectors that are due by now, in the order of their due times, of the items' making, and of their own."""
        now = self._network.now
        while found := self._take_due(now):
            for _, _, number, item in sorted(found, key=itemgetter(0, 1, 2)):
                self._call_off(number, item)
                self._network.touched(item)
                moment = Moment(t=now, before=item.strength, after=item.strength, kind=item.kind)
                self._ask(self._asked[number : number + 1], self._state(number, item, outcome), item, moment, outcome)

    def _take_due(self, now: float) -> list[tuple[float, int, int, ContextItem]]:
        """(due, ordinal, detector's number, item) of all that is due by now, each once."""
        found: dict[tuple[int, int], tuple[float, int, int, ContextItem]] = {}
        for number, calendar in self._calendars.items():
            while (first := calendar.first()) is not None and first[0] <= now:
                item = calendar.take()
                found.setdefault((number, item.ordinal), (first[0], item.ordinal, number, item))
        return list(found.values())

    def _point(self, number: int, item: ContextItem) -> float | None:
        """Where an item stands in a detector's calendar now."""
        patient = self._detectors[number].least > 0
        due = self._due(number, item) if patient or (number, item.ordinal) in self._downs else None
        if due is None:
            self._call_off(number, item)
            return None
        if not patient:
            self._downs[number, item.ordinal] = due
        return due

    def _due(self, number: int, item: ContextItem, began: Moment | None = None) -> float | None:
        """When a detector is due for an item (one in the archive may be silent, too); None if it is not, or cannot say.

        ``began``: of a quiet item that nothing happened to since, if it is at hand.
        """
        if item.marks is None or not item.present:
            return None
        detector = self._detectors[number]
        try:
            if began is not None:
                state = detector.begin(began)
            elif (quiet := quiet_of(item)) is not None and quiet.awake is not None and number in quiet.awake:
                state = quiet.awake[number]
            elif quiet is not None:
                state = detector.begin(quiet.began(item.kind))
                for moment in quiet.since(item.kind):
                    detector.notice(state, moment)
            else:
                state = item.marks[number]
            due = None if state is None else detector.due(state, partial(self._network.falls_below, item))
            return float(due) if due is not None and isfinite(due) else None
        except Exception:  # noqa: BLE001 – whatever a user's detector raises; it is told of when it next notices something
            return None

    def _await(self, item: ContextItem, number: int, due: float | None) -> None:
        """Put the item down for ``due``, unless that is over already; an entry that is only too early stays, and is put off in its turn."""
        patient = self._detectors[number].least > 0
        if due is None or not self._network.now < due < inf:
            if not patient:
                self._call_off(number, item)
            return
        if not patient:
            if due >= self._downs.get((number, item.ordinal), inf):
                return
            self._downs[number, item.ordinal] = due
        item.awaited |= 1 << number
        self._calendars[number].put(item, due)

    def _call_off(self, number: int, item: ContextItem) -> None:
        item.awaited &= ~(1 << number)
        self._downs.pop((number, item.ordinal), None)

    def spell_out(self) -> None:
        """Make all states, so that boards compare as equal however much of them each had cause to make."""
        for item in self._network.present():
            if item.marks is not None:
                self._states(item, Outcome())

    # ---- from elsewhere -----------------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take up a network that was made elsewhere: each item counts as having arrived when it was last confirmed.

        What was due since then was told there, and is not told again.
        """
        now, told = self._network.now, Outcome()
        for item in self._network.all_items((names.SHARED,)):
            item.marks = Quiet(item.confirmed, 0.0, item.strength)
            for number in self._timed:
                due = self._due(number, item)
                if due is not None and due <= now:
                    moment = Moment(now, item.strength, item.strength, kind=item.kind)
                    self._ask(self._asked[number : number + 1], self._state(number, item, told), item, moment, told)
                else:
                    self._await(item, number, due)
        self._contests.begin()

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
            quiet = quiet_of(item)
            began = None if quiet is None or quiet.heard or quiet.awake else quiet.began(item.kind)
            for number in self._timed:
                self._await(item, number, self._due(number, item, began))

    def _restored(self, marks: Any) -> Any:
        if marks is ARRIVED:
            return marks
        if isinstance(marks, dict):  # as they were written once: by the detectors' names
            marks = [marks.get(name) for name in self._labels]
        if marks and marks[0] == "fresh":
            quiet = msgspec.convert(marks, Quiet)
            if quiet.awake is not None:
                quiet.awake = {number: _converted(state, self._detectors[number]) for number, state in quiet.awake.items()}
            return quiet
        return [_converted(state, detector) for state, detector in zip(marks, self._detectors, strict=True)]


def _is_sudden(detector: Detector, first: float, heard: tuple[Heard, ...]) -> bool:
    try:
        return detector.sudden(first, heard)
    except Exception:  # noqa: BLE001 – as above
        return True


def _converted(state: Any, detector: Detector) -> Any:
    return None if state is None else msgspec.convert(state, detector.state_type)
