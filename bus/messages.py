"""Every struct on the wire: what agents say, what boards tell, what is asked and answered.

Laws:

- Messages are frozen and tagged, encoded as MessagePack (or JSON for people: the same structs), and carry the protocol's version ``v``.
- Nothing here names its sender: whose a message is comes from the channel that it came in on.
- What an agent sends is read strictly: an unknown field is an error, since it is most likely a misspelt one. What a board sends is read
  leniently, so that an older client can follow a newer board.
- A *unit* is a list of observations that are applied together or not at all. A *post* is one message: any number of units.
"""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from bus.errors import BadMessage

VERSION = 1

Number = Annotated[int, msgspec.Meta(le=2**63 - 1)]
"""A whole number that a database can keep, too."""

Cause = Literal[
    "deposit", "confirm", "reinforce", "link", "use", "fade", "share", "supersede", "retract", "archive", "fold", "discard", "revive",
    "expire", "erase",
]  # fmt: skip


# ---- what agents say --------------------------------------------------------------------------------------------------------------------


class Observation(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False, tag=lambda name: name.lower()):
    """The base of all that an agent may say."""


class Deposit(Observation):
    """Put an item on the board; what stands already is confirmed instead (chapter 1, "What a restatement does")."""

    content: str
    kind: str = "fact"
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


class Confirm(Observation):
    """Say that an item still holds: evidence."""

    item: str


class Reinforce(Observation):
    """Add ``delta`` > 0 to an item: evidence."""

    item: str
    delta: float


class Use(Observation):
    """An item went into a prompt, or was fetched to be used. Not evidence."""

    item: str


class Link(Observation):
    """Associate two items; again: strengthen their edge."""

    a: str
    b: str
    strength: float | None = None
    relation: str | None = None
    scope: str | None = None
    """Not given: shared where both ends are, else private."""


class Share(Observation):
    """Make a private item of one's own shared."""

    item: str


class Retract(Observation):
    """Withdraw one's own assertion; the last one removes the item."""

    item: str


class EndRound(Observation):
    """End round ``round``, if that is the current one; else nothing."""

    round: int


class Tick(Observation):
    """Time has passed. The host's alone; the time is the log's stamp."""


AnyObservation = Deposit | Confirm | Reinforce | Use | Link | Share | Retract | EndRound | Tick
Unit = tuple[AnyObservation, ...]


