"""agents.adapters.mcp.serving: the server over both transports."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agents.adapters import MemoryService
from agents.adapters.mcp import BoardServer, KeyTokens, serve_http, serve_stdio, web_app
from blackboard.errors import BadValue
from bus.credentials import make, token
from bus.errors import PortTaken

BOTH = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
OLDER = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "older", "version": "1"}}


@asynccontextmanager
async def served(server: BoardServer, tokens: KeyTokens | None = None) -> AsyncIterator[str]:
    url = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_http(server, tokens, told=url.set_result))
    await asyncio.wait({serving, url}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield await url
    finally:
        serving.cancel()
        await asyncio.wait({serving})
        assert serving.cancelled()


@pytest.fixture
async def keyed(tmp_path: Path) -> AsyncIterator[tuple[str, str, str]]:
    """The URL of a server, and the tokens of two agents that have keys there."""
    for name in ("ann", "bob"):
        make(tmp_path / "keys" / f"{name}.nk")
    async with served(BoardServer(MemoryService(tmp_path / "trip")), KeyTokens(tmp_path / "keys")) as url:
        yield url, token("ann", tmp_path / "keys" / "ann.nk"), token("bob", tmp_path / "keys" / "bob.nk")


@asynccontextmanager
async def client(url: str, shown: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {shown}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as connected,
    ):
        yield connected


@contextmanager
def streams(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard streams, as a client holds them: what it writes to, and what it reads from. (In a fixture pytest's own would be back.)"""
    with ExitStack() as stack:
        (given, to_give), (to_read, told) = os.pipe(), os.pipe()
        monkeypatch.setattr(sys, "stdin", stack.enter_context(os.fdopen(given)))
        monkeypatch.setattr(sys, "stdout", stack.enter_context(os.fdopen(told, "w")))
        yield stack.enter_context(os.fdopen(to_give, "wb", buffering=0)), stack.enter_context(os.fdopen(to_read, "rb"))


