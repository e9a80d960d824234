"""A transport that is not there yet, for an agent that goes on meanwhile.

Law: what is published or listened for waits until it is there; what is asked is told that it is not.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bus.errors import NoAnswer, Unreachable
from bus.port import Channel

AGAIN = 0.5
"""Seconds between two tries; connecting has been patient before."""


class LaterBus:
    """Connects by ``connect`` until that succeeds, or raises anything but ``Unreachable``: then every call raises that."""

    system = "nats"

    def __init__(self, connect: Callable[[], Awaitable[Channel]], error: Unreachable) -> None:
        """``error`` is what the last try raised."""
        self._connect = connect
        self._error = error
        self._closed = False
        self._bus = asyncio.create_task(self._connected(), name="connecting")

    async def _connected(self) -> Channel:
        while True:
            await asyncio.sleep(AGAIN)
            try:
                return await self._connect()
            except Unreachable as error:
                if self._closed:  # connecting ran out of time in the moment of its cancellation, and lost that
                    raise
                self._error = error

    async def _there(self) -> Channel:
        try:
            return await asyncio.shield(self._bus)
        except asyncio.CancelledError:
            if self._bus.cancelled():
                raise Unreachable("the bus was closed before it was connected; open the board again") from None
            raise

    async def publish(self, board: str, agent: str, data: bytes, *, trace: str = "") -> int:
        """Append to the board's log, once it is there."""
        return await (await self._there()).publish(board, agent, data, trace=trace)

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - as the port has it
        """Send a query, if it is there."""
        if not self._bus.done():
            raise NoAnswer(f"{self._error}; it is tried again") from self._error
        return await (await self._there()).ask(board, agent, data, timeout=timeout)

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear an audience's events, once it is there."""
        async with (await self._there()).listen(board, audience) as heard:
            yield heard

    async def aclose(self) -> None:
        """Close it, or give it up."""
        self._closed = True
        if not self._bus.done():
            self._bus.cancel()
            await asyncio.wait({self._bus})
        if not self._bus.cancelled() and self._bus.exception() is None:
            await self._bus.result().aclose()
