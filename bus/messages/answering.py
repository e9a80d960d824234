"""What is answered: things as they stood when they were read, and the reply that carries them."""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from bus.messages.asking import Export
from bus.messages.hosting import HostState
from bus.messages.saying import VERSION, FieldSettings
from bus.messages.telling import Events, Refusal

Status = Literal["standing", "superseded", "archived", "released", "expired", "discarded"]
"""How an item stands: in force, in the history, or (discarded) gone."""

ConstraintStatus = Literal["active", "fading", "superseded", "released"]
"""How a constraint stands (chapter 1, "Constraint tracking")."""

Time = Literal["rounds", "wall"]
"""What a board counts its time in: rounds, or Unix seconds."""


class Via(Struct, frozen=True, gc=False):
    """What spread to an item from another, over edges."""

    item: str
    share: float
    """Of the relevance: 0…1."""


class Why(Struct, frozen=True, gc=False, omit_defaults=True):
    """Why an item was recalled (chapter 2, "Recall")."""

    relevance: float
    """How much of what was asked it meets, before its strength weighs in: 0…1, and beyond for what is named and what is near in meaning."""
    terms: tuple[str, ...] = ()
    """The words of the query that it has itself."""
    via: tuple[Via, ...] = ()
    """From which items the rest spread, the largest share first."""
    names: tuple[str, ...] = ()
    """What the query names of it beside its words: who said it, when."""
    meaning: float = 0.0
    """Of the relevance, what nearness in meaning brought, where there is an embedder."""


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
    """A ``Status``; as all that a board sends, read leniently: a newer board may know another."""
    first: float = 0.0
    """The strength that it first had."""
    made: float = 0.0
    confirmed: float = 0.0
    touched: float = 0.0
    confirmations: int = 0
    asserters: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()


