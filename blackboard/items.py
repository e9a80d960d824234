"""Items and edges: the live records of a network, which are also what a user holds.

Laws:

- Strength is computed: ``s`` is what it was when the class's level was ``d``; nothing holds a "current" strength.
- Only a network changes a record that is in it; others note on it what is theirs: its recorder ``last_entry``, detectors ``marks`` and
  ``awaited``.
"""

import math
import sys
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from blackboard.archive import Archive, Said
from blackboard.contributions import Contributed, Shares, added, by_agent_and_cause
from blackboard.decay import DecayClass
from blackboard.errors import BadValue
from blackboard.identity import folded_name, identity, partition


def _interned(text: str) -> str:
    """The text, one object for all items that say it: these recur on many."""
    return sys.intern(text) if type(text) is str else text


_EMPTY: Mapping[str, Any] = MappingProxyType({})


@lru_cache(maxsize=10_000)
def _sole(by: str, hard: bool) -> Mapping[str, bool]:
    return MappingProxyType({by: hard})


class Pheromone:
    """What an item and an edge have in common: a strength that fades."""

    __slots__ = (
        "d", "decay", "first", "id", "last_entry", "made", "ordinal", "owner", "partition", "s", "scope", "touched",
    )  # fmt: skip

    id: str
    owner: str
    scope: str
    partition: str
    s: float
    """The strength when it was last moved."""
    d: float
    """Its class's level then."""
    decay: DecayClass | None
    """The class that it fades by; None on a record in no network, whose strength is fixed."""
    first: float
    """The strength that it first had."""
    made: float
    touched: float
    ordinal: int
    """Its number in order of creation, which breaks every tie."""
    last_entry: int
    """The number of the log entry that last moved it: the recorder's."""

    def __init__(self, owner: str, scope: str) -> None:
        self.id = ""
        self.scope = _interned(scope)
        self.belong(owner)
        self.decay = None
        self.s = self.d = self.first = self.made = self.touched = 0.0
        self.ordinal = -1
        self.last_entry = 0

    def belong(self, owner: str) -> None:
        """Let it be ``owner``'s."""
        self.owner = _interned(owner)
        self.partition = partition(owner, self.scope)

    @property
    def u(self) -> float:
        """The order of strengths within a class, at any time: ln s + d. In no class it says nothing."""
        return math.log(self.s) + self.d

    @property
    def strength(self) -> float:
        """The strength as of the network's present; a record in no network keeps the one that it was read with."""
        if self.decay is None:
            return self.s
        return self.s * math.exp(self.d - self.decay.level)

    def strength_at(self, t: float | None) -> float:
        """What its strength will be at ``t`` by its class alone; None is the network's present."""
        if self.decay is None:
            return self.s
        return self.s * math.exp(self.d - (self.decay.level if t is None else self.decay.level_at(t)))

    def mark(self, strength: float, level: float) -> None:
        """Let it be ``strength`` strong as of ``level``; what has decayed beyond what a float holds is the least there is."""
        self.s = strength or sys.float_info.min
        self.d = level

    def detach(self, strength: float) -> None:
        """Take it out of its class, with a fixed strength."""
        self.decay = None
        self.s = strength
        self.d = 0.0


in_order = attrgetter("ordinal")
"""Sorts by it: in order of making."""


class _Rest(Struct, frozen=True, gc=False):
    """What most items have not: those share one."""

    op: str | None = None
    unit: str | None = None
    said_hard: bool = False
    expires_at: float | None = None
    folded: bool = False


_NO_MORE = _Rest()


def kind_of(kind: str | None, meta: Mapping[str, Any]) -> str:
    """The kind that is given; else the one that ``meta["type"]`` names; else *fact*. Raises ``BadValue``."""
    found = kind or meta.get("type") or "fact"
    if not isinstance(found, str):
        raise BadValue(f"a kind is a name, not {found!r}")
    return found


