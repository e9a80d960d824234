"""What boards tell: what moved, what was noticed, what was refused."""

from typing import Any, Literal

from msgspec import Struct

from bus.messages.saying import VERSION

Cause = Literal[
    "deposit", "confirm", "reinforce", "link", "use", "fade", "share", "supersede", "retract", "archive", "fold", "discard", "revive",
    "expire", "erase", "rename", "handover", "merge",
]  # fmt: skip


class Change(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True, tag="change"):
    """Something moved: ``old`` and ``new`` are its strength before and after ``by`` did what ``cause`` says."""

    item: str
    """The item's id; for an edge, the edge's."""
    kind: str
    cause: str
    """A ``Cause``; read leniently, as all that a board sends: a newer board may know another."""
    old: float
    new: float
    by: str = ""
    """The agent; empty for what time alone did."""
    key: str | None = None
    target: str | None = None
    ends: tuple[str, str] | None = None
    """The two items, if an edge moved."""


class Evidence(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """Why a signal was raised. Times are rounds, or Unix seconds on a wall-clock board."""

    since: float | None = None
    until: float | None = None
    before: float | None = None
    """Strength at ``since``, as far as it is known."""
    after: float | None = None
    """Strength at ``until``."""
    agents: tuple[str, ...] = ()
    confirmations: int = 0
    delta: float = 0.0
    threshold: float | None = None
    values: dict[str, Any] = {}
    """Agent → the value it asserts (contested), or the offending one (violated)."""
    constraint: str | None = None
    """The constraint's id (violated)."""
    rule: str | None = None
    """The constraint in words (violated)."""
    relaxable: bool = False
    """A soft constraint that faded: it may be relaxed (fading)."""


class Signal(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True, tag="signal"):
    """A trend detector noticed something about an item."""

    signal: str
    item: str
    kind: str
    key: str | None = None
    target: str | None = None
    content: str = ""
    reason: str = ""
    """``rising``: *activity* or *jump*; ``crossed``: *up* or *down*."""
    strength: float = 0.0
    t: float = 0.0
    detector: str = ""
    """The detector's name and version, as in ``rising/1``."""
    evidence: Evidence = Evidence()


class Refusal(Struct, frozen=True, gc=False, kw_only=True, tag="refusal"):
    """A unit that the board did not apply, told to its sender alone."""

    code: str
    message: str
    epoch: str = ""
    seq: int = 0
    unit: int = 0
    """Which unit of the post, from 0."""


class Events(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True, tag="events"):
    """What one entry of the log did, as far as one audience may see it."""

    n: int
    """Numbered without a gap within board and audience, from 1."""
    t: float
    """The board's time: its round, or Unix seconds."""
    changes: tuple[Change, ...] = ()
    signals: tuple[Signal, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    v: int = VERSION
    trace: str = ""
    """What they came of, as a W3C *traceparent*. Put in where they are told, and kept nowhere; many of them go into one message, so it is
    no header of that."""
