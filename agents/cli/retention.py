"""How much of its boards' past a host keeps: the options that say it, and saying it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from agents.errors import CommandError
from blackboard.retention import DAY, Retention

AGES: Mapping[str, float] = {"s": 1, "min": 60, "h": 3_600, "d": DAY, "w": 7 * DAY}
SIZES: Mapping[str, float] = {"B": 1, "kB": 1e3, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z]+)")


@Parameter(name="*")
@dataclass(frozen=True)
class Keep:
    """The options that say how much of the past is kept; what is not given stays at its default."""

    journal: Annotated[str | None, Parameter(name="--keep-journal")] = None
    """Cut a board's journal when its first entry is so old (12h, 30d); 30d if not given. No cut changes what the board is."""
    journal_bytes: Annotated[str | None, Parameter(name="--keep-journal-bytes")] = None
    """Or when it is so large (500MiB, 2GB); 1GiB if not given."""
    journal_entries: Annotated[int | None, Parameter(name="--keep-journal-entries")] = None
    """Or when it has so many entries; 5000000 if not given."""
    events: Annotated[str | None, Parameter(name="--keep-events")] = None
    """How long events outlive a cut, for subscribers that are away; 7d if not given."""

    def retention(self) -> Retention:
        """What they say. Raises ``CommandError``, ``BadValue``."""
        size = _read("--keep-journal-bytes", self.journal_bytes, SIZES, "500MiB")
        given = {
            "journal_age": _read("--keep-journal", self.journal, AGES, "30d"),
            "journal_bytes": None if size is None else int(size),
            "journal_entries": self.journal_entries,
            "events_age": _read("--keep-events", self.events, AGES, "7d"),
        }
        return Retention(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]  # each of its field's


DEFAULTS = Keep()


def said(kept: Retention) -> str:
    """In words."""
    age, size = _written(kept.journal_age, AGES), _written(kept.journal_bytes, SIZES)
    events = _written(kept.events_age, AGES)
    return f"it keeps journals for {age}, {size} or {kept.journal_entries:,} entries, events for {events} more"


def _read(option: str, text: str | None, units: Mapping[str, float], example: str) -> float | None:
    if text is None:
        return None
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2] not in units:
        raise CommandError(f"{option} {text!r}: give a number and one of {', '.join(units)}, as in {example}")
    return float(found[1]) * units[found[2]]


def _written(amount: float, units: Mapping[str, float]) -> str:
    """In the largest unit of which it is a whole number, if there is one."""
    whole = [unit for unit, of in units.items() if amount >= of and amount % of == 0]
    unit = max(whole, key=units.__getitem__, default=next(iter(units)))
    return f"{amount / units[unit]:g} {unit}"