class HitView(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """An item that a text recalled."""

    item: Item
    why: Why
    """Of a relevance of 0: the item is there whatever the text."""
    score: float = 0.0
    """Its relevance, with its strength weighed in."""
    edges: tuple[str, ...] = ()
    """The edges over which it was reached, if it was: ids."""


Reason = Literal["over budget", "superseded", "too weak", "not relevant", "in the prompt"]
"""Why an item is not in a prompt."""


class LeftOut(Struct, frozen=True, gc=False, kw_only=True):
    """An item that is not in a prompt, and why."""

    item: Item
    reason: str
    """A ``Reason``."""


class EdgeView(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """An edge as it stood when it was read."""

    id: str
    a: str
    b: str
    strength: float
    relation: str | None = None
    owner: str = ""
    scope: str = "private"


class ItemRecord(Item, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """All of an item: what it takes to stand it up again elsewhere."""

    said_hard: bool = False
    """Was it hard when it was first said?"""
    hard_by: tuple[str, ...] = ()
    """The asserters who say that it is."""
    protected_until: float = 0.0
    folded: bool = False
    """Is it archived, and does a summary say what it said?"""
    formerly: dict[str, str] = {}
    """The ids that it had before it was shared, or its key renamed → the partition that each was of, as far as the asker sees that."""


class EdgeRecord(EdgeView, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """All of an edge."""

    first: float = 0.0
    made: float = 0.0
    touched: float = 0.0
    formerly: tuple[str, ...] = ()


class ConstraintView(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """A constraint with its status."""

    item: Item
    status: str
    """A ``ConstraintStatus``."""
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
    time: Time
    now: float
    items: int
    edges: int
    kinds: dict[str, int]
    tiers: dict[str, int]
    owners: dict[str, int]
    trouble: str = ""
    """What keeps the board from going on, for now: since when, why, and the cure. Empty if nothing does."""


class Items(Struct, frozen=True, tag="items", omit_defaults=True):
    items: tuple[Item, ...]
    more: bool = False
    """Of a history: there is more behind the last of them."""


class HitList(Struct, frozen=True, tag="hits"):
    hits: tuple[HitView, ...]


class Assembled(Struct, frozen=True, kw_only=True, tag="assembled"):
    """A section for a prompt, and the account of it (chapter 2, "Assembly under a budget")."""

    text: str = ""
    """The section; empty if nothing is in it."""
    tokens: int = 0
    """Of the section as it stands; at most ``budget``."""
    budget: int
    """What there was for it, in tokens: ``max_tokens - reserved_tokens``."""
    prefix: int = 0
    """So many characters of it are the opening and the hard constraints: the same from call to call until one of those changes."""
    items: tuple[str, ...] = ()
    """What is in it, in the order of choice: ids."""
    edges: tuple[str, ...] = ()
    """The edges over which some of it was reached: ids."""
    chosen: tuple[HitView, ...] = ()
    """What is in it, in the order of choice, as strong as it was before it was used; nothing, if no account was asked for."""
    left_out: tuple[LeftOut, ...] = ()
    """What is not, hard constraints first; of what has nothing to do with the query the strongest alone."""
    unlisted: int = 0
    """How many more did not fit, were too weak, or stand in the prompt already."""
    why_empty: str = ""
    """Why nothing is in it, and what may be done."""

    @property
    def missing(self) -> tuple[Item, ...]:
        """The hard constraints that did not fit: they bind all the same."""
        return tuple(each.item for each in self.left_out if each.item.hard and each.reason == "over budget")


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


class Exported(Struct, frozen=True, tag="exported"):
    """A page of a view: items in order of making, each with the edges that begin there; ``next`` asks for the page behind it."""

    items: tuple[ItemRecord, ...]
    edges: tuple[EdgeRecord, ...]
    next: Export | None = None


class Fact(Struct, frozen=True, omit_defaults=True, gc=False, kw_only=True):
    """What a conversation says of one thing (chapter 3, "Recall kernel: type → fact")."""

    type: str
    value: Any = None
    """None for what has none, as a directive: ``content`` says it."""
    confidence: float
    """Its concentration: 0…1."""
    round: int
    """Of the conversation, in which it was last said."""
    staleness: int
    """Rounds since then."""
    confirm: bool
    """Ask the user before acting on it?"""
    target: str | None = None
    content: str = ""
    item: str | None = None
    """The id of the item that says it, on a board."""


class Facts(Struct, frozen=True, tag="facts"):
    """Facts, the most confident first. As a whole it has the value and the confidence of its first; None and 0 where there is none."""

    facts: tuple[Fact, ...] = ()

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __getitem__(self, number: int) -> Fact:
        return self.facts[number]

    @property
    def value(self) -> Any:
        """What the most confident says."""
        return self.facts[0].value if self.facts else None

    @property
    def confidence(self) -> float:
        """0…1"""
        return self.facts[0].confidence if self.facts else 0.0


class FieldView(Struct, frozen=True, omit_defaults=True, kw_only=True, tag="field"):
    """A conversation's field as it stands."""

    round: int = 0
    """The turns so far."""
    concentrations: dict[str, float] = {}
    """Type → its concentration, the strongest first; it may be above 1."""
    task: str | None = None
    """That it is about; None: none was begun."""
    topic: str | None = None
    """What was last spoken about: *hotel*."""
    focus: str | None = None
    """The entity that was last named: an order."""
    settings: FieldSettings = FieldSettings()
    diluted: tuple[str, ...] = ()
    """The types that the governor holds down."""
    snapshots: tuple[str, ...] = ()
    """Of which tasks that ended it could go on, the latest first."""


class Counted(Struct, frozen=True, tag="counted"):
    stats: BoardStats


class HostList(Struct, frozen=True, tag="hosts"):
    """Each host of the board, the one that leads first."""

    hosts: tuple[HostState, ...]


class KindTable(Struct, frozen=True, tag="kinds"):
    """Kind → its settings, all of them; *edge* is how edges fade."""

    kinds: dict[str, dict[str, float | str]]


class Limited(Struct, frozen=True, tag="limited"):
    """How fast an agent may speak: ``rate`` observations a second (None: as many as it likes), ``burst`` at once."""

    rate: float | None
    burst: float
    owed: float | None
    """What the rate has not paid off yet of what it has said, in observations; None: the board is in this process, and nobody counts."""


class UpTo(Struct, frozen=True, tag="upto"):
    """The answer to ``Applied``: all up to the asker's number is applied; what was refused of its latest posts is listed."""

    refusals: tuple[Refusal, ...] = ()
    number: int = 0
    """Of the last post that was applied of the epoch asked about; 0: the board knows none."""


class Recalled(Struct, frozen=True, tag="recalled"):
    """The answer to ``Missed``: ``last`` is the newest number there is; not ``complete``: retention has cut the first of them off."""

    events: tuple[Events, ...]
    last: int
    complete: bool = True


class Failed(Struct, frozen=True, tag="failed"):
    """The question could not be answered; ``code`` names the error's class."""

    code: str
    message: str


AnyReply = (
    Items
    | HitList
    | Assembled
    | Edges
    | ConstraintList
    | Breaches
    | ExpertList
    | Explained
    | Counted
    | Exported
    | HostList
    | KindTable
    | Limited
    | Facts
    | FieldView
    | UpTo
    | Recalled
    | Failed
)


class Answer(Struct, frozen=True):
    """A reply. No number of the log is in it, nor in events: those count what everybody writes, in private too."""

    reply: AnyReply
    now: float = 0.0
    """The board's time: its round, or Unix seconds."""
    v: int = VERSION
