"""A document as GraphML, which networkx, Gephi and yEd open (and write again: attributes are known by their names, others are passed over).

Laws:

- Each figure is an attribute of its own type: numbers by their shortest exact decimals, what has a structure as JSON.
- A text that XML cannot carry (it has control characters) is shown without them, and is kept in the attribute ``exact``.
- Edges are directed, as relations are; an edge without a relation is a mere association.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal, TypeVar, get_origin
from xml.parsers import expat

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from blackboard.document import Document, check, require_json
from blackboard.errors import BadValue
from bus.messages import EdgeRecord, ItemRecord

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {bool: "boolean", int: "long", float: "double", float | None: "double", str: "string", str | None: "string"}
EXACT = "exact"

R = TypeVar("R", ItemRecord, EdgeRecord, Document)


def _attributes(cls: type[Struct], *elsewhere: str) -> dict[str, str]:
    """The fields of a struct that are attributes: name → GraphML's type, or ``json``."""
    return {field.name: _type(field.type) for field in fields(cls) if field.name not in elsewhere}


def _type(of: Any) -> str:
    return "string" if get_origin(of) is Literal else _TYPES.get(of, "json")


_GRAPH = _attributes(Document, "items", "edges")
_NODE = _attributes(ItemRecord, "id")
_EDGE = _attributes(EdgeRecord, "id", "a", "b")
_OF = {"graph": _GRAPH, "node": _NODE, "edge": _EDGE}


# ---- writing ----------------------------------------------------------------------------------------------------------------------------


def to_graphml(document: Document) -> str:
    """The document as GraphML. Raises ``BadValue`` for what JSON, in which values stand, does not carry."""
    require_json(document.items)
    return "".join(f"{line}\n" for line in _lines(document))


def _lines(document: Document) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<graphml xmlns="{_NAMESPACE}">'
    for of, attributes in _OF.items():
        for name, kind in {**attributes, EXACT: "json"}.items():
            written = "string" if kind == "json" else kind
            yield f'<key id="{of}.{name}" for="{of}" attr.name="{name}" attr.type="{written}"/>'
    yield '<graph edgedefault="directed">'
    yield _data("graph", document, _GRAPH)
    for item in document.items:
        yield f'<node id="{_escaped(item.id)}">{_data("node", item, _NODE)}</node>'
    for edge in document.edges:
        ends = f'source="{_escaped(edge.a)}" target="{_escaped(edge.b)}"'
        yield f'<edge id="{_escaped(edge.id)}" {ends}>{_data("edge", edge, _EDGE)}</edge>'
    yield "</graph>"
    yield "</graphml>"


def _data(of: str, record: Struct, attributes: dict[str, str]) -> str:
    """The attributes of a record; those that say nothing are left out."""
    parts = []
    exact = {}
    for name, kind in attributes.items():
        value = getattr(record, name)
        if kind == "string" and value is not None and _NO_XML.search(value):
            exact[name] = value
        if value is not None and (name == "value" or value not in ((), {})):
            parts.append(f'<data key="{of}.{name}">{_escaped(_written(value, kind))}</data>')
    if exact:
        parts.append(f'<data key="{of}.{EXACT}">{_escaped(_written(exact, "json"))}</data>')
    return "".join(parts)


def _written(value: Any, kind: str) -> str:
    match kind:
        case "boolean":
            return "true" if value else "false"
        case "string":
            return _NO_XML.sub("\ufffd", value)
        case "json":
            text = msgspec.json.encode(value).decode()
            return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        case _:
            return repr(value)


def _escaped(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\r", "&#13;")):
        text = text.replace(character, entity)
    return text


# ---- reading ----------------------------------------------------------------------------------------------------------------------------


def from_graphml(text: str | bytes) -> Document:
    """The document that ``to_graphml`` wrote, also after another program has opened and saved it. Raises ``BadValue``."""
    reader = _Reader()
    try:
        reader.read(text if isinstance(text, bytes) else text.encode())
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise BadValue(f"this is no GraphML: {error}") from error
    if not reader.found:
        raise BadValue("this is no GraphML: there is no graph in it")
    document = msgspec.structs.replace(
        _record(Document, {}, reader.graph, _GRAPH),
        items=tuple(_record(ItemRecord, own, data, _NODE) for own, data in reader.nodes),
        edges=tuple(_record(EdgeRecord, own, data, _EDGE) for own, data in reader.edges),
    )
    check(document)
    return document


class _Reader:
    """Takes GraphML apart: what stands in the elements, as text."""

    def __init__(self) -> None:
        self.found = False
        self.graph: dict[str, str] = {}
        self.nodes: list[tuple[dict[str, str], dict[str, str]]] = []
        self.edges: list[tuple[dict[str, str], dict[str, str]]] = []
        self._keys: dict[str, str] = {}
        self._open: list[dict[str, str]] = []
        self._key: str | None = None
        self._text: list[str] = []

    def read(self, data: bytes) -> None:
        """Raises ``expat.ExpatError``, and ``BadValue`` for a document type: no export has one, and its entities can be bombs."""
        parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.Parse(data, True)

    def _refuse(self, name: str, *_: Any) -> None:
        raise BadValue(f"this GraphML declares a document type ({name}): take it out")

    def _start(self, name: str, own: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "key":
                self._keys[own.get("id", "")] = own.get("attr.name", "")
            case "graph":
                self.found = True
                self._open.append(self.graph)
            case "node":
                self._open.append({})
                self.nodes.append(({"id": own.get("id", "")}, self._open[-1]))
            case "edge":
                self._open.append({})
                ends = {"id": own.get("id", ""), "a": own.get("source", ""), "b": own.get("target", "")}
                self.edges.append((ends, self._open[-1]))
            case "data":
                self._key = own.get("key", "")
                self._text.clear()

    def _end(self, name: str) -> None:
        match name.rpartition(" ")[2]:
            case "graph" | "node" | "edge":
                self._open.pop()
            case "data" if self._key is not None:
                if self._open:
                    self._open[-1][self._keys.get(self._key, self._key)] = "".join(self._text)
                self._key = None


def _record(cls: type[R], own: dict[str, str], data: dict[str, str], attributes: dict[str, str]) -> R:
    found: dict[str, Any] = dict(own)
    try:
        for name, kind in attributes.items():
            if name in data:
                found[name] = _read(data[name], kind)
        if EXACT in data:
            found.update(_read(data[EXACT], "json"))
        return msgspec.convert(found, cls)
    except (ValueError, RecursionError, TypeError) as error:  # msgspec's errors are ValueErrors, too
        raise BadValue(f"{cls.__name__} {own.get('id', '')!r} of this GraphML cannot be read: {error}") from error


def _read(text: str, kind: str) -> Any:
    match kind:
        case "boolean":
            return text.lower() in {"true", "1"}
        case "long":
            return int(text)
        case "double":
            return float(text)
        case "json":
            return msgspec.json.decode(text)
        case _:
            return text
