"""Rules of how messages are read, compiled (chapter 3, "Rules are data")."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from blackboard.errors import BadValue
from blackboard.patterns import AnyOf, compiled
from blackboard.scent.folding import is_chinese, simplified
from blackboard.scent.tables import NAME, ROLES, BadRule, Tables, TypeTable, merged

QUOTED = r"""(?m)"[^"\n]*"|“[^”]*”|「[^」]*」|『[^』]*』|(?:^|[\s(,:])'[^'\n]+'(?:$|[\s),.:;!?])|^[ ]*>.*$"""
"""What another said, or another time: in quotation marks, or in a line that begins with ``>``."""
GAP = r"[\s\pP\pS\pM]*"
"""What stands between the words of small talk."""


class ScentType(NamedTuple):
    """A type of scent, as all files together have it."""

    name: str
    label: str
    chinese: str
    """The label, where the message is Chinese."""
    group: str | None
    """Its class: *address* and *directive* have a decay of the field's."""
    concentration: float
    decay: float
    target: str
    stated: bool
    """What a question says of it is stated."""
    topics: tuple[str, ...]
    upper: bool
    between: Any
    """Finds what parts its values, which may be several; None: it is one."""
    never: Any
    """Finds what is no value of it; None: nothing is."""

    @property
    def names_entity(self) -> bool:
        """Is each value of it an entity, which other things are about: an order?"""
        return self.target == "self" and not self.topics


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
    topics: Mapping[str, str]
    """Topic → its name where the message is Chinese: the first of its words that is."""
    patterns: tuple[Pattern, ...]
    """Those of topics come last."""
    roles: Mapping[str, tuple[tuple[str, str], ...]]
    """Word, in small letters → what it does: a role of ``ROLES``, *request*, *standing* or *topic*, and for these the verb or the topic."""
    word: Any
    """Finds the words that count in a clause."""
    meets: AnyOf
    """Which of ``patterns``, but those of topics, a text meets; behind their numbers those of ``chatter`` and ``quoted``."""
    meets_of_topics: AnyOf
    """Which of those of topics, from 0: they are tried where one is spoken of."""
    chatter: int
    quoted: int
    logs: frozenset[int]
    """The numbers of the patterns of *error_log*."""
    tails: tuple[str, ...]
    """The words that stand behind a value, in small letters: most values end in none, and need not be looked at further."""
    trailing: Any
    """Finds what stands behind a value, and is no part of it."""
    heads: frozenset[str]
    """The first words of what is said in a value's place."""
    pointing: Any
    """Finds what is said in a value's place, and is none."""
    vocabulary: frozenset[str]
    """What is no acronym when it is written in capitals."""


_IN_CLAUSES = tuple(role for role in ROLES if role not in {"acronym", "between", "chatter", "pointing", "trailing"})

DEEPEST = 64
"""Parts within one another,"""
WRITTEN = 262_144
"""and characters of a pattern with its parts written out: a few that double one another would fill any memory."""

LARGEST = 16_384
"""Instructions of the engine that a pattern may take: its time is at most that of the text by these."""


def compile_rules(*books: Mapping[str, Any]) -> Rules:
    """Rules of the tables of several files, the later over the earlier.

    :raises BadRule: a table, a field, a word or a pattern that cannot be
    """
    return _compile(merged(*books))


def _compile(tables: Tables) -> Rules:
    between = compiled(literal(tables.words["between"]))
    types = {name: _type(name, table, tables, between) for name, table in tables.types.items()}
    meets, meets_of_topics = AnyOf(), AnyOf()
    patterns = []
    for name, table in sorted(tables.types.items(), key=lambda each: bool(each[1].topics)):
        for key, written in (("patterns", table.patterns), ("corrections", table.corrections)):
            for source in written:
                path = ("types", name, key)
                whole = _with_parts(source, tables.parts, path)
                compile_ = (meets_of_topics if table.topics else meets).add
                patterns.append(_pattern(_compiled(whole, source, path, compile_), source, types[name], path))
    roles: dict[str, list[tuple[str, str]]] = {}
    meaning = {"request": tables.requests, "standing": tables.standing, "topic": tables.topics, "hint": tables.hints, "kind": tables.kinds}
    for role, lists in meaning.items():
        for name, listed in lists.items():
            for word in listed:
                roles.setdefault(word.lower(), []).append((role, name))
    for role in _IN_CLAUSES:
        for word in tables.words[role]:
            roles.setdefault(word.lower(), []).append((role, ""))
    words = tables.words
    meets.add(rf"^{GAP}(?:{literal(words['chatter'])}{GAP})*$")
    meets.add(QUOTED)
    plain = sum(not each.type.topics for each in patterns)
    named = [*tables.requests.values(), *tables.standing.values(), *tables.topics.values()]
    named += words.values()
    return Rules(
        types=types,
        topics={topic: next(filter(is_chinese, words), topic) for topic, words in tables.topics.items()},
        patterns=tuple(patterns),
        roles={word: tuple(each) for word, each in roles.items()},
        word=compiled(literal(roles)),
        meets=meets.ready(),
        meets_of_topics=meets_of_topics.ready(),
        chatter=plain,
        quoted=plain + 1,
        logs=frozenset(number for number, each in enumerate(patterns) if each.type.name == "error_log"),
        tails=tuple(word.lower() for word in words["trailing"]),
        trailing=compiled(rf"(?:[\s,]*{literal(words['trailing'])})+[\s,]*$"),
        heads=frozenset(word.lower().split()[0] for word in words["pointing"]),
        pointing=compiled(rf"^{literal(words['pointing'])}(?:\s|$)"),
        vocabulary=frozenset(part for each in named for word in each for part in re.findall(r"[a-z]{2,}", word.lower()))
        - {word.lower() for word in words["acronym"]},
    )


