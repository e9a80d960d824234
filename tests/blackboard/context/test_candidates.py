"""Which pieces are weighed against one another."""

from math import inf

import pytest

from blackboard.context.candidates import HALF_LIFE, candidates
from blackboard.context.chunkers import turns
from blackboard.context.history import History
from blackboard.context.pieces import Entry, Piece
from blackboard.context.relevance import Lexical
from blackboard.context.statements import binds

CALL = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "{}"}}]}


def history(*entries: Entry) -> History:
    found = History(turns, Lexical(), len, binds)
    found.follow(entries)
    return found


def test_relevance_says_who_may_enter() -> None:
    """The most worthy first; what has nothing to do with the query is no candidate, unless it is in before all others."""
    among = candidates(history("a", "b", "c", "d"), {0: 0.5, 2: 0.9}, inf, inf, newest=True)
    assert among.numbers == [3, 2, 0]
    assert among.ranking == [1, 2, 0]
    assert among.first == {0: "newest"}
    assert candidates(history("a", "b"), {}, inf, inf, newest=False).numbers == []


def test_newer_and_weightier_pieces_count_more() -> None:
    """Of pieces as relevant, the newer first; a weight multiplies."""
    entries: list[Entry] = [*["x"] * HALF_LIFE, Piece("x", weight=2.0), "x"]
    among = candidates(history(*entries), {0: 0.5, HALF_LIFE: 0.5, HALF_LIFE + 1: 0.5}, inf, inf, newest=False)
    assert among.numbers == [HALF_LIFE, HALF_LIFE + 1, 0]
    assert among.worth == pytest.approx([1.0, 0.5, 0.475], abs=1e-3)


def test_what_cannot_be_sent_is_no_candidate() -> None:
    """Nor the newest."""
    among = candidates(history("a", {"role": "tool", "content": "c"}, CALL, "b"), {1: 0.5, 2: 0.9}, inf, inf, newest=True)
    assert among.numbers == [3]


def test_what_was_overturned_is_worth_as_much_to_what_overturned_it() -> None:
    """And follows it; by something that is no candidate, it is followed by nobody."""
    among = candidates(history(Piece("old", "a"), Piece("new", "b", supersedes=("a",)), "c"), {0: 0.9}, inf, inf, newest=False)
    assert sorted(among.numbers) == [0, 1]
    assert among.after == {among.numbers.index(0): among.numbers.index(1)}
    entries = Piece("old", "a"), Piece("new", "b", supersedes=("a",), whole=False), "c"
    unsent = candidates(history(*entries), {0: 0.5, 2: 0.9}, inf, inf, newest=False)
    assert (unsent.numbers, unsent.after) == ([2, 0], {1: 1})


def test_half_of_a_budget_is_for_what_binds() -> None:
    """The most relevant of it first, then the newest; what was said to be protected comes before, and does not count."""
    binding = ["You must go.", "Never go there.", "I promised.", "Do not go."]  # with a line break 13, 16, 12 and 11 characters
    among = candidates(history(*binding, Piece("sacred", protected=True), "x"), {1: 0.5}, 60, inf, newest=False)
    assert [among.numbers[place] for place in among.first] == [4, 1, 3]
    assert set(among.first.values()) == {"protected"}
    overturned = history(Piece("You must go.", "a"), Piece("Never go there.", "b", supersedes=("a",)), "I promised.")
    among = candidates(overturned, {0: 0.9}, 60, inf, newest=False)
    assert [among.numbers[place] for place in among.first] == [1, 2]
    by_count = candidates(history(*binding), {1: 0.5}, inf, 5, newest=False)
    assert [by_count.numbers[place] for place in by_count.first] == [1, 3]


def test_what_binds_shares_its_worth_with_nobody_and_a_summary_with_its_originals() -> None:
    """Those are topics that follow from what a piece is; others name theirs, or have none."""
    among = candidates(
        history("a", Piece("b", "b"), Piece("s", "s", summarises=("b", "gone")), Piece("t", topic="t"), "You must go."),
        dict.fromkeys(range(5), 0.5), inf, inf, newest=False,
    )  # fmt: skip
    topics = dict(zip(among.numbers, among.topics, strict=True))
    assert topics[0] == ""
    assert topics[1] == topics[2] != ""
    assert len({topics[1], topics[3], topics[4], ""}) == 4
