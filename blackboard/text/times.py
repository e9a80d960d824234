"""Dates and times of day that a text names, in English and in Chinese: as terms, so that "tomorrow" meets its date, and "afternoon" 15:00.

A date is a term like ``@2026-05-08``, a part of a day one like ``@afternoon``, a time of day is its own (``15:00``). What is said relative
to a day ("yesterday", "last Friday", "上周五") needs to know which day it was said on; without that it names none.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta

_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905 - as words
_SHORT = {name[:3]: number for number, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_HAN = {each: number for number, each in enumerate("一二三四五六", 0)} | {"日": 6, "天": 6}
_HOURS = {each: number for number, each in enumerate("零一二三四五六七八九十")} | {"两": 2, "十一": 11, "十二": 12}

_month = "(" + "|".join([*_MONTHS, *sorted(_SHORT, key=len, reverse=True)]) + r")\.?"
_day = r"(\d{1,2})(?:st|nd|rd|th)?"
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DAY_FIRST = re.compile(rf"\b{_day}(?:\s+of)?\s+{_month}\b(?:,?\s*(\d{{4}}))?")
_MONTH_FIRST = re.compile(rf"\b{_month}\s+{_day}\b(?:,?\s*(\d{{4}}))?")
_CHINESE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]")
_RELATIVE = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "yesterday": -1, "last night": -1, "tomorrow": 1,
    "day before yesterday": -2, "day after tomorrow": 2,
    "今天": 0, "今日": 0, "今早": 0, "今晚": 0, "昨天": -1, "昨晚": -1, "前天": -2, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2,
}  # fmt: skip
_AGO = re.compile(r"\b(\d{1,4}|a|one|two|three|four|five|six) (day|week)s? ago\b")
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_WEEKDAY = re.compile(rf"\b(last|this|next|on)\s+({'|'.join(_DAYS)})\b")
_HAN_WEEKDAY = re.compile(r"(上|这|本|下)?(?:周|星期|礼拜)([一二三四五六日天])")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?|(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])")  # 会议15:00 has no spaces
_HAN_CLOCK = re.compile(r"(中午|下午|傍晚|晚上?)?([零一二三四五六七八九十两]{1,2}|\d{1,2})点(半)?")
_PARTS = {
    "morning": "morning", "noon": "noon", "afternoon": "afternoon", "evening": "evening", "tonight": "evening", "night": "night",
    "早上": "morning", "上午": "morning", "今早": "morning", "明早": "morning", "中午": "noon", "下午": "afternoon", "傍晚": "evening",
    "晚上": "evening", "昨晚": "evening", "今晚": "evening", "明晚": "evening", "夜里": "night", "凌晨": "night",
}  # fmt: skip
_LATER = {"中午": 4, "下午": 12, "傍晚": 12, "晚": 12, "晚上": 12}
"""The part of a day → the hour before which one is counted from noon: 中午一点 is 13:00, 今晚八点 is 20:00."""


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these, none of which begins with another; of those in Latin letters whole words."""
    return re.compile("|".join(rf"\b{each}\b" if each.isascii() else each for each in names))


_DAY_NAMED = _any_of(_RELATIVE)
_PART_NAMED = _any_of(_PARTS)


def day_of(said: object) -> date | None:
    """The day of a time: Unix seconds (UTC), ISO 8601, a date, or None for what is none of these."""
    if isinstance(said, datetime):
        return said.date()
    if isinstance(said, date):
        return said
    try:
        if isinstance(said, str):
            return datetime.fromisoformat(said).date()
        if isinstance(said, (int, float)) and not isinstance(said, bool):
            return datetime.fromtimestamp(said, UTC).date()
    except (ValueError, OverflowError, OSError):
        pass
    return None


def term_of(day: date) -> str:
    """The term of a date."""
    return f"@{day.isoformat()}"


def words_of(day: date) -> tuple[str, str, str]:
    """The words by which a query may name something of that day: 8, May, 2026, as they are in the text that is searched."""
    return str(day.day), _MONTHS[day.month - 1], str(day.year)


def dates(text: str, today: date | None) -> set[date]:
    """The days that a text names; ``text`` as it is compared (``words.plain``). ``today``: when it was said, for what is relative to that.

    A date without a year is one of the year that it was said in.
    """
    return {day for day in _dates(text, today) if day is not None}


def _dates(text: str, today: date | None) -> Iterator[date | None]:
    year = today.year if today else None
    for y, m, d in _ISO.findall(text):
        yield _date(y, m, d)
    for d, m, y in _DAY_FIRST.findall(text):
        yield _date(y or year, _SHORT[m[:3]], d)
    for m, d, y in _MONTH_FIRST.findall(text):
        yield _date(y or year, _SHORT[m[:3]], d)
    for y, m, d in _CHINESE.findall(text):
        yield _date(y or year, m, d)
    if today is None:
        return
    for named in _DAY_NAMED.findall(text):
        yield _shift(today, _RELATIVE[named])
    for count, unit in _AGO.findall(text):
        number = _COUNTS.get(count) or int(count)
        yield _shift(today, -number * (7 if unit == "week" else 1))
    for which, name in _WEEKDAY.findall(text):
        yield _weekday(today, which, _DAYS.index(name))
    for which, name in _HAN_WEEKDAY.findall(text):
        monday = today - timedelta(days=today.weekday())
        yield _shift(monday, _HAN[name] + {"上": -7, "下": 7}.get(which, 0))


def _date(year: str | int | None, month: str | int, day: str | int) -> date | None:
    if year is None:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _shift(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def _weekday(today: date, which: str, weekday: int) -> date | None:
    """Last Friday is the one before today; this, next and on Friday the one that comes."""
    if which == "last":
        return _shift(today, -((today.weekday() - weekday - 1) % 7 + 1))
    return _shift(today, (weekday - today.weekday() - 1) % 7 + 1 if which == "next" else (weekday - today.weekday()) % 7)


def times(text: str) -> set[str]:
    """The terms of the times of day that a text names; ``text`` as it is compared."""
    found = {f"@{_PARTS[named]}" for named in _PART_NAMED.findall(text)}
    for hour12, minute, half, hour24, minute24 in _CLOCK.findall(text):
        at = int(hour24 or hour12) % (24 if hour24 else 12) + (12 if half == "p" else 0)
        found |= _clock(at, int(minute24 or minute or 0))
    for part, said, half in _HAN_CLOCK.findall(text):
        hour = int(said) if said.isdigit() else _HOURS.get(said, 99)
        if hour <= 24:
            found |= _clock(hour % 24 + (12 if hour < _LATER.get(part, 0) else 0), 30 if half else 0)
    return found


def _clock(hour: int, minute: int) -> set[str]:
    part = "night" if hour < 5 else "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    return {f"{hour}:{minute:02}", f"@{part}"} | ({"@noon"} if hour in {12, 13} else set())
