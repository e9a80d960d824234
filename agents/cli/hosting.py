"""Hosting boards: the server, the connection and the boards' services, opened together and closed in turn."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from agents.cli.places import server_at
from blackboard.opening import serving
from blackboard.retention import Retention
from bus.nats import NatsBus
from bus.server import running_server


@asynccontextmanager
async def hosting(
    boards: Iterable[str],
    data: Path,
    *,
    nats: str | None = None,
    port: int = -1,
    retention: Retention | None = None,
    settings: Mapping[str, Any] | None = None,
    alone: bool = False,
) -> AsyncIterator[str]:
    """Serve ``boards``, kept in ``data``, on the server at ``nats``, or on one of our own that listens on loopback; give its address.

    ``retention`` says how much of their past is kept; ``settings`` are what new boards are made with, and one that has others is refused. A
    board that stops by itself ends the context, with its reason; a server of ours that does is started again. ``alone``: this process is
    there for them only.
    """
    async with AsyncExitStack() as stack:
        watched: list[Callable[[], Coroutine[Any, Any, None]]] = []
        if nats:
            url = server_at(nats)
        else:
            server = await stack.enter_async_context(running_server(data / "nats", port=port))
            url = server.url
        bus = await NatsBus.connect(url)
        stack.push_async_callback(bus.aclose)
        for board in boards:
            service = await stack.enter_async_context(serving(bus, board, data, retention=retention, alone=alone, **(settings or {})))
            watched.append(service.wait)
        async with anyio.create_task_group() as tasks:
            for end in watched:
                tasks.start_soon(end)
            yield url
            tasks.cancel_scope.cancel()
