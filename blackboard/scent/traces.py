"""What a field keeps of scents, as plain data; and which of it still stands.

Law: the values of a slot supersede one another, so the newest is the one that stands; whatever else is said stands side by side.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from msgspec import Struct

from blackboard.kinds import SLOT, STATE
from bus.messages import FieldSettings, Scent

CONFIRMATION, CONTINUATION, CHATTER, TOPIC, ORDER = "confirmation", "continuation", "chatter", "topic", "order_reference"
"""The types of scents that a field itself understands."""

Change = Callable[[Scent], Scent | None]
"""What becomes of a scent that is kept; None: it goes."""


class Trace(Struct, frozen=True, array_like=True, gc=False):
    """A scent that was released."""

    scent: Scent
    round: int
    number: int
    """The how manieth of its field: orders those of one round."""
    bridged: bool = False
    """Brought back from a task before, and not said again since."""


class About(Struct, frozen=True):
    """What a conversation is about: the scents that last named a topic, and an entity."""

    topic: Scent | None = None
    focus: Scent | None = None

    def changed(self, change: Change) -> Self:
        """The same, each scent as it is changed to."""
        return type(self)(*(change(scent) if scent else None for scent in (self.topic, self.focus)))


class FieldState(Struct, frozen=True, kw_only=True):
    """All of a field, to be put down and taken up again."""

    settings: FieldSettings
    round: int
    number: int
    task: str | None
    about: About
    traces: tuple[Trace, ...]
    pending: tuple[Scent, ...]
    diluted: tuple[str, ...]


class Snapshot(Struct, frozen=True, kw_only=True):
    """What a task ended with (chapter 3, "Governor")."""

    task: str
    """Empty, if none was named."""
    round: int
    """Of the conversation, in which it ended."""
    scents: tuple[Scent, ...]
    """One for each thing that stood, in the order in which they were last said, as strong as it was in the end."""
    about: About = About()

    @property
    def entities(self) -> set[str]:
        """The orders and whatever else its scents are about."""
        orders = (scent for scent in (*self.scents, self.about.focus) if scent and scent.type == ORDER)
        return {name for name in (*(scent.target for scent in self.scents), *map(named_by, orders)) if name is not None}


class GovernorState(Struct, frozen=True, kw_only=True):
    """All of a governor and its field."""

    field: FieldState
    snapshots: tuple[Snapshot, ...]
    unsaved: bool


def slot_of(scent: Scent) -> tuple[str, str | None] | None:
    """Which slot it gives a value to; None: it is of another kind."""
    if scent.kind == SLOT or (scent.kind is None and scent.value is not None):
        return scent.type, scent.target
    return None


def says(scent: Scent) -> bool:
    """Does it say anything that could be acted on, or answered with a yes?"""
    return scent.value is not None or bool(scent.content)


def named_by(scent: Scent) -> str | None:
    """Which entity or topic it names."""
    return scent.target if scent.target is not None or scent.value is None else str(scent.value)


def standing(traces: Iterable[Trace]) -> list[list[Trace]]:
    """Of traces, newest first, those that say what stands: a list for each thing said, in the same order.

    What gave a slot another value than its present one is in none; nor is what named no entity and was said before a value of its type that
    does: by then it is known what the conversation is about.
    """
    said: dict[tuple[str | None, ...], list[Trace]] = {}
    named = set[str]()
    for trace in traces:
        scent = trace.scent
        slot = slot_of(scent)
        if slot and scent.target is not None:
            named.add(scent.type)
        elif slot and scent.type in named:
            continue
        # One sentence may bid several things, and several sentences ask for one.
        about = slot or (scent.type, scent.target, "" if scent.kind == STATE else scent.content, repr(scent.value))
        if about not in said:
            said[about] = [trace]
        elif not slot or _same(said[about][0].scent, scent):
            said[about].append(trace)
    return list(said.values())


def _same(a: Scent, b: Scent) -> bool:
    """Do two scents of one slot give it the same value, if perhaps in other words?"""
    return (a.value is not None and a.value == b.value) or (a.content != "" and a.content == b.content)


def strongest(traces: Sequence[Trace], limit: int) -> list[Trace]:
    """Of the traces of one round, oldest first, the strongest ``limit``; what was superseded goes first, then of equals the older."""
    stands = {trace.number for group in standing(reversed(traces)) for trace in group}
    ranked = sorted(traces, key=lambda trace: (trace.number in stands, trace.scent.concentration))
    return sorted(ranked[-limit:], key=lambda trace: trace.number)
