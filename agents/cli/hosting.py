"""Hosting boards: the server, the connection and the boards' services, opened together and closed in turn."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from blackboard.opening import serving
from bus.nats import NatsBus
from bus.server import running_server


@asynccontextmanager
async def hosting(boards: Sequence[str], data: Path, *, nats: str | None = None, port: int = -1) -> AsyncIterator[str]:
    """Serve ``boards``, kept in ``data``, on the server at ``nats``, or on one of our own that listens on loopback; give its address."""
    async with AsyncExitStack() as stack:
        url = nats or (await stack.enter_async_context(running_server(data / "nats", port=port))).url
        bus = await NatsBus.connect(url)
        stack.push_async_callback(bus.aclose)
        for board in boards:
            await stack.enter_async_context(serving(bus, board, data))
        yield url