class ContextItem(Pheromone):
    """A piece of context: a fact, a constraint, a tool's result, a trait of the user.

    ``key`` says what it is about, ``target`` which entity; ``op``, ``value`` and ``unit`` make a constraint's predicate. Without ``kind``,
    ``meta["type"]`` is the kind, else "fact". Times are rounds, or Unix seconds on a wall-clock board. Two items are equal only if they
    are one object; what they *are* is in ``id``. Raises ``BadValue``.
    """

    __slots__ = (
        "_content", "_meta", "_rest", "_shares", "asserters", "awaited", "confirmations", "confirmed", "formerly", "key", "kind", "marks",
        "protected_until", "status", "target", "value",
    )  # fmt: skip

    def __init__(
        self,
        content: str,
        *,
        kind: str | None = None,
        key: str | None = None,
        target: str | None = None,
        value: Any = None,
        op: str | None = None,
        unit: str | None = None,
        hard: bool = False,
        expires_at: float | None = None,
        meta: Mapping[str, Any] | None = None,
        owner: str = "",
        scope: str = "private",
    ) -> None:
        super().__init__(owner, scope)
        if not isinstance(content, str):
            raise BadValue(f"an item's content is text, not {type(content).__name__}: {content!r}")
        self._meta: Mapping[str, Any] | Archive = dict(meta) if meta else _EMPTY
        """While it is shelved, the archive that has what it says."""
        self._content: str | int = content
        """While it is shelved, the length of its content."""
        self.kind = _interned(kind_of(kind, self.meta))
        self.key = None if key is None else _interned(folded_name(key))
        self.target = None if target is None else folded_name(target)
        self.value = value
        some = op is not None or unit is not None or hard or expires_at is not None
        self._rest = _Rest(op, unit, hard, expires_at) if some else _NO_MORE
        self.status: str = "standing"
        self.confirmed = 0.0
        """When it was deposited or last confirmed."""
        self.confirmations = 0
        self.asserters: Mapping[str, bool] = _EMPTY
        """Who says so, and whether as hard. Never changed, only replaced: items share what one asserter alone says."""
        self._shares: Shares | Literal[True] = None
        """True: that of the first deposit alone, as most items have, for which the item's own figures stand."""
        self.marks: Any = None
        """What the detectors of a board remember of it."""
        self.awaited = 0
        """Which of them have it in their calendars, a bit for each."""
        self.formerly: Mapping[str, str] = _EMPTY
        """The ids that it, or what was joined with it, had before → the partition whose viewers each leads there."""
        self.protected_until = 0.0

    @property
    def content(self) -> str:
        """What it says. Raises ``Damaged`` if that was put into an archive, and is not there."""
        return self._content if isinstance(self._content, str) else self._said()[0]

    @property
    def length(self) -> int:
        """The length of its content in characters, for which nothing is looked up."""
        return len(self._content) if isinstance(self._content, str) else self._content

    @property
    def meta(self) -> Mapping[str, Any]:
        """What it says beside its content. Raises ``Damaged`` likewise."""
        return self._said()[1] if isinstance(self._meta, Archive) else self._meta

    @property
    def shelved(self) -> bool:
        """Has an archive what it says, so that the record itself has not?"""
        return isinstance(self._meta, Archive)

    def _said(self) -> Said:
        assert isinstance(self._meta, Archive)
        return self._meta.look(self.ordinal)

    def shelve(self, archive: Archive) -> None:
        """Put what it says into the archive, if it is not there."""
        if not self.shelved:
            archive.put(self.ordinal, (self.content, self.meta))
            self.lie_in(archive, self.length)

    def lie_in(self, archive: Archive, length: int) -> None:
        """Let what it says, with a content of that length, be in the archive, where it is."""
        self._content, self._meta = length, archive

    def unshelve(self) -> None:
        """Take what it says back out of the archive, if it is there. Raises ``Damaged``."""
        if isinstance(self._meta, Archive):
            content, meta = self._meta.take(self.ordinal)
            self._content, self._meta = content, meta or _EMPTY

    @property
    def op(self) -> str | None:
        """A constraint's operator."""
        return self._rest.op

    @property
    def unit(self) -> str | None:
        """Its unit."""
        return self._rest.unit

    @property
    def said_hard(self) -> bool:
        """Was it hard when it was first said?"""
        return self._rest.said_hard

    @property
    def expires_at(self) -> float | None:
        """When it ends, whatever its strength."""
        return self._rest.expires_at

    @expires_at.setter
    def expires_at(self, at: float | None) -> None:
        if at != self._rest.expires_at:
            self._rest = replace(self._rest, expires_at=at)

    @property
    def folded(self) -> bool:
        """Does a summary say, since it was archived, what it said?"""
        return self._rest.folded

    @folded.setter
    def folded(self, folded: bool) -> None:
        if folded != self._rest.folded:
            self._rest = replace(self._rest, folded=folded)

    @property
    def hard(self) -> bool:
        """Is it binding? On a board: while any asserter says so."""
        return any(self.asserters.values()) if self.asserters else self.said_hard

    @property
    def standing(self) -> bool:
        """Is it in force, and not in the history only?"""
        return self.status == "standing"

    @property
    def present(self) -> bool:
        """Does it stand, or may it come back from the archive?"""
        return self.status in {"standing", "archived"}

    def contribute(self, agent: str, cause: str, amount: float, now: float, count: int = 1) -> None:
        """Remember that the agent made it so much stronger, by ``count`` acts of which the last was at ``now``."""
        latest = self._shares
        if type(latest) is Contributed and latest.agent == agent and latest.cause == cause and latest.last <= now:
            latest.amount += amount
            latest.count += count
            latest.last = now
            return
        if latest is None and self._tells(agent, cause, amount, count, now):
            self._shares = True
        else:
            self._shares = added(self._spelt_out(), agent, cause, amount, now, count)

    @property
    def contributions(self) -> Mapping[tuple[str, str], Contributed]:
        """Who strengthened it, by which cause; in the order in which they first did."""
        return by_agent_and_cause(self._spelt_out())

    def forget_contributions(self) -> None:
        """Let nobody have strengthened it."""
        self._shares = None

    def keep_contributions(self) -> None:
        """What tells of its first deposit is about to change, and who contributed is not."""
        self._shares = self._spelt_out()

    def shares(self) -> bool | list[tuple[str, str, float, int, float]]:
        """Its contributions as a row has them: those by themselves, or whether there is that of the first deposit alone.

        However it came to be, a row says it in one way, so that what is restored is what was kept.
        """
        if self._shares is None or self._shares is True:
            return self._shares is True
        rows = [(agent, cause, share.amount, share.count, share.last) for (agent, cause), share in self.contributions.items()]
        return rows if len(rows) != 1 or not self._tells(*rows[0]) else True

    def take_shares(self, shares: bool | list[tuple[str, str, float, int, float]]) -> None:
        """Take up what ``shares`` gave."""
        if isinstance(shares, bool):
            self._shares = shares or None
            return
        for agent, cause, amount, count, last in shares:
            self.contribute(_interned(agent), _interned(cause), amount, last, count)

    def _tells(self, agent: str, cause: str, amount: float, count: int, last: float) -> bool:
        """Does the item itself tell of this: the first deposit of who alone says so?"""
        first = cause == "deposit" and count == 1 and amount == self.first and last == self.made
        return first and agent in self.asserters and len(self.asserters) == 1

    def _spelt_out(self) -> Shares:
        """Its contributions, each by itself."""
        if self._shares is True:
            return Contributed(self.first, 1, self.made, next(iter(self.asserters)), "deposit")
        return self._shares

    def asserted(self, by: str, hard: bool) -> None:
        """``by`` says so."""
        alone = not self.asserters or (len(self.asserters) == 1 and by in self.asserters)
        self.asserters = _sole(by, hard) if alone else {**self.asserters, by: hard}

    def unsaid(self, by: str) -> None:
        """``by`` says so no longer."""
        self.keep_contributions()
        others = {agent: hard for agent, hard in self.asserters.items() if agent != by}
        self.asserters = others if len(others) != 1 else _sole(*others.popitem())

    def pass_on(self, owner: str) -> None:
        """Let it be ``owner``'s, who says it in the place of who owned it."""
        former, hard = self.owner, self.asserters.get(self.owner)
        if hard is not None:
            self.unsaid(former)
            self.asserted(owner, hard or self.asserters.get(owner, False))
        self.belong(owner)

    def identify(
        self, board: str, *, owner: str | None = None, scope: str | None = None, key: str | None = None, content: str | None = None
    ) -> str:
        """Its id on ``board``; or the one that it has if ``owner`` says it, in ``scope``, or of ``key``. ``content``: its own, at hand."""
        return identity(
            board,
            owner=self.owner if owner is None else owner,
            scope=self.scope if scope is None else scope,
            kind=self.kind,
            key=self.key if key is None else key,
            target=self.target,
            content=self.content if content is None else content,
            value=self.value,
            op=self.op,
            unit=self.unit,
        )

    def __repr__(self) -> str:
        said = self.content if len(self.content) <= 60 else self.content[:59] + "…"
        about = "" if self.key is None else f" {self.key}" + ("" if self.target is None else f"/{self.target}")
        standing = f"{self.strength:.3g}" if self.standing else self.status
        return f"<{self.kind}{about} {said!r} {standing} {self.partition} {self.id[:8] or 'not deposited'}>"


class Edge(Pheromone):
    """An association of two items, by their ids, with a strength of its own."""

    __slots__ = ("a", "b", "formerly", "relation")

    def __init__(self, a: str, b: str, *, relation: str | None = None, owner: str = "", scope: str = "private") -> None:
        super().__init__(owner, scope)
        self.a = a
        self.b = b
        self.relation = relation
        self.formerly: tuple[str, ...] = ()
        """The ids that it had before an end of it was shared or renamed, or it was handed over."""

    def __repr__(self) -> str:
        return f"<edge {self.a[:8]} -{self.relation or ''}- {self.b[:8]} {self.strength:.3g} {self.partition}>"
