"""What keeps a field in balance, and what passes from one task to another (chapter 3, "Governor").

Laws:

- What is held down is held down in this field alone: ``DILUTED`` on a type, once, until the type has left it. The confidence of facts is
  not touched: being spoken of much is no reason for doubt.
- A task's end loses nothing that stood: its snapshot can be continued. Snapshots are bounded.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from math import fsum
from typing import Self

from msgspec.structs import replace

from blackboard.scent.field import CONTINUATION, ORDER, STRONGEST, PheromoneField
from blackboard.scent.superposition import superpose
from blackboard.scent.traces import GovernorState, Snapshot, Trace, named_by, says, standing
from bus.messages import Scent

CAP = 5.0
"""A type whose scents' concentrations sum to more is held down."""
SHARE, AMONG = 0.8, 3
"""So is one that holds more than this share of the whole, where there are at least so many types."""
SNAPSHOTS = 8
"""Tasks that can be continued."""
RECENT, STRONG = 3, 0.4
"""A type goes into a snapshot if its concentration over the last rounds is above this."""
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
        brought = self._brought(snapshot) if snapshot else ()
        released = self.field.release(scents, turn=turn, brought=brought)
        self._unsaved = self._unsaved or any(map(says, released))
        self._balance()
        return released

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
        if self.field.task is not None or self._unsaved:
            self.end_task()
        self.field.clear()
        self.field.task = task

    def end_task(self) -> Snapshot:
        """End the task that runs, named or not: a snapshot of it is kept, if anything stands."""
        field = self.field
        topic, focus = field.about
        core, strong = list[Scent](), list[Trace]()
        for type_ in field.types:
            stands = list(chain.from_iterable(standing(field.traces(type_))))
            if field.is_core(type_):
                core += [trace.scent for trace in stands]
            elif self._recent(type_) > STRONG:
                strong += sorted(stands, key=field.strength)[-STRONGEST:]
        strong.sort(key=lambda trace: trace.number)
        scents = [*core, *(replace(trace.scent, concentration=field.strength(trace)) for trace in strong)]
        snapshot = Snapshot(task=field.task or "", round=field.round, scents=tuple(scents), topic=topic, focus=focus)
        if scents:
            self.snapshots = (snapshot, *self.snapshots)[:SNAPSHOTS]
        field.task, self._unsaved = None, False
        return snapshot

    def _recent(self, type_: str) -> float:
        """The concentration of a type over the last rounds."""
        field = self.field
        recent = (trace for trace in field.traces(type_) if field.staleness(trace) < RECENT)
        return superpose(map(field.strength, recent), field.settings.sharpness)

    def _continued(self, scents: Sequence[Scent]) -> Snapshot | None:
        """The snapshot that a message asks for: nothing, if it names an order that none knows."""
        if not any(scent.type == CONTINUATION for scent in scents):
            return None
        orders = {named_by(scent) for scent in scents if scent.type == ORDER}
        known = [each for each in self.snapshots if not orders or orders & {named_by(scent) for scent in each.scents}]
        return next((each for each in known if any(map(says, each.scents))), None)

    def _brought(self, snapshot: Snapshot) -> list[Scent]:
        """What a snapshot brings back into the field; the conversation is about the same again."""
        field = self.field
        field.turn_to(snapshot.topic, snapshot.focus)
        if field.task is None:
            field.task = snapshot.task or None
        brought = list[Scent]()
        for scent in snapshot.scents:
            if not field.is_core(scent.type):
                concentration = min(1.0, max(BROUGHT * scent.concentration, field.settings.min_concentration))
                # Going on with a task is not asking again for what was asked for in it.
                brought.append(replace(scent, concentration=concentration, decay=FACTOR, asked=scent.kind == "state"))
            elif not any(trace.scent.target == scent.target for trace in field.traces(scent.type)):
                brought.append(scent)
        return brought

    # ---- changing and keeping -----------------------------------------------------------------------------------------------------------

    def forget(self, gone: Callable[[Scent], bool]) -> None:
        """Drop what is gone from the field and from all snapshots."""
        self.field.forget(gone)
        self._keep(lambda scent: None if gone(scent) else scent)

    def rename(self, old: str, new: str) -> None:
        """Let every scent of the type ``old`` be one of ``new``."""
        self.field.rename(old, new)
        self._keep(lambda scent: replace(scent, type=new) if scent.type == old else scent)

    def _keep(self, changed: Callable[[Scent], Scent | None]) -> None:
        """Let each scent of a snapshot be what it is changed to; None: gone."""
        kept = list[Snapshot]()
        for each in self.snapshots:
            scents = tuple(scent for scent in map(changed, each.scents) if scent is not None)
            topic, focus = (changed(scent) if scent else None for scent in (each.topic, each.focus))
            kept.append(replace(each, scents=scents, topic=topic, focus=focus))
        self.snapshots = tuple(each for each in kept if each.scents)

    def dump(self) -> GovernorState:
        """All of it and of its field, as plain data."""
        return GovernorState(field=self.field.dump(), snapshots=self.snapshots, unsaved=self._unsaved)

    @classmethod
    def restore(cls, state: GovernorState) -> Self:
        """The governor that was dumped, with its field."""
        governor = cls(PheromoneField.restore(state.field))
        governor.snapshots, governor._unsaved = state.snapshots, state.unsaved
        return governor
