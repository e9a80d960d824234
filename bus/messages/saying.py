"""What agents say: observations, and the post that carries them.

A *unit* is a list of observations that are applied together or not at all. A *post* is one message: any number of units.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Struct

VERSION = 1
"""Of the protocol, in every message."""

MAX_OBSERVATIONS = 8192
"""In one post, however they are divided into units."""

Number = Annotated[int, msgspec.Meta(le=2**63 - 1)]
"""A whole number that a database can keep, too."""


class Observation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False, tag=lambda name: name.lower()):
    """The base of all that an agent may say."""


class Deposit(Observation, frozen=True):
    """Put an item on the board; what stands already is confirmed instead (chapter 1, "What a restatement does")."""

    content: str
    kind: str | None = None
    """Not given: what ``meta["type"]`` says, else *fact*."""
    key: str | None = None
    target: str | None = None
    value: Any = None
    op: str | None = None
    unit: str | None = None
    hard: bool = False
    strength: float | None = None
    """The initial strength; the kind's own if not given."""
    expires_at: float | None = None
    """A round, or Unix seconds on a wall-clock board."""
    scope: str = "private"
    meta: dict[str, Any] = {}


class Confirm(Observation, frozen=True):
    """Say that an item still holds: evidence."""

    item: str


class Reinforce(Observation, frozen=True):
    """Add ``delta`` > 0 to an item: evidence."""

    item: str
    delta: float


class Use(Observation, frozen=True):
    """An item went into a prompt, or was fetched to be used. Not evidence."""

    item: str


class UseAll(Observation, frozen=True):
    """Items went into a prompt together, some of them reached over edges. What is gone by now, or not in view, is passed over."""

    items: tuple[str, ...]
    edges: tuple[str, ...] = ()


class Link(Observation, frozen=True):
    """Associate two items; again: strengthen their edge."""

    a: str
    b: str
    strength: float | None = None
    relation: str | None = None
    scope: str | None = None
    """Not given: shared where both ends are, else private."""


class Share(Observation, frozen=True):
    """Make a private item of one's own shared."""

    item: str


class Retract(Observation, frozen=True):
    """Withdraw one's own assertion; the last one removes the item."""

    item: str


class Erase(Observation, frozen=True):
    """Remove an item for good, its content and its id: from the board and from all that is kept. Its owner's, and the host's."""

    item: str


class EndRound(Observation, frozen=True):
    """End round ``round``, if that is the current one; else nothing."""

    round: int


class Tick(Observation, frozen=True):
    """Time has passed. The host's alone; the time is the log's stamp."""


class SetKinds(Observation, frozen=True):
    """From here on the board's kinds are the defaults with these beside them, or in their place. The host's alone, a unit of its own."""

    kinds: dict[str, dict[str, float | str]]
    """Kind (or *edge*) → its settings, as a file of kinds has them."""


class SetLimits(Observation, frozen=True):
    """From here on an agent may say ``rate`` observations a second (None: as many as it likes) and ``burst`` at once. The host's alone."""

    rate: float | None
    burst: float


class RenameKey(Observation, frozen=True):
    """Let every item of ``key`` be one of the key ``to``; those that then say the same are one. The host's alone, a unit of its own."""

    key: str
    to: str


class HandOver(Observation, frozen=True):
    """Let all that is private of ``owner`` be private of ``to``. The host's alone, a unit of its own."""

    owner: str
    to: str


class EraseOwned(Observation, frozen=True):
    """Remove all that is private of ``owner`` for good, as ``Erase`` does with an item. The host's alone, a unit of its own."""

    owner: str


class Fold(Observation, frozen=True):
    """Let one summary stand for items that have faded, if they all wait for that still; else nothing. The host's alone."""

    items: tuple[str, ...]
    content: str
    """What the summary says."""


class Scent(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What a message says of one thing (chapter 3, "Observe: text → scent")."""

    type: str
    """What it is about: *shipping_address*, *directive*, *chatter*."""
    concentration: float
    """When it is released: 0…1."""
    decay: float
    """By which it is multiplied each round: 0…1."""
    target: str | None = None
    """Which entity it is about: an order."""
    value: Any = None
    content: str = ""
    """What it says in words, where an item comes of it on a board."""
    kind: str | None = None
    """Of that item: *slot* (a value), *constraint* (a standing rule), *state* (a request); None: none comes of it."""
    asked: bool = False
    """Said in a question: it counts once an answer confirms it."""


class FieldSettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """How a field of scents behaves (chapter 3); the defaults are those of the preset *commerce*."""

    max_rounds: int = 8
    """The rounds that it remembers."""
    window: int = 5
    """The rounds within which a scent is recalled as a fact."""
    min_concentration: float = 0.5
    """Below it nothing is recalled as a fact."""
    sharpness: float = 1.2
    """β of ``superpose``."""
    directive: float = 0.95
    """The decay of directives, a round."""
    address: float = 0.90
    """The decay of addresses, a round."""
    core: tuple[str, ...] = ("user_id", "account_level", "language")
    """The types that never decay and survive a change of task; ``*`` stands for any characters."""


class Scents(Observation, frozen=True):
    """The scents of one message of a conversation (chapter 3): a unit of its own, since what it does depends on the field."""

    scents: tuple[Scent, ...]
    conversation: str = ""
    """Which of the sender's conversations; "" is the only one of most."""
    turn: bool = True
    """It begins a round of the conversation; else it belongs to the one that runs."""
    scope: str = "private"
    """Of the items that come of it."""
    settings: FieldSettings | None = None
    """How the conversation's field behaves from here on; None: as before, or at first as *commerce*."""


class BeginTask(Observation, frozen=True):
    """A conversation turns to another task: its field is cleared of all but the core. A unit of its own."""

    task: str
    conversation: str = ""


class EndTask(Observation, frozen=True):
    """The task of a conversation ends: a snapshot of its field is kept. A unit of its own."""

    conversation: str = ""


AnyAct = Deposit | Confirm | Reinforce | Use | UseAll | Link | Share | Retract | Erase | EndRound | Scents | BeginTask | EndTask
"""What anybody may say."""
AnyObservation = AnyAct | Tick | Fold | SetKinds | SetLimits | RenameKey | HandOver | EraseOwned
Unit = Annotated[tuple[AnyObservation, ...], msgspec.Meta(max_length=MAX_OBSERVATIONS)]


def weight(unit: Unit) -> int:
    """How many a unit counts as: of a ``UseAll`` each thing that is used, of ``Scents`` each scent; an empty one is work, too."""
    count = len(unit)
    for each in unit:
        if type(each) is UseAll:
            count += max(len(each.items) + len(each.edges), 1) - 1
        elif type(each) is Scents:
            count += max(len(each.scents), 1) - 1
    return max(count, 1)


class Post(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One message of an agent: units, numbered without a gap within a random ``epoch`` that the agent draws when it starts."""

    epoch: str
    seq: Number
    """1, 2, 3 … within the epoch: a number is applied once, however often the message arrives."""
    units: Annotated[tuple[Unit, ...], msgspec.Meta(max_length=MAX_OBSERVATIONS)]
    v: int = VERSION
