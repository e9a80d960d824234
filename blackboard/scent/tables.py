"""Rules of how messages are read, as a person writes them (chapter 3, "Rules are data").

A file of rules has these tables; of several files lists add up, and whatever else a later one says overrides::

    [parts]                                 # what patterns name in braces: {courier}
    courier = ["SF Express", "DHL"]         # words
    code = '[A-Z]{2}[0-9]+'                 # or a pattern

    [types.shipping_method]                 # a type of scent, by its name
    label = "Shipping method"               # how its content begins; one in Chinese characters is for messages that have such
    concentration = 0.7                     # 0…1, when it is released
    decay = 0.9                             # 0…1, by which it is multiplied each round
    patterns = ['by (?P<value>{courier})']  # RE2, of any letter case; `value`, and `target`, are what it says; neither: only that it is so

    [requests]                              # directives: what is to be done, once
    cancel = ["cancel", "call off"]         # by the canonical verb
    [standing]                              # and what holds from now on
    never = ["never", "must not"]

    [topics]                                # what one speaks of, and whose slots there are: hotel_price
    hotel = ["hotel", "inn"]
    [hints]                                 # what only hints at it
    hotel = ["check in"]
    [kinds]                                 # what says so at the end of a value: Riverside Lodge
    hotel = ["lodge"]

    [words]                                 # by what they do in a sentence: see ``ROLES``
    negation = ["don't"]

What else a type may say:

- ``class = "address"``: its decay is the field's setting of that name.
- ``target = "entity"``: it is about the order that is named beside it; ``"self"``: its value names one.
- ``topics = ["hotel", …]``: it is a slot of the topic that is talked of, which stands for the star in its name (``[types."*_price"]``:
  *hotel_price*), and nothing where none of these is.
- ``many = true``: a value may be several, parted by words of ``between``; it is a list then.
- ``never``: patterns, one of which meets what is no value of it.
- ``questions = "stated"``: a value in a question is stated, as a search's is; else it is asked, and counts once it is confirmed.
- ``upper = true``: its values are written in capitals.
- ``corrections``: patterns that give a new value to the type of its class that was named before, and to this one if none was.

Of two patterns that claim a stretch of text that of fewer topics has it; then the one whose match begins first; then the later in the
files. A match in which ``value`` takes no part says nothing.
Words are taken literally; those of ASCII letters are whole words. Patterns and words meet a text whose full-width letters, digits and
punctuation are ASCII, and in which traditional Chinese characters that the shipped rules have are simplified ones.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from blackboard.errors import BadValue
from blackboard.scent.folding import clean, folded, is_chinese

ROLES = {
    "abbreviation": "ends in a full stop that ends no sentence",
    "acronym": "written in capitals without emphasis",
    "after": "stands after what is only where something is: 附近",
    "before": "stands before it: near",
    "between": "stands between several values",
    "chatter": "small talk: a message of nothing else is",
    "conditional": "what follows is only supposed",
    "joint": "begins another clause",
    "negation": "what follows in its clause is not so",
    "neutral": "has another word in it, and nothing of its meaning",
    "past": "what is to be done in its clause was done",
    "offer": "makes a directive in a question one that is asked, and counts once it is confirmed",
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

NAME = r"[A-Za-z_]\w*"
"""Of a part, and of a type; that of a topic's slots begins with a star and _."""


class BadRule(BadValue):
    """A rule that cannot be: ``path`` is where in its tables, ``value`` what stands there."""

    def __init__(self, path: Sequence[str], value: Any, cure: str) -> None:
        super().__init__(f"{'.'.join(path)}: {cure}")
        self.path, self.value = tuple(path), value


class TypeTable(NamedTuple):
    """A table ``[types.NAME]``, as the files so far have it; None: none has said it."""

    labels: tuple[str, ...] = ()
    """At most two, one of them in Chinese characters."""
    group: str | None = None
    concentration: float | None = None
    decay: float | None = None
    target: str = "none"
    questions: str = "asked"
    upper: bool = False
    many: bool = False
    topics: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()


