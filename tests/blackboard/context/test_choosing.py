"""A choice for one query."""

from math import inf

import pytest

from blackboard.context.choosing import Limits, Ways, choose
from blackboard.context.chunkers import turns
from blackboard.context.history import History
from blackboard.context.pieces import Entry
from blackboard.context.presets import PRESETS
from blackboard.context.relevance import Lexical
from blackboard.context.statements import binds
from blackboard.tokens import TokenCounter

WAYS = Ways(PRESETS["default"], "gain", 0.0, False, "chronological", len)


def history(*entries: Entry, counter: TokenCounter = len) -> History:
    found = History(turns, Lexical(), counter, binds)
    found.follow(entries)
    return found


def test_searches_add_up() -> None:
    """Each at its weight, at most to 1."""
    found = history("a red cat", "a dog", "a boat")
    alone = choose(found, {"cat": 1.0}, WAYS, Limits(inf, inf))
    both = choose(found, {"cat": 1.0, "red dog": 0.3}, WAYS, Limits(inf, inf))
    assert list(alone.taken) == [0]
    assert list(both.taken) == [0, 1]
    assert alone.taken[0].relevance < both.taken[0].relevance < 1
    assert choose(found, {"cat": 1.0, "red cat": 1.0}, WAYS, Limits(inf, inf)).taken[0].relevance == 1


def test_the_whole_is_counted() -> None:
    """A counter by which pieces together cost more than each: then fewer are chosen, and told of."""

    def counter(text: str) -> int:
        return 10 + 5 * text.count("\n") ** 2 if "\n" in text[:-1] else 10

    ways = WAYS._replace(counter=counter)
    found = history("one cat", "two cats", "my cat", counter=counter)
    chosen = {budget: choose(found, {"cat": 1.0}, ways, Limits(budget, inf)) for budget in (30, 29, 14, 9)}
    assert [(len(choice.taken), choice.prompt.tokens) for choice in chosen.values()] == [(3, 30), (2, 15), (1, 10), (0, 0)]
    assert list(chosen[14].reasons.values()).count("over budget") == 2
    assert chosen[14].value == pytest.approx(sum(each.gain for each in chosen[14].taken.values()))


def test_what_fits_to_the_token_is_in() -> None:
    """The last piece has no line break behind it."""
    found = history("one cat", "two cats")
    assert [len(choose(found, {"cat": 1.0}, WAYS, Limits(budget, inf)).taken) for budget in (6, 7, 15, 16)] == [0, 1, 1, 2]


def test_the_best_of_two_prefers_density() -> None:
    """A summary wins over its originals where both do not fit."""
    long = "The cat is red and lives with Ada in Lisbon near the harbour."
    found = history(f"{long} {'It was a long day with much talk of nothing. ' * 3}", "cat: red", "cat: Ada", "cat: Lisbon")
    dense = choose(found, {"red cat of Ada in Lisbon": 1.0}, WAYS._replace(method="best of two"), Limits(60, inf))
    assert sorted(dense.taken) == [1, 2, 3]
