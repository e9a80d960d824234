"""How the documents of a key-value store lie on a board: as which items. No other file knows.

===============  =======================================================================================
of a document    on the board
===============  =======================================================================================
its namespace    the item's ``key``, as a path: ``("memories", "ada")`` is */memories/ada/*
its key          the ``target``
itself           the ``value``
when it was put  the ``unit``: each version is an item of its own, also one that says what an earlier one said
what it says     the ``content``, as a line for people: what is searched, and what enters prompts
the rest         ``meta``: when its first version was put, its TTL in minutes, whether it is searched
===============  =======================================================================================

Laws:

- A document is a fact in a slot: so a newer one takes the older one's place in every prompt, the history keeps both, and others hear of it.
- Paths and targets are read back exactly, whatever stands in a label or a key. A namespace's path begins the paths of all below it.
- Of what several agents say of one document, that counts which was said or confirmed last.
- What fades from prompts is there until it is deleted, or ends. What is put as it stands is confirmed.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct, json
from msgspec.structs import replace

from agents.adapters.observing import heard
from blackboard.errors import BadValue, TooBig
from blackboard.identity import composed
from blackboard.items import ContextItem
from blackboard.validity import MAX_NAME, validate_said
from bus.messages import Deposit
from bus.names import PRIVATE, SHARED

KIND = "fact"
META = "document"
"""What of an item's meta is the document's; an item without is none."""
SPENT = 0.1
"""Of a TTL: so much has passed before a read lets it begin anew, lest every read were a confirmation."""

Namespace = tuple[str, ...]


class Document(Struct, frozen=True):
    """A document as it stands."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    ttl: float | None
    """Minutes; None: it does not end."""
    indexed: bool
    item: ContextItem
    """What it lies in."""


# ---- names ------------------------------------------------------------------------------------------------------------------------------