class Tables(NamedTuple):
    """The tables of all files together."""

    parts: dict[str, list[str] | str]
    types: dict[str, TypeTable]
    requests: dict[str, list[str]]
    standing: dict[str, list[str]]
    topics: dict[str, list[str]]
    hints: dict[str, list[str]]
    kinds: dict[str, list[str]]
    words: dict[str, list[str]]


def merged(*books: Mapping[str, Any]) -> Tables:
    """The tables of several files, the later over the earlier.

    :raises BadRule: a table or a field that cannot be
    """
    tables = Tables({}, {}, {}, {}, {}, {}, {}, {role: [] for role in ROLES})
    for book in books:
        for section, table in book.items():
            if section not in Tables._fields:
                raise BadRule((section,), table, f"there is no such table: choose from {', '.join(Tables._fields)}")
            if not isinstance(table, Mapping):
                raise BadRule((section,), table, f"it is a table [{section}], not {table!r}")
            for name, said in table.items():
                if section == "parts":
                    _merge_part(tables.parts, name, said)
                elif section == "types":
                    _merge_type(tables.types, name, said)
                elif section == "words" and name not in ROLES:
                    raise BadRule((section, name), said, f"there is no such list of words: choose from {', '.join(ROLES)}")
                else:
                    getattr(tables, section).setdefault(name, []).extend(_words(said, (section, name)))
    return tables


def _merge_part(parts: dict[str, list[str] | str], name: str, said: Any) -> None:
    path = ("parts", name)
    if not re.fullmatch(NAME, name):
        raise BadRule(path, said, "a part's name is of letters, digits and _, as patterns name it: {courier}")
    if isinstance(said, str):
        parts[name] = said
        return
    words = _words(said, path)
    before = parts.get(name)
    parts[name] = [*before, *words] if isinstance(before, list) else words


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "label": (_is_text, "a text"),
    "class": (lambda value: value in ("address", "directive"), '"address" or "directive"'),
    "concentration": (_is_share, "a number from 0 to 1"),
    "decay": (_is_share, "a number from 0 to 1"),
    "target": (lambda value: value in ("none", "entity", "self"), '"none", "entity" or "self"'),
    "questions": (lambda value: value in ("asked", "stated"), '"asked" or "stated"'),
    "upper": (lambda value: isinstance(value, bool), "true or false"),
    "many": (lambda value: isinstance(value, bool), "true or false"),
    "topics": (_are_texts, "a list of topics"),
    "never": (_are_texts, "a list of patterns"),
    "patterns": (_are_texts, "a list of patterns"),
    "corrections": (_are_texts, "a list of patterns"),
}
"""What a type may say, and what each is."""


def _merge_type(tables: dict[str, TypeTable], name: str, fields: Any) -> None:
    if not re.fullmatch(NAME, name.removeprefix("*_")):
        raise BadRule(("types", name), name, "a type's name is of letters, digits and _; before it may stand *_ for a topic")
    if not isinstance(fields, Mapping):
        raise BadRule(("types", name), fields, f"it is a table [types.{name}], not {fields!r}")
    table = tables.get(name, TypeTable())
    for key, value in fields.items():
        path = ("types", name, key)
        if key not in _FIELDS:
            raise BadRule(path, value, f"a type has no such field: choose from {', '.join(_FIELDS)}")
        fits, what = _FIELDS[key]
        if not fits(value):
            raise BadRule(path, value, f"{value!r} is not {what}")
        if key == "label":
            table = table._replace(labels=(*(each for each in table.labels if is_chinese(each) != is_chinese(value)), value))
            continue
        field = "group" if key == "class" else key
        change: dict[str, Any] = {field: (*getattr(table, field), *value) if isinstance(value, list) else value}
        table = table._replace(**change)
    tables[name] = table


def _words(words: Any, path: tuple[str, ...]) -> list[str]:
    if not _are_texts(words):
        raise BadRule(path, words, f"it is a list of words, none of them empty, not {words!r}")
    return [folded(clean(word)) for word in words]
