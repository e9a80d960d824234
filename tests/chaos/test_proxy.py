"""A proxy that does to connections what networks do."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from tests.chaos.proxy import Proxy

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[Proxy], Awaitable[Streams]]


@pytest.fixture
async def echo() -> AsyncIterator[int]:
    """The port of a server that says what it is told."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while line := await reader.readline():
                writer.write(line)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Connects; the connections end with the test."""
    opened: list[Streams] = []

    async def connected(proxy: Proxy) -> Streams:
        opened.append(await asyncio.open_connection("127.0.0.1", proxy.port))
        return opened[-1]

    yield connected
    for _, writer in opened:
        writer.transport.abort()


async def said(streams: Streams, line: bytes) -> bytes:
    """What comes back for a line; nothing, once the connection is cut."""
    reader, writer = streams
    writer.write(line)
    try:
        async with asyncio.timeout(5):
            return await reader.readline()
    except ConnectionError:
        return b""


async def test_carries(echo: int, connect: Connect) -> None:
    """What one side sends the other gets, on many connections at once."""
    async with Proxy(echo) as proxy:
        one, other = await connect(proxy), await connect(proxy)
        assert await said(one, b"one\n") == b"one\n"
        assert await said(other, b"other\n") == b"other\n"
        assert await said(one, b"again\n") == b"again\n"


async def test_cut(echo: int, connect: Connect) -> None:
    """A cut ends what is there, and the next connection is carried."""
    async with Proxy(echo) as proxy:
        streams = await connect(proxy)
        assert await said(streams, b"x\n") == b"x\n"
        proxy.cut()
        assert await said(streams, b"y\n") == b""
        assert await said(await connect(proxy), b"z\n") == b"z\n"


async def test_hole(echo: int, connect: Connect) -> None:
    """While it is a hole nothing comes through, and nothing is lost: it comes late."""
    async with Proxy(echo) as proxy:
        streams = await connect(proxy)
        assert await said(streams, b"x\n") == b"x\n"
        hole = asyncio.create_task(proxy.hole(0.3))
        await asyncio.sleep(0)
        coming = asyncio.create_task(said(streams, b"y\n"))
        await hole
        assert not coming.done()
        assert await coming == b"y\n"


async def test_deaf(echo: int, connect: Connect) -> None:
    """What is sent to a peer that is gone without a word is lost, and in the end the connection."""
    async with Proxy(echo) as proxy:
        streams = await connect(proxy)
        assert await said(streams, b"x\n") == b"x\n"
        deaf = asyncio.create_task(proxy.deaf(0.3))
        await asyncio.sleep(0)
        assert await said(streams, b"y\n") == b""
        await deaf


async def test_mute(echo: int, connect: Connect) -> None:
    """What is answered meanwhile is lost, and in the end the connection."""
    async with Proxy(echo) as proxy:
        streams = await connect(proxy)
        assert await said(streams, b"x\n") == b"x\n"
        mute = asyncio.create_task(proxy.mute(0.3))
        await asyncio.sleep(0)
        assert await said(streams, b"y\n") == b""
        await mute


async def test_slow(echo: int, connect: Connect) -> None:
    """What is slow comes later, each way."""
    async with Proxy(echo) as proxy:
        streams = await connect(proxy)
        slow = asyncio.create_task(proxy.slow(0.1, 0.5))
        await asyncio.sleep(0)
        began = asyncio.get_running_loop().time()
        assert await said(streams, b"x\n") == b"x\n"
        assert asyncio.get_running_loop().time() - began >= 0.2
        await slow


async def test_a_server_that_is_away(echo: int, connect: Connect) -> None:
    """Where there is no server the connection ends."""
    async with Proxy(1) as proxy:
        assert await said(await connect(proxy), b"x\n") == b""