def _pattern(regex: Any, source: str, type_: ScentType, path: tuple[str, ...]) -> Pattern:
    groups = regex.groupindex
    for group in groups:
        if group not in ("value", "target"):
            raise BadRule(
                path, source, f"pattern {source!r} has a group {group!r}: name only `value` and `target`, and write (?:…) for others"
            )
    return Pattern(regex, type_, path[-1] == "corrections", groups.get("value", 0), groups.get("target", 0))


def _compiled(whole: str, source: str, path: tuple[str, ...], compile_: Callable[[str], Any] = compiled) -> Any:
    if "\b" in source:  # no message has one
        raise BadRule(path, source, f"pattern {source!r} has a backspace: between double quotes TOML reads \\b so; use single quotes")
    try:
        regex = compile_(whole)
    except BadValue as error:
        # As it stands in the file: with its parts written out nobody would know it again.
        said = str(error).replace(repr(whole), repr(source)).replace(whole, source)
        raise BadRule(path, source, said) from None
    if regex.programsize > LARGEST:
        raise BadRule(path, source, f"pattern {source!r} takes {regex.programsize} instructions, of {LARGEST}: bound its repetitions less")
    return regex


def literal(words: Iterable[str]) -> str:
    """A pattern that finds any of some words: the longer first; what is of ASCII letters or digits at an end ends there."""
    found = []
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        begin = r"\b" if re.match(r"\w", word, re.ASCII) else ""
        end = r"\b" if re.search(r"\w$", word, re.ASCII) else ""
        found.append(begin + r"\s+".join(re.escape(part) for part in word.split()) + end)
    return f"(?:{'|'.join(found)})" if found else r"(?:[^\s\S])"


def _with_parts(source: str, parts: Mapping[str, Any], path: tuple[str, ...], within: tuple[str, ...] = ()) -> str:
    def part(match: re.Match[str]) -> str:
        name = match[1]
        if name not in parts:
            raise BadRule(
                path, source, f"pattern {source!r} names {{{name}}}, which is not in [parts]: it has {', '.join(parts) or 'none'}"
            )
        if name in within:
            raise BadRule(("parts", name), parts[name], f"{{{name}}} names itself: write out one of {', '.join(within)}")
        if len(within) == DEEPEST:
            raise BadRule(("parts", name), parts[name], f"{{{name}}} stands in more than {DEEPEST} parts, one in the other: write some out")
        said = parts[name]
        return literal(said) if isinstance(said, list) else f"(?:{_with_parts(said, parts, ('parts', name), (*within, name))})"

    # Not after a \p or \P, whose braces are the engine's.
    whole = simplified(re.sub(rf"(?<!\\[pPx])\{{({NAME})\}}", part, source))
    if len(whole) > WRITTEN:
        raise BadRule(path, source, f"{source!r:.80} has more than {WRITTEN:,} characters with its parts written out: divide it")
    return whole


def _type(name: str, table: TypeTable, tables: Tables, between: Any) -> ScentType:
    if table.decay is None and table.group is None:
        raise BadRule(("types", name), name, 'it has no decay: give decay = 0…1, a round, or class = "address" or "directive"')
    if table.concentration is None:
        raise BadRule(("types", name), name, "it has no concentration: give concentration = 0…1")
    for topic in table.topics:
        if topic not in tables.topics:
            has = ", ".join(tables.topics) or "none"
            raise BadRule(("types", name, "topics"), topic, f"there is no topic {topic!r}: [topics] has {has}")
    if name.startswith("*") and not table.topics:
        raise BadRule(("types", name), name, 'its star stands for no topic: give topics = ["…"]')
    never = [_with_parts(source, tables.parts, ("types", name, "never")) for source in table.never]
    for whole, source in zip(never, table.never, strict=True):
        _compiled(whole, source, ("types", name, "never"))
    named = name.removeprefix("*_").replace("_", " ").capitalize()
    label = next((each for each in table.labels if not is_chinese(each)), named)
    return ScentType(
        name=name,
        label=label,
        chinese=next(filter(is_chinese, table.labels), label),
        group=table.group,
        concentration=table.concentration,
        decay=0.0 if table.decay is None else table.decay,
        target=table.target,
        stated=table.questions == "stated",
        topics=table.topics,
        upper=table.upper,
        between=between if table.many else None,
        never=compiled("|".join(never)) if never else None,
    )
