"""A listener's bounded queue: when it is full the oldest goes, so that a slow listener slows nobody else."""

import asyncio
from collections import deque

from bus.errors import BusError, Unreachable

SIZE = 1024
"""How many messages wait for a listener before the oldest is dropped."""


class Mailbox:
    """Bytes in order, put from callbacks and taken by one ``async for``. What was dropped shows as a gap in the events' numbers."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque(maxlen=SIZE)
        self._news = asyncio.Event()
        self._closed: BusError | None = None

    def put(self, data: bytes) -> None:
        """Never blocks and never fails."""
        self._waiting.append(data)
        self._news.set()

    def close(self, why: BusError | None = None) -> None:
        """Let the listener take what is there; then it gets ``why``, or ``Unreachable``, since silence would look like calm."""
        self._closed = why or Unreachable("the bus was closed while a listener was waiting; open the board again to hear more")
        self._news.set()

    def __aiter__(self) -> "Mailbox":
        return self

    async def __anext__(self) -> bytes:
        while not self._waiting:
            if self._closed is not None:
                raise self._closed
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()
