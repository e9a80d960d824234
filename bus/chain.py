"""Telling an audience its events once, whoever tells them.

Law: the stream takes an event only after the one before it on its subject. Each carries its number in a header, so that whoever comes
next (this host after a lost acknowledgement, or another one) sees where the chain ends and goes on from there.
"""

import asyncio

from bus.connection import PAUSE, Connection
from bus.errors import StreamRefused
from bus.jetstream import EXPECTED_LAST, PLACE, WRONG_LAST

NUMBER = "Pb-N"
"""The header with an event's number within its audience."""


class Chain:
    """The events of one audience of one board."""

    def __init__(self, connection: Connection, stream: str, subject: str) -> None:
        self._connection = connection
        self._stream = stream
        self._subject = subject
        self._turn = asyncio.Lock()
        self._end: tuple[int, int] | None = None
        """The last event's place in the stream, and its number; ``None``: look."""

    async def tell(self, n: int, data: bytes) -> None:
        """Add the ``n``-th events, unless they were told already."""
        async with self._turn:
            while True:
                place, last = self._end = self._end or await self._look()
                if n <= last:
                    return
                try:
                    ack = await self._connection.jetstream(self._subject, data, {EXPECTED_LAST: str(place), NUMBER: str(n)})
                except StreamRefused as error:
                    if error.code != WRONG_LAST:
                        raise
                    self._end = None  # an acknowledgement was lost, or another host tells it too
                    await asyncio.sleep(PAUSE)  # and the replica that answered may be a little behind
                else:
                    self._end = int(ack["seq"]), n
                    return

    def look_again(self) -> None:
        """The stream was purged."""
        self._end = None

    async def _look(self) -> tuple[int, int]:
        last = await self._connection.last(self._stream, self._subject)
        headers = (last.headers if last else None) or {}
        return int(headers.get(PLACE, 0)), int(headers.get(NUMBER, 0))
