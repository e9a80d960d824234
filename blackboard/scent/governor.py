"""What keeps a field in balance, and what passes from one task to another (chapter 3, "Governor").

Laws:

- What is held down is held down in this field alone: ``DILUTED`` on a type, once, until the type has left it. The confidence of facts is
  not touched: being spoken of much is no reason for doubt.
- A task's end loses nothing that stood: its snapshot can be continued. Snapshots are bounded.
"""

from collections.abc import Callable, Sequence
from math import fsum
from typing import Self

from msgspec.structs import replace

from blackboard.kinds import STATE
from blackboard.scent.field import ROUND, PheromoneField
from blackboard.scent.rules import Rules
from blackboard.scent.superposition import superpose
from blackboard.scent.traces import CONTINUATION, ORDER, Change, GovernorState, Snapshot, Trace, named_by, says, slot_of, standing
from bus.messages import Scent

CAP = 5.0
"""A type whose scents' concentrations sum to more is held down."""
SHARE, AMONG = 0.8, 3
"""So is one that holds more than this share of the whole, where there are at least so many types."""
SNAPSHOTS = 8
"""Tasks that can be continued."""
RECENT, STRONG = 3, 0.4
"""A type goes into a snapshot if its concentration was above this in one of the last rounds."""
BROUGHT, FACTOR = 0.8, 0.92
"""What is brought back is so much weaker, and decays by this factor."""


