"""Which resources have changed, as one agent is told.

Laws:

- An agent is told of what it sees: its own feed is listened to, which has what is shared and what is its own.
- The board is listened to while a client listens.
- Changes that come close together are told once. That somebody used an item is none: it would tell of every prompt.
- What may have been missed, while the board was away, is told as a change once it is back.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated, ServerEvent
from mcp_types import SubscriptionsListenRequestParams, SubscriptionsListenResult

from agents.adapters.reaching import AGAIN
from agents.adapters.service import MemoryService
from blackboard.background import await_on
from blackboard.client import Board
from blackboard.feed import Feed
from blackboard.kinds import CONSTRAINT
from bus.messages import Change

VIEW = "board://view"
CONSTRAINTS = "board://constraints"
SETTLE = 0.1
"""Seconds in which changes are told together."""


class News:
    """What ``agent`` is told. It belongs to the event loop of the server."""

    def __init__(self, memory: MemoryService, agent: str) -> None:
        self.bus = InMemorySubscriptionBus()
        self._memory, self._agent = memory, agent
        self._streams = ListenHandler(self.bus)
        self._sessions: dict[object, _Session] = {}
        self._following = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._stands = asyncio.Event()
        self._due: set[str] = set()
        self._news = asyncio.Event()

    @asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """While it is open, what changes is told on ``bus``; all of it from when it is entered, unless the board is away then."""
        self._following += 1
        try:
            if not self._tasks:
                self._tasks = [
                    asyncio.create_task(self._follow(), name=f"MCP hears for {self._agent}"),
                    asyncio.create_task(self._tell(), name=f"MCP tells {self._agent}"),
                ]
            await self._stands.wait()
            yield
        finally:
            self._following -= 1
            if not self._following:
                for task in self._tasks:
                    task.cancel()
                self._tasks = []
                self._stands.clear()

    # ---- who listens --------------------------------------------------------------------------------------------------------------------

    async def listen(self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Tell a client of 2026-07-28 or later, whose request stays open."""
        async with self.followed():
            return await self._streams(ctx, params)

    def close(self) -> None:
        """Answer those requests."""
        self._streams.close()

    async def tell(self, session: ServerSession, uri: str) -> None:
        """Tell an older client, on its session, of a resource's changes, until it says otherwise or has gone."""
        connection = session._connection  # noqa: SLF001 - its documented place for cleaning up; handlers are not given it otherwise
        if connection not in self._sessions:
            told = self._sessions[connection] = _Session(self, session)
            connection.exit_stack.callback(self._sessions.pop, connection)
            connection.exit_stack.push_async_callback(told.aclose)
        await self._sessions[connection].follows.wait()
        self._sessions[connection].wanted.add(uri)

    def tell_no_more(self, session: ServerSession, uri: str) -> None:
        """It says otherwise."""
        if told := self._sessions.get(session._connection):  # noqa: SLF001 - as above
            told.wanted.discard(uri)

    # ---- what there is to tell ----------------------------------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Listen to the board, and again after it was away."""
        away = False
        while True:
            heard = await self._memory.reach(self._agent, _hear, None)
            self._stands.set()
            if heard is None:
                away = True
                await asyncio.sleep(AGAIN)
                continue
            feed, loop = heard
            if away:
                self._note(VIEW, CONSTRAINTS)
            try:
                while True:
                    change = await await_on(loop, anext(feed))
                    if change.cause != "use" and not change.ends:  # an edge moves nothing that is shown
                        self._note(VIEW, *([CONSTRAINTS] if change.kind == CONSTRAINT else []))
            except Exception:  # noqa: BLE001 - the memory service tells what is wrong with the board, and looks for it
                away = True
            finally:
                if loop.is_running():
                    await await_on(loop, feed.aclose())

    def _note(self, *uris: str) -> None:
        self._due.update(uris)
        self._news.set()

    async def _tell(self) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(SETTLE)
            self._news.clear()
            due, self._due = self._due, set()
            for uri in sorted(due):
                await self.bus.publish(ResourceUpdated(uri=uri))


async def _hear(board: Board) -> tuple[Feed[Change], asyncio.AbstractEventLoop]:
    """A feed that hears, and the loop that it lives on."""
    feed = board.changes()
    try:
        await feed.__aenter__()
    except BaseException:
        await feed.aclose()
        raise
    return feed, asyncio.get_running_loop()


class _Session:
    """An older client, told by a task of its own: one that does not read holds up nobody, and a request that is cancelled ends nothing."""

    def __init__(self, news: News, session: ServerSession) -> None:
        self.wanted: set[str] = set()
        self.follows = asyncio.Event()
        """What changes from here on is told."""
        self._session = session
        self._due: set[str] = set()
        self._news = asyncio.Event()
        self._task: asyncio.Task[Any] = asyncio.create_task(self._tell(news), name="MCP tells a session")

    async def aclose(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    def _on_event(self, event: ServerEvent) -> None:
        if isinstance(event, ResourceUpdated) and event.uri in self.wanted:
            self._due.add(event.uri)
            self._news.set()

    async def _tell(self, news: News) -> None:
        async with news.followed():
            unsubscribe = news.bus.subscribe(self._on_event)
            try:
                self.follows.set()
                while True:
                    await self._news.wait()
                    self._news.clear()
                    due, self._due = self._due, set()
                    for uri in sorted(due):
                        await self._session.send_resource_updated(uri)
            finally:
                unsubscribe()
