"""The board as one agent holds it: what it may say, ask and hear.

Laws:

- A verb returns once what it says is durable. Then it counts, exactly once; whether the board takes it shows in ``wait_applied``.
- A question is answered from the agent's view, its own writes included, but for what was said aside.
- Ids are computed here as the board computes them, so that ``deposit`` gives its item without a round trip.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from math import inf
from typing import Any, Self, TypeVar
from weakref import WeakSet

import anyio

from blackboard.assembly import budget_of
from blackboard.conversing import Conversing
from blackboard.document import Document
from blackboard.errors import Refused, refused
from blackboard.exchange import Format, Imported, collect, plan, read, write
from blackboard.feed import Feed
from blackboard.filters import ChangeFilter, SignalFilter
from blackboard.items import ContextItem, Edge
from blackboard.line import PATIENCE, Line
from blackboard.pending import MemoryPending, Pending
from blackboard.recall import Hit
from blackboard.sending import Sender
from blackboard.validity import validate_query, validate_said
from blackboard.verbs import Batch, Ref, id_of
from blackboard.wire import from_wire
from bus import telemetry
from bus.errors import NoAnswer
from bus.messages import (
    MAX_OBSERVATIONS,
    About,
    Account,
    AnyObservation,
    AnyQuery,
    AnyReply,
    Applied,
    Assemble,
    Assembled,
    BoardStats,
    Breach,
    Breaches,
    Change,
    Check,
    ConstraintList,
    Constraints,
    ConstraintView,
    Counted,
    Edges,
    EdgesOf,
    EdgeView,
    EndRound,
    Events,
    Expert,
    ExpertList,
    Experts,
    Explain,
    Explained,
    Exported,
    Get,
    History,
    HitList,
    Hits,
    Items,
    Kinds,
    KindTable,
    Limited,
    Limits,
    Refusal,
    Search,
    Signal,
    Stats,
    Top,
    UpTo,
    Use,
    UseAll,
)
from bus.port import Channel

AT_ONCE = 256
"""Observations of an import that are under way together: they share posts, in order."""

USED_AT_ONCE = MAX_OBSERVATIONS // 2
"""Items, and as many edges, that are used in a unit."""

R = TypeVar("R", bound=AnyReply)
T = TypeVar("T")

_logger = logging.getLogger(__name__)


class Board(Conversing):
    """The board ``name`` as ``agent`` sees it, over ``bus``; open while its context is.

    Any id may be given as the item that bears it. What is said is in ``pending`` until the log has it; where that is an outbox that was
    begun before, the board may be away. Else entering raises ``NoAnswer`` if nobody serves it; and ``StaleOutbox``.
    """

    def __init__(self, bus: Channel, name: str, agent: str, pending: Pending | None = None) -> None:
        super().__init__(name, agent)
        self._pending = pending or MemoryPending()
        self._line = Line(bus, name, agent)
        self._sender: Sender
        self._known: dict[str, int] = {}
        self._reported = ("", 0)
        self._ended = -inf
        self._feeds: WeakSet[Feed[Any]] = WeakSet()

    async def __aenter__(self) -> Self:
        self._known = dict.fromkeys(self._line.audiences, 0)
        self._sender = Sender(self._line, self._pending)
        self._reported = self._sender.mark
        try:
            await self._line.ask(Stats(), patience=0.0)
            self._known = await self.newest()
            await self._pending.begin()
            await self._sender.taken_up()
        except BaseException as error:
            if isinstance(error, NoAnswer) and self._pending.reopened:
                _logger.warning("board %s is away: what %s says waits in %s (%s)", self.name, self.agent, self._pending.name, error)
                return self
            await self._sender.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End its feeds, and send what was said."""
        with anyio.CancelScope(shield=True):
            for feed in list(self._feeds):
                await feed.aclose()
            await self._sender.aclose()

    # ---- saying -------------------------------------------------------------------------------------------------------------------------

    async def say(self, *observations: AnyObservation, aside: bool = False) -> None:
        """Say these as one unit; return once it is durable. ``aside``: no later question of this agent's waits until it is applied.

        Raises ``Refused`` for what no board takes, ``BoardClosed``, ``BusError``.
        """
        for observation in observations:
            validate_said(observation)
        await self._sender.say(observations, aside=aside)

    async def _say(self, observation: AnyObservation) -> None:
        await self.say(observation)

    def batch(self) -> Batch:
        """``async with board.batch() as batch``: what is said to the batch is one unit."""
        return Batch(self.name, self.agent, self._sender.say)

    async def use(self, item: Ref) -> ContextItem:
        """Fetch an item to use it, which reinforces it a little. Raises ``NotInView``."""
        await self._say(Use(id_of(item)))
        return await self.get(item)

    load = use

    async def assemble(
        self,
        query: str,
        max_tokens: int = 2000,
        reserved_tokens: int = 0,
        *,
        fill: bool = False,
        traces: bool = False,
        min_strength: float = 0.0,
        max_candidates: int = 150,
        today: date | None = None,
        beside: str = "",
        account: bool = True,
        use: bool = True,
    ) -> Assembled:
        """A section for a prompt about ``query``, of at most ``max_tokens - reserved_tokens``, with the account of it.

        What is in it is used, which reinforces it a little, and so is each edge over which it was reached; unless ``use`` is False, which
        only looks. ``fill``: what remains is filled with the strongest; ``traces``: drafts may be in it, too; ``min_strength``: below it an
        item is too weak; ``max_candidates``: so many are considered; ``today``: what "tomorrow" in the query is relative to;
        ``beside``: what the prompt has besides, which is not said again, but for hard constraints; ``account``: without it the reply tells
        little more than the section, which takes less time. What others wrote is marked as data. Raises ``BadValue``, and ``TooBig`` for an
        account that does not fit into a message.
        """
        asked = Assemble(query, max_tokens, reserved_tokens, fill, traces, min_strength, max_candidates, today, beside, account)
        validate_query(query)
        validate_query(beside)
        budget_of(asked)
        assembled = await self._ask(asked, Assembled)
        if use:
            await self.used(assembled)
        return assembled

    async def used(self, assembled: Assembled, *, aside: bool = False) -> None:
        """Say that what was assembled is used: ``assemble`` does so itself, unless it was told not to. ``aside``: see ``say``."""
        items, edges = assembled.items, assembled.edges
        for first in range(0, max(len(items), len(edges)), USED_AT_ONCE):
            some = slice(first, first + USED_AT_ONCE)
            await self.say(UseAll(items[some], edges[some]), aside=aside)

    async def end_round(self, number: int | None = None) -> None:
        """End round ``number``, if that is the current one: agents that each end the same round end it once.

        By default the round that this agent is in: the last one that it heard of, or the one after the last that it ended.
        """
        if number is None:
            number = int(max(self._line.now, self._ended + 1))
        await self._say(EndRound(number))
        self._ended = number

    async def wait_applied(self) -> None:
        """Return once all that was said is applied. Raises what the board refused of it since the last call, several as a group."""
        refusals = [each for each in await self.refusals() if self._new(each)]
        self._reported = self._sender.mark
        errors: list[Refused] = [refused(each.code, each.message) for each in refusals]
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup(f"board {self.name!r} refused {len(errors)} units of {self.agent!r}", errors)

    def _new(self, refusal: Refusal) -> bool:
        epoch, number = self._reported
        return refusal.epoch == self._sender.mark[0] and (epoch != refusal.epoch or refusal.seq > number)

    async def refusals(self) -> tuple[Refusal, ...]:
        """The units of this agent that the board refused lately, oldest first, once all that was said is applied."""
        return (await self._ask(Applied(), UpTo, wholly=True, patience=inf)).refusals

    # ---- asking -------------------------------------------------------------------------------------------------------------------------

    async def _ask(self, query: AnyQuery, kind: type[R], *, wholly: bool = False, patience: float = PATIENCE) -> R:
        """``wholly``: once all that was said is applied, what was said aside, too."""
        with telemetry.asking(self._line.place, type(query).__name__):
            mark = await self._sender.sent(patience=patience)
            reply = await self._line.ask(query, mark if wholly else self._sender.awaited, patience=patience)
        assert isinstance(reply, kind)
        return reply

    async def _items(self, query: AnyQuery) -> list[ContextItem]:
        return [from_wire(item) for item in (await self._ask(query, Items)).items]

    async def top(self, limit: int = 20, *, kind: str | None = None) -> list[ContextItem]:
        """The strongest items in view."""
        return await self._items(Top(limit, kind))

    async def view(self, limit: int = 20) -> list[ContextItem]:
        """What the agent sees, the strongest first: ``top`` of every kind, by its other name."""
        return await self.top(limit)

    async def search(self, text: str, limit: int = 30) -> list[ContextItem]:
        """Items that the words of ``text`` meet, the strongest first among the relevant."""
        validate_query(text)
        return await self._items(Search(text, limit))

    async def hits(self, text: str, limit: int = 30, *, today: date | None = None) -> list[Hit]:
        """What a text recalls, the best first, each with why it is there: its words, what spread to it, what the text names of it.

        ``today``: what "tomorrow" in the text is relative to; on a wall-clock board its own day, if not given.
        """
        validate_query(text)
        found = (await self._ask(Hits(text, limit, today), HitList)).hits
        return [Hit(from_wire(hit.item), hit.score, hit.why, hit.edges) for hit in found]

    async def get(self, item: Ref) -> ContextItem:
        """An item as it stands, which changes nothing. Raises ``NotInView``."""
        return (await self._items(Get(id_of(item))))[0]

    async def history(self, key: str, target: str | None = None) -> list[ContextItem]:
        """All that a slot ever held, oldest first, however much it is."""
        return await self._pages(lambda after: History(key, target, after))

    async def about(self, key: str, target: str | None = None) -> list[ContextItem]:
        """What is said about a key (and target) and stands or is archived, oldest first. ``*`` in the key stands for any characters."""
        return await self._pages(lambda after: About(key, target, after))

    async def _pages(self, query: Callable[[str | None], AnyQuery]) -> list[ContextItem]:
        page = await self._ask(query(None), Items)
        found = [*page.items]
        while page.more:
            page = await self._ask(query(found[-1].id), Items)
            found += page.items
        return [*map(from_wire, found)]

    async def edges_of(self, item: Ref) -> list[Edge]:
        """An item's edges, the strongest first. Raises ``NotInView``."""
        edges = (await self._ask(EdgesOf(id_of(item)), Edges)).edges
        return [_edge(edge) for edge in edges]

    async def constraints(self) -> tuple[ConstraintView, ...]:
        """Every constraint in view with its status."""
        return (await self._ask(Constraints(), ConstraintList)).constraints

    async def check(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> tuple[Breach, ...]:
        """Which constraints would these values break? ``check(budget=52_000)``, or with a unit ``check(budget=(52_000, "CNY"))``.

        Raises ``UnitMismatch``.
        """
        return (await self._ask(Check({**(values or {}), **more}), Breaches)).breaches

    async def experts(self, key: str) -> tuple[Expert, ...]:
        """Who strengthened the shared items of a key, and how much."""
        return (await self._ask(Experts(key), ExpertList)).experts

    async def explain(self, item: Ref) -> Account:
        """Every step that made an item's strength. Raises ``NotInView``."""
        return (await self._ask(Explain(id_of(item)), Explained)).account

    async def stats(self) -> BoardStats:
        """Counts of what is in view, and the board's clock."""
        return (await self._ask(Stats(), Counted)).stats

    async def kinds(self) -> dict[str, dict[str, float | str]]:
        """The board's kinds, each with all its settings; *edge* is how edges fade."""
        return (await self._ask(Kinds(), KindTable)).kinds

    async def limits(self) -> Limited:
        """How fast this agent may speak, and what it owes of that. What is said faster waits here until it may be sent."""
        return await self._ask(Limits(), Limited)

    async def document(self) -> Document:
        """All that the agent sees, as a document. It changes nothing."""
        stats = await self.stats()
        return await collect(lambda query: self._ask(query, Exported), stats)

    async def export(self, form: Format = "json") -> str:
        """All that the agent sees, as JSON or as GraphML (for networkx, Gephi, yEd). It changes nothing. Raises ``BadValue``."""
        return write(await self.document(), form)

    async def import_(self, text: str | bytes) -> Imported:
        """Bring in an export, JSON or GraphML, in this agent's name: deposits, reinforcements and links, as far as they are new here.

        Raises ``BadValue`` for what is no export, and what the board refuses of it.
        """
        said = plan(read(text), await self.document(), agent=self.agent, kinds=await self.kinds())
        observations = said.observations()
        for first in range(0, len(observations), AT_ONCE):
            async with anyio.create_task_group() as tasks:
                for observation in observations[first : first + AT_ONCE]:
                    tasks.start_soon(self.say, observation)
        await self.wait_applied()
        return said.done()

    async def newest(self) -> dict[str, int]:
        """Audience → the number of its last events, for ``Feed.reach``."""
        return {audience: await self._line.newest(audience) for audience in self._line.audiences}

    # ---- hearing ------------------------------------------------------------------------------------------------------------------------

    def signals(
        self,
        *names: str,
        key: str | None = None,
        kind: str | None = None,
        item: Ref | None = None,
        own: bool = False,
        since: str | None = None,
    ) -> Feed[Signal]:
        """Signals that meet every filter given, from now on or from another feed's position ``since``.

        A rise that this agent alone caused is left out, unless ``own``.
        """
        wanted = SignalFilter(names, key, kind, _id_or_none(item), own)
        return self._feed(lambda events: (each for each in events.signals if wanted.meets(each, self.agent)), since)

    def changes(
        self,
        *,
        kind: str | None = None,
        key: str | None = None,
        cause: str | None = None,
        item: Ref | None = None,
        since: str | None = None,
    ) -> Feed[Change]:
        """Changes that meet every filter given, the agent's own ones too; an edge's are of the kind *edge*."""
        wanted = ChangeFilter(kind, key, cause, _id_or_none(item))
        return self._feed(lambda events: (each for each in events.changes if wanted.meets(each, self.agent)), since)

    def feed(self, *, own: bool = False, since: str | None = None) -> Feed[Change | Signal]:
        """All that happens in view: of each entry of the log the changes, then the signals (with one's own rises if ``own``)."""
        wanted = SignalFilter(own=own)
        return self._feed(lambda events: (*events.changes, *(each for each in events.signals if wanted.meets(each, self.agent))), since)

    def _feed(self, pick: Callable[[Events], Iterable[T]], since: str | None) -> Feed[T]:
        feed = Feed(self._line, pick, self._known, since)
        self._feeds.add(feed)
        return feed


def _id_or_none(item: Ref | None) -> str | None:
    return None if item is None else id_of(item)


def _edge(wire: EdgeView) -> Edge:
    edge = Edge(wire.a, wire.b, relation=wire.relation, owner=wire.owner, scope=wire.scope)
    edge.id = wire.id
    edge.detach(wire.strength)
    return edge