class ContextGovernor:
    """A field with balance and tasks: release into it through its governor."""

    def __init__(self, field: PheromoneField) -> None:
        self.field = field
        self.snapshots: tuple[Snapshot, ...] = ()
        """Of tasks that ended, the latest first."""
        self._unsaved = False  # was anything said since a task ended?

    def release(self, scents: Sequence[Scent], *, turn: bool = True) -> list[Scent]:
        """As the field's; a *continuation* brings back what the last task ended with, or the last one that knows the order named."""
        snapshot = self._continued(scents)
        released = self.field.release(scents, turn=turn, brought=self._brought(snapshot) if snapshot else None)
        self._unsaved = self._unsaved or any(map(says, released))
        self._balance()
        return released

    def observe(self, text: str, *, rules: Rules | None = None, turn: bool = True) -> list[Scent]:
        """As the field's."""
        return self.release(self.field.scents_of(text, rules=rules), turn=turn)

    # ---- balance ------------------------------------------------------------------------------------------------------------------------

    def _balance(self) -> None:
        """Hold down what is too strong; let go of what has left."""
        sums = self.field.sums()
        whole = fsum(sums.values())
        diluted = self.field.diluted & sums.keys()
        for type_, total in sums.items():
            too_much = total > CAP or (len(sums) >= AMONG and total > SHARE * whole)
            if too_much and not self.field.is_core(type_):
                diluted.add(type_)
        self.field.diluted = diluted

    # ---- tasks --------------------------------------------------------------------------------------------------------------------------

    def begin_task(self, task: str) -> None:
        """Turn to another task: clear the field of all but the core. What runs is ended first, so that nothing is lost."""
        if self._unsaved:
            self.end_task()
        self.field.clear()
        self.field.task = task

    def end_task(self) -> Snapshot:
        """End the task that runs, named or not. Its snapshot is kept, if it has anything that one could go on with."""
        field = self.field
        core, strong = list[Trace](), list[Trace]()
        for type_ in field.types:
            if field.is_core(type_) or self._recent(type_) > STRONG:
                together = map(self._together, standing(field.traces(type_)))
                (core if field.is_core(type_) else strong).extend(together)
        strong.sort(key=lambda trace: trace.scent.concentration)
        scents = tuple(trace.scent for trace in sorted((*core, *strong[-ROUND:]), key=lambda trace: trace.number))
        snapshot = Snapshot(task=field.task or "", round=field.round, scents=scents, about=field.about)
        if self._can_go_on(snapshot):
            self.snapshots = (snapshot, *self.snapshots)[:SNAPSHOTS]
        field.task, self._unsaved = None, False
        return snapshot

    def _can_go_on(self, snapshot: Snapshot) -> bool:
        """Is there anything but the core that one could go on with?"""
        return any(says(scent) and not self.field.is_core(scent.type) for scent in snapshot.scents)

    def _recent(self, type_: str) -> float:
        """The highest concentration that a type had in one of the last rounds."""
        field, highest = self.field, 0.0
        traces = [(trace.scent, field.staleness(trace)) for trace in field.traces(type_)]
        for ago in range(RECENT):
            then = (scent.concentration * scent.decay ** (age - ago) for scent, age in traces if age >= ago)
            highest = max(highest, superpose(then, field.settings.sharpness))
        return highest

    def _together(self, group: Sequence[Trace]) -> Trace:
        """The newest of those that say one thing, as strong as all of them are now."""
        together = superpose(map(self.field.strength, group), self.field.settings.sharpness)
        return replace(group[0], scent=replace(group[0].scent, concentration=min(1.0, together)))

    def _continued(self, scents: Sequence[Scent]) -> Snapshot | None:
        """The snapshot that a message asks for: nothing, if it names an order that none knows."""
        if not any(scent.type == CONTINUATION for scent in scents):
            return None
        orders = {named_by(scent) for scent in scents if scent.type == ORDER}
        return next((each for each in self.snapshots if not orders or orders & each.entities), None)

    def _brought(self, snapshot: Snapshot) -> Snapshot:
        """What a snapshot brings back: the core as it was, where it is there no more; the rest weaker and in one class of decay."""
        field, brought = self.field, list[Scent]()
        stood, focus = {slot_of(scent) for scent in snapshot.scents}, snapshot.about.focus
        # Who goes on with a task names what it was about, though that may have been named long before.
        for scent in (*snapshot.scents, *((focus,) if focus and slot_of(focus) not in stood else ())):
            if not field.is_core(scent.type):
                if self._is_sure(scent):  # who says twice that the task goes on has stated nothing anew
                    continue
                concentration = min(1.0, max(BROUGHT * scent.concentration, field.settings.min_concentration))
                # Going on with a task is not asking again for what was asked for in it.
                brought.append(replace(scent, concentration=concentration, decay=FACTOR, asked=scent.kind == STATE))
            elif not any(trace.scent.target == scent.target for trace in field.traces(scent.type)):
                brought.append(scent)
        return replace(snapshot, scents=tuple(brought))

    def _is_sure(self, scent: Scent) -> bool:
        """Does the field say it, strong enough to be a fact?"""
        field, stated = self.field, (scent.target, scent.content)
        strengths = (field.strength(trace) for trace in field.traces(scent.type) if (trace.scent.target, trace.scent.content) == stated)
        return superpose(strengths, field.settings.sharpness) >= field.settings.min_concentration

    # ---- changing and keeping -----------------------------------------------------------------------------------------------------------

    def forget(self, gone: Callable[[Scent], bool]) -> None:
        """Drop what is gone from the field and from all snapshots."""
        self.field.forget(gone)
        self._keep(lambda scent: None if gone(scent) else scent)

    def rename(self, old: str, new: str) -> None:
        """Let every scent of the type ``old`` be one of ``new``."""
        self.field.rename(old, new)
        self._keep(lambda scent: replace(scent, type=new) if scent.type == old else scent)

    def _keep(self, change: Change) -> None:
        """Let each scent of a snapshot become what it is changed to."""
        kept = list[Snapshot]()
        for each in self.snapshots:
            scents = tuple(scent for scent in map(change, each.scents) if scent is not None)
            kept.append(replace(each, scents=scents, about=each.about.changed(change)))
        self.snapshots = tuple(filter(self._can_go_on, kept))

    def dump(self) -> GovernorState:
        """All of it and of its field, as plain data."""
        return GovernorState(field=self.field.dump(), snapshots=self.snapshots, unsaved=self._unsaved)

    @classmethod
    def restore(cls, state: GovernorState) -> Self:
        """The governor that was dumped, with its field."""
        governor = cls(PheromoneField.restore(state.field))
        governor.snapshots, governor._unsaved = state.snapshots, state.unsaved
        return governor
