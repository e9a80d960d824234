"""Claims about regular expressions of users."""

import pytest

from blackboard.errors import BadValue
from blackboard.patterns import AnyOf, compiled, pattern


@pytest.mark.parametrize("source", [r"(a)\1", "a(?=b)", "("])
def test_what_needs_backtracking_or_is_no_pattern_is_refused(source: str) -> None:
    """The error quotes the pattern, and names the syntax."""
    with pytest.raises(BadValue, match="RE2") as error:
        pattern(source)
    assert repr(source) in str(error.value)


def test_any_of_tells_which_a_text_meets() -> None:
    """By the numbers in which they were added, letter case aside; none is an empty list."""
    any_of = AnyOf()
    red, *_ = (any_of.add(source) for source in ("red", "blue|red", r"\d"))
    any_of.ready()
    assert sorted(any_of(b"a RED one")) == [0, 1]
    assert sorted(any_of(b"5")) == [2]
    assert any_of(b"green") == []
    assert red.search(b"a RED one").span() == (2, 5)


def test_any_of_takes_none_that_is_no_pattern() -> None:
    """The error says why."""
    with pytest.raises(BadValue, match="missing"):
        AnyOf().add("(")


def test_letter_case_counts_where_it_is_asked_for() -> None:
    """Not where it is not."""
    assert compiled("a|ab").search("AB")[0] == "A"
    assert compiled("a", ignore_case=False).search("A") is None
