"""Claims about the dates and times of day that a text names."""

import time
from datetime import UTC, date, datetime

import pytest

from blackboard.text.times import dates, day_of, times


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
        ("12 am, 12 pm", {"0:00", "@night", "12:00", "@noon", "@afternoon"}),
        ("10:30 p.m.", {"22:30", "@evening"}),
        ("4:59", {"4:59", "@night"}),
        ("5:00", {"5:00", "@morning"}),
        ("13:59", {"13:59", "@noon", "@afternoon"}),
        ("17:59", {"17:59", "@afternoon"}),
        ("下午三点半", {"15:30", "@afternoon"}),
        ("上午十点", {"10:00", "@morning"}),
        ("下午13点", {"13:00", "@noon", "@afternoon"}),
        ("中午一点", {"13:00", "@noon", "@afternoon"}),
        ("中午十二点", {"12:00", "@noon", "@afternoon"}),
        ("今晚八点", {"20:00", "@evening"}),
        ("24点", {"0:00", "@night"}),
        ("25点", set()),
    ],
)
def test_times_of_day(text: str, named: set[str]) -> None:
    """A part of the day is found in "this afternoon", and a time of day beside characters that leave no space."""
    assert times(text) == named


TODAY = date(2026, 5, 8)
"""A Friday."""


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the day before yesterday", [date(2026, 5, 6)]),
        ("the day after tomorrow", [date(2026, 5, 10)]),
        ("a day ago", [date(2026, 5, 7)]),
        ("12 days ago", [date(2026, 4, 26)]),
        ("two weeks ago", [date(2026, 4, 24)]),
        ("99999999 weeks ago", []),
        ("last friday", [date(2026, 5, 1)]),
        ("last thursday", [date(2026, 5, 7)]),
        ("this friday", [TODAY]),
        ("next friday", [date(2026, 5, 15)]),
        ("on monday", [date(2026, 5, 11)]),
        ("上周五", [date(2026, 5, 1)]),
        ("这周三", [date(2026, 5, 6)]),
        ("周日", [date(2026, 5, 10)]),
        ("下星期一", [date(2026, 5, 11)]),
        ("明晚八点", [date(2026, 5, 9)]),
        ("5 may", [date(2026, 5, 5)]),
        ("sept. 3rd", [date(2026, 9, 3)]),
        ("3月4号", [date(2026, 3, 4)]),
    ],
)
def test_days_that_depend_on_today(text: str, days: list[date]) -> None:
    """A weekday, a distance, a date without its year; without today they are no days."""
    assert sorted(dates(text, TODAY)) == days
    assert dates(text, None) == set()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-05-08", [TODAY]),
        ("may 8th, 2026", [TODAY]),
        ("8th of may 2026", [TODAY]),
        ("2026年5月8日", [TODAY]),
        ("2023-02-31", []),
    ],
)
def test_days_that_do_not(text: str, days: list[date]) -> None:
    """A whole date is one whenever it was said; one that there is not is none."""
    assert sorted(dates(text, None)) == sorted(dates(text, date(1999, 1, 1))) == days


@pytest.mark.parametrize(
    ("said", "day"),
    [
        (1_778_198_400, TODAY),
        (1_778_284_799.0, TODAY),
        ("2026-05-08T23:59:00+08:00", TODAY),
        (TODAY, TODAY),
        (datetime(2026, 5, 8, 23, 59, tzinfo=UTC), TODAY),
        (True, None),
        (1e300, None),
        (float("nan"), None),
        ("soon", None),
        (None, None),
        ([], None),
    ],
)
def test_the_day_of_a_time(said: object, day: date | None) -> None:
    """Unix seconds, ISO 8601, a date; what is no time has none."""
    assert day_of(said) == day


def test_days_are_the_same_on_every_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unix seconds are told in UTC, wherever the host stands: replays agree."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        assert day_of(1_778_284_799) == TODAY
    time.tzset()


def test_days_relative_to_today() -> None:
    """Those need to know what today is."""
    assert dates("this afternoon, not yesterday", date(2026, 5, 8)) == {date(2026, 5, 8), date(2026, 5, 7)}
    assert dates("this afternoon, not yesterday", None) == set()
