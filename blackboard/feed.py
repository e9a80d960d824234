"""What an agent hears: signals and changes of the shared board and of its own, live, and what it missed.

Laws:

- Every event that concerns the agent is given out once, in the order of its audience. Events are numbered without a gap, so what was
  dropped on the way, or while nobody listened, shows, and is asked for.
- A feed hears from the moment it is made. One made with ``since`` begins where another stopped.
- A feed that nobody reads holds a bounded number of events and slows nobody: what does not fit is asked for later.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from math import inf
from typing import Generic, Self, TypeVar

from blackboard.errors import BadValue
from blackboard.line import Line
from bus import names, telemetry
from bus.messages import Events, decode_events
from bus.telemetry import Gauge, Measure, Place

HELD = 256
"""Entries of the log whose events wait for the reader."""
SILENCE = 10.0
"""Seconds without an event after which the board is asked: the last one before a broken connection leaves no gap to see."""

T = TypeVar("T")

_logger = logging.getLogger(__name__)


class _End:
    """Behind the last event; ``error`` is why, unless the feed was closed."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error


class Feed(Generic[T]):
    """An iterator without an end over what happens: ``async for each in feed``. Close it, or use it as a context, to stop hearing.

    As a context it is entered once it hears. ``pick`` chooses from events what is given out; ``since`` is another feed's ``position``.
    """

    def __init__(self, line: Line, pick: Callable[[Events], Iterable[T]], known: Mapping[str, int], since: str | None = None) -> None:
        self._line = line
        self._pick = pick
        self._resuming = since is not None
        self._done = dict(known) if since is None else _parsed(since, line)
        """Audience → up to which number everything was given out."""
        self._heard = dict(self._done)
        self._queued = dict.fromkeys(line.audiences, 0)
        self._queue: asyncio.Queue[tuple[str, int, list[T], str] | _End] = asyncio.Queue(HELD)
        self._at_hand: deque[T] = deque()
        self._place = ("", 0)
        self.trace = ""
        """What the entry came of whose events are being given out, if its host told: a *traceparent*."""
        self._given = dict(self._done)
        """As ``_done`` was when the last of an entry's events was given out."""
        self._moved = asyncio.Event()
        self._ended = False
        self.loop = asyncio.get_running_loop()
        telemetry.measured[id(self)] = self
        self._standing = {audience: asyncio.Event() for audience in line.audiences}
        self._tasks = [asyncio.create_task(self._hear(audience), name=f"{line.agent} hears {audience}") for audience in line.audiences]

    # ---- reading ------------------------------------------------------------------------------------------------------------------------

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        try:
            each = await self.take()
        except StopAsyncIteration:
            telemetry.over(self)
            raise
        if telemetry.active is not None:
            telemetry.active.received(self, self._line.place, self.trace, type(each).__name__)
        return each

    async def take(self) -> T:
        """The next event, for whoever says what becomes of it (``telemetry``). Raises what ``anext`` does."""
        while not self._at_hand:
            match await self._queue.get():
                case _End() as end:
                    self._queue.put_nowait(end)
                    if end.error is not None:
                        raise end.error
                    raise StopAsyncIteration
                case (audience, n, picked, trace):
                    self._at_hand.extend(picked)
                    self._place, self.trace = (audience, n), trace
        each = self._at_hand.popleft()
        if not self._at_hand:
            audience, n = self._place
            self._queued[audience] -= 1
            self._move(audience, n if self._queued[audience] else self._heard[audience])
            self._given = dict(self._done)
        return each

    @property
    def position(self) -> str:
        """Where this feed stands: all before it was given out. ``since=position`` goes on from there, also in another process.

        It stays while what one entry did is being given out: who drops, of what was given, all that came after it last moved, and goes on
        from there, has everything once.
        """
        stands = self._given if self._at_hand else self._done
        return " ".join(f"{audience.partition('.')[0]}={stands[audience]}" for audience in self._line.audiences)

    @property
    def entry(self) -> tuple[str, int]:
        """The audience, and the number in it, of the entry whose events are being given out: of the last one that was."""
        return self._place

    @property
    def place(self) -> Place:
        """Where it gives events out."""
        return self._line.place

    def measures(self, gauge: Gauge) -> Iterable[Measure]:
        """How many entries it has heard of whose events were not given out yet."""
        if gauge == "feed.lag" and not self._ended:
            yield Measure(sum(self._heard[audience] - self._done[audience] for audience in self._line.audiences), self._line.place)

    async def reach(self, newest: Mapping[str, int]) -> None:
        """Wait until everything up to these numbers (of ``Board.newest``) was given out, or the feed is at its end."""
        while not self._ended and any(self._done[audience] < n for audience, n in newest.items()):
            await self._moved.wait()

    # ---- its life -----------------------------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        for standing in self._standing.values():
            await standing.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop hearing. Whoever waits for the next event is at the end."""
        telemetry.over(self)
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        self._ended = True
        self._stir()
        self._at_hand.clear()
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(_End(None))

    # ---- hearing ------------------------------------------------------------------------------------------------------------------------

    async def _hear(self, audience: str) -> None:
        try:
            async with self._line.listen(audience) as live:
                if not self._resuming:
                    await self._begin(audience, live)
                self._standing[audience].set()
                if self._resuming:  # not before: what was missed may be more than is held until somebody reads
                    await self._catch_up(audience)
                while True:
                    try:
                        async with asyncio.timeout(SILENCE):
                            events = decode_events(await anext(live))
                    except TimeoutError:
                        await self._catch_up(audience)
                    else:
                        await self._live(audience, events)
        except Exception as error:  # noqa: BLE001 - it is the reader's to handle
            self._ended = True
            self._stir()
            self._standing[audience].set()
            await self._queue.put(_End(error))

    async def _begin(self, audience: str, live: AsyncIterator[bytes]) -> None:
        """Begin with the first event that came since this feed listens, or behind the newest one."""
        begin = await self._line.newest(audience, patience=inf)
        # The board answers that once it has told everything up to there: what of it was told since we listen is here by now.
        first: Events | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                first = decode_events(await anext(live))
                begin = min(begin, first.n - 1)
        self._heard[audience] = begin
        self._move(audience, begin)
        if first is not None:
            await self._live(audience, first)

    async def _live(self, audience: str, events: Events) -> None:
        heard = self._heard[audience]
        if events.n > heard + 1:
            await self._catch_up(audience)
        elif events.n == heard + 1:
            await self._take(audience, events)

    async def _catch_up(self, audience: str) -> None:
        """Take what the board has told since the last number heard."""
        while True:
            heard = self._heard[audience]
            recalled = await self._line.missed(audience, heard)
            if recalled.last < heard:
                raise BadValue(
                    f"position {heard} of {audience} is ahead of the board, which is at {recalled.last}: "
                    "give a position of this board's own, or begin without one"
                )
            if not recalled.complete:
                _logger.warning("%s was away too long: events of %s after %d are gone", self._line.agent, audience, heard)
                if not recalled.events:
                    self._heard[audience] = recalled.last
                    self._move(audience, recalled.last)
            for events in recalled.events:
                await self._take(audience, events)
            if self._heard[audience] >= recalled.last:
                return

    async def _take(self, audience: str, events: Events) -> None:
        self._line.heard(events)
        picked = list(self._pick(events))
        if picked:
            self._queued[audience] += 1
            await self._queue.put((audience, events.n, picked, events.trace))
        self._heard[audience] = events.n
        if not self._queued[audience]:
            self._move(audience, events.n)

    def _move(self, audience: str, n: int) -> None:
        self._done[audience] = n
        self._stir()

    def _stir(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()


def _parsed(position: str, line: Line) -> dict[str, int]:
    """``shared=12 private=3`` → audience → number. Raises ``BadValue``."""
    try:
        numbers = dict(part.split("=") for part in position.split(" "))
        return {audience: int(numbers[audience.partition(".")[0]]) for audience in line.audiences}
    except (KeyError, ValueError):
        raise BadValue(f"position {position!r}: give what a feed's .position was, as in '{names.SHARED}=12 private=3'") from None
