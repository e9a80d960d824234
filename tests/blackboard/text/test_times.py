"""Claims about the dates and times of day that a text names."""

from datetime import date

import pytest

from blackboard.text.times import dates, times


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what is on this afternoon?", {"@afternoon"}),
        ("last night, or this morning", {"@night", "@morning"}),
        ("meeting at 15:00", {"15:00", "@afternoon"}),
        ("电话会议15:00开始", {"15:00", "@afternoon"}),
        ("今天下午有什么安排", {"@afternoon"}),
        ("at 8 pm", {"20:00", "@evening"}),
        ("1:15:00 of video, 10:30:15", set()),
    ],
)
def test_times_of_day(text: str, named: set[str]) -> None:
    """A part of the day is found in "this afternoon", and a time of day beside characters that leave no space."""
    assert times(text) == named


def test_days_relative_to_today() -> None:
    """Those need to know what today is."""
    assert dates("this afternoon, not yesterday", date(2026, 5, 8)) == {date(2026, 5, 8), date(2026, 5, 7)}
    assert dates("this afternoon, not yesterday", None) == set()
