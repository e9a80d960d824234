"""What is exported: a document of items and edges, as JSON or as GraphML (``graphml``).

Laws:

- A document that is read is the document that was written, to the bit of every number.
- It holds what a view holds, and all of it: what is told of an item to an agent, and what it takes to stand the item up again.
- Whatever takes a document up computes its ids anew: they follow from what an item is, on which board, and whose it is.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from sys import float_info, intern
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from blackboard.errors import BadValue
from blackboard.identity import edge_identity
from blackboard.items import ContextItem, Edge
from blackboard.wire import edge_to_wire, from_wire, to_wire
from bus import names
from bus.messages import EdgeRecord, ItemRecord, Status, Time

FORMAT = 1
"""The version of what is written."""


class Document(Struct, frozen=True, kw_only=True):
    """Items in order of making, and the edges between them, as they stood at ``now``."""

    pheroboard: int = FORMAT
    board: str = ""
    time: Time = "rounds"
    now: float = 0.0
    settings: dict[str, Any] = {}
    """What the board was made with, its kinds as they stand; nothing, where not all of a board is exported."""
    items: tuple[ItemRecord, ...] = ()
    edges: tuple[EdgeRecord, ...] = ()


class _Marked(Struct):
    """What every export says of itself, and other JSON does not."""

    pheroboard: int


def item_record(item: ContextItem, strength: float | None = None, *, formerly: Mapping[str, str]) -> ItemRecord:
    """All of an item, ``strength`` strong; ``formerly`` are those of its former ids that the reader may know."""
    told = asdict(to_wire(item, strength))
    if item.expires_at is not None:
        told["expires_at"] = float(item.expires_at)  # a lone network takes it as it is given
    return ItemRecord(
        **told,
        said_hard=item.said_hard,
        hard_by=tuple(agent for agent, hard in item.asserters.items() if hard),
        protected_until=item.protected_until,
        folded=item.folded,
        formerly=dict(formerly),
    )


def edge_record(edge: Edge, strength: float | None = None, *, formerly: tuple[str, ...] = ()) -> EdgeRecord:
    """All of an edge, likewise."""
    told = asdict(edge_to_wire(edge, strength))
    told["strength"] = told["strength"] or float_info.min  # one to what was folded outlasts what a float holds
    return EdgeRecord(**told, first=edge.first, made=edge.made, touched=edge.touched, formerly=formerly)


def rebuilt(document: Document, board: str) -> tuple[list[ContextItem], list[Edge]]:
    """Its items and edges as they are on ``board``, in no network yet. Raises ``BadValue`` for what cannot stand together.

    What came from another board leaves its former ids behind.
    """
    check(document)
    items: dict[str, ContextItem] = {}
    ids: dict[str, str] = {}
    for record in document.items:
        item = from_wire(record, said_hard=record.said_hard)
        # Interned: msgspec leaves a default out of what it encodes only where it is the very same text.
        item.status = cast("Status", intern(item.status))
        item.id = ids[record.id] = item.identify(board)
        item.protected_until, item.folded = record.protected_until, record.folded
        item.asserters = {agent: agent in record.hard_by for agent in record.asserters}
        if record.formerly and document.board == board:
            item.formerly = record.formerly
        if items.setdefault(item.id, item) is not item:
            raise BadValue(f"item {record.id!r}: another one of the export says the same: leave one out")
    edges: dict[str, Edge] = {}
    for record_ in document.edges:
        edge = Edge(ids[record_.a], ids[record_.b], relation=record_.relation, owner=record_.owner, scope=record_.scope)
        edge.id = edge_identity(board, owner=edge.owner, scope=edge.scope, a=edge.a, b=edge.b, relation=edge.relation)
        edge.detach(record_.strength)
        edge.first, edge.made, edge.touched = record_.first, record_.made, record_.touched
        edge.formerly = record_.formerly if document.board == board else ()
        if edges.setdefault(edge.id, edge) is not edge:
            raise BadValue(f"edge {record_.id!r}: another one of the export joins the same: leave one out")
    return list(items.values()), list(edges.values())


def check(document: Document) -> None:
    """Raise ``BadValue`` for a document that is none, naming the item or the edge."""
    if document.pheroboard != FORMAT:
        raise BadValue(f"the export has format {document.pheroboard}, and this version knows {FORMAT}: upgrade pheroboard")
    if not isfinite(document.now):
        raise BadValue(f"the export was made at {document.now!r}: give a finite round or time")
    known = set()
    for item in document.items:
        where = f"item {item.id!r}"
        if item.id in known:
            raise BadValue(f"{where}: there are two of that id: leave one out")
        known.add(item.id)
        if item.status == "discarded":
            raise BadValue(f"{where}: it was discarded: leave it out")
        _check_figures(where, item.scope, item.strength, item.status == "standing")
    for edge in document.edges:
        where = f"edge {edge.id!r}"
        _check_figures(where, edge.scope, edge.strength, standing=True)
        for end in (edge.a, edge.b):
            if end not in known:
                raise BadValue(f"{where}: its end {end!r} is no item of the export: leave the edge out, or put the item in")


def _check_figures(where: str, scope: str, strength: float, standing: bool) -> None:
    if scope not in {names.PRIVATE, names.SHARED}:
        raise BadValue(f"{where}: scope {scope!r}: use 'private' or 'shared'")
    if not isfinite(strength) or strength < 0 or (strength == 0) is standing:
        raise BadValue(f"{where}: strength {strength!r}: what stands has a finite one above 0, and what does not has 0")


def to_json(document: Document) -> str:
    """The document as one JSON text. Raises ``BadValue`` for what JSON does not carry."""
    require_json(document.items)
    return msgspec.json.encode(document).decode()


def from_json(text: str | bytes) -> Document:
    """The document that ``to_json`` wrote. Raises ``BadValue``."""
    try:
        msgspec.json.decode(text, type=_Marked)
        document = msgspec.json.decode(text, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadValue(f"this is no export as JSON: {error}") from error
    check(document)
    return document


def require_json(items: Iterable[ItemRecord]) -> None:
    """Raise ``BadValue`` for a value that JSON does not carry (a lone network takes what it is given)."""
    for item in items:
        for what, value in (("value", item.value), ("meta", item.meta)):
            if not _is_json(value):
                raise BadValue(f"item {item.id!r}: its {what} {value!r} cannot be exported: use finite numbers, and texts as keys")


def _is_json(value: Any) -> bool:
    match value:
        case None | bool() | int() | str():
            return True
        case float():
            return isfinite(value)
        case list() | tuple():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(key, str) and _is_json(each) for key, each in value.items())
        case _:
            return False
