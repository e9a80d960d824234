"""Where a board is kept: the port, and its twin in memory. ``sqlite`` keeps to it too; one contract suite runs on both.

Laws:

- What one batch of entries did becomes durable as a whole or not at all (``commit``): journal, cursor, watermarks, outgoing events, dead
  letters, archive.
- The journal holds exactly the entries that the board applied, as they came, so that applying them again rebuilds it.
- The checkpoint is a shortcut beside it: pages of state, and the entry that they stand for. It may lag, and it may be lost.
- A cut makes the checkpoint the *origin*: the journal begins behind it, and it is kept until the next cut.
- What left the archive is on the shelf until a cut goes past that: no checkpoint and no origin needs it any more.
- Analyses of texts are a cache: they may be lost, and no copy of a board has them. There is none of an item that was gone by the
  checkpoint.
- What an audience was told is a hint, written with a later batch: telling it again is harmless.
"""

from collections import Counter, deque
from collections.abc import Collection, Mapping
from heapq import nlargest
from itertools import chain
from math import inf
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from blackboard.archive import Unwritten
from blackboard.limits import Debt
from bus.port import LogMessage

MAX_DEAD_LETTERS = 2_000
"""Of one agent, the newest: so that none pushes out what others are to be told."""

CUTS_KEPT = 2
"""So many cuts leave events standing, at most."""

MAX_HEAD = 256
"""Bytes of a refused message that are kept for whoever looks into it."""


class Outgoing(Struct, frozen=True, gc=False):
    """The ``n``-th events of an audience, encoded, which entry ``seq`` caused."""

    audience: str
    n: int
    seq: int
    data: bytes
    threads: bytes = b""
    """For each change in them the entry that moved its item before, as a MessagePack list: kept, and told to nobody."""


class DeadLetter(Struct, frozen=True, gc=False):
    """What was refused, set aside where it can be inspected."""

    seq: int
    stamp: float
    agent: str
    code: str
    error: str
    head: bytes
    """The message's first bytes."""
    epoch: str = ""
    post: int = 0
    unit: int = 0
    """Which unit of which post, as far as that could be read."""


