"""Where strategies lie: as items on a board, in the same SQLite as all else. No other file knows how.

==========  ===============  ======  ========================================
what        key              target  record, in ``meta``
==========  ===============  ======  ========================================
a name      strategy         NAME
a version   strategy:NAME@2          ``Strategy``
a decision  strategy:NAME    2       ``Decision``: what becomes of version 2;
                                     beside it a digest of what that says
==========  ===============  ======  ========================================

Laws:

1. A version never changes: of what is put under one number the first in the board's log has it, for good. Whoever comes second takes the
   next number, so two that add at once never share one.
2. Nothing is overwritten. Decisions stand beside one another, and ``agents.evolution.decisions`` says what they come to.
3. What was decided holds for what the version said then: where its item was erased, it is not that of another under the same number.
4. What somebody put there that is no such record, or cannot be one, is passed over.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agents.evolution.decisions import Decision
from agents.evolution.decisions import validated as validated_decision
from agents.evolution.strategies import Strategy
from agents.evolution.validity import valid_name, validated
from agents.memory.telling import shortened
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import STRATEGY

NAMES = "strategy"
"""The key of the names that there are."""
LINE = 200
"""Characters of a note or a reason in an item's content."""

R = TypeVar("R", Strategy, Decision)
T = TypeVar("T")


class Shelf:
    """The strategies of ``board``. ``scope``: in which they are put, and read."""

    def __init__(self, board: Board, scope: str) -> None:
        self.board = board
        self.scope = scope
        self._kept: dict[str, Strategy] = {}
        """Versions that were read: they never change."""

    async def names(self) -> list[str]:
        """The names that there are, in order."""
        return sorted({item.target for item in await self._items(NAMES) if item.target and _passes(valid_name, item.target)})

    async def decisions(self, name: str) -> list[Decision]:
        """What was decided about a name's versions, the oldest first."""
        found = []
        for item in await self._items(_key(name)):
            said = _record(item, Decision)
            if said and item.target == str(said.version) and _passes(validated_decision, said):
                strategy = await self.version(f"{name}@{said.version}")
                if strategy and item.meta.get("of") == _identity(strategy):
                    found.append(replace(said, said_by=item.owner))
        return found

    async def version(self, ref: str) -> Strategy | None:
        """The version *name@version*; None: there is none."""
        if ref not in self._kept and (first := await self._first(ref)):
            self._kept[ref] = first[1]
        return self._kept.get(ref)

    async def claim(self, strategy: Strategy) -> Strategy:
        """Put a strategy there under its number, or the next one that is free: gives it with that."""
        while True:
            ref = strategy.ref
            digest, meta = _meta(strategy)
            line = f"{ref}: {shortened(strategy.note, LINE) or type(strategy.body).__name__.lower()} #{digest}"
            item = await self.board.deposit(line, kind=STRATEGY, key=_key(ref), scope=self.scope, meta=meta)
            await self.board.wait_applied()
            first = await self._first(ref)
            if first is None:  # whoever else waited was told why
                raise BadValue(f"{ref} was refused by board {self.board.name!r}")
            if first[0] == item.id:
                return strategy
            await self.board.retract(item)
            strategy = replace(strategy, version=strategy.version + 1)

    async def say(self, name: str, decisions: Iterable[Decision]) -> None:
        """Put decisions there about versions of a name: all of them, or none."""
        known = name in await self.names()  # to say it again would make it ever stronger, and raise signals
        before = len(await self._items(_key(name)))
        async with self.board.batch() as batch:
            if not known:
                await batch.deposit(f"strategy {name}", kind=STRATEGY, key=NAMES, target=name, scope=self.scope)
            for number, said in enumerate(decisions, before):
                strategy = await self.version(f"{name}@{said.version}")
                if strategy is None:
                    raise BadValue(f"{name}@{said.version} is not on board {self.board.name!r} any more: it was erased")
                share = f" for {said.share:.0%} of tasks" if said.status == "canary" else ""
                why = f": {shortened(said.why, LINE)}" if said.why else ""
                digest, meta = _meta(said, number)
                meta["of"] = _identity(strategy)
                line = f"{name}@{said.version} is {said.status}{share}, by {shortened(said.by, LINE)}{why} #{digest}"
                await batch.deposit(line, kind=STRATEGY, key=_key(name), target=str(said.version), scope=self.scope, meta=meta)
        await self.board.wait_applied()

    async def _first(self, ref: str) -> tuple[str, Strategy] | None:
        """The item that has a number, and what it says."""
        for item in await self._items(_key(ref)):
            strategy = _record(item, Strategy)
            if strategy and strategy.ref == ref and _passes(validated, strategy):
                return item.id, strategy
        return None

    async def _items(self, key: str) -> list[ContextItem]:
        return [item for item in await self.board.history(key) if item.kind == STRATEGY and item.scope == self.scope]


def _key(name: str) -> str:
    return f"{NAMES}:{name}"


def _meta(record: Strategy | Decision, number: int = 0) -> tuple[str, dict[str, Any]]:
    """A digest of a record, by which its item's content is its own, and the item's meta.

    ``number``: how many were said before: who decides the same again, at the same time by the clock, says another thing.
    """
    text = msgspec.json.encode(record)
    return blake2b(text, digest_size=6, salt=number.to_bytes(8)).hexdigest(), {"record": msgspec.json.decode(text)}


def _identity(strategy: Strategy) -> str:
    """A digest that no other strategy has, whoever looks for one."""
    return blake2b(msgspec.json.encode(strategy, order="deterministic"), digest_size=16).hexdigest()


def _record(item: ContextItem, shape: type[R]) -> R | None:
    try:
        return msgspec.convert(item.meta.get("record"), shape)
    except msgspec.ValidationError:
        return None


def _passes(check: Callable[[T], object], said: T) -> bool:
    try:
        check(said)
    except BadValue:
        return False
    return True
