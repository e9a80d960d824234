"""What a summary has lost of what must not be lost: a summary that lost anything is no summary (chapter 5, "Known failure modes"). Pure.

Whoever wrote it, a model, say, is not asked to be careful: what it wrote is looked through.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from agents.memory.essentials import PEOPLE, bindings, figures, negates, numbers, parameters, plain_number, without_negation
from agents.memory.records import StepRecord, Turn
from agents.memory.telling import told_body, told_value
from blackboard.identity import folded
from blackboard.summaries import sentences
from blackboard.text.words import terms

ALIKE = 0.75
"""Of a sentence's words that are another's, or the other way round: from there on both are about the same thing."""


class Loss(Struct, frozen=True):
    """Something is missing, or has turned into its opposite."""

    what: Literal["constraint", "negation", "number", "parameter"]
    text: str
    """The sentence, the number, or *tool.parameter=value*; of a negation, what the summary says instead."""

    def __str__(self) -> str:
        return f"{self.what}: {self.text}"


def lost(turns: Sequence[Turn], summary: StepRecord | str) -> list[Loss]:
    """What ``turns`` say and ``summary`` does not: sentences that bind, numbers, parameters; and what it says without the "not"."""
    kept = [each for turn in turns for each in bindings(turn)]
    text, prose = (summary, summary) if isinstance(summary, str) else (told_body(summary), f"{summary.intent}\n\n{summary.state}")
    return [
        *(Loss("constraint", each) for each in lost_sentences(kept, text)),
        *(Loss("negation", each) for each in turned(kept, prose, [turn.text for turn in turns])),
        *_numbers(turns, text),
        *_parameters(turns, text),
    ]


def lost_sentences(kept: Iterable[str], summary: str) -> list[str]:
    """Which of these sentences ``summary`` does not have to the letter."""
    text = folded(summary)
    return [each for each in dict.fromkeys(kept) if folded(each) not in text]


def turned(kept: Iterable[str], summary: str, said: Iterable[str] = ()) -> Iterator[str]:
    """What ``summary`` asserts though one of the sentences ``kept`` denies it: the same words, but for the "not".

    ``said`` is all that was said: what was asserted there, too, the summary may assert.
    """
    kept = list(kept)
    denied, _ = _denied_and_asserted(kept)
    if not denied:
        return
    for each in kept:
        summary = summary.replace(each, "\n\n")
    _, asserted = _denied_and_asserted(said)
    for clause in _clauses(summary):
        words = _words(clause)
        if not negates(clause) and _among(words, denied) and not _among(words, asserted):
            yield clause


def _denied_and_asserted(texts: Iterable[str]) -> tuple[list[set[str]], list[set[str]]]:
    """The words of what is denied, without the "not", and of what is asserted, clause by clause.

    A "not" that stands by itself ("do not, whatever they say, use it") denies its whole sentence.
    """
    denied, asserted = list[set[str]](), list[set[str]]()
    for sentence in (sentence for text in texts for sentence in sentences(text)):
        clauses = [(negates(clause), _words(without_negation(clause))) for clause in _clauses(sentence)]
        if any(negative and len(words) < 2 for negative, words in clauses):
            clauses = [(True, _words(without_negation(sentence)))]
        for negative, words in clauses:
            (denied if negative else asserted).append(_object(words) if negative else words)
    return denied, asserted


def _among(words: set[str], others: Iterable[set[str]]) -> bool:
    """Is one of the others about the same thing?"""
    return any(len(words & other) >= max(2.0, ALIKE * min(len(words), len(other))) for other in others)


def _words(text: str) -> set[str]:
    """What a clause is about, however strongly it is said: in Chinese that is not parted from the words beside it."""
    return set(terms(_FORCE.sub(" ", text)))


def _object(words: set[str]) -> set[str]:
    """Of a denial's words what it is about, whatever is done with it, if that is more than a word."""
    rest = words - _DOING
    return rest if len(rest) > 1 else words


def _clauses(text: str) -> list[str]:
    return [each for sentence in sentences(text) for part in _CLAUSE.split(sentence) if (each := part.strip())]


_DOING = frozenset({"use", "make", "take", "get", "put", "do", "have", "want", "need"})
"""What is done with anything, as stems."""
_FORCE = re.compile("千万|一定|务必|必须|应该|应当|需要|可以|记得|要|请")
_CLAUSE = re.compile(r"[,;:，；：。\n]|[.!?]\s|\s[–—-]\s|\bbut\b|但是?|而是", re.IGNORECASE)


def _numbers(turns: Sequence[Turn], summary: str) -> Iterator[Loss]:
    there = set(map(plain_number, numbers(summary)))
    said = (each for turn in turns for each in (numbers(turn.text) if turn.by in PEOPLE else figures(turn)))
    yield from (Loss("number", each) for plain, each in {plain_number(each): each for each in said}.items() if plain not in there)


def _parameters(turns: Sequence[Turn], summary: str) -> Iterator[Loss]:
    text = folded(summary)
    for tool, name, value in parameters(turns):
        if not all(leaf in text for leaf in (tool, name, *map(folded, _leaves(value)))):
            yield Loss("parameter", f"{tool}.{name}={told_value(value)}")


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers of a value, as they are told."""
    match value:
        case dict():
            for name, each in value.items():
                yield told_value(name)
                yield from _leaves(each)
        case list() | tuple():
            for each in value:
                yield from _leaves(each)
        case _:
            yield told_value(value)
