"""A board as a LangGraph store: long-term memory of graphs, which agents share and which weighs what is used.

    store = PheromoneStore("nats://127.0.0.1:4222/trip", agent="planner")
    graph = builder.compile(store=store)

Laws:

- It is a ``BaseStore``: a put is there for the next read, the last put counts, and nothing is lost but by a delete or the end of its TTL.
- What a namespace holds is its agent's alone, unless the namespace begins with a label that is shared.
- Reading is using: what is read with ``refresh_ttl`` (the default) grows a little stronger, and its TTL begins anew.
- A board that is down never fails a call: reads give nothing, and what is put is said once it is back. What no board takes raises at once.
"""

from collections.abc import Collection, Iterable
from copy import deepcopy
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from agents.adapters.documents import Document, Put, again, check_filter, meets, path, said_by, scope_of, standing, target_of
from agents.adapters.needing import needing
from agents.adapters.observing import asked
from agents.adapters.reaching import Work
from agents.adapters.service import AnyMemory, service_of
from agents.adapters.watching import Watch
from blackboard.client import Board
from blackboard.text import Query
from bus.messages import Use, UseAll

with needing("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        validate_op_namespace,
    )

SCORED = 100
"""Of what a query recalls, so many of the best have a score."""


class _Read(Struct, frozen=True):
    """A read of a batch: what is to be done, and what it gives without a board."""

    work: Work[Any]
    otherwise: Result


