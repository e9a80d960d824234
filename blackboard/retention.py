"""How much of its past a board keeps, so that a busy one's files stay bounded. The host's own setting: no answer depends on it but those
about the past.

What a cut drops is the way to the present, never the present: ``explain`` opens with a balance, a replay begins at the cut, and who was
away longer than events are kept is told so.
"""

from msgspec import Struct

from blackboard.errors import BadValue

DAY = 86_400.0
"""Seconds."""


class Retention(Struct, frozen=True, kw_only=True):
    """When the journal is cut (at the first of three limits), and what is kept beyond a cut."""

    journal_entries: int = 5_000_000
    journal_bytes: int = 1 << 30
    """Of the posts in it."""
    journal_age: float = 30 * DAY
    """Seconds since its first entry."""
    events_age: float = 7 * DAY
    """Seconds that events outlive the cut behind them, for subscribers that are away; never longer than two further cuts."""

    def __post_init__(self) -> None:
        """Raises ``BadValue``, which names the setting."""
        for setting, least in (("journal_entries", 1), ("journal_bytes", 1), ("journal_age", 0), ("events_age", 0)):
            value = getattr(self, setting)
            if not value >= least:
                raise BadValue(f"retention: {setting} is {value!r}: give {least} or more")

    def exceeded(self, entries: int, size: int, since: float, now: float) -> bool:
        """Has a journal of so many entries and bytes, whose first entry came at ``since``, reached a limit?"""
        return entries > 0 and (entries >= self.journal_entries or size >= self.journal_bytes or now - since >= self.journal_age)
