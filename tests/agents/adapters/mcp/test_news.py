"""agents.adapters.mcp.news: who is told of which change."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.server.subscriptions import ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import ResourceUpdatedNotification

from agents.adapters import MemoryService, reaching
from agents.adapters.mcp import BoardServer, news
from agents.adapters.mcp.news import CONSTRAINTS, VIEW, News
from blackboard.client import Board
from blackboard.testing import running_board


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes are told sooner than otherwise."""
    monkeypatch.setattr(news, "SETTLE", 0.02)


class Told:
    """What a listener of an agent's is told, in order."""

    def __init__(self) -> None:
        self._next: asyncio.Queue[str] = asyncio.Queue()

    def on_event(self, event: ServerEvent) -> None:
        assert isinstance(event, ResourceUpdated)
        self._next.put_nowait(event.uri)

    async def __call__(self, *uris: str) -> None:
        """Wait for these, which come next."""
        async with asyncio.timeout(10):
            assert [await self._next.get() for _ in uris] == list(uris)


@asynccontextmanager
async def told(board: Board) -> AsyncIterator[Told]:
    hers, listener = News(MemoryService(board), board.agent), Told()
    async with hers.followed():
        hers.bus.subscribe(listener.on_event)
        yield listener


async def test_an_agent_is_told_of_what_it_sees() -> None:
    """Of what is shared and of its own, never of what is private of another; that an item was used is no change."""
    async with running_board("ann", "bob") as running, told(running["ann"]) as anns, told(running["bob"]) as bobs:
        item = await running["bob"].deposit("A secret")
        await bobs(VIEW)
        await running["ann"].deposit("Mine")
        await anns(VIEW)
        await running["bob"].constrain("budget", "<=", 1, scope="private")
        await bobs(CONSTRAINTS, VIEW)
        await running["bob"].constrain("guests", "<=", 1, scope="shared")
        await anns(CONSTRAINTS, VIEW)
        await bobs(CONSTRAINTS, VIEW)
        await running["bob"].use(item)
        await running["bob"].assemble("secret")
        await running["bob"].share(item)
        await anns(VIEW)
        await bobs(VIEW)


async def test_many_changes_are_told_once() -> None:
    """However many come together."""
    async with running_board("ann") as running, told(running["ann"]) as anns:
        async with running["ann"].batch() as batch:
            for n in range(200):
                await batch.deposit(f"Fact {n}")
        await anns(VIEW)
        await running["ann"].constrain("budget", "<=", 1)
        await anns(CONSTRAINTS, VIEW)


async def test_what_was_missed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that was away may have changed: once it is back, that is told as a change of all. Nobody waits for it."""
    monkeypatch.setattr(reaching, "AGAIN", 0.01)
    monkeypatch.setattr(news, "AGAIN", 0.01)
    (tmp_path / "trip.db").mkdir()
    async with MemoryService(tmp_path / "trip") as memory:
        anns, listened = Told(), News(memory, "ann")
        async with listened.followed():
            listened.bus.subscribe(anns.on_event)
            (tmp_path / "trip.db").rmdir()
            await anns(CONSTRAINTS, VIEW)
            await memory.reach("ann", lambda board: board.deposit("x"), None)
            await anns(VIEW)


async def test_a_client_is_told() -> None:
    """One of 2026-07-28 by a request that stays open; the end of the server ends it."""
    async with running_board("ann") as running:
        server = BoardServer(running["ann"], "ann")
        async with Client(server) as client, client.listen(resource_subscriptions=[CONSTRAINTS]) as changes:
            await client.call_tool("observe", {"text": "No change of a constraint"})
            await client.call_tool("constrain", {"key": "budget", "op": "<=", "value": 1})
            assert await anext(changes) == ResourceUpdated(uri=CONSTRAINTS)
            server.close()
            assert [change async for change in changes] == []


async def test_an_older_client_is_told() -> None:
    """By a notification on its session, of the resources that it subscribed to, until it subscribes no more."""
    told: asyncio.Queue[str] = asyncio.Queue()

    async def on_message(message: object) -> None:
        assert isinstance(message, ResourceUpdatedNotification)
        await told.put(str(message.params.uri))

    async with running_board("ann") as running:
        server = BoardServer(running["ann"], "ann")
        async with Client(server, mode="legacy", message_handler=on_message) as client:
            for uri in (VIEW, CONSTRAINTS):
                with pytest.warns(MCPDeprecationWarning, match="resources/subscribe is removed"):
                    await client.subscribe_resource(uri)
            await client.call_tool("constrain", {"key": "budget", "op": "<=", "value": 1})
            assert [await told.get(), await told.get()] == [CONSTRAINTS, VIEW]
            with pytest.warns(MCPDeprecationWarning, match="resources/unsubscribe is removed"):
                await client.unsubscribe_resource(CONSTRAINTS)
            await client.call_tool("constrain", {"key": "guests", "op": "<=", "value": 1})
            assert await told.get() == VIEW
            await client.call_tool("observe", {"text": "x"})
            assert await told.get() == VIEW
            assert len(following()) == 2
        assert not following(), "nobody listens, so nobody follows"


class Session:
    """An older client's, as far as news need one."""

    def __init__(self) -> None:
        self._connection, self.exit_stack = self, AsyncExitStack()
        self.told: asyncio.Queue[str] = asyncio.Queue()

    async def send_resource_updated(self, uri: str) -> None:
        await self.told.put(uri)


async def test_a_subscription_that_is_cancelled_spoils_no_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the board was not heard yet: who subscribes again on that session is told. Its end ends it all."""
    heard, asked, go_on = news._hear, asyncio.Event(), asyncio.Event()

    async def slowly(board: Board) -> object:
        asked.set()
        await go_on.wait()
        return await heard(board)

    monkeypatch.setattr(news, "_hear", slowly)
    session = Session()
    async with running_board("ann") as running, asyncio.timeout(10):
        async with session.exit_stack:
            hers = News(MemoryService(running["ann"], within=10.0), "ann")
            first = asyncio.create_task(hers.tell(session, VIEW))  # type: ignore[arg-type]
            await asked.wait()
            first.cancel()
            await asyncio.wait({first})
            go_on.set()
            await hers.tell(session, VIEW)  # type: ignore[arg-type]
            await running["ann"].deposit("x")
            assert await session.told.get() == VIEW
        if ending := following():
            await asyncio.wait(ending)  # it would wait for ever for what goes on


def following() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith(("MCP hears", "MCP tells ann"))]
