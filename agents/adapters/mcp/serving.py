"""A ``BoardServer`` on the process's own streams, or over HTTP.

Laws:

- Whoever serves ends by being cancelled, at once, whatever clients do; those that listen are told before.
- A browser that was led here by a name of somebody else's (DNS rebinding) is refused: by the SDK, whose default for loopback that is.
"""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import cast

import anyio
import uvicorn
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware

from agents.adapters.mcp.server import BoardServer
from agents.adapters.mcp.tokens import KeyTokens
from blackboard.errors import BadValue
from bus.errors import PortTaken

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""The hosts for which the SDK refuses requests that name another."""
END_WITHIN = 1
"""Seconds in which connections end by themselves, once the server is to end."""


async def serve_stdio(server: BoardServer) -> None:
    """Serve the one client at the other end of stdin and stdout, until it closes them."""
    lines = cast(anyio.AsyncFile[str], _lines(sys.stdin.fileno()))  # it is only iterated
    async with stdio_server(lines) as (incoming, outgoing), server.memory:
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _lines(file: int) -> AsyncIterator[str]:
    """Its lines, until its end. The SDK's own reader, which cannot be cancelled, would keep the process until its client wrote or left."""
    loop, read = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def reading() -> None:
        some = b" "
        while some:
            try:
                some = os.read(file, 65_536)
            except OSError:  # a terminal that is gone
                some = b""
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(read.put_nowait, some)

    threading.Thread(target=reading, name="stdin", daemon=True).start()
    begun = bytearray()
    while some := await read.get():
        *lines, rest = some.split(b"\n")
        for line in lines:
            yield (begun + line).decode(errors="replace")
            begun.clear()
        begun += rest
    if begun:
        yield begun.decode(errors="replace")


def web_app(server: BoardServer, tokens: KeyTokens | None = None, *, host: str = "127.0.0.1") -> Starlette:
    """The server as an ASGI application, at ``/mcp``. It needs its lifespan.

    ``tokens`` says whose a request is; without, everybody is the server's agent. Requests that name another host than a loopback one are
    refused, unless ``host``, as which it is reached, is another. Raises ``BadValue`` for a server without either.
    """
    if (server.agent is None) is (tokens is None):
        raise BadValue("who is served? Give the server an agent, or the application tokens that name one, not both")
    app = server.streamable_http_app(streamable_http_path=PATH, host=host, token_verifier=tokens)
    if tokens is not None:
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens))
    return app


async def serve_http(
    server: BoardServer, tokens: KeyTokens | None = None, *, host: str = "127.0.0.1", port: int = 0, told: Callable[[str], None]
) -> None:
    """Serve over HTTP on a loopback address until cancelled; port 0: a free one. ``told`` is called with the URL once it can be reached.

    Raises ``BadValue`` for another address: a token is not to cross a network that may be listened to. ``PortTaken``.
    """
    if host not in LOOPBACK:
        raise BadValue(
            f"{host} is not one of {', '.join(LOOPBACK)}, and nothing is encrypted: give one, and put a proxy with TLS before it"
        )
    if not 0 <= port <= 65535:
        raise BadValue(f"port {port}: give one from 1 to 65535, or 0 for a free one")
    app = web_app(server, tokens, host=host)
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise PortTaken(f"port {port} of {host} cannot be had ({error.strerror}): choose another, or 0 for a free one") from error
    with listening:
        # The sessions end before their connections: those would be waited for.
        async with _served(app, listening) as serving, server.memory, server.session_manager.run():
            told(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}{PATH}")
            try:
                await asyncio.shield(serving)
            finally:
                server.close()


@asynccontextmanager
async def _served(app: Starlette, listening: socket.socket) -> AsyncIterator[asyncio.Task[None]]:
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=END_WITHIN)
    web = _Web(config)
    serving = asyncio.create_task(web.serve([listening]))
    try:
        yield serving
    finally:
        web.should_exit = True
        await serving


class _Web(uvicorn.Server):
    """It leaves the process's signals alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
