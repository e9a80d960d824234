"""What is open in this process shows its gauges, to whoever measures.

Laws:

- Each is read on its own event loop, from whatever thread.
- What lives on one loop is read together: so one that is blocked is waited for once, however much lives on it.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError

from blackboard.background import submit
from bus import telemetry
from bus.telemetry import Gauge, Measure, Measured

WITHIN = 1.0
"""Seconds that an event loop is waited for."""


def measures(gauge: Gauge) -> Iterator[Measure]:
    """What all that is open shows; without what lives on a loop that does not come to it."""
    found: dict[asyncio.AbstractEventLoop, list[Measured]] = defaultdict(list)
    for reference in telemetry.measured.valuerefs():
        if (each := reference()) is not None:
            found[each.loop].append(each)
    for loop, those in found.items():
        yield from _read(loop, those, gauge)


def _read(loop: asyncio.AbstractEventLoop, those: Iterable[Measured], gauge: Gauge) -> list[Measure]:
    if loop is _running():
        return _shown(those, gauge)
    if not loop.is_running():
        return []
    try:
        return submit(loop, _read_there(those, gauge)).result(WITHIN)
    except (RuntimeError, TimeoutError, CancelledError):  # it was closed just now, is blocked, or ends
        return []


async def _read_there(those: Iterable[Measured], gauge: Gauge) -> list[Measure]:
    return _shown(those, gauge)


def _shown(those: Iterable[Measured], gauge: Gauge) -> list[Measure]:
    return [measure for each in those for measure in each.measures(gauge)]


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
