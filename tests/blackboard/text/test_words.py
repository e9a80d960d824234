"""The terms of a text."""

import pytest

from blackboard.text import terms
from blackboard.text.words import stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Budget: at most 50,000!", ["budget", "50,000"]),
        ("phone meeting at 15:00, then 3.5 hours", ["phone", "meet", "15:00", "3.5", "hour"]),
        ("STRASSE Straße", ["strass", "strass"]),
        ("supplier_price", ["supplier", "price"]),
        ("A789", ["a789"]),
        ("不要香菜", ["不要", "要香", "香菜"]),
        ("猫 cat猫咪", ["猫", "cat", "猫咪"]),
        ("…!?", []),
        ("Who is who?", ["who", "be", "who"]),
        ("She bought shoes; the children were running", ["buy", "shoe", "child", "run"]),
        ("user's, user\u2019s", ["user", "user"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    """Words are stemmed, those that say nothing left out unless there are no others; numbers stay whole; CJK runs become pairs."""
    assert terms(text) == expected


def test_what_is_no_word_is_not_kept_in_memory() -> None:
    """A run of Chinese, or of more letters than words have, is found like others, and the cache of stems holds none of it."""
    before = stem.cache_info().currsize
    assert terms(f"{'running' * 10} 猫狗猫") == ["running" * 10, "猫狗", "狗猫"]
    assert stem.cache_info().currsize == before
