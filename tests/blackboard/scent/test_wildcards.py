"""Claims about types by a pattern."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.scent.wildcards import matches, matches_any


@pytest.mark.parametrize(
    ("type_", "wanted", "meets"),
    [
        ("shipping_address", "shipping_address", True),
        ("shipping_address", "shipping_*", True),
        ("shipping_address", "*_address", True),
        ("shipping_address", "*", True),
        ("shipping_address", "s*g_*d*s", True),
        ("shipping_address", "shipping_address*", True),
        ("shipping_address", "Shipping_*", False),
        ("shipping_address", "shipping", False),
        ("shipping_address", "", False),
        ("shipping_address", "shipping_address*s", False),
        ("shipping_address", "*shipping_addresses", False),
        ("shipping_address", "s*zz*s", False),
        ("aba", "ab*ba", False),
        ("xabx", "*ab*ab*", False),
        ("a?[b]", "a?[b]", True),
        ("ab", "a?", False),
        ("地址", "地*", True),
        ("", "*", True),
    ],
)
def test_a_star_stands_for_any_characters(type_: str, wanted: str, meets: bool) -> None:
    """And nothing else stands for another."""
    assert matches(type_, wanted) is meets


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=5), st.data())
def test_whatever_stands_for_stars_is_met(parts: list[str], data: st.DataObject) -> None:
    """However often a part occurs."""
    wanted = "*".join(parts)
    between = [data.draw(st.text("ab", max_size=4)) for _ in parts[1:]]
    assert matches(parts[0] + "".join(a + b for a, b in zip(between, parts[1:], strict=True)), wanted)


def test_of_several_one_is_enough() -> None:
    """Of none, none is."""
    assert matches_any("user_id", ("language", "user_*"))
    assert not matches_any("user_id", ("language", "user"))
    assert not matches_any("user_id", ())


def test_many_stars_take_no_longer() -> None:
    """What would keep a backtracking engine busy for ever."""
    assert not matches("a" * 10_000, "*a" * 2_000 + "b")
