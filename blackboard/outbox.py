"""What is durable and not told yet, on its way to the bus.

Laws: each audience is told in order, and all audiences at once. What fails for a while is told again; what cannot be told at all holds up
nothing: those who listen see the gap, and ask for it.
"""

import logging
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from types import MappingProxyType

import anyio

from blackboard.progress import Progress
from blackboard.store import Outgoing
from blackboard.trying import persistently
from bus.errors import BusError
from bus.messages import traced
from bus.port import Bus

MAX_UNTOLD = 10_000
"""Events that wait to be told before the board takes in no more."""
TOLD_AT_ONCE = 256

_logger = logging.getLogger(__name__)


class Outbox:
    """The events of the board ``name`` that are to be told on ``bus``."""

    def __init__(self, name: str, bus: Bus, progress: Progress) -> None:
        self._name = name
        self._bus = bus
        self._progress = progress
        self._waiting: deque[Outgoing] = deque()
        self._traces: dict[int, str] = {}
        """Entry → what it came of, of those that wait and were applied here: what is told by another host goes without."""
        self._told: dict[str, int] = {}

    def add(self, events: Iterable[Outgoing], traces: Mapping[int, str] = MappingProxyType({})) -> None:
        """These are durable. ``traces``: entry → what it came of."""
        for event in events:
            self._progress.told.setdefault(event.audience, event.n - 1)
            self._waiting.append(event)
            if trace := traces.get(event.seq):
                self._traces[event.seq] = trace

    def has_room(self) -> bool:
        """May the board take in more?"""
        return len(self._waiting) < MAX_UNTOLD

    def told(self, seq: int) -> bool:
        """Is all told that came of the entries up to ``seq``?"""
        return not self._waiting or self._waiting[0].seq > seq

    def take_told(self) -> dict[str, int]:
        """Audience → up to which number it was told, of those that were told since the last call."""
        told, self._told = self._told, {}
        return told

    async def run(self) -> None:
        """Tell what comes, for ever."""
        while True:
            await self._progress.until(lambda: bool(self._waiting))
            letters: dict[str, list[Outgoing]] = {}
            count = min(TOLD_AT_ONCE, len(self._waiting))
            for event in islice(self._waiting, count):
                letters.setdefault(event.audience, []).append(event)
            (audience, events), *others = letters.items()
            if others:
                async with anyio.create_task_group() as tasks:
                    for each in letters.items():
                        tasks.start_soon(self._tell, *each)
            else:
                await self._tell(audience, events)
            for _ in range(count):
                event = self._waiting.popleft()
                if self._traces and not (self._waiting and self._waiting[0].seq == event.seq):
                    self._traces.pop(event.seq, None)
            told = {audience: events[-1].n for audience, events in letters.items()}
            self._told.update(told)
            self._progress.told.update(told)
            self._progress.wake()

    def _letter(self, event: Outgoing) -> bytes:
        trace = self._traces.get(event.seq)
        return traced(event.data, trace) if trace else event.data

    async def _tell(self, audience: str, events: Sequence[Outgoing]) -> None:
        """Tell an audience these, which follow each other."""
        first = events[0].n
        try:
            letters = map(self._letter, events) if self._traces else (event.data for event in events)
            await persistently(partial(self._bus.emit, self._name, audience, first, *letters))
        except BusError:
            if len(events) == 1:  # too large, or not permitted
                _logger.exception("board %s: events %d of %s cannot be told", self._name, first, audience)
            else:
                for event in events:
                    await self._tell(audience, [event])
