"""What an agent may say, whether each by itself or many as one unit."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from math import nan
from typing import Any, Protocol, Self

from blackboard.constraints import rule
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT, DEFAULTS
from blackboard.section import without_memory
from blackboard.validity import validate_said
from blackboard.wire import from_deposit
from bus.messages import AnyObservation, Confirm, Deposit, Erase, Link, Reinforce, Retract, Share, Unit, Use


class Identified(Protocol):
    """Whatever bears an id: items, as they were deposited or read."""

    @property
    def id(self) -> str:
        """The id."""
        ...


Ref = str | Identified


class Verbs(ABC):
    """What an agent says: to its board, or into a batch."""

    def __init__(self, board: str, agent: str) -> None:
        self.name = board
        self.agent = agent

    @abstractmethod
    async def _say(self, observation: AnyObservation) -> None:
        """Take one observation on its way."""

    async def deposit(
        self,
        content: str,
        *,
        kind: str | None = None,
        key: str | None = None,
        target: str | None = None,
        value: Any = None,
        unit: str | None = None,
        hard: bool = False,
        strength: float | None = None,
        expires_at: float | None = None,
        scope: str = "private",
        meta: Mapping[str, Any] | None = None,
    ) -> ContextItem:
        """Put an item on the board; what stands already is confirmed instead. ``get`` tells how it stands.

        Sections that ``assemble`` gave are taken out of ``content`` first: what they say is on the board already.
        Gives the item as a first deposit leaves it; for a kind of the board's own and no ``strength``, that is nan until it is read.
        ``key`` is what it is about, ``target`` which entity; ``expires_at`` a round, or Unix seconds. Raises ``BadValue``, ``TooBig``.
        """
        return await self._deposit(
            Deposit(
                content=_news(content), kind=kind, key=key, target=target, value=value, unit=unit, hard=hard, strength=strength,
                expires_at=expires_at, scope=scope, meta=dict(meta or {}),
            )
        )  # fmt: skip

    async def constrain(
        self,
        key: str,
        op: str,
        value: Any,
        *,
        unit: str | None = None,
        hard: bool = True,
        content: str | None = None,
        target: str | None = None,
        strength: float | None = None,
        expires_at: float | None = None,
        scope: str = "shared",
        meta: Mapping[str, Any] | None = None,
    ) -> ContextItem:
        """Deposit a constraint on the quantity ``key``: ``op`` is one of ``<= < >= > == != in not_in matches``.

        ``content`` is how a person says it; the predicate in words, if not given. Raises ``BadValue``, ``TooBig``.
        """
        said = _news(content) if content else rule(ContextItem("", kind=CONSTRAINT, key=key, op=op, value=_plain(value), unit=unit))
        return await self._deposit(
            Deposit(
                content=said, kind=CONSTRAINT, key=key, target=target, value=value, op=op, unit=unit, hard=hard, strength=strength,
                expires_at=expires_at, scope=scope, meta=dict(meta or {}),
            )
        )  # fmt: skip

    async def _deposit(self, said: Deposit) -> ContextItem:
        await self._say(said)
        item = from_deposit(said, self.agent)
        item.id = item.identify(self.name)
        item.detach(said.strength or (DEFAULTS[item.kind].initial if item.kind in DEFAULTS else nan))
        return item

    async def confirm(self, item: Ref) -> None:
        """Say that an item still holds."""
        await self._say(Confirm(id_of(item)))

    async def reinforce(self, item: Ref, delta: float) -> None:
        """Add ``delta`` > 0 to an item's strength: it was borne out."""
        await self._say(Reinforce(id_of(item), delta))

    async def link(self, a: Ref, b: Ref, *, strength: float | None = None, relation: str | None = None, scope: str | None = None) -> None:
        """Associate two items; again, strengthen their edge. It is shared where both ends are, unless ``scope`` says otherwise."""
        await self._say(Link(id_of(a), id_of(b), strength, relation, scope))

    async def share(self, item: Ref) -> None:
        """Make a private item of one's own shared. Its former id still leads to it."""
        await self._say(Share(id_of(item)))

    async def retract(self, item: Ref) -> None:
        """Withdraw one's own assertion; the last one removes the item."""
        await self._say(Retract(id_of(item)))

    async def erase(self, item: Ref) -> None:
        """Remove an item of one's own for good: its content and its id, from the board and from all files. Backups keep what they have.

        The board's journal begins anew behind it, so accounts (``explain``) then open with a balance, and who was away misses events.
        """
        await self._say(Erase(id_of(item)))


class Batch(Verbs):
    """Many observations as one unit: applied together and in order, or not at all. Sent when its context ends without an error."""

    def __init__(self, board: str, agent: str, send: Callable[[Unit], Awaitable[None]]) -> None:
        super().__init__(board, agent)
        self._send = send
        self._said: list[AnyObservation] = []

    async def _say(self, observation: AnyObservation) -> None:
        validate_said(observation)
        self._said.append(observation)

    async def use(self, item: Ref) -> None:
        """An item went into a prompt."""
        await self._say(Use(id_of(item)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._said:
            await self._send(tuple(self._said))


def id_of(ref: Ref) -> str:
    item = ref if isinstance(ref, str) else getattr(ref, "id", None)
    if not item or not isinstance(item, str):
        raise BadValue(f"{ref!r} has no id: deposit it first")
    return item


def _news(content: Any) -> Any:
    """What is in a text beside what was assembled for a prompt. (What is no text is named once all of it is validated.)"""
    news = without_memory(content) if isinstance(content, str) else content
    if content and not news:
        raise BadValue(
            "content is a memory section that was assembled, and nothing else: deposit what is new; what it says is there already"
        )
    return news


def _plain(value: Any) -> Any:
    """Integral numbers are written without a fraction, so that what is equal reads the same."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
