"""What a thing is: ids computed from what is said, so that one thing said twice is one thing (chapter 1, "Ids")."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from blackboard.errors import BadValue
from bus import names

_MARKS = re.compile(r"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){31,}")
"""Where so many combining marks may stand in a row; most are other signs."""


def composed(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """A text in a normal form of Unicode. After 30 combining marks in a row a joiner (U+034F) stands, as the stream-safe format has it.

    (Unicode, annex 15.) Marks are brought into order by comparing them with one another: of 100 kB of them that takes seconds.
    """
    return text if text.isascii() else unicodedata.normalize(form, _MARKS.sub(_parted, text))


def _parted(signs: re.Match[str]) -> str:
    parts, marks = [], 0
    for sign in signs.group():
        apart = unicodedata.normalize("NFKD", sign)  # one sign may stand for several marks
        marks = marks + len(apart) if unicodedata.combining(apart[0]) else 0
        if marks > 30:
            parts.append("\u034f")
            marks = len(apart)
        parts.append(sign)
    return "".join(parts)


def folded(text: str) -> str:
    """Unicode NFC, with every run of white space one space, and none at the ends: what does not tell two texts apart."""
    return " ".join(composed(text, "NFC").split())


@lru_cache(maxsize=10_000)
def folded_name(name: str) -> str:
    """``folded``, of a key or a target: these recur."""
    return folded(name)


def partition(owner: str, scope: str) -> str:
    """Whose view an item is in: ``private:OWNER``, or the scope itself (``shared``; later ``group:NAME``)."""
    return f"{names.PRIVATE}:{owner}" if scope == names.PRIVATE else scope


def identity(
    board: str,
    *,
    owner: str,
    scope: str,
    kind: str,
    key: str | None,
    target: str | None,
    content: str,
    value: Any,
    op: str | None,
    unit: str | None,
) -> str:
    """An item's id: 32 hex digits, the same wherever it is computed. The owner counts for a private item only.

    Raises ``BadValue`` for a value that is not made of what JSON has.
    """
    key = None if key is None else folded_name(key)
    target = None if target is None else folded_name(target)
    return _digest(["item", board, partition(owner, scope), kind, key, target, folded(content), _canonical(value), op, unit])


def edge_identity(board: str, *, owner: str, scope: str, a: str, b: str, relation: str | None) -> str:
    """An edge's id. A relation has a direction; a mere association has none."""
    ends = [a, b] if relation is not None else sorted((a, b))
    return _digest(["edge", board, partition(owner, scope), ends, relation])


def _digest(parts: list[Any]) -> str:
    try:
        return blake2b(msgspec.msgpack.encode(parts), digest_size=16).hexdigest()
    except (TypeError, OverflowError, ValueError) as error:
        raise BadValue(f"a value is made of text, 64-bit numbers, lists and mappings: {error}") from None


def _canonical(value: Any) -> Any:
    """One form for what is equal: integral floats are ints, mappings have no order. ``True`` stays apart from 1."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return int(value) if value.is_integer() and abs(value) < 2**63 else value
        case list() | tuple():
            return ["list", [_canonical(each) for each in value]]
        case Mapping():
            pairs = [(msgspec.msgpack.encode(_canonical(name)), _canonical(each)) for name, each in value.items()]
            return ["mapping", sorted(pairs, key=lambda pair: pair[0])]
        case _:
            raise BadValue(f"a value is made of text, numbers, lists and mappings, not of {type(value).__name__}: {value!r}")


_DIRECTIONS = {"<=": "upper", "<": "upper", ">=": "lower", ">": "lower", "==": "equal", "in": "equal", "!=": "unequal", "not_in": "unequal"}


def direction(op: str | None) -> str | None:
    """Which way a constraint's operator bounds its quantity: two of one direction are about the same thing (chapter 1, "Supersession")."""
    return None if op is None else _DIRECTIONS.get(op, op)
