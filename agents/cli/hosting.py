"""Hosting boards: the server, the connection and the boards' services, opened together and closed in turn."""

import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from agents.cli.places import server_at
from agents.cli.upkeep import Upkeep
from agents.errors import CommandError
from blackboard.opening import serving
from blackboard.retention import Retention
from blackboard.service import Service
from bus import names
from bus.accounts import OPERATOR, configuration
from bus.credentials import find
from bus.errors import BusError, NotPermitted
from bus.identities import Identities
from bus.listening import LOOPBACK, Listening
from bus.nats import NatsBus
from bus.server import Server, running_server

LOOK_AGAIN = 0.2
"""Seconds between two looks at whether an agent was added, or another change was made."""
TRY_AGAIN = 1.0
"""Seconds until the server is told again what it did not take: it may have stood still, and whoever was removed speaks until it does."""

_logger = logging.getLogger(__name__)


@asynccontextmanager
async def hosting(
    boards: Iterable[str],
    data: Path,
    *,
    nats: str | None = None,
    credentials: Path | None = None,
    port: int = -1,
    listening: Listening = LOOPBACK,
    retention: Retention | None = None,
    settings: Mapping[str, Any] | None = None,
    alone: bool = False,
    told: Callable[..., None] = lambda **_: None,
) -> AsyncIterator[str]:
    """Serve ``boards``, kept in ``data``, on the server at ``nats``, or on one of our own; give its address.

    The host shows its key in ``data``, or that among ``credentials``. ``retention`` says how much of their past is kept; ``settings`` are
    what new boards are made with, and one that has others is refused. A board that stops by itself is put up again, and a server of ours
    started; once there is no board left for which that helps, the context ends, with the first reason. ``alone``: this process is there for
    them only. ``told`` is called with what changes of ``Serving``: which boards do not stand (``stopped``), and the state of the folder's
    identities that a server of ours has taken over (``identities``).
    """
    boards, identities = tuple(boards), Identities(data)
    async with AsyncExitStack() as stack:
        watched: list[Callable[[], Coroutine[Any, Any, None]]] = []
        await identities.prepare()
        if nats:
            url = server_at(nats)
        else:
            if not listening.loopback and not identities.registry().closed:
                raise CommandError(
                    f"{listening.address} can be reached from elsewhere, by anyone and as any agent: add the agents first "
                    f"(pheroboard agent add NAME --data {data})"
                )
            listening.check()
            identities.trust(listening.tls.certificate if listening.tls else None)
            stamp = identities.stamp()  # before the rest is read: what is written meanwhile is another state, and found later
            accounts = configuration(identities.registry(), identities.host, boards)
            server = await stack.enter_async_context(running_server(data / "nats", port=port, listening=listening, accounts=accounts))
            url = server.url
            told(identities=stamp)
            watched.append(partial(_follow, identities, boards, server, stamp, told))
        try:
            bus = await NatsBus.connect(url, credentials=find(credentials or identities.keys, names.HOST))
        except NotPermitted as error:
            raise CommandError(
                f"{error}. A host needs the key of the folder whose accounts the server has: "
                f"copy its keys/{names.HOST}.nk (and keys/{OPERATOR}.nk, for other commands) into {identities.keys}"
            ) from error
        stack.push_async_callback(bus.aclose)

        def one(board: str) -> AbstractAsyncContextManager[Service]:
            return serving(bus, board, data, retention=retention, alone=alone, **(settings or {}))

        upkeep = await stack.enter_async_context(Upkeep(boards, one, lambda stopped: told(stopped=stopped)))
        watched.append(upkeep.ended)
        async with anyio.create_task_group() as tasks:
            for end in watched:
                tasks.start_soon(end)
            yield url
            tasks.cancel_scope.cancel()


async def _follow(identities: Identities, boards: tuple[str, ...], server: Server, stamp: str, told: Callable[..., None]) -> None:
    """Tell the server of every change of who is known. What it does not take leaves it as it was; what is lost does not open it."""
    closed, complaint = identities.registry().closed, ""
    while True:
        await anyio.sleep(TRY_AGAIN if complaint else LOOK_AGAIN)
        try:
            if stamp == (found := identities.stamp()):
                complaint = ""
                continue
            registry = identities.registry()
            closed = closed or registry.closed
            await server.reload(configuration(registry, identities.host, boards, closed=closed))
        except BusError as error:
            if complaint != (complaint := str(error)):
                _logger.error("the agents' new state is not in force; trying again: %s", error)  # noqa: TRY400 - its sentence says all
        else:
            stamp, complaint = found, ""
            told(identities=stamp)
