"""How much of its past a board keeps."""

import math

import pytest

from blackboard.errors import BadValue
from blackboard.retention import DAY, Retention


@pytest.mark.parametrize(
    ("entries", "size", "since", "full"),
    [(0, 0, 0.0, False), (1, 1, 29 * DAY, False), (5_000_000, 1, 29 * DAY, True), (1, 1 << 30, 29 * DAY, True), (1, 1, 0.0, True)],
)
def test_the_first_limit_counts(entries: int, size: int, since: float, full: bool) -> None:
    """Entries, bytes or age, whichever comes first; an empty journal is never full."""
    assert Retention().exceeded(entries, size, since, now=31 * DAY) is full


@pytest.mark.parametrize("setting", ["journal_entries", "journal_bytes", "journal_age", "events_age"])
@pytest.mark.parametrize("value", [-1, math.nan])
def test_what_cannot_be_kept(setting: str, value: float) -> None:
    """The setting is named, with its value."""
    with pytest.raises(BadValue, match=f"{setting} is {value}: give"):
        Retention(**{setting: value})  # type: ignore[arg-type]  # as a caller may
