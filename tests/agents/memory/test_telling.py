"""Claims about records as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.records import StepRecord, ToolCall, Turn
from agents.memory.telling import called, shortened, told_step, told_turn, told_value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("north", "north"), ("by month", "by month"), ("", '""'), ("a=b", '"a=b"'), ("a\nb", '"a\\nb"'), (" a", '" a"'), ("北京", "北京"),
        (1.5, "1.5"), (None, "null"), (True, "true"), ([1, "a"], "[1, a]"), ({"k": [], "l m": "x:y"}, '{k: [], l m: "x:y"}'),
    ],
)  # fmt: skip
def test_a_value_is_told_as_plainly_as_it_can_be_read(value: Any, told: str) -> None:
    """Texts without the marks of JSON as they stand, and all else as JSON."""
    assert told_value(value) == told


def test_a_call_is_told_with_its_parameters_and_its_error() -> None:
    """Not with its result."""
    assert called(ToolCall("q", {"by": "month", "n": 3}, [1, 2])) == "q(by=month, n=3)"
    assert called(ToolCall("q", error="no such table")) == "q() failed: no such table"


def test_a_turn_is_told_as_it_was() -> None:
    """With its number, calls and results; of a failed one the error."""
    turn = Turn("ada", "I look.", (ToolCall("q", {}, [1]), ToolCall("r", {}, error="no")))
    assert told_turn(turn, 4) == "[turn 4] ada: I look.\n→ q()\n= [1]\n→ r() failed: no"


def test_a_step_names_the_turns_it_stands_for() -> None:
    """One or several; a sentence that is kept is told once."""
    assert told_step(StepRecord(3, 3, "Never run.", kept=("Never run.", "Only walk."))) == "[turn 3] Never run.\n! Only walk."
    assert told_step(StepRecord(3, 5, "", actions=(ToolCall("q"),))) == "[turns 3–5]\n→ q()"
    assert told_step(StepRecord(3, 5, "")) == "[turns 3–5]"


def test_what_is_too_long_is_cut_between_words() -> None:
    """And stands on one line."""
    assert shortened("a  b\nc", 10) == "a b c"
    assert shortened("one two three", 10) == "one two…"
    assert shortened("x" * 20, 10) == "xxxxxxxxx…"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("give page=200", "give…"), ("limit 12345678", "limit…"), ("x=123456789012", "x=…"), ("请设置行数为900000行", "请设置行数为…"),
        ("只显示了前五十行，其余五百二十行", "只显示了前五十行，其…"), ("一共有十二万三千四百行数据", "一共有…"), ("1" * 20, "…"),
    ],
)  # fmt: skip
def test_a_number_is_never_cut(text: str, told: str) -> None:
    """Neither of digits nor of Chinese numerals, nor where nothing stands between the words."""
    assert shortened(text, 11) == told


@given(st.lists(st.from_regex(r"[a-z]{1,5}|[0-9]{1,6}|[a-z]{1,3}=[0-9]{1,4}", fullmatch=True), min_size=1), st.integers(12, 40))
def test_what_is_left_are_words_of_the_text(words: list[str], longest: int) -> None:
    """The first ones, each whole, and no more characters than are allowed."""
    told = shortened(" ".join(words), longest)
    left = told.removesuffix("…").split()
    assert len(told) <= longest
    assert left == words[: len(left)]
    assert (left == words) == (not told.endswith("…"))
