"""What a parser of messages goes by (chapter 3, "Rules are data"): tables as they stand in files of rules, and what is made of them.

A file of rules has these tables; of several files lists add up, and whatever else a later one says overrides::

    [parts]                                 # what patterns name in braces: {courier}
    courier = ["SF Express", "DHL"]         # words
    code = '[A-Z]{2}[0-9]+'                 # or a pattern

    [types.shipping_method]                 # a type of scent, by its name
    label = "Shipping method"               # how its content begins
    concentration = 0.7                     # 0…1, when it is released
    decay = 0.9                             # 0…1, by which it is multiplied each round
    patterns = ['by (?P<value>{courier})']  # RE2, of any letter case; `value`, and `target`, are what it says; neither: only that it is so

    [requests]                              # directives: what is to be done, once
    cancel = ["cancel", "call off"]         # by the canonical verb
    [standing]                              # and what holds from now on
    never = ["never", "must not"]

    [topics]
    hotel = ["hotel", "inn"]

    [words]                                 # by what they do in a sentence: see ``ROLES``
    negation = ["don't"]

What else a type may say:

- ``kind = "slot"``: of the item that comes of a value; *fact*, *preference* …
- ``class = "address"``: its decay is the field's setting of that name.
- ``target = "entity"``: it is about the order that is named beside it; ``"self"``: its value names one.
- ``topics = ["hotel", …]``: it is a slot of the topic that is talked of (*hotel_price*), and nothing where none of these is.
- ``questions = "stated"``: a value in a question is stated, as a search's is; else it is asked, and counts once it is confirmed.
- ``upper = true``: its values are written in capitals.
- ``corrections``: patterns that give a new value to the type of its class that was named before, and to this one if none was.

Of two patterns that claim a stretch of text the one whose match begins first has it; of two that begin at one place the later in the files.
Words are taken literally; those of ASCII letters are whole words. Patterns and words meet a text whose full-width letters, digits and
punctuation are ASCII.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from blackboard.errors import BadValue
from blackboard.patterns import AnyOf, compiled

ROLES = {
    "abbreviation": "ends in a full stop that ends no sentence",
    "acronym": "written in capitals without emphasis",
    "chatter": "small talk: a message of nothing else is",
    "conditional": "what follows is only supposed",
    "joint": "begins another clause",
    "negation": "what follows in its clause is not so",
    "neutral": "has another word in it, and nothing of its meaning",
    "past": "what is to be done in its clause was done",
    "pointing": "stands for a value, and is none",
    "polite": "makes a question a request",
    "question": "makes its clause a question",
    "reported": "what follows in its sentence somebody else said",
    "tag": "makes the sentence that it ends a question",
    "trailing": "stands behind a value, and is no part of it",
    "verb": "something is done",
    "willing": "makes a question a request, but only asks about what it names",
}
"""The lists of ``[words]``, and what a word of each does."""

QUOTED = r"""(?m)"[^"\n]*"|“[^”]*”|「[^」]*」|『[^』]*』|(?:^|[\s(,:])'[^'\n]+'(?:$|[\s),.:;!?])|^[ ]*>.*$"""
"""What another said, or another time: in quotation marks, or in a line that begins with ``>``."""

_NAME = r"[A-Za-z_]\w*"


class BadRule(BadValue):
    """A rule that cannot be: ``path`` is where in its tables, ``value`` what stands there."""

    def __init__(self, path: Sequence[str], value: Any, cure: str) -> None:
        super().__init__(f"{'.'.join(path)}: {cure}")
        self.path, self.value = tuple(path), value


