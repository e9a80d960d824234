"""What the board answers. Pure: a question moves nothing, and is answered from the asker's view alone (chapter 1, "Ownership and views").

On a wall-clock board a question has a stamp of its own: strengths are those of that moment, but what only a ``Tick`` may do (protection
that ends, an item that fades) has not happened before its tick has.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from blackboard import constraints, views
from blackboard.alerts import Alerts
from blackboard.assembly import assemble
from blackboard.config import BoardConfig
from blackboard.conversations import Conversations
from blackboard.document import edge_record, item_record
from blackboard.errors import BadValue
from blackboard.identity import folded_name
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT, table
from blackboard.network import PheromoneNetwork
from blackboard.scent.wildcards import matches
from blackboard.validity import validate_conversation, validate_limit, validate_query, validate_types
from blackboard.wire import edge_to_wire, to_wire
from bus import names
from bus.messages import (
    About,
    AnyQuery,
    AnyReply,
    Assemble,
    BoardStats,
    Breach,
    Breaches,
    Check,
    ConstraintList,
    Constraints,
    ConstraintStatus,
    ConstraintView,
    Counted,
    EdgeRecord,
    Edges,
    EdgesOf,
    Expert,
    ExpertList,
    Experts,
    Export,
    Exported,
    Field,
    Get,
    History,
    HitList,
    Hits,
    HitView,
    Item,
    ItemRecord,
    Items,
    Kinds,
    KindTable,
    Recall,
    Search,
    Stats,
    Top,
    encode,
)

MAX_PAGE = 400_000
"""Bytes of what an answer gives a page at a time, about: with the largest item on top it still fits the transport."""


class Answers:
    """Answers queries about one board as it stands."""

    def __init__(self, network: PheromoneNetwork, alerts: Alerts, conversations: Conversations, config: BoardConfig) -> None:
        self._network = network
        self._alerts = alerts
        self._conversations = conversations
        self._config = config
        self._patience = config.patience * config.scale

    def prepare(self, agent: str, query: AnyQuery, limit: int) -> bool:
        """Do some of what has to be done before a question is answered, up to ``limit`` items' worth; is there more of it?"""
        return isinstance(query, Search | Hits | Assemble) and self._network.index(limit, partitions=views.partitions(agent))

    def answer(self, agent: str, query: AnyQuery, *, at: float | None = None) -> AnyReply:
        """The reply to ``agent`` at time ``at`` (now, if not given). Raises ``Refused``."""
        network = self._network
        seen = views.partitions(agent)
        match query:
            case Top():
                validate_limit(query.limit)
                return self._items(network.top(query.limit, partitions=seen, kind=query.kind, at=at), at)
            case Search():
                validate_limit(query.limit)
                validate_query(query.text)
                return self._items(network.search(query.text, query.limit, partitions=seen, at=at), at)
            case Hits():
                validate_limit(query.limit)
                validate_query(query.text)
                hits = network.hits(query.text, query.limit, partitions=seen, at=at, today=query.today)
                return HitList(tuple(HitView(item=self._item(hit.item, at), why=hit.why, score=hit.score, edges=hit.edges) for hit in hits))
            case Assemble():
                validate_limit(query.max_candidates, "max_candidates")
                validate_query(query.text)
                validate_query(query.beside)
                return assemble(network, query, reader=agent, partitions=seen, at=at)
            case Get():
                return self._items([views.find(network, agent, query.item)], at)
            case History():
                said = network.history(query.key, query.target, partitions=seen)
                return self._behind(agent, query.after, said, at)
            case About():
                wanted = folded_name(query.key)
                keys = [each for each in network.all_keys() if matches(each, wanted)] if "*" in wanted else [wanted]
                said = network.present_about(keys, query.target, partitions=seen)
                return self._behind(agent, query.after, said, at)
            case EdgesOf():
                item = views.find(network, agent, query.item)
                return Edges(tuple(edge_to_wire(e, network.strength(e, at)) for e in views.edges(network, agent, item)))
            case Constraints():
                return ConstraintList(tuple(self._constraint(each, at) for each in self._seen(agent, network.of_kind(CONSTRAINT))))
            case Check():
                return Breaches(tuple(self._breaches(agent, query.values, at)))
            case Experts():
                return ExpertList(tuple(self._experts(query.key)))
            case Stats():
                counted = network.stats(seen, at=at)
                return Counted(
                    BoardStats(board=self._config.name, time=self._config.time, now=network.now if at is None else at, **counted)
                )
            case Export():
                validate_limit(query.limit)
                return self._page(agent, query, at)
            case Recall():
                validate_limit(query.limit)
                validate_types(query.types)
                validate_conversation(query.conversation)
                return self._conversations.recall(agent, query)
            case Field():
                validate_conversation(query.conversation)
                return self._conversations.view(agent, query.conversation)
            case Kinds():
                return KindTable({name: table(kind) for name, kind in (*network.kinds.items(), (network.edge.name, network.edge))})
            case _:
                raise BadValue(f"query {type(query).__name__.lower()!r} is not one that a board answers")

    @staticmethod
    def _seen(agent: str, items: Iterable[ContextItem]) -> Iterable[ContextItem]:
        return (item for item in items if views.sees(agent, item))

    def _item(self, item: ContextItem, at: float | None) -> Item:
        return to_wire(item, self._network.strength(item, at))

    def _items(self, items: Iterable[ContextItem], at: float | None) -> Items:
        return Items(tuple(self._item(item, at) for item in items))

    def _behind(self, agent: str, after: str | None, items: Iterable[ContextItem], at: float | None) -> Items:
        """As many of them, behind where the page begins, as fit."""
        begun = -1 if after is None else views.find(self._network, agent, after).ordinal
        page: list[Item] = []
        size = 0
        for item in items:
            if item.ordinal > begun:
                told = self._item(item, at)
                size += len(encode(told))
                if page and size > MAX_PAGE:
                    return Items(tuple(page), more=True)
                page.append(told)
        return Items(tuple(page))

    def _page(self, agent: str, query: Export, at: float | None) -> Exported:
        """As much of the agent's view, behind where the query begins, as fits; the place is told by the asker's own ids."""
        items: list[ItemRecord] = []
        edges: list[EdgeRecord] = []
        size = 0
        place = query
        for record in self._records(agent, query, at):
            size += len(encode(record))
            if (items or edges) and (size > MAX_PAGE or len(items) + len(edges) == query.limit):
                return Exported(tuple(items), tuple(edges), place)
            match record:
                case ItemRecord():
                    items.append(record)
                    place = Export(record.id, "", query.limit)
                case EdgeRecord():
                    edges.append(record)
                    place = Export(record.a, record.id, query.limit)
        return Exported(tuple(items), tuple(edges))

    def _records(self, agent: str, query: Export, at: float | None) -> Iterator[ItemRecord | EdgeRecord]:
        network, begun = self._network, -1
        if query.after is not None:
            item = views.find(network, agent, query.after)
            begun = item.ordinal
            if query.edge is not None:
                yield from (each for each in self._edges_from(agent, item, at) if each.id > query.edge)
        for item in network.made_after(begun, views.partitions(agent)):
            yield item_record(item, network.strength(item, at), formerly=views.former_ids(agent, item))
            yield from self._edges_from(agent, item, at)

    def _edges_from(self, agent: str, item: ContextItem, at: float | None) -> list[EdgeRecord]:
        """The edges that the agent sees and that begin at the item, in the order of their ids."""
        seen = sorted((edge for edge in views.edges(self._network, agent, item) if edge.a == item.id), key=lambda edge: edge.id)
        return [edge_record(edge, self._network.strength(edge, at)) for edge in seen]

    def _standing(self, constraint: ContextItem, at: float | None) -> tuple[ConstraintStatus, bool, bool]:
        status = constraints.status(constraint, self._network.now if at is None else at, self._patience)
        faded = status == "fading"
        return status, faded and not constraint.hard, faded and constraint.hard

    def _constraint(self, constraint: ContextItem, at: float | None) -> ConstraintView:
        status, relaxable, unconfirmed = self._standing(constraint, at)
        return ConstraintView(
            item=self._item(constraint, at), status=status, rule=constraints.rule(constraint), relaxable=relaxable,
            unconfirmed=unconfirmed, contested=self._alerts.contested(constraint),
        )  # fmt: skip

    def _breaches(self, agent: str, values: dict[str, Any], at: float | None) -> Iterable[Breach]:
        now = self._network.now if at is None else at
        for key, given in values.items():
            value, unit = _quantity(key, given)
            for constraint in self._seen(agent, self._network.about(key, CONSTRAINT)):
                if not constraints.concerns(constraint, now, self._patience):
                    continue
                constraints.require_comparable(constraint, key, value, unit)
                if constraints.breaks(constraint, value, unit):
                    _, relaxable, unconfirmed = self._standing(constraint, at)
                    yield Breach(
                        item=self._item(constraint, at), key=key, value=value, rule=constraints.rule(constraint), relaxable=relaxable,
                        unconfirmed=unconfirmed,
                    )  # fmt: skip

    def _experts(self, key: str) -> list[Expert]:
        experts: dict[str, Expert] = {}
        for item in self._network.about(key):
            if item.scope != names.SHARED:
                continue
            for each in to_wire(item).contributions:
                known = experts.get(each.agent) or Expert(agent=each.agent, amount=0.0, count=0, last=each.last)
                experts[each.agent] = Expert(
                    agent=each.agent, amount=known.amount + each.amount, count=known.count + each.count, last=max(known.last, each.last)
                )
        return sorted(experts.values(), key=lambda e: (-e.amount, -e.last, e.agent))


def _quantity(key: str, given: Any) -> tuple[Any, str | None]:
    """A value, or ``[value, unit]``."""
    if isinstance(given, (list, tuple)):
        if len(given) != 2 or not (given[1] is None or isinstance(given[1], str)):
            raise BadValue(f"{key}={given!r}: give a value, or a value and its unit")
        return given[0], given[1]
    return given, None
