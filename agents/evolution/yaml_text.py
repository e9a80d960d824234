"""YAML as plain data with its lines, and plain data as YAML. The only file that imports PyYAML.

Laws:

1. Reading makes texts, numbers, booleans, null, lists and mappings, and nothing else: tags, anchors and aliases are refused, so that a file
   can make no object, and is never larger than it looks. What is kept of where it says what has a limit, too.
2. Plain words are read by YAML 1.2's core schema: *no* and *12:30* are texts. A key is always a text, and stands once.
3. What is wrong is told with its line.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct

from blackboard.errors import BadValue

DEEPEST = 24
"""Levels of lists and mappings in a document."""
MOST = 4_000_000
"""Characters of the paths of all that a file says, with ``EACH`` more for each: long keys over many values would fill the memory."""
EACH = 16
SHOWN = 200
"""Characters of a path in an error, at most."""
WIDTH = 120
"""Characters of a line that is written, about."""

_WORDS: dict[str, Any] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)
_INTEGER = re.compile(r"[-+]?[0-9]{1,20}")
_BASED = re.compile(r"0o[0-7]{1,22}|0x[0-9a-fA-F]{1,16}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN")
_BREAKS = re.compile("[\r\x85\u2028\u2029\ufeff]")
"""What ends a line, or is taken for a byte-order mark, unless it is escaped."""


class Document(Struct):
    """A document, and where in its file it says what."""

    data: Any
    lines: dict[str, int]
    """Path, as in *when.request.matches* or *template.steps[0].say*, → line, from 1; the document's own path is empty."""

    def line(self, path: str) -> int:
        """The line that says what is at a path, or else what it would be part of."""
        while path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines[path]


def documents(text: str, file: str) -> list[Document]:
    """What a text says, document by document; empty ones are left out. Raises ``BadValue``, which names ``file``, line and key."""
    reader = _Reader(text, file)
    try:
        return [document for document in reader.documents() if document.data is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(filter(None, (error.context, error.problem)))
        raise BadValue(f"{_at(file, mark.line + 1 if mark else 1, reader.path)}{what} ({_CURE})") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadValue(f"{_at(file, line, '')}the character {text[error.position]!r} is not allowed: take it out") from None


def written(data: Any) -> str:
    """Plain data as a document, which is read as what it was: in its own order, its texts in their own script."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


_CURE = "put texts with special signs in quotes, as in '>=': 5, and indent with spaces"


def _at(file: str, line: int, path: str) -> str:
    path = path if len(path) <= SHOWN else f"{path[:SHOWN]}…"
    return f"{file}, line {line}, {path}: " if path else f"{file}, line {line}: "


class _Reader:
    """Builds data from the parser's events, which come one by one: so nothing is built that was not asked for."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
        self._lines: dict[str, int] = {}
        self._kept = 0
        self.path = ""
        """What is being read."""

    def documents(self) -> Iterator[Document]:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._lines, self.path = {}, ""
                data = self._value(next(self._events), "", 0)
                yield Document(data, self._lines)

    def _value(self, event: Any, path: str, level: int) -> Any:
        self.path = path
        line = event.start_mark.line + 1
        self._lines.setdefault(path, line)
        self._refuse_more(event, path, line)
        self._kept += len(path) + EACH
        if self._kept > MOST:
            raise BadValue(f"{_at(self._file, line, path)}there are too many values, or too long keys: make several files of it")
        if level > DEEPEST:
            raise BadValue(f"{_at(self._file, line, path)}it nests more than {DEEPEST} levels deep: flatten it")
        match event:
            case yaml.ScalarEvent():
                return _plain(event.value) if event.style is None else event.value
            case yaml.SequenceStartEvent():
                return self._list(path, level)
            case _:
                return self._mapping(path, level)

    def _list(self, path: str, level: int) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._value(event, f"{path}[{len(found)}]", level + 1))
        return found

    def _mapping(self, path: str, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = event.start_mark.line + 1
            if not isinstance(event, yaml.ScalarEvent):
                self._refuse_more(event, path, line)
                raise BadValue(f"{_at(self._file, line, path)}a key is a text: what begins with [ or {{ is none, unless it is in quotes")
            key = event.value
            at = f"{path}.{key}" if path else key
            self._refuse_more(event, at, line)
            if key in found:
                raise BadValue(f"{_at(self._file, line, at)}it is there already, in line {self._lines[at]}: keep one of them")
            self._lines[at] = line
            self.path = at
            found[key] = self._value(next(self._events), at, level + 1)
        return found

    def _refuse_more(self, event: Any, path: str, line: int) -> None:
        """Refuse what is more than data."""
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            fault = f"{sign}{event.anchor} would be an anchor, and there are none here: write it out, or, if it is a text, put it in quotes"
            raise BadValue(f"{_at(self._file, line, path)}{fault}")
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            raise BadValue(f"{_at(self._file, line, path)}{tag} would be a tag, and there are none here: if it is a text, put it in quotes")


def _plain(word: str) -> Any:
    """What an unquoted word is."""
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(word):
        return int(word)
    if _BASED.fullmatch(word):
        return int(word, 0)
    if _FLOAT.fullmatch(word):
        return float(word)
    if _SPECIAL.fullmatch(word):
        return float(word.replace(".", ""))
    return word


class _Dumper(yaml.SafeDumper):
    """Writes without anchors, each text so that it is read as one, those of several lines as such, and a list of words in one line."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML asks it
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if _BREAKS.search(text) else "|" if "\n" in text else "'" if not isinstance(_plain(text), str) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: _Dumper, items: list[Any] | tuple[Any, ...]) -> yaml.SequenceNode:
    words = all(not isinstance(item, list | tuple | dict) and "\n" not in str(item) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=words)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(tuple, _list)
