"""Claims about folding."""

from hypothesis import given
from hypothesis import strategies as st

from blackboard.scent.folding import clean, folded, simplified


@given(st.text())
def test_places_stay_places_whatever_the_text(text: str) -> None:
    """Character for character; and what is folded has bytes in UTF-8."""
    assert len(clean(text)) == len(text) == len(folded(text))
    clean(text).encode()


def test_signs_of_full_width_are_ascii() -> None:
    """Letters and digits at once, punctuation for patterns alone."""
    assert clean("＃Ａｚ０９，！　") == "#Az09，！ "
    assert folded("，！（）：？’") == ",!():?'"


def test_control_characters_are_blanks_and_surrogates_are_marked() -> None:
    """But a line's end is kept."""
    assert clean("a\x00b\tc\nd\x7fe\ud800") == "a b c\nd e\ufffd"


def test_traditional_characters_are_simplified_ones_for_patterns() -> None:
    """And nothing else is: a pattern keeps its signs."""
    assert folded(clean("訂單，取消")) == "订单,取消"
    assert clean("訂單") == "訂單"
    assert simplified("(?:訂單|order)，[ａ-z]") == "(?:订单|order)，[ａ-z]"