class Post(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One message of an agent: units, numbered without a gap within a random ``epoch`` that the agent draws when it starts."""

    epoch: str
    seq: Number
    """1, 2, 3 … within the epoch: a number is applied once, however often the message arrives."""
    units: tuple[Unit, ...]
    v: int = VERSION


# ---- what boards tell -------------------------------------------------------------------------------------------------------------------


class Change(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True, tag="change"):
    """Something moved: ``old`` and ``new`` are its strength before and after ``by`` did what ``cause`` says."""

    item: str
    """The item's id; for an edge, the edge's."""
    kind: str
    cause: Cause
    old: float
    new: float
    by: str = ""
    """The agent; empty for what time alone did."""
    key: str | None = None
    target: str | None = None
    ends: tuple[str, str] | None = None
    """The two items, if an edge moved."""
    prev: int = 0
    """The number of the log entry that last changed this item before: the thread that ``explain`` follows back."""


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
    seq: int
    """The log entry."""
    t: float
    """The board's time: its round, or Unix seconds."""
    changes: tuple[Change, ...] = ()
    signals: tuple[Signal, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    v: int = VERSION


# ---- what is asked ----------------------------------------------------------------------------------------------------------------------


class Query(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag=lambda name: name.lower()):
    """The base of all questions. They change nothing, and are answered for what the asker may see."""


class Top(Query):
    """The strongest items."""

    limit: int = 20
    kind: str | None = None


class Search(Query):
    """Items whose text, key or target meet the words of ``text``, the strongest first among the relevant."""

    text: str
    limit: int = 30


class Get(Query):
    """One item, by id (also one that was superseded or archived)."""

    item: str


class History(Query):
    """All that a slot ever held, oldest first."""

    key: str
    target: str | None = None


class EdgesOf(Query):
    """The edges of an item, the strongest first."""

    item: str


class Constraints(Query):
    """Every constraint in view with its status."""


class Check(Query):
    """Which constraints would these values break? A value is a plain one, or ``[value, unit]``."""

    values: dict[str, Any]


class Experts(Query):
    """Who strengthened the shared items of a key."""

    key: str


class Explain(Query):
    """How an item came by its strength."""

    item: str


class Stats(Query):
    """Counts of what is in view, and the board's clock."""


class Applied(Query):
    """Answered once the asker's posts are applied and committed, with what was refused of them."""


class Missed(Query):
    """The events of an audience after number ``after``."""

    audience: str
    after: Number
    limit: int = 256


AnyQuery = Top | Search | Get | History | EdgesOf | Constraints | Check | Experts | Explain | Stats | Applied | Missed


class Ask(Struct, frozen=True, forbid_unknown_fields=True):
    """A query, to be answered once the asker's own post ``(epoch, seq)`` is applied and committed: it reads its own writes."""

    query: AnyQuery
    epoch: str = ""
    seq: int = 0
    v: int = VERSION


# ---- what is answered -------------------------------------------------------------------------------------------------------------------


class Contribution(Struct, frozen=True, gc=False, kw_only=True):
    """Who strengthened an item, by which cause, how much, how often and how recently."""

    agent: str
    cause: str
    amount: float
    count: int
    last: float


class Item(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """An item as it stood when it was read."""

    id: str
    content: str
    kind: str
    strength: float
    owner: str = ""
    scope: str = "private"
    key: str | None = None
    target: str | None = None
    value: Any = None
    op: str | None = None
    unit: str | None = None
    hard: bool = False
    expires_at: float | None = None
    meta: dict[str, Any] = {}
    status: str = "standing"
    first: float = 0.0
    """The strength that it first had."""
    made: float = 0.0
    confirmed: float = 0.0
    touched: float = 0.0
    confirmations: int = 0
    asserters: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()


class EdgeView(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """An edge as it stood when it was read."""

    id: str
    a: str
    b: str
    strength: float
    relation: str | None = None
    owner: str = ""
    scope: str = "private"


class ConstraintView(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """A constraint with its status."""

    item: Item
    status: Literal["active", "fading", "superseded", "released"]
    rule: str
    """The predicate in words, or the content where there is none."""
    relaxable: bool = False
    """Soft and not confirmed for long: may be given up."""
    unconfirmed: bool = False
    """Hard and not confirmed for long: binds all the same."""
    contested: bool = False
    """Another agent asserts another bound for the same slot."""


class Breach(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """A constraint that a value breaks."""

    item: Item
    key: str
    value: Any
    rule: str
    relaxable: bool = False
    unconfirmed: bool = False


class Expert(Struct, frozen=True, gc=False, kw_only=True):
    """An agent that strengthened shared items of a key."""

    agent: str
    amount: float
    count: int
    last: float


class Act(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """One step in the life of an item: it evaporated by ``evaporated`` since the step before, stood at ``before``, and became ``after``."""

    seq: int
    t: float
    cause: str
    by: str = ""
    evaporated: float = 0.0
    before: float = 0.0
    after: float = 0.0


class Account(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """All steps that made an item's present strength: opening + Σ (after − before) − Σ evaporated − evaporated_since = strength."""

    item: Item
    acts: tuple[Act, ...]
    opening: float = 0.0
    """Its strength at the first act that is still on record."""
    evaporated_since: float = 0.0
    """What evaporated since the last act."""


class BoardStats(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A board in figures, as far as the asker may see it."""

    board: str
    time: Literal["rounds", "wall"]
    now: float
    seq: int
    items: int
    edges: int
    kinds: dict[str, int]
    tiers: dict[str, int]
    owners: dict[str, int]


class Items(Struct, frozen=True, tag="items"):
    items: tuple[Item, ...]


class Edges(Struct, frozen=True, tag="edges"):
    edges: tuple[EdgeView, ...]


class ConstraintList(Struct, frozen=True, tag="constraints"):
    constraints: tuple[ConstraintView, ...]


class Breaches(Struct, frozen=True, tag="breaches"):
    breaches: tuple[Breach, ...]


class ExpertList(Struct, frozen=True, tag="experts"):
    experts: tuple[Expert, ...]


class Explained(Struct, frozen=True, tag="explained"):
    account: Account


class Counted(Struct, frozen=True, tag="counted"):
    stats: BoardStats


class UpTo(Struct, frozen=True, tag="upto"):
    """The answer to ``Applied``: all up to the asker's number is applied; what was refused of its latest posts is listed."""

    refusals: tuple[Refusal, ...] = ()


class Recalled(Struct, frozen=True, tag="recalled"):
    """The answer to ``Missed``: ``last`` is the newest number there is; not ``complete``: retention has cut the first of them off."""

    events: tuple[Events, ...]
    last: int
    complete: bool = True


class Failed(Struct, frozen=True, tag="failed"):
    """The question could not be answered; ``code`` names the error's class."""

    code: str
    message: str


AnyReply = Items | Edges | ConstraintList | Breaches | ExpertList | Explained | Counted | UpTo | Recalled | Failed


class Answer(Struct, frozen=True):
    """A reply, as of log entry ``seq``."""

    reply: AnyReply
    seq: int = 0
    now: float = 0.0
    """The board's time: its round, or Unix seconds."""
    v: int = VERSION


# ---- bytes ------------------------------------------------------------------------------------------------------------------------------

_encoder = msgspec.msgpack.Encoder()
encode = _encoder.encode
"""Any struct of this file → bytes."""


class _Header(Struct):
    v: int = VERSION
    epoch: str = ""
    seq: Number = 0


_header = msgspec.msgpack.Decoder(_Header)
_post = msgspec.msgpack.Decoder(Post)
_ask = msgspec.msgpack.Decoder(Ask)
_events = msgspec.msgpack.Decoder(Events)
_answer = msgspec.msgpack.Decoder(Answer)

T = TypeVar("T", Post, Ask, Events, Answer)


def _decode(decoder: "msgspec.msgpack.Decoder[T]", data: bytes, what: str) -> T:
    try:
        message = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        version = number_of(data)[2]
        if version != VERSION:
            raise BadMessage(f"{what}: version {version} is not {VERSION}, which this side speaks; upgrade the older of the two") from error
        raise BadMessage(f"{what}: {error}") from error
    if message.v != VERSION:
        raise BadMessage(f"{what}: version {message.v} is not {VERSION}, which this side speaks; upgrade the older of the two")
    return message


def number_of(data: bytes) -> tuple[str, int, int]:
    """``(epoch, seq, v)`` of a post that may be otherwise unreadable; ``("", 0, VERSION)`` where not even these are there."""
    try:
        header = _header.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", 0, VERSION
    return header.epoch, header.seq, header.v


def decode_post(data: bytes) -> Post:
    """Bytes → ``Post``, or ``BadMessage`` that says what is wrong where."""
    return _decode(_post, data, "observation")


def decode_ask(data: bytes) -> Ask:
    """Bytes → ``Ask``, or ``BadMessage``."""
    return _decode(_ask, data, "query")


def decode_events(data: bytes) -> Events:
    """Bytes → ``Events``, or ``BadMessage``."""
    return _decode(_events, data, "event")


def decode_answer(data: bytes) -> Answer:
    """Bytes → ``Answer``, or ``BadMessage``."""
    return _decode(_answer, data, "answer")
