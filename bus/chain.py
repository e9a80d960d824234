"""Telling an audience its events once, whoever tells them.

Law: the stream takes a message only after the one before it on its subject. Each carries the number of its last event in a header, so that
whoever comes next (this host after a lost acknowledgement, or another one) sees where the chain ends and goes on from there.

All that waits to be told goes into one message: the stream syncs a message at a time, so the slower it is, the more each carries.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from bus.connection import PAUSE, Connection, Nobody
from bus.errors import BadMessage, NoAnswer, StreamRefused
from bus.jetstream import EXPECTED_LAST, PLACE, WRONG_LAST

NUMBER = "Pb-N"
"""The header with the number that a message's last event has within its audience."""
SILENCE = 5.0
"""Seconds without an acknowledgement after which it is looked whether the stream is there."""
_FRAME = 5
"""Bytes that MessagePack adds to an event, or to a list of them, at most."""

_together = msgspec.msgpack.Encoder()
_apart = msgspec.msgpack.Decoder(list[bytes])


def events_of(data: bytes) -> list[bytes]:
    """The events that a message carries. Raises ``BadMessage``."""
    try:
        return _apart.decode(data)
    except msgspec.DecodeError as error:
        raise BadMessage(f"events: {error}") from error


class Chain:
    """The events of one audience of one board. ``make`` makes their stream where it is not there: it may have been deleted."""

    def __init__(self, connection: Connection, stream: str, subject: str, make: Callable[[], Awaitable[None]]) -> None:
        self._connection = connection
        self._stream = stream
        self._subject = subject
        self._make = make
        self._turn = asyncio.Lock()
        self._end: tuple[int, int] | None = None
        """The last event's place in the stream, and its number; ``None``: look."""

    async def tell(self, first: int, events: Sequence[bytes]) -> None:
        """Add the events from number ``first`` on, but for those that were told already."""
        async with self._turn:
            while True:
                place, last = self._end = self._end or await self._look()
                told = max(last + 1 - first, 0)
                if told >= len(events):
                    return
                upto = self._fitting(events, told)
                n, data = first + upto - 1, _together.encode(events[told:upto])
                self._connection.check_size(data)
                try:
                    headers = {EXPECTED_LAST: str(place), NUMBER: str(n)}
                    ack = await self._connection.jetstream(self._subject, data, headers, patience=SILENCE, insist=False)
                except (Nobody, NoAnswer):  # whoever listens to the subject keeps the server from saying that no stream does
                    await self._await_stream()
                except StreamRefused as error:
                    if error.code not in WRONG_LAST:
                        raise
                    self._end = None  # an acknowledgement was lost, or another host tells it too
                    await asyncio.sleep(PAUSE)  # and the replica that answered may be a little behind
                else:
                    self._end = int(ack["seq"]), n

    def _fitting(self, events: Sequence[bytes], start: int) -> int:
        """Up to which of the events from ``start`` on go into one message: as many as it carries, and one at least."""
        room = self._connection.limit - _FRAME
        for upto in range(start, len(events)):
            room -= len(events[upto]) + _FRAME
            if room < 0:
                return max(upto, start + 1)
        return len(events)

    def look_again(self) -> None:
        """The stream was purged."""
        self._end = None

    async def told(self) -> int:
        """The number of the last event that the stream has."""
        async with self._turn:
            self._end = await self._look()
            return self._end[1]

    async def _look(self) -> tuple[int, int]:
        while True:
            try:
                last = await self._connection.last(self._stream, self._subject, insist=False)
            except Nobody:
                await self._await_stream()
            else:
                headers = (last.headers if last else None) or {}
                return int(headers.get(PLACE, 0)), int(headers.get(NUMBER, 0))

    async def _await_stream(self) -> None:
        """The stream does not answer: it is between two servers, or it was deleted, and is made anew. Raises ``NoAnswer``, ``BusError``."""
        self._end = None
        await self._make()
        await asyncio.sleep(PAUSE)
