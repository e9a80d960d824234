"""agents.evolution.offers: what a tool says to give it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.offers import offers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("only 50 rows shown; pass limit=900 for all", {"limit": 900}),
        ("missing parameter page (try page=200)", {"page": 200}),
        ("request timed out after 10 s; results too large, use page=200.", {"page": 200}),
        ("请设置 行数=900", {"行数": 900}),
        ("结果已截断，请设置行数=900行", {"行数": 900}),
        ("仅前 50 行，请用limit＝1,000", {"limit": 1000}),
        ("use page=2 and size=100, then go on", {"page": 2, "size": 100}),
        ("missing mode, e.g. mode='full view'", {"mode": "full view"}),
        ("set since=2026-01-01, ratio=0.5, deep=true", {"since": "2026-01-01", "ratio": 0.5, "deep": True}),
        ("instead of limit=5 use limit=900", {"limit": 900}),
        ("retry with `--limit=900`", {"limit": 900}),
    ],
)
def test_what_a_tool_says_to_give_is_found(text: str, found: dict[str, object]) -> None:
    """As a number, a switch or a text."""
    assert offers(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "failed with status=500, request_id=a17", "got limit=5", "do not use page=0", "limit=50 rows shown", "use limit>=5", "use a==5",
        "see https://example.org/help?use=1&page=2", "please pass page=N", "不要使用 缓存=1", "limit=5 is too small, use another", "",
        "please mind: use limit=0 is not allowed",
    ],
)  # fmt: skip
def test_what_happened_or_is_advised_against_is_not(text: str) -> None:
    """Nor what only stands for a value, nor a bound."""
    assert offers(text) == {}


def test_of_a_known_parameter_it_is_enough_to_say_what_it_is_good_for() -> None:
    """An unknown name may be anything."""
    text = "50 of many (limit=900 for all)"
    assert (offers(text), offers(text, {"limit"})) == ({}, {"limit": 900})
    assert offers("请把最大行数=900", {"行数"}) == {"行数": 900}


@given(st.text(max_size=60) | st.lists(st.sampled_from(["use ", "limit", "=", "5", "，", "请", "'", "not ", "行数", " "])).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    """What is found stands in it."""
    assert all(name in text for name in offers(text))
