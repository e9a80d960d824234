"""Records as plain data: what JSON has, and nothing else.

Law: what is no JSON is named by its path, with the cure; nothing is turned into something that is.
"""

from math import isfinite
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from blackboard.errors import BadValue
from blackboard.identity import folded

S = TypeVar("S", bound=Struct)

LONGEST_ID = 200
"""Characters of a task's id, at most."""
DEEPEST = 200
"""Levels of lists and mappings in one another."""


def plain(record: Struct) -> Any:
    """The record as mappings, lists, texts, numbers and booleans. Raises ``BadValue``, which names the path of what is none of these."""
    require_plain(record, type(record).__name__)
    return msgspec.to_builtins(record)


def as_read(record: S) -> S:
    """The record as it will be read again. Raises ``BadValue``, which names the path, for what is no JSON or of another type."""
    require_plain(record, type(record).__name__)
    try:
        return msgspec.json.decode(msgspec.json.encode(record), type=type(record))
    except msgspec.ValidationError as error:
        raise BadValue(f"no {type(record).__name__}: {error}") from None


def require_id(task: str) -> None:
    """Raise ``BadValue`` for what cannot be a task's id: keys of a board are made of it."""
    if not task.strip() or task != folded(task) or not task.isprintable() or len(task) > LONGEST_ID:
        raise BadValue(f"a task's id is {task[:80]!r}: give up to {LONGEST_ID} characters on one line, without white space around them")


def require_plain(value: Any, path: str, level: int = 0) -> None:
    """Raise ``BadValue`` for what is no JSON, or does not come back from it as it was."""
    if level > DEEPEST:
        raise BadValue(f"{path[:80]}… nests more than {DEEPEST} levels deep: flatten it")
    match value:
        case None | bool():
            pass
        case str():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise BadValue(f"{path} is not Unicode text: character {error.start} is half of a surrogate pair") from None
        case int():
            if not -(2**63) <= value < 2**64:
                raise BadValue(f"{path} is {value!r}, which does not fit in 64 bits: give it as text")
        case float():
            if not isfinite(value):
                raise BadValue(f"{path} is {value!r}: numbers must be finite")
        case list() | tuple():
            for n, each in enumerate(value):
                require_plain(each, f"{path}[{n}]", level + 1)
        case dict():
            for name, each in value.items():
                if not isinstance(name, str):
                    raise BadValue(f"{path} has the key {name!r}: keys are texts")
                require_plain(name, path)
                require_plain(each, f"{path}.{name}", level + 1)
        case Struct():
            for field in value.__struct_fields__:
                require_plain(getattr(value, field), f"{path}.{field}", level + 1)
        case _:
            raise BadValue(
                f"{path} is a {type(value).__name__}: use null, booleans, numbers, texts, lists and mappings, or tell it as text"
            )


def depth(value: Any) -> int:
    """Levels of lists and mappings in it."""
    match value:
        case list() | tuple():
            return 1 + max(map(depth, value), default=0)
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case _:
            return 0
