"""What an index has to know of a text.

Law: an analysis is a pure function of its text. Who changes what it gives (the rules of ``words``, ``times`` or ``english``) raises
``VERSION``, so that none that was kept before is taken for one of today's.
"""

from collections import Counter
from datetime import date
from typing import NamedTuple

from msgspec import Struct

from blackboard.text.times import dates, term_of, times, words_of
from blackboard.text.words import RULES, characters, name, plain, stem, terms

VERSION = f"2/{RULES}"
"""By which rules texts are analysed: ours, and those of the libraries that know the languages."""


class Text(NamedTuple):
    """What an item is found by."""

    words: str
    speaker: str = ""
    """Who said it."""
    day: date | None = None
    """When it was said."""


class Analysis(Struct, frozen=True, array_like=True):
    """What a text comes to."""

    counts: dict[str, int]
    """Term → how often the text has it; by a single CJK character, a date or a time it is found, too: once."""
    length: int
    """How many terms it has, but for those."""
    days: tuple[str, ...] = ()
    """The terms of the day on which it was said."""
    speaker: str = ""
    """Who said it, in the name's plain form."""


def analyse(text: Text) -> Analysis:
    """What an index has to know of a text."""
    words = plain(text.words)
    found = terms(words)
    counts: dict[str, int] = dict(Counter(found))
    for each in (*characters(words), *times(words), *map(term_of, dates(words, text.day))):
        counts.setdefault(each, 1)  # found by it, but no longer for it
    days = () if text.day is None else (*map(stem, words_of(text.day)), term_of(text.day))
    return Analysis(counts, len(found), days, name(text.speaker) if text.speaker else "")
