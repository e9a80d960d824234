"""Rules as files that a person writes: those that are shipped, and a user's own over them. What stands in one is told by ``tables``."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from blackboard.errors import BadValue
from blackboard.scent.rules import Rules, compile_rules
from blackboard.scent.tables import BadRule

SHIPPED = ("en.toml", "zh.toml", "travel_en.toml", "travel_zh.toml")
"""One file a language and trade; all apply to every text, since people mix them."""


def load_rules(*paths: str | Path) -> Rules:
    """The shipped rules with those of these files over them: lists add up, and whatever else a later one says overrides.

    :raises BadValue: a file that cannot be read or is not TOML, or a rule that cannot be; it names the file and the line
    """
    texts = [*_shipped_texts()]
    for path in paths:
        try:
            texts.append((str(path), Path(path).read_text(encoding="utf-8-sig")))  # some editors begin a file with a mark
        except (OSError, ValueError) as error:
            raise BadValue(f"{path} cannot be read ({error}): name a file of rules") from error
    books = [_tables(name, text) for name, text in texts]
    try:
        return compile_rules(*books)
    except BadRule as error:
        for (name, text), book in reversed(list(zip(texts, books, strict=True))):
            line = _line(text, book, error)
            if line:
                raise BadValue(f"{name}, line {line}: {error}") from error
        raise


@lru_cache(maxsize=1)
def shipped() -> Rules:
    """The rules that come with the package."""
    return load_rules()


def _shipped_texts() -> list[tuple[str, str]]:
    from importlib.resources import files

    words = files("blackboard.scent") / "words"
    return [(name, (words / name).read_text(encoding="utf-8")) for name in SHIPPED]


def _tables(name: str, text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadValue(f"{name} is not TOML: {error}") from error


def _line(text: str, book: Any, error: BadRule) -> int:
    """The line of a text on which the wrong value stands, or its key, or its table; 0 if it is of another file."""
    for key in error.path:
        if not isinstance(book, Mapping):
            break
        if key not in book:
            return 0
        book = book[key]
    if isinstance(book, list) and error.value not in (book, *book):
        return 0
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\s*{_dotted(error.path[:-1])}(?:\s*\.\s*{_dotted(error.path[-1:])})?\s*\]")
    table = next((number for number, line in enumerate(lines) if header.match(line)), 0)
    key_at = next((number for number in range(table, len(lines)) if re.search(_dotted(error.path[-1:]), lines[number])), table)
    if isinstance(error.value, str):
        return next((number for number in range(key_at, len(lines)) if error.value in lines[number]), key_at) + 1
    return key_at + 1


def _dotted(path: Sequence[str]) -> str:
    """A pattern of a key as a file may have it."""
    return r"\s*\.\s*".join(rf"""(?<!\w)["']?{re.escape(key)}["']?(?!\w)""" for key in path)
