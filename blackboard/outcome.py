"""What one entry of the log did: gathered while it is applied, then addressed to those who may hear of it.

The network reports each move here (it is the network's ``Recorder``); the board adds confirmations, signals and refusals. Changes go into
the events of the item's audience, and what a *unit* did to each item is kept as a ``Touch``, from which the detectors work: never from the
board as a whole.
"""

from collections.abc import Collection, Iterator
from math import nan

from msgspec import Struct

from blackboard import views
from blackboard.items import ContextItem, Edge
from bus import names
from bus.messages import Cause, Change, Events, Refusal, Signal, encode

MAX_LETTER = 250_000
"""Bytes of changes, signals and refusals in one message, about."""


class Addressed(Struct, frozen=True, gc=False):
    """Events and the one audience that may hear them (``shared`` or ``private.AGENT``)."""

    audience: str
    events: Events
    threads: tuple[int, ...]
    """For each change, the log entry that moved its item before (0: none): what ``explain`` follows back. Told to nobody."""


class Touch(Struct):
    """What one unit, or time alone, did to one item."""

    item: ContextItem
    before: float
    after: float = nan
    confirmed: list[tuple[str, float]] = []
    """(agent, delta) of each confirmation, in order."""
    fresh: bool = False
    """It was not there for its audience before: deposited, said again after it was gone, shared, or handed over."""
    renamed: bool = False
    """It came from another key."""
    merged: bool = False
    """What came from another key, and said the same, is one with it."""


class _Letter(Struct):
    changes: list[Change] = []
    threads: list[int] = []
    signals: list[Signal] = []
    refusals: list[Refusal] = []

    def add(self, change: Change, thread: int) -> None:
        self.changes.append(change)
        self.threads.append(thread)

    def parts(self) -> Iterator["_Letter"]:
        """Itself, or where it would be too large to carry, its parts in order."""
        if len(encode((self.changes, self.signals, self.refusals))) <= MAX_LETTER:
            yield self
            return
        part, size = _Letter(), 0
        threads = iter(self.threads)
        for each in (*self.changes, *self.signals, *self.refusals):
            weight = len(encode(each))
            if size and size + weight > MAX_LETTER:
                yield part
                part, size = _Letter(), 0
            size += weight
            match each:
                case Change():
                    part.add(each, next(threads))
                case Signal():
                    part.signals.append(each)
                case Refusal():
                    part.refusals.append(each)
        yield part


class Outcome:
    """Gathers what the entry ``seq`` does."""

    def __init__(self) -> None:
        self.seq = 0
        self.erased: tuple[str, ...] = ()
        """All ids of the items that this entry erased."""
        self.bereft: tuple[str, ...] = ()
        """The agents of whom it erased all that was private."""
        self._letters: dict[str, _Letter] = {}
        self._touches: dict[int, Touch] = {}
        """By the item's ordinal: its id changes when it is shared."""

    def begin(self, seq: int) -> None:
        """A new entry."""
        self.seq = seq
        self.erased = self.bereft = ()
        self._letters = {}
        self._touches = {}

    # ---- told by the network ------------------------------------------------------------------------------------------------------------

    def moved(self, item: ContextItem, cause: Cause, old: float, new: float, by: str, delta: float | None = None) -> None:
        """An item moved. ``delta`` is what a confirmation asked to add, if it was one."""
        self._told(item, cause, old, new, by)
        comes = cause in {"deposit", "revive", "handover"}
        arrives = comes or (cause == "share" and delta is None) or (cause == "fold" and old < new and not old)
        touch = self._touches.get(item.ordinal)
        if touch is None or arrives:  # what was done before it came, its audience does not see
            touch = self._touches[item.ordinal] = Touch(item, old, fresh=arrives)
        touch.after = new
        if cause == "rename":
            touch.renamed = True
        elif cause == "merge":
            touch.merged = True
        if delta is not None:
            touch.confirmed.append((by, delta))

    def _told(self, item: ContextItem, cause: Cause, old: float, new: float, by: str) -> None:
        audience = views.audience(item)
        letter = self._letters.get(audience) or self._letter(audience)
        letter.changes.append(Change(item=item.id, kind=item.kind, cause=cause, old=old, new=new, by=by, key=item.key, target=item.target))
        letter.threads.append(item.last_entry)
        item.last_entry = self.seq

    def edge_moved(self, edge: Edge, cause: Cause, old: float, new: float, by: str) -> None:
        """An edge moved."""
        change = Change(item=edge.id, kind="edge", cause=cause, old=old, new=new, by=by, ends=(edge.a, edge.b))
        self._letter(views.audience(edge)).add(change, 0)

    # ---- told by the board --------------------------------------------------------------------------------------------------------------

    def reinforced(self, item: ContextItem, old: float, new: float, by: str) -> None:
        """A unit reinforced an item and did nothing else: the board makes the detectors' moment of it itself."""
        self._told(item, "reinforce", old, new, by)

    def signal(self, audience: str, signal: Signal) -> None:
        """A detector noticed something."""
        self._letter(audience).signals.append(signal)

    def refuse(self, agent: str, refusal: Refusal) -> None:
        """A unit of the agent was not applied."""
        self._letter(names.private(agent)).refusals.append(refusal)

    def take_touches(self) -> Collection[Touch]:
        """What was done to each item since the last call, in the order in which they were first touched."""
        touches, self._touches = self._touches, {}
        return touches.values()

    def addressed(self, told: dict[str, int], t: float) -> list[Addressed]:
        """The letters, each numbered within its audience; ``told`` holds the last number of each, and is moved on."""
        out = []
        for audience in sorted(self._letters):
            for part in self._letters[audience].parts():
                told[audience] = n = told.get(audience, 0) + 1
                events = Events(n=n, t=t, changes=tuple(part.changes), signals=tuple(part.signals), refusals=tuple(part.refusals))
                out.append(Addressed(audience, events, tuple(part.threads)))
        return out

    def _letter(self, audience: str) -> _Letter:
        letter = self._letters.get(audience)
        if letter is None:
            letter = self._letters[audience] = _Letter()
        return letter
