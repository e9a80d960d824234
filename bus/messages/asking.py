"""What is asked of a board, and how long the answer may wait. Questions change nothing."""

from datetime import date
from typing import Any

from msgspec import Struct

from bus.messages.saying import VERSION, Number


class Query(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag=lambda name: name.lower()):
    """The base of all questions. They change nothing, and are answered for what the asker may see."""


class Top(Query, frozen=True):
    """The strongest items."""

    limit: int = 20
    kind: str | None = None


class Search(Query, frozen=True):
    """Items whose text, key or target meet the words of ``text``, the strongest first among the relevant."""

    text: str
    limit: int = 30


class Hits(Query, frozen=True):
    """What a text recalls, the best first, each with why it is there."""

    text: str
    limit: int = 30
    today: date | None = None
    """What "yesterday" and the like are relative to; not given: on a wall-clock board its own day, else nothing is."""


class Assemble(Query, frozen=True):
    """What of the asker's view belongs into a prompt about ``text``, as a section of it (chapter 2, "Assembly under a budget")."""

    text: str
    max_tokens: int = 2000
    reserved_tokens: int = 0
    """Of these, what the section is to leave free."""
    fill: bool = False
    """Fill what remains with the strongest, whatever they are about."""
    traces: bool = False
    """Let drafts in, too: items of the kind *trace*."""
    min_strength: float = 0.0
    """Below it an item is too weak, unless it is a hard constraint; what is archived has a strength of 0."""
    max_candidates: int = 150
    """Of what the text recalls, the best that are considered at all."""
    today: date | None = None
    """As in ``Hits``."""
    beside: str = ""
    """What the prompt has besides: what stands in there word for word is left out, but for hard constraints."""
    account: bool = True
    """Tell of what is in the section and what is not, too. Without, only of hard constraints that did not fit."""


class Get(Query, frozen=True):
    """One item, by id (also one that was superseded or archived)."""

    item: str


class History(Query, frozen=True):
    """All that a slot ever held, oldest first, a page at a time: what was made after the item ``after`` (which is in view)."""

    key: str
    target: str | None = None
    after: str | None = None


class About(Query, frozen=True):
    """What is said about a key (and target) and stands or is archived, oldest first, a page at a time, as in ``History``."""

    key: str
    """One, or many: ``*`` stands for any characters, as in ``shipping_*``."""
    target: str | None = None
    after: str | None = None


class EdgesOf(Query, frozen=True):
    """The edges of an item, the strongest first."""

    item: str


class Constraints(Query, frozen=True):
    """Every constraint in view with its status."""


class Check(Query, frozen=True):
    """Which constraints would these values break? A value is a plain one, or ``[value, unit]``."""

    values: dict[str, Any]


class Experts(Query, frozen=True):
    """Who strengthened the shared items of a key."""

    key: str


class Explain(Query, frozen=True):
    """How an item came by its strength."""

    item: str


class Export(Query, frozen=True):
    """All of the asker's view, a page at a time: what was made after the item ``after`` (which is in view)."""

    after: str | None = None
    edge: str | None = None
    """Before that, the edges that begin at ``after`` and whose ids come after this one."""
    limit: int = 500
    """Items and edges in a page, at most."""


class Recall(Query, frozen=True):
    """What a conversation says of types of scents, as facts (chapter 3, "Recall kernel")."""

    types: str
    """One, or many: ``*`` stands for any characters, as in ``shipping_*``."""
    conversation: str = ""
    limit: int = 5
    """The most confident so many of each type."""


class Field(Query, frozen=True):
    """The field of scents of one of the asker's conversations."""

    conversation: str = ""


class Stats(Query, frozen=True):
    """Counts of what is in view, and the board's clock."""


class Hosts(Query, frozen=True):
    """The hosts of the board. Asked in the host's name: how far each is tells how much is said, in private too."""


class Kinds(Query, frozen=True):
    """The board's kinds and their policies."""


class Limits(Query, frozen=True):
    """How fast the asker may speak, and what it has said of that."""


class Applied(Query, frozen=True):
    """Answered once the asker's posts are applied and committed, with what was refused of them."""

    gone: bool = False
    """Asked in the host's name: and once no byte is left of what was erased by then."""
    epoch: str = ""
    """And up to which number is this epoch of the asker applied?"""


class Missed(Query, frozen=True):
    """The events of an audience after number ``after``."""

    audience: str
    after: Number
    limit: int = 256


AnyQuery = (
    Top
    | Search
    | Hits
    | Assemble
    | Get
    | History
    | About
    | EdgesOf
    | Constraints
    | Check
    | Experts
    | Explain
    | Export
    | Recall
    | Field
    | Stats
    | Hosts
    | Kinds
    | Limits
    | Applied
    | Missed
)


class Ask(Struct, frozen=True, forbid_unknown_fields=True):
    """A query, to be answered once the asker's own post ``(epoch, seq)`` is applied and committed: it reads its own writes."""

    query: AnyQuery
    epoch: str = ""
    seq: int = 0
    v: int = VERSION
