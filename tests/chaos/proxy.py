"""A TCP proxy that does to connections what networks do.

Laws:

- What it carries stays whole and in order, or the connection ends: it never drops bytes and goes on.
- ``hole`` is a cable that was pulled: both sides wait, and what was under way comes late. ``deaf`` is a peer that is gone without a word:
  what is sent to it is lost, and the connection with it. ``mute`` is one that hears all, and whose answers are lost.
"""

import asyncio
from contextlib import suppress
from typing import Self

CHUNK = 65536


class Proxy:
    """Carries connections from a port of its own on loopback to ``target``, a port there. Open while its context is."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._server: asyncio.Server
        self._lag = 0.0
        self._deaf = self._mute = False
        self._open = asyncio.Event()
        self._open.set()
        self._carried: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        if self._carried:
            await asyncio.wait(list(self._carried))

    def cut(self) -> None:
        """End all connections at once; new ones are carried."""
        for task in self._carried:
            task.cancel()

    async def slow(self, lag: float, seconds: float) -> None:
        """Let everything take ``lag`` seconds longer for a while."""
        self._lag = lag
        await asyncio.sleep(seconds)
        self._lag = 0.0

    async def hole(self, seconds: float) -> None:
        """Carry nothing for a while, in either direction; new connections open, and are as silent."""
        self._open.clear()
        await asyncio.sleep(seconds)
        self._open.set()

    async def deaf(self, seconds: float) -> None:
        """Lose what clients send for a while, and in the end their connections."""
        self._deaf = True
        await asyncio.sleep(seconds)
        self._deaf = False
        self.cut()

    async def mute(self, seconds: float) -> None:
        """Lose what the server sends for a while, and in the end the connections."""
        self._mute = True
        await asyncio.sleep(seconds)
        self._mute = False
        self.cut()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carried[task] = writer
        there: asyncio.StreamWriter | None = None
        try:
            await self._open.wait()
            back, there = await asyncio.open_connection("127.0.0.1", self._target)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._carry(reader, there, up=True))
                tasks.create_task(self._carry(back, writer, up=False))
        except (asyncio.CancelledError, OSError, ExceptionGroup):
            pass  # both sides see the end of it
        finally:
            del self._carried[task]
            for end in (writer, there):
                if end is not None:
                    end.transport.abort()  # as the kernel of a machine that was cut off does at last

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool) -> None:
        while data := await reader.read(CHUNK):
            if self._lag:
                await asyncio.sleep(self._lag)
            await self._open.wait()
            if self._deaf if up else self._mute:
                continue
            writer.write(data)
            await writer.drain()
        with suppress(OSError):
            writer.write_eof()
        raise ConnectionResetError  # one side has ended it: so does the other
