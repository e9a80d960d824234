"""From what moved to signals: the detectors' shell, contests between agents, and constraints that are broken.

Laws:

- Work follows what changed; nothing here walks the board. What happens by time alone waits in one heap of due points: an entry that is no
  longer true is dropped, or put back at its later time, when it comes up.
- A signal is raised on the edge: once when something begins, not with every change while it lasts.
- A detector's state lives on its item (``marks``), so it is kept, moved and forgotten with it.
"""

from collections.abc import Iterable
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.json import encode as encode_json
from msgspec.structs import replace

from blackboard import constraints, views
from blackboard.config import BoardConfig, label
from blackboard.errors import NotInView
from blackboard.items import ContextItem, direction
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Outcome, Touch
from blackboard.trends import Detector, Finding, Moment
from bus.messages import Evidence, Signal

MAX_QUOTED = 500
"""Characters of a content or a value that a signal quotes."""
MAX_NAMED = 100
"""Agents that a signal names."""


class _Contest(Struct):
    """Different values stand for one slot. ``leader``: the one that was confirmed past the others; empty while it is open."""

    leader: str = ""


class Alerts:
    """Raises signals about what a unit, or time, did."""

    def __init__(self, network: PheromoneNetwork, detectors: tuple[Detector, ...], config: BoardConfig) -> None:
        self._network = network
        self._detectors = detectors
        self._labels = tuple(label(d) for d in detectors)
        self._timed = frozenset(n for n, d in enumerate(detectors) if type(d).due is not Detector.due)
        """Those that may find something by time alone."""
        self._patience = config.patience * config.scale
        self._heap: list[tuple[float, int, int, str]] = []
        self._queued: dict[tuple[str, int], float] = {}
        self._contests: dict[str, _Contest] = {}
        self._passed: dict[str, dict[str, None]] = {}
        """Faded constraint → the values that it let pass: raised when it is confirmed again."""

    # ---- after a unit -------------------------------------------------------------------------------------------------------------------

    def notice(self, touches: Iterable[Touch], outcome: Outcome) -> None:
        """One unit, or a step of time, is applied: raise what it gives cause for."""
        touches = tuple(touches)
        arrivals = {touch.item.id for touch in touches if touch.fresh}
        for touch in touches:
            item = touch.item
            if item.status == "standing":
                if touch.fresh:
                    self._arrived(item, arrivals, outcome)
                elif touch.confirmed:
                    self._confirmed(item, outcome)
                if item.scope == views.SHARED:
                    self._detect(touch, outcome)
            elif item.kind == constraints.KIND:
                self._passed.pop(item.id, None)
            if item.value is not None and item.scope == views.SHARED:
                self._contest(touch, outcome)

    def _confirmed(self, item: ContextItem, outcome: Outcome) -> None:
        for value in self._passed.pop(item.id, ()):
            if (passed := self._find(value)) is not None and passed.standing:
                self._check(item, passed, outcome)

    def _arrived(self, item: ContextItem, arrivals: set[str], outcome: Outcome) -> None:
        item.marks = None
        if item.key is None or item.value is None:
            return
        if item.kind == constraints.KIND:
            self._passed.pop(item.id, None)
            for value in self._network.about(item.key):
                if value.kind != constraints.KIND and value.value is not None and value.status == "standing":
                    self._check(item, value, outcome)
        else:
            for constraint in self._network.about(item.key, constraints.KIND):
                if constraint.id not in arrivals:  # it looks for values itself
                    self._check(constraint, item, outcome)

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
            outcome.signal(views.audience(item), self._signal("failed", item, Evidence(), type(error).__name__, name))

    def _raise(self, number: int, item: ContextItem, finding: Finding, outcome: Outcome) -> None:
        evidence = finding.evidence
        if finding.signal == "fading" and item.kind == constraints.KIND and not item.hard:
            evidence = replace(evidence, relaxable=True)
        outcome.signal(views.audience(item), self._signal(finding.signal, item, evidence, finding.reason, self._labels[number]))

    def _signal(self, name: str, item: ContextItem, evidence: Evidence, reason: str = "", detector: str = "board/1") -> Signal:
        return Signal(
            signal=name, item=item.id, kind=item.kind, key=item.key, target=item.target, content=excerpt(item.content), reason=reason,
            strength=item.strength, t=self._network.now, detector=detector, evidence=evidence,
        )  # fmt: skip

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

    # ---- constraints that are broken ----------------------------------------------------------------------------------------------------

    def _check(self, constraint: ContextItem, item: ContextItem, outcome: Outcome) -> None:
        """Hold one value against one constraint; told to those who see both."""
        if views.SHARED not in {constraint.scope, item.scope} and constraint.owner != item.owner:
            return
        if not constraints.binds(constraint, item.target) or not constraints.breaks(constraint, item.value, item.unit):
            return
        now = self._network.now
        if not constraints.in_force(constraint, now, self._patience):
            if constraint.status == "standing":
                self._passed.setdefault(constraint.id, {})[item.id] = None
            return
        hidden = item if item.scope != views.SHARED else constraint
        channel = views.audience(hidden)
        evidence = Evidence(
            until=now, values=_quoted(dict.fromkeys(item.asserters, item.value)), agents=tuple(sorted(item.asserters)[:MAX_NAMED]),
            constraint=constraint.id, rule=excerpt(constraints.rule(constraint)), relaxable=False,
        )  # fmt: skip
        reason = "hard" if constraint.hard else "soft"
        outcome.signal(channel, self._signal("violated", item, evidence, reason))

    # ---- contests -----------------------------------------------------------------------------------------------------------------------

    def contested(self, item: ContextItem) -> bool:
        """Do other agents assert other values for this shared item's slot, with none of them confirmed past the others?"""
        contest = self._contests.get(_slot(item)) if item.standing and item.scope == views.SHARED else None
        return contest is not None and not contest.leader

    def _contest(self, touch: Touch, outcome: Outcome) -> None:
        item = touch.item
        if item.key is None:
            return
        slot = _slot(item)
        sides = [each for each in self._network.slot(views.SHARED, item.kind, item.key, item.target, item.op) if each.standing]
        if not any(_differ(each, sides[0]) for each in sides):
            self._contests.pop(slot, None)
            return
        rivals = [each for each in sides if _differ(each, item)]
        comes = touch.fresh and item.standing and len(rivals) == len(sides) - 1
        contest = self._contests.get(slot)
        leader = next((each for each in sides if contest is not None and each.id == contest.leader), None)
        if contest is None or comes or (contest.leader and leader is None):
            self._contests[slot] = _Contest()
            self._raise_contested(item if item.standing else sides[-1], sides, outcome)
        elif touch.confirmed and item.standing and all(item.strength > rival.strength for rival in rivals):
            if leader is None:
                contest.leader = item.id
            elif _differ(leader, item):
                contest.leader = ""
                self._raise_contested(item, sides, outcome)

    def _raise_contested(self, item: ContextItem, sides: list[ContextItem], outcome: Outcome) -> None:
        values = {agent: each.value for each in sides for agent in each.asserters}
        evidence = Evidence(until=self._network.now, values=_quoted(values), agents=tuple(sorted(values)[:MAX_NAMED]))
        outcome.signal(views.audience(item), self._signal("contested", item, evidence))

    # ---- persistence --------------------------------------------------------------------------------------------------------------------

    def dump(self) -> dict[str, Any]:
        """What cannot be rebuilt from the items."""
        return {"contests": {slot: contest.leader for slot, contest in self._contests.items()}, "passed": self._passed}

    def restore(self, state: dict[str, Any]) -> None:
        """Take up ``dump``'s state over a restored network: detectors' states become objects again, due points are found anew."""
        self._contests = {slot: _Contest(leader) for slot, leader in state["contests"].items()}
        self._passed = state["passed"]
        for item in self._network.present():
            for number, name in enumerate(self._labels):
                if item.marks is not None and item.marks.get(name) is not None:
                    item.marks[name] = msgspec.convert(item.marks[name], self._detectors[number].state_type)
                    self._await(item, number, self._due(number, item))


def excerpt(text: str) -> str:
    """As much of a text as a signal quotes."""
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def _quoted(values: dict[str, Any]) -> dict[str, Any]:
    """Agents and what they assert, as much as a signal quotes of it: large values as the beginning of their text."""
    quoted = {}
    for agent, value in sorted(values.items())[:MAX_NAMED]:
        text = encode_json(value)
        quoted[agent] = value if len(text) <= MAX_QUOTED else excerpt(text.decode())
    return quoted


def _differ(one: ContextItem, other: ContextItem) -> bool:
    return not constraints.same(one.value, other.value) or one.unit != other.unit


def _slot(item: ContextItem) -> str:
    """A shared slot as a text: the key of a contest in the checkpoint."""
    return encode_json((item.kind, item.key, item.target, direction(item.op))).decode()