async def test_standard_streams(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What comes in and is nothing of the protocol is passed over; messages may come in parts, and be long. To be asked to end is enough,
    while the client holds the streams open.
    """
    with streams(monkeypatch) as (to, fro):
        serving = asyncio.create_task(serve_stdio(BoardServer(tmp_path / "trip", "ann")))

        async def ask(method: str, **params: Any) -> Any:
            said = json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}, ensure_ascii=False).encode()
            await asyncio.to_thread(to.write, said[:-9])
            await asyncio.to_thread(to.write, said[-9:] + b"\n")
            answer = json.loads(await asyncio.to_thread(fro.readline))
            assert answer["id"] == method
            return answer["result"]

        to.write(b'garbage\n\xff\xfe\x00\n{}\n["\n\n')
        assert (await ask("initialize", **OLDER))["protocolVersion"] == "2025-06-18"
        to.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\ngarbage\n')
        long = "酒店要靠近会场。" * 5_000
        await ask("tools/call", name="observe", arguments={"text": long})
        (hit,) = (await ask("tools/call", name="recall", arguments={"query": "酒店"}))["structuredContent"]["result"]
        assert hit["content"] == long
        serving.cancel()
        await asyncio.wait({serving})
        assert serving.cancelled()


async def test_the_end_of_what_comes_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ends the server, well."""
    with streams(monkeypatch) as (to, fro):
        serving = asyncio.create_task(serve_stdio(BoardServer(tmp_path / "trip", "ann")))
        to.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert json.loads(await asyncio.to_thread(fro.readline)) == {"jsonrpc": "2.0", "id": 1, "result": {}}
        to.close()
        await serving


async def test_each_agent_by_its_token(keyed: tuple[str, str, str]) -> None:
    """Two at one server are two: a constraint by the first is told to the second, and found; what is private is not."""
    url, anns, bobs = keyed
    async with client(url, anns) as ann, client(url, bobs) as bob, bob.listen(resource_subscriptions=["board://constraints"]) as changes:
        await ann.call_tool("observe", {"text": "预算其实更高"})
        await ann.call_tool("constrain", {"key": "预算", "op": "<=", "value": 50_000})
        await anext(changes)
        section = (await bob.call_tool("assemble", {"query": "预算"})).structured_content["result"]
        assert '<data from="ann">预算 <= 50000</data>' in section
        assert "更高" not in section
        assert "预算其实更高" in (await ann.call_tool("assemble", {"query": "预算"})).structured_content["result"]


async def test_many_agents_at_once(tmp_path: Path) -> None:
    """What each keeps for itself stays its own, however many share a server."""
    agents = [f"agent-{n}" for n in range(6)]
    for agent in agents:
        make(tmp_path / f"{agent}.nk")

    async def work(agent: str) -> list[str]:
        async with client(url, token(agent, tmp_path / f"{agent}.nk")) as connected:
            await connected.call_tool("observe", {"text": f"The secret of {agent}"})
            found = await connected.call_tool("recall", {"query": "secret"})
            return [hit["content"] for hit in found.structured_content["result"]]

    async with served(BoardServer(MemoryService(tmp_path / "trip")), KeyTokens(tmp_path)) as url:
        assert await asyncio.gather(*map(work, agents)) == [[f"The secret of {agent}"] for agent in agents]


async def test_without_a_token(keyed: tuple[str, str, str]) -> None:
    """Nobody is let in, and is told how it goes; nor is a page of elsewhere that a browser shows under a name for this machine."""
    url, anns, _ = keyed
    async with httpx2.AsyncClient() as http:
        for wrong in ({}, {"Authorization": "Bearer ann.00"}, {"Authorization": f"Basic {anns}"}):
            answer = await http.post(url, headers={**BOTH, **wrong}, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
        right = {**BOTH, "Authorization": f"Bearer {anns}"}
        answer = await http.post(url, headers={**right, "Host": "evil.example"}, json={})
        assert answer.status_code == 421
        answer = await http.post(url, headers={**right, "Origin": "https://evil.example"}, json={})
        assert answer.status_code == 403


async def test_an_older_client(keyed: tuple[str, str, str]) -> None:
    """One of 2025-06-18 is served as such; its session is its agent's, and another's token does not find it."""
    url, anns, bobs = keyed

    async with httpx2.AsyncClient(headers={**BOTH, "Authorization": f"Bearer {anns}"}) as http:

        async def say(method: str, params: dict[str, Any], **headers: str) -> httpx2.Response:
            return await http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers=headers)

        begun = await say("initialize", OLDER)
        assert event(begun)["result"]["protocolVersion"] == "2025-06-18"
        session = {"Mcp-Session-Id": begun.headers["Mcp-Session-Id"], "Mcp-Protocol-Version": "2025-06-18"}
        await http.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        called = await say("tools/call", {"name": "constraints", "arguments": {}}, **session)
        assert event(called)["result"]["structuredContent"] == {"result": []}
        stolen = await say("tools/list", {}, **session, Authorization=f"Bearer {bobs}")
        assert stolen.status_code == 404


def event(answer: httpx2.Response) -> Any:
    """What a stream of one event says."""
    return json.loads(next(line for line in answer.text.splitlines() if line.startswith("data: {"))[6:])


async def test_an_open_stream_does_not_keep_the_server(tmp_path: Path) -> None:
    """Cancelled, it ends what clients listen to, and itself."""
    async with served(BoardServer(tmp_path / "trip", "ann")) as url:
        listening = asyncio.Event()

        async def listen() -> None:
            async with Client(url) as client, client.listen(resource_subscriptions=["board://view"]) as changes:
                listening.set()
                assert [change async for change in changes] == []

        told = asyncio.create_task(listen())
        await listening.wait()
    await told


async def test_what_cannot_be_served(tmp_path: Path) -> None:
    """An address that others reach, a port that another has, and a server of nobody, or of somebody whom tokens may contradict."""
    server = BoardServer(tmp_path / "trip", "ann")
    for host in ("0.0.0.0", "example.org"):
        with pytest.raises(BadValue, match=f"{host} is not one of 127.0.0.1, ::1, localhost, and nothing is encrypted"):
            await serve_http(server, host=host, told=print)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PortTaken, match=r"Address already in use.*: choose another"):
        await serve_http(server, port=taken.getsockname()[1], told=print)
    with pytest.raises(BadValue, match="port 99999: give one from 1 to 65535, or 0"):
        await serve_http(server, port=99999, told=print)
    with pytest.raises(BadValue, match="who is served"):
        web_app(server, KeyTokens(tmp_path))
    with pytest.raises(BadValue, match="who is served"):
        web_app(BoardServer(tmp_path / "trip"))