class TypeTable(Struct, kw_only=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """A table ``[types.NAME]`` of one file."""

    label: str | None = None
    class_: Literal["address", "directive"] | None = None
    concentration: float | None = None
    decay: float | None = None
    kind: str | None = None
    target: Literal["none", "entity", "self"] | None = None
    questions: Literal["asked", "stated"] | None = None
    topics: list[str] = []
    upper: bool | None = None
    patterns: list[str] = []
    corrections: list[str] = []


class ScentType(NamedTuple):
    """A type of scent, as all files together have it."""

    name: str
    label: str
    group: str | None
    """Its class: *address* and *directive* have a decay of the field's."""
    concentration: float
    decay: float
    kind: str
    target: str
    stated: bool
    """What a question says of it is stated."""
    topics: tuple[str, ...]
    upper: bool


class Pattern(NamedTuple):
    """One pattern of a type."""

    regex: Any
    type: ScentType
    correction: bool
    value: int
    """The number of its group; 0: it has none."""
    target: int


class Rules(NamedTuple):
    """Rules, compiled."""

    types: Mapping[str, ScentType]
    patterns: tuple[Pattern, ...]
    roles: Mapping[str, tuple[tuple[str, str], ...]]
    """Word, in small letters → what it does: a role of ``ROLES``, *request*, *standing* or *topic*, and for these the verb or the topic."""
    word: Any
    """Finds the words that count in a clause."""
    meets: AnyOf
    """Which of ``patterns`` a text meets; behind their numbers those of ``chatter``, ``quoted`` and ``word``."""
    chatter: int
    quoted: int
    said: int
    logs: frozenset[int]
    """The numbers of the patterns of *error_log*."""
    trailing: Any
    """Finds what stands behind a value, and is no part of it."""
    pointing: Any
    """Finds what is said in a value's place, and is none."""
    vocabulary: frozenset[str]
    """What is no acronym when it is written in capitals."""


_IN_CLAUSES = (
    "conditional",
    "joint",
    "negation",
    "neutral",
    "past",
    "polite",
    "question",
    "reported",
    "tag",
    "verb",
    "willing",
    "abbreviation",
)


def compile_rules(*books: Mapping[str, Any]) -> Rules:
    """Rules of the tables of several files, the later over the earlier.

    :raises BadRule: a table, a field, a word or a pattern that cannot be
    """
    parts: dict[str, list[str] | str] = {}
    tables: dict[str, TypeTable] = {}
    lists: dict[str, dict[str, list[str]]] = {"requests": {}, "standing": {}, "topics": {}, "words": {role: [] for role in ROLES}}
    for book in books:
        for section, table in book.items():
            if section == "parts":
                _merge_parts(parts, _mapping(table, section))
            elif section == "types":
                for name, fields in _mapping(table, section).items():
                    _merge_type(tables, name, fields)
            elif section in lists:
                for name, words in _mapping(table, section).items():
                    if section == "words" and name not in ROLES:
                        raise BadRule((section, name), words, f"there is no such list of words: choose from {', '.join(ROLES)}")
                    lists[section].setdefault(name, []).extend(_words(words, (section, name)))
            else:
                raise BadRule((section,), table, f"there is no such table: choose from parts, types, {', '.join(lists)}")
    return _compile(tables, parts, lists)


def _compile(tables: Mapping[str, TypeTable], parts: Mapping[str, Any], lists: Mapping[str, Mapping[str, list[str]]]) -> Rules:
    types = {name: _type(name, table) for name, table in tables.items()}
    patterns, sources = [], []
    for name, table in tables.items():
        for key, written in (("patterns", table.patterns), ("corrections", table.corrections)):
            for source in written:
                path = ("types", name, key)
                whole = _with_parts(source, parts, path)
                patterns.append(_pattern(whole, source, types[name], path))
                sources.append(_lead(whole))
    roles: dict[str, list[tuple[str, str]]] = {}
    for section, role in (("requests", "request"), ("standing", "standing"), ("topics", "topic")):
        for name, listed in lists[section].items():
            for word in listed:
                roles.setdefault(word.lower(), []).append((role, name))
    for role in _IN_CLAUSES:
        for word in lists["words"][role]:
            roles.setdefault(word.lower(), []).append((role, ""))
    words = lists["words"]
    in_clauses = literal(roles)
    gap = r"[\s\pP\pS\pM]*"
    count = len(patterns)
    named = [*lists["requests"].values(), *lists["standing"].values(), *lists["topics"].values()]
    named += [each for role, each in words.items() if role != "acronym"]
    return Rules(
        types=types,
        patterns=tuple(patterns),
        roles={word: tuple(each) for word, each in roles.items()},
        word=compiled(in_clauses, longest=True),
        meets=AnyOf([*sources, rf"^{gap}(?:{literal(words['chatter'])}{gap})*$", QUOTED, in_clauses]),
        chatter=count,
        quoted=count + 1,
        said=count + 2,
        logs=frozenset(number for number, each in enumerate(patterns) if each.type.name == "error_log"),
        trailing=compiled(rf"(?:[\s,]*{literal(words['trailing'])})+[\s,]*$"),
        pointing=compiled(rf"^{literal(words['pointing'])}(?:\s|$)"),
        vocabulary=frozenset(part for each in named for word in each for part in re.findall(r"[a-z]{2,}", word.lower()))
        - {word.lower() for word in words["acronym"]},
    )


def _pattern(whole: str, source: str, type_: ScentType, path: tuple[str, ...]) -> Pattern:
    try:
        regex = compiled(whole)
    except BadValue as error:
        raise BadRule(path, source, str(error)) from error
    groups = regex.groupindex
    for group in groups:
        if group not in ("value", "target"):
            raise BadRule(
                path, source, f"pattern {source!r} has a group {group!r}: name only `value` and `target`, and write (?:…) for others"
            )
    return Pattern(regex, type_, path[-1] == "corrections", groups.get("value", 0), groups.get("target", 0))


def _lead(source: str) -> str:
    """A pattern that a text meets if it meets this one, and that is smaller: what stands before the value, or all of it.

    Sets of large patterns take much memory; what stands before a value is small, and seldom there without one.
    """
    depth, place, in_class = 0, 0, False
    lead = ""
    while place < len(source):
        if not (depth or in_class) and source.startswith("(?P<value>", place):
            lead = source[:place]
        sign = source[place]
        if sign == "\\":
            place += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
            place += source[place + 1 : place + 2] == "^"
            place += source[place + 1 : place + 2] == "]"
        elif sign == "|" and not depth:
            return source
        else:
            depth += (sign == "(") - (sign == ")")
        place += 1
    return source if not lead or compiled(lead).search("\n. a 1, 的") else lead  # it would meet nearly every text


def literal(words: Iterable[str]) -> str:
    """A pattern that finds any of some words: the longer first; what is of ASCII letters or digits at an end ends there."""
    found = []
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        begin = r"\b" if re.match(r"\w", word, re.ASCII) else ""
        end = r"\b" if re.search(r"\w$", word, re.ASCII) else ""
        found.append(begin + r"\s+".join(_escaped(part) for part in word.split()) + end)
    return f"(?:{'|'.join(found)})" if found else r"(?:[^\s\S])"


def _escaped(word: str) -> str:
    return re.sub(r"([^\w\s])", r"\\\1", word.replace("’", "'"), flags=re.ASCII) if word.isascii() else re.escape(word)


def _with_parts(source: str, parts: Mapping[str, Any], path: tuple[str, ...], within: tuple[str, ...] = ()) -> str:
    def part(match: re.Match[str]) -> str:
        name = match[1]
        if name not in parts:
            raise BadRule(
                path, source, f"pattern {source!r} names {{{name}}}, which is not in [parts]: it has {', '.join(parts) or 'none'}"
            )
        if name in within:
            raise BadRule(("parts", name), parts[name], f"{{{name}}} names itself: write out one of {', '.join(within)}")
        said = parts[name]
        return literal(said) if isinstance(said, list) else f"(?:{_with_parts(said, parts, ('parts', name), (*within, name))})"

    # Not after a \p or \P, whose braces are the engine's.
    return re.sub(rf"(?<!\\[pPx])\{{({_NAME})\}}", part, source)


def _merge_parts(parts: dict[str, list[str] | str], table: Mapping[str, Any]) -> None:
    for name, said in table.items():
        path = ("parts", name)
        if not re.fullmatch(_NAME, name):
            raise BadRule(path, said, "a part's name is of letters, digits and _, as patterns name it: {courier}")
        if isinstance(said, str):
            parts[name] = said
            continue
        words = _words(said, path)
        before = parts.get(name)
        parts[name] = [*before, *words] if isinstance(before, list) else words


def _merge_type(tables: dict[str, TypeTable], name: str, fields: Any) -> None:
    path = ("types", name)
    try:
        new = msgspec.convert(fields, TypeTable)
    except msgspec.ValidationError as error:
        key = re.search(r"\$\.(\w+)|field `(\w+)`", str(error))
        raise BadRule((*path, (key[1] or key[2]) if key else ""), fields, str(error)) from error
    old = tables.get(name, TypeTable())
    for field in TypeTable.__struct_fields__:
        before, now = getattr(old, field), getattr(new, field)
        setattr(new, field, [*before, *now] if isinstance(now, list) else before if now is None else now)
    for field in ("concentration", "decay"):
        figure = getattr(new, field)
        if figure is not None and not 0 <= figure <= 1:
            raise BadRule((*path, field), figure, f"{field} {figure!r} is not from 0 to 1")
    tables[name] = new


def _type(name: str, table: TypeTable) -> ScentType:
    if table.decay is None and table.class_ is None:
        raise BadRule(("types", name), name, 'it has no decay: give decay = 0…1, a round, or class = "address" or "directive"')
    if table.concentration is None:
        raise BadRule(("types", name), name, "it has no concentration: give concentration = 0…1")
    return ScentType(
        name=name,
        label=name.replace("_", " ").capitalize() if table.label is None else table.label,
        group=table.class_,
        concentration=table.concentration,
        decay=0.0 if table.decay is None else table.decay,
        kind=table.kind or "slot",
        target=table.target or "none",
        stated=table.questions == "stated",
        topics=tuple(table.topics),
        upper=bool(table.upper),
    )


def _mapping(table: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise BadRule((name,), table, f"it is a table [{name}], not {table!r}")
    return table


def _words(words: Any, path: tuple[str, ...]) -> list[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() for word in words):
        raise BadRule(path, words, f"it is a list of words, none of them empty, not {words!r}")
    return words