class PheromoneStore(BaseStore):
    """The store of ``agent`` on a board: an address as ``blackboard.open`` takes it, an open board, or a ``MemoryService``.

    Namespaces whose first label is in ``shared`` are all agents'; every other is private to the agent. ``ttl``: as in LangGraph, what
    holds where a call does not say. Raises ``BadName``, ``BadValue``. A put raises ``BadValue`` for a value that JSON has not, and
    ``TooBig``.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AnyMemory,
        agent: str,
        *,
        shared: Collection[str] = ("shared",),
        ttl: TTLConfig | None = None,
    ) -> None:
        self.memory = service_of(memory, agent)
        self.agent = agent
        self.shared = (shared,) if isinstance(shared, str) else tuple(shared)
        self.ttl_config = ttl

    # ---- the four operations ------------------------------------------------------------------------------------------------------------

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations; the reads among them see what was there before. Of several puts of one document, the last is done."""
        reads, puts, count = self._planned(ops)
        results: list[Result] = [None] * count
        for place, read in reads.items():
            results[place] = self.memory.reach_sync(self.agent, read.work, read.otherwise)
        for put in puts:
            self.memory.reach_sync(self.agent, put, otherwise=None, later=True)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """``batch``, awaited."""
        reads, puts, count = self._planned(ops)
        results: list[Result] = [None] * count
        for place, read in reads.items():
            results[place] = await self.memory.reach(self.agent, read.work, read.otherwise)
        for put in puts:
            await self.memory.reach(self.agent, put, otherwise=None, later=True)
        return results

    def watch(self, namespace: tuple[str, ...] = ()) -> Watch:
        """What changes in a namespace and below it, from now on: ``async with store.watch(("shared",)) as changes: async for …``."""
        validate_op_namespace(SearchOp(namespace))
        return Watch(self.memory, self.agent, namespace)

    def _planned(self, ops: Iterable[Op]) -> tuple[dict[int, _Read], list[Work[None]], int]:
        """Place → read; what is to be put; how many operations there are."""
        reads: dict[int, _Read] = {}
        puts: dict[tuple[tuple[str, ...], str], Work[None]] = {}
        count = 0
        for place, op in enumerate(ops):
            validate_op_namespace(op)
            count += 1
            match op:
                case GetOp():
                    reads[place] = _Read(partial(self._get, op=op), None)
                case SearchOp():
                    check_filter(op.filter)  # here it raises; with the board at hand it would count as the board's fault
                    reads[place] = _Read(partial(self._search, op=op), [])
                case ListNamespacesOp():
                    for condition in op.match_conditions or ():
                        _matches(condition, ())  # likewise
                    reads[place] = _Read(partial(self._list, op=op), [])
                case PutOp():
                    puts[op.namespace, op.key] = self._to_put(op)
                case _:
                    raise ValueError(f"Unknown operation type: {type(op)}")
        return reads, list(puts.values()), count

    # ---- reading ------------------------------------------------------------------------------------------------------------------------

    async def _get(self, board: Board, op: GetOp) -> Item | None:
        found = standing(await board.about(path(op.namespace), target_of(op.key)))
        if not found:
            return None
        if op.refresh_ttl:
            await _refresh(board, used=found, read=found)
        [document] = found
        return Item(
            value=document.value, key=document.key, namespace=document.namespace, created_at=document.created, updated_at=document.updated
        )

    async def _search(self, board: Board, op: SearchOp) -> list[SearchItem]:
        """What a query recalls first, then the rest of the namespace, the latest first: a limit says how many are wanted."""
        found = [each for each in standing(await board.about(f"{path(op.namespace_prefix)}*")) if meets(each.value, op.filter or {})]
        found.sort(key=lambda each: each.updated, reverse=True)
        query = asked(op.query or "")
        scores: dict[str, float] = {}
        if query and found:
            scores = await _recalled(board, query, op.namespace_prefix)
            scores = {each.item.id: scores[each.item.id] for each in found if each.indexed and each.item.id in scores}
            found.sort(key=lambda each: scores.get(each.item.id, 0.0), reverse=True)
        page = found[op.offset : op.offset + op.limit]
        if op.refresh_ttl and page:
            await _refresh(board, used=[each for each in page if each.item.id in scores] if query else page, read=page)
        return [SearchItem(each.namespace, each.key, each.value, each.created, each.updated, scores.get(each.item.id)) for each in page]

    async def _list(self, board: Board, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        found = {each.namespace for each in standing(await board.about("/*"))}
        namespaces = {each[: op.max_depth] for each in found if all(_matches(condition, each) for condition in conditions)}
        return sorted(namespaces)[op.offset : op.offset + op.limit]

    # ---- putting ------------------------------------------------------------------------------------------------------------------------

    def _to_put(self, op: PutOp) -> Work[None]:
        if op.value is None:
            return partial(_delete, key=path(op.namespace), target=target_of(op.key))
        texts = None if op.index is None else tuple(text for field in op.index or () for text in get_text_at_path(op.value, field))
        put = Put(op.namespace, op.key, dict(op.value), texts, op.ttl, scope_of(op.namespace, self.shared))
        put.check()
        # A copy, since it may be said much later.
        return partial(_put, put=replace(put, value=deepcopy(put.value)), at=datetime.now(UTC))


async def _refresh(board: Board, used: list[Document], read: list[Document]) -> None:
    """What was wanted of what was read grows stronger, and what ends has its TTL anew."""
    now, minute = await _clock(board) if any(each.ttl is not None for each in read) else (0.0, 1.0)
    due = {each.item.id: deposit for each in read if (deposit := again(each, board.agent, now=now, minute=minute)) is not None}
    if others := tuple(each.item.id for each in used if each.item.id not in due):
        await board.say(UseAll(others))
    for item, deposit in due.items():
        # One unit: it is refused if something newer has taken the item's place meanwhile, which it would else come back over.
        await board.say(Use(item), deposit)


async def _put(board: Board, put: Put, at: datetime) -> None:
    present = await board.about(path(put.namespace), target_of(put.key))
    expires_at = None
    if put.ttl is not None:
        now, minute = await _clock(board)
        expires_at = now + put.ttl * minute
    deposit = put.deposit(present, agent=board.agent, at=at, expires_at=expires_at)
    await board.say(deposit)
    for item in said_by(board.agent, present):
        if item.scope != deposit.scope:  # it is in another slot, where nothing takes its place
            await board.retract(item)


async def _delete(board: Board, key: str, target: str) -> None:
    """Withdraw what the agent says of it. Each by itself: what is gone by now is refused, and nothing else with it."""
    for item in said_by(board.agent, await board.about(key, target)):
        await board.retract(item)


async def _recalled(board: Board, query: str, namespace: tuple[str, ...]) -> dict[str, float]:
    """The ids of what a query recalls → scores. The namespace is part of what is asked: so one among thousands has its own best ones.

    What only is in it, and has nothing else of the query, is not recalled.
    """
    where = asked(" ".join(namespace))
    besides = {*Query.of(where).terms} - {*Query.of(query).terms}
    hits = await board.hits(f"{where} {query}", SCORED)
    return {hit.item.id: hit.score for hit in hits if {*hit.why.terms} - besides or hit.why.via or hit.why.meaning}


async def _clock(board: Board) -> tuple[float, float]:
    """The board's time, and how long a minute is in it: where it counts rounds, one stands for a minute."""
    stats = await board.stats()
    return stats.now, 60.0 if stats.time == "wall" else 1.0


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    wanted = condition.path
    match condition.match_type:
        case "prefix":
            labels = namespace[: len(wanted)]
        case "suffix":
            labels = namespace[max(len(namespace) - len(wanted), 0) :]
        case unknown:
            raise ValueError(f"Unsupported match type: {unknown}")
    return len(labels) == len(wanted) and all(each in {"*", label} for each, label in zip(wanted, labels, strict=True))