_UNSAFE = re.compile(r"[%/*\x00-\x1f\x7f-\x9f\ud800-\udfff]|[^\S ]|^ | $|(?<=\s) ")
"""What would end a label, be a pattern, or not be kept in a name on a board."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_EMPTY = "%"


def path(namespace: Namespace) -> str:
    """The key on the board of what is in a namespace: */memories/ada/*."""
    return "".join(f"/{_escaped(label)}" for label in namespace) + "/"


def namespace_of(key: str) -> Namespace:
    """The namespace of a path."""
    return tuple(map(_plain, key[1:-1].split("/"))) if key != "/" else ()


def target_of(key: str) -> str:
    """The target on the board of a document's key."""
    return _escaped(key)


def key_of(target: str) -> str:
    """The key of a document whose target this is."""
    return _plain(target)


def _escaped(name: str) -> str:
    safe = _UNSAFE.sub(_percent, name) or _EMPTY
    if safe.isascii() or (composed(safe, "NFC") == safe and not unicodedata.combining(safe[0])):
        return safe
    return _NOT_ASCII.sub(_percent, safe)


def _percent(sign: re.Match[str]) -> str:
    return quote(sign[0], safe="", errors="surrogatepass")


def _plain(name: str) -> str:
    return "" if name == _EMPTY else unquote(name, errors="surrogatepass")


# ---- reading ----------------------------------------------------------------------------------------------------------------------------


def standing(items: Iterable[ContextItem]) -> list[Document]:
    """The documents in items that stand or are archived, given in order of making; of each name the one that counts."""
    found: dict[tuple[str | None, str | None], Document] = {}
    for document in filter(None, map(_read, items)):
        name = document.item.key, document.item.target
        if name not in found or document.item.confirmed >= found[name].item.confirmed:
            found[name] = document
    return list(found.values())


def _read(item: ContextItem) -> Document | None:
    """The document that an item is, if it is one: others may have put what looks like one."""
    about = item.meta.get(META)
    if not (isinstance(about, Mapping) and isinstance(item.value, dict) and item.key and item.target and item.key.startswith("/")):
        return None
    created, updated, ttl = _time(about.get("created")), _time(item.unit), about.get("ttl")
    if created is None or updated is None or not isinstance(ttl, int | float | None):
        return None
    indexed = about.get("index") is not False
    return Document(namespace_of(item.key), key_of(item.target), item.value, created, updated, ttl, indexed, item)


def _time(written: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except (TypeError, ValueError):
        return None


def meets(value: Any, wanted: Any) -> bool:
    """Does a value meet a filter: is it the same, part by part, or as its operators ($eq $ne $gt $gte $lt $lte) want it?

    What is not there, or of another type, is neither above nor below anything.
    """
    match wanted:
        case Mapping() if any(name.startswith("$") for name in wanted):
            return all(_holds(value, operator, operand) for operator, operand in wanted.items())
        case Mapping():
            return isinstance(value, Mapping) and all(meets(value.get(name), each) for name, each in wanted.items())
        case list() | tuple():
            return isinstance(value, list | tuple) and len(value) == len(wanted) and all(map(meets, value, wanted))
        case _:
            return bool(value == wanted)


def check_filter(wanted: Any) -> None:
    """Raises ``ValueError`` for an operator that is none."""
    if isinstance(wanted, Mapping):
        for name, each in wanted.items():
            if name.startswith("$") and name not in {"$eq", "$ne", *_ORDERS}:
                raise ValueError(f"operator {name!r} of a filter: there are $eq, $ne, {', '.join(_ORDERS)}")
            check_filter(each)
    elif isinstance(wanted, list | tuple):
        for each in wanted:
            check_filter(each)


_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
}


def _holds(value: Any, operator: str, operand: Any) -> bool:
    if operator in {"$eq", "$ne"}:
        return (value == operand) is (operator == "$eq")
    alike = all(isinstance(each, int | float) for each in (value, operand)) or all(isinstance(each, str) for each in (value, operand))
    return alike and _ORDERS[operator](value, operand)


# ---- putting ----------------------------------------------------------------------------------------------------------------------------


class Put(Struct, frozen=True):
    """A document that is to be put."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    texts: tuple[str, ...] | None
    """What is said of it for search and prompts; None: all of it, (): nothing."""
    ttl: float | None
    scope: str

    def check(self) -> None:
        """Raises ``BadValue``, ``TooBig`` for what no board takes."""
        for what, name in (("namespace", path(self.namespace)), ("key", target_of(self.key))):
            if len(name) > MAX_NAME:
                raise TooBig(f"{what} of {len(name):,} characters on the board, as {name:.40}…: at most {MAX_NAME} fit")
        if self.ttl is not None and not self.ttl > 0:
            raise BadValue(f"ttl {self.ttl!r}: give minutes above 0, or None")
        try:
            new = self._new(datetime.now(UTC), (), None)
        except RecursionError:
            raise BadValue(f"value of {self.key!r} nests too deeply, or contains itself: give a flatter one") from None
        validate_said(new)

    def deposit(self, present: Sequence[ContextItem], *, agent: str, at: datetime, expires_at: float | None) -> Deposit:
        """What ``agent`` says to put it at ``at``, where ``present`` is what is on the board under that name."""
        new = self._new(at, present, expires_at)
        if any(each.scope == SHARED for each in said_by(agent, present)):
            new = replace(new, scope=SHARED)  # what its agent has shared meanwhile stays it
        for document in standing(present):
            item = document.item
            same = item.content == new.content and item.scope == new.scope and document.ttl == self.ttl
            if same and json.encode(document.value) == json.encode(self.value):  # 1 is not True
                return _said_again(item, expires_at)
        return new

    def _new(self, at: datetime, present: Iterable[ContextItem], expires_at: float | None) -> Deposit:
        """A version that has not been yet."""
        about: dict[str, Any] = {"created": next((each.created for each in standing(present)), at).isoformat()}
        if self.ttl is not None:
            about["ttl"] = self.ttl
        if self.texts == ():
            about["index"] = False
        return Deposit(
            _line(self), kind=KIND, key=path(self.namespace), target=target_of(self.key), value=self.value, unit=at.isoformat(),
            expires_at=expires_at, scope=self.scope, meta={META: about},
        )  # fmt: skip


def said_by(agent: str, items: Iterable[ContextItem]) -> list[ContextItem]:
    """The documents among items that an agent says, alone or with others."""
    return [each for each in items if agent in each.asserters and _read(each) is not None]


def again(document: Document, agent: str, *, now: float, minute: float) -> Deposit | None:
    """What lets a document that is read begin its TTL anew, if it is due: ``now`` and a ``minute`` in the board's time."""
    item = document.item
    if document.ttl is None or item.expires_at is None or item.owner != agent:
        return None
    lasts = document.ttl * minute
    return _said_again(item, now + lasts) if item.expires_at - now <= lasts * (1 - SPENT) else None


def _said_again(item: ContextItem, expires_at: float | None) -> Deposit:
    return Deposit(
        item.content, kind=item.kind, key=item.key, target=item.target, value=item.value, unit=item.unit, expires_at=expires_at,
        scope=item.scope, meta=dict(item.meta),
    )  # fmt: skip


def scope_of(namespace: Namespace, shared: Collection[str]) -> str:
    """Where documents of a namespace go, of which those are shared that begin with one of these labels."""
    return SHARED if namespace[:1] and namespace[0] in shared else PRIVATE


def _line(put: Put) -> str:
    """What a document says, as one text. What was assembled for a prompt is left out of it: it is on the board already."""
    texts = tuple(_told(put.value)) if put.texts is None else put.texts
    if put.texts is None and len(texts) == len(put.value) == 1 and isinstance(text := next(iter(put.value.values())), str):
        texts = (text,)
    return f"{heard('/'.join(put.namespace))}: {heard('; '.join(texts)) or heard(put.key)}"


def _told(value: Any, name: str = "") -> Iterator[str]:
    """What a document says, a text for each of its fields."""
    match value:
        case Mapping():
            for field, each in value.items():
                yield from _told(each, f"{name}.{field}" if name else str(field))
        case list() | tuple() if any(isinstance(each, Mapping | list | tuple) for each in value):
            for each in value:
                yield from _told(each, name)
        case list() | tuple():
            yield f"{name}: {', '.join(map(_word, value))}"
        case None:
            pass
        case _:
            yield f"{name}: {_word(value)}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value, enc_hook=str).decode()
