"""How much of its past a board keeps."""

import pytest

from blackboard.retention import DAY, Retention


@pytest.mark.parametrize(
    ("entries", "size", "since", "full"),
    [(0, 0, 0.0, False), (1, 1, 29 * DAY, False), (5_000_000, 1, 29 * DAY, True), (1, 1 << 30, 29 * DAY, True), (1, 1, 0.0, True)],
)
def test_the_first_limit_counts(entries: int, size: int, since: float, full: bool) -> None:
    """Entries, bytes or age, whichever comes first; an empty journal is never full."""
    assert Retention().exceeded(entries, size, since, now=31 * DAY) is full