class Batch(Struct, frozen=True):
    """What up to 64 entries did. ``cursor`` is the last entry read, whether it was applied or not, and ``stamp`` when it came."""

    cursor: int
    stamp: float = 0.0
    journal: tuple[LogMessage, ...] = ()
    marks: Mapping[tuple[str, str], int] = {}
    """(agent, epoch) → the number of its last post; those last that were heard last."""
    forgotten: tuple[tuple[str, str], ...] = ()
    """(agent, epoch) whose watermarks go."""
    debts: Mapping[str, Debt] = {}
    """Agent → what it owes."""
    events: tuple[Outgoing, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    archive: Unwritten = Unwritten()
    told: Mapping[str, int] = {}
    """Audience → up to which number it was told."""
    erases: bool = False
    """Was something erased? Then a cut is owed from now on, with which it goes."""
    bereft: frozenset[str] = frozenset()
    """Agents of whom all that was private is erased: what was set aside of theirs before goes at once."""


class Cut(Struct, frozen=True):
    """What goes when the checkpoint of entry ``seq`` becomes the origin: the journal up to there, and what has been kept for long."""

    seq: int
    stamp: float
    """When it is made."""
    events_before: float = -inf
    """Events go that a cut before this time has left, and those that more than ``CUTS_KEPT`` cuts have left."""
    told: Mapping[str, int] = {}
    """Audience → up to which number it was told."""


class Extent(Struct):
    """How much journal there is behind the origin."""

    entries: int = 0
    bytes: int = 0
    since: float = inf
    """The stamp of the first entry."""


class Standing(Struct):
    """What a store holds when it is opened. Nothing at all: ``origin`` is None."""

    origin: bytes | None = None
    """The board's encoded configuration."""
    log: str | None = None
    """The identity of the log that ``cursor`` counts in."""
    cursor: int = 0
    marks: dict[tuple[str, str], int] = {}
    """Those last that were heard last."""
    debts: dict[str, Debt] = {}
    checkpoint: int = 0
    """The entry that ``pages`` stand for; 0: there is no checkpoint."""
    pages: dict[str, bytes] = {}
    base: int = 0
    """The entry that the origin stands for; 0: the journal holds everything since the board was made."""
    erasing: int = 0
    """The entry up to which a cut is owed, since something was erased; 0: none is."""


class Store(Protocol):
    """Keeps one board. Its methods may be called from many tasks of one event loop."""

    async def open(self) -> Standing:
        """Take hold of the store, and say how it stands. Raises ``StoreError``."""
        ...

    async def begin(self, origin: bytes, log: str) -> None:
        """Settle what the board is made with, and the identity of its log."""
        ...

    async def commit(self, batch: Batch) -> None:
        """Make a batch durable, whole. Raises ``StoreError``."""
        ...

    async def checkpoint(self, seq: int, pages: Mapping[str, bytes]) -> None:
        """Lay these pages over the ones kept (empty bytes: the page is gone); together they stand for entry ``seq``."""
        ...

    async def revert(self) -> tuple[int, dict[str, bytes]]:
        """Put the origin in the place of a checkpoint that cannot be used; the entry that it stands for, and its pages.

        Raises ``Damaged``.
        """
        ...

    async def cut(self, cut: Cut) -> None:
        """Make the checkpoint, which stands for ``cut.seq``, the origin, and drop what goes."""
        ...

    async def scrub(self, seq: int) -> bool:
        """Leave no byte of what was dropped in the files, and of dead letters up to entry ``seq`` only the reasons.

        False: a reader keeps it from that, try again. True: no cut is owed any more for what was erased up to there.
        """
        ...

    async def extent(self) -> Extent:
        """How much journal there is behind the origin. It is counted: ask once."""
        ...

    async def journal(self, after: int, limit: int = 256) -> list[LogMessage]:
        """The applied entries after ``after``, in order."""
        ...

    async def tally(self, after: int) -> dict[str, int]:
        """Audience → how many events the entries after ``after`` caused."""
        ...

    async def note_told(self, told: Mapping[str, int]) -> None:
        """Audience → up to which number it was told, as became known since."""
        ...

    async def note_told_before(self, seq: int) -> None:
        """Every audience was told all that came of the entries before this one."""
        ...

    async def untold_from(self) -> dict[str, int]:
        """Audience → the entry of the first of its events that it is not known to have been told."""
        ...

    async def untold(self) -> list[Outgoing]:
        """Events that no audience is known to have been told, in the order in which they arose."""
        ...

    async def events(self, audience: str, after: int, limit: int) -> list[Outgoing]:
        """An audience's events after number ``after``, in order."""
        ...

    async def bounds(self, audience: str) -> tuple[int, int]:
        """The numbers of the first events kept for an audience, and of its last; ``(0, 0)`` if it never had any."""
        ...

    async def event_at(self, seq: int) -> list[Outgoing]:
        """What entry ``seq`` caused, for every audience."""
        ...

    async def dead_letters(self, limit: int = 100, agent: str | None = None) -> list[DeadLetter]:
        """The newest dead letters (of one agent), the newest first."""
        ...

    async def set_aside(self) -> dict[str, int]:
        """Why messages and units were set aside → how many ever were, whether their letters are kept or not."""
        ...

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What lies on the archive's shelf of these items, at once (``blackboard.archive``)."""
        ...

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What is kept of the analyses of these items' texts, at once (``blackboard.text.cache``)."""
        ...

    async def keep_analyses(self, seq: int, analyses: Unwritten) -> None:
        """Keep those that came, and none that left: all that left by entry ``seq`` has been told then, in this call or before.

        Call it before a checkpoint of the entry is written, from which on nobody knows what has left before: else none is kept.
        """
        ...

    async def aclose(self) -> None:
        """Let go of the store. Harmless when done twice."""
        ...


class MemoryStore:
    """The twin in memory: for boards that nobody keeps, and for tests. It can be opened again, as a file can."""

    def __init__(self) -> None:
        self._standing = Standing()
        self._journal: list[LogMessage] = []
        self._events: list[Outgoing] = []
        self._told: dict[str, int] = {}
        self._dead: dict[str, deque[tuple[int, DeadLetter]]] = {}
        self._set_aside: Counter[str] = Counter()
        self._shelf: dict[int, bytes] = {}
        self._analyses: dict[int, bytes] = {}
        self._analysed = 0
        """The entry until which what left is in there no more."""
        self._left: dict[int, int] = {}
        self._origin: tuple[int, dict[str, bytes]] = 0, {}
        self._cuts: list[tuple[int, float]] = []

    async def open(self) -> Standing:
        """Say how it stands."""
        kept = self._standing
        if not kept.checkpoint <= self._analysed <= kept.cursor:
            self._analyses.clear()
        pages, marks = dict(kept.pages), dict(kept.marks)
        return Standing(kept.origin, kept.log, kept.cursor, marks, dict(kept.debts), kept.checkpoint, pages, kept.base, kept.erasing)

    async def begin(self, origin: bytes, log: str) -> None:
        """Settle the origin."""
        self._standing.origin, self._standing.log = origin, log

    async def commit(self, batch: Batch) -> None:
        """Keep a batch."""
        self._standing.cursor = batch.cursor
        for who in (*batch.marks, *batch.forgotten):
            self._standing.marks.pop(who, None)
        self._standing.marks.update(batch.marks)
        self._standing.debts.update(batch.debts)
        self._journal += batch.journal
        self._events += batch.events
        self._told.update(batch.told)
        for agent in batch.bereft:
            self._dead.pop(agent, None)
        for letter in batch.dead:
            of_agent = self._dead.setdefault(letter.agent, deque(maxlen=MAX_DEAD_LETTERS))
            of_agent.append((self._set_aside.total(), letter))
            self._set_aside[letter.code] += 1
        self._shelf.update(batch.archive.came)
        for ordinal in batch.archive.came:
            self._left.pop(ordinal, None)
        self._left.update(dict.fromkeys(batch.archive.left, batch.cursor))
        if batch.erases:
            self._standing.erasing = batch.cursor

    async def checkpoint(self, seq: int, pages: Mapping[str, bytes]) -> None:
        """Lay pages over the ones kept."""
        kept = {**self._standing.pages, **pages}
        self._standing.pages = {name: data for name, data in kept.items() if data}
        self._standing.checkpoint = seq

    async def revert(self) -> tuple[int, dict[str, bytes]]:
        """Take the origin."""
        seq, pages = self._origin
        self._standing.checkpoint, self._standing.pages = seq, dict(pages)
        return seq, dict(pages)

    async def cut(self, cut: Cut) -> None:
        """Begin the journal anew."""
        kept = self._standing
        self._origin = kept.checkpoint, dict(kept.pages)
        kept.base = kept.checkpoint
        self._journal = [message for message in self._journal if message.seq > cut.seq]
        self._told.update(cut.told)
        self._cuts.append((cut.seq, cut.stamp))
        gone = max([seq for seq, stamp in self._cuts if stamp <= cut.events_before] + [seq for seq, _ in self._cuts[:-CUTS_KEPT]] + [0])
        self._events = [event for event in self._events if event.seq > gone]
        self._cuts = [each for each in self._cuts if each[0] >= gone]
        for ordinal in [ordinal for ordinal, seq in self._left.items() if seq <= cut.seq]:
            del self._left[ordinal]
            self._shelf.pop(ordinal, None)

    async def scrub(self, seq: int) -> bool:
        """Of dead letters keep the reasons."""
        for letters in self._dead.values():
            for place, (number, each) in enumerate(letters):
                if each.seq <= seq:
                    letters[place] = number, replace(each, head=b"")
        if self._standing.erasing <= seq:
            self._standing.erasing = 0
        return True

    async def extent(self) -> Extent:
        """How much journal there is."""
        since = min((message.stamp for message in self._journal), default=inf)
        return Extent(len(self._journal), sum(len(message.data) for message in self._journal), since)

    async def journal(self, after: int, limit: int = 256) -> list[LogMessage]:
        """The applied entries after ``after``."""
        return [message for message in self._journal if message.seq > after][:limit]

    async def tally(self, after: int) -> dict[str, int]:
        """Audience → how many events the entries after ``after`` caused."""
        counts: dict[str, int] = {}
        for event in self._events:
            if event.seq > after:
                counts[event.audience] = counts.get(event.audience, 0) + 1
        return counts

    async def note_told(self, told: Mapping[str, int]) -> None:
        """Keep the higher numbers."""
        self._told.update({audience: n for audience, n in told.items() if n > self._told.get(audience, 0)})

    async def note_told_before(self, seq: int) -> None:
        """Keep the higher numbers."""
        await self.note_told({event.audience: event.n for event in self._events if event.seq < seq})

    async def untold_from(self) -> dict[str, int]:
        """The first untold of each audience."""
        return {event.audience: event.seq for event in reversed(await self.untold())}

    async def untold(self) -> list[Outgoing]:
        """Events that were not told yet."""
        return [event for event in self._events if event.n > self._told.get(event.audience, 0)]

    async def events(self, audience: str, after: int, limit: int) -> list[Outgoing]:
        """An audience's events after number ``after``."""
        return [event for event in self._events if event.audience == audience and event.n > after][:limit]

    async def bounds(self, audience: str) -> tuple[int, int]:
        """The first and the last number of an audience."""
        numbers = [event.n for event in self._events if event.audience == audience]
        told = self._told.get(audience, 0)
        return (numbers[0], numbers[-1]) if numbers else (told + 1, told) if told else (0, 0)

    async def event_at(self, seq: int) -> list[Outgoing]:
        """What entry ``seq`` caused."""
        return [event for event in self._events if event.seq == seq]

    async def dead_letters(self, limit: int = 100, agent: str | None = None) -> list[DeadLetter]:
        """The newest dead letters first."""
        letters = chain.from_iterable(self._dead.values() if agent is None else [self._dead.get(agent, ())])
        return [letter for _, letter in nlargest(limit, letters, key=lambda each: each[0])]

    async def set_aside(self) -> dict[str, int]:
        """How many ever were."""
        return dict(self._set_aside)

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What lies there."""
        return {each: self._shelf[each] for each in ordinals if each in self._shelf}

    def analysed(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        """What is kept."""
        return {each: self._analyses[each] for each in ordinals if each in self._analyses}

    async def keep_analyses(self, seq: int, analyses: Unwritten) -> None:
        """Keep them."""
        self._analysed = seq
        for ordinal in analyses.left:
            self._analyses.pop(ordinal, None)
        self._analyses.update(analyses.came)

    async def aclose(self) -> None:
        """Nothing to let go of."""
