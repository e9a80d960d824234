"""agents.cli.mcp: a board over MCP, as its clients start it."""

import asyncio
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from agents.adapters.mcp import BoardServer, KeyTokens
from agents.adapters.service import MemoryService
from agents.cli import call
from agents.cli.mcp import mcp
from agents.cli.places import Where
from blackboard import open as open_board
from bus.credentials import make, token
from tests.agents.cli.commands import PHEROBOARD, environment


async def test_a_client_that_starts_it(served: Path) -> None:
    """On its standard streams a client finds the tools and the resources of the board that is served, in the name that it gave."""
    command = StdioServerParameters(command=PHEROBOARD, args=["mcp", "desk", "--as", "ann"], env=environment(served), cwd=served)
    async with Client(command) as client:
        long = "酒店要靠近会场。" * 4_000
        await client.call_tool("observe", {"text": long, "scope": "shared"})
        assert [each["content"] for each in (await client.call_tool("recall", {"query": "酒店"})).structured_content["result"]] == [long]
        async with client.listen(resource_subscriptions=["board://constraints"]) as changes:
            await client.call_tool("constrain", {"key": "guests", "op": "<=", "value": 8})
            await anext(changes)
            assert '"by":"ann"' in (await client.read_resource("board://constraints")).contents[0].model_dump()["text"]


async def test_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says where it serves, and how agents are told apart: by their tokens, where they have keys."""
    make(tmp_path / "keys" / "ann.nk")
    where = Where(data=tmp_path, credentials=tmp_path / "keys")
    await begun(tmp_path / "trip")
    heard = printed(monkeypatch)
    serving = asyncio.create_task(mcp(str(tmp_path / "trip"), http="127.0.0.1:0", where=where))
    line = await heard.get()
    assert line.startswith("serving trip at http://127.0.0.1:")
    assert line.endswith("/mcp, each agent by its token (Ctrl-C ends it)")
    headers = {"Authorization": f"Bearer {token('ann', tmp_path / 'keys' / 'ann.nk')}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(line.split()[3].rstrip(","), http_client=http)) as client,
    ):
        assert not (await client.call_tool("observe", {"text": "By her token"})).is_error
    serving.cancel()
    await asyncio.wait({serving})
    async with open_board(tmp_path / "trip", agent="ann") as board:
        assert [item.content for item in await board.view()] == ["By her token"]


async def test_over_http_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is who the command says."""
    await begun(tmp_path / "trip")
    heard = printed(monkeypatch)
    serving = asyncio.create_task(mcp(str(tmp_path / "trip"), agent="ann", http="0", where=Where(data=tmp_path)))
    line = await heard.get()
    assert line.endswith("/mcp, everybody as ann (Ctrl-C ends it)")
    async with Client(line.split()[3].rstrip(",")) as client:
        assert not (await client.call_tool("observe", {"text": "x"})).is_error
    serving.cancel()
    await asyncio.wait({serving})


async def test_in_whose_name_and_with_which_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the standard streams one agent's, or the operator's; over HTTP each one's. The board is shown the keys that were named."""
    make(tmp_path / "ann.nk")
    make(tmp_path / "keys" / "operator.nk")
    await begun(tmp_path / "trip")
    spoken = list[tuple[str | None, object, list[str]]]()

    class Noted(MemoryService):
        def __init__(self, board: str, *, credentials: Path | None) -> None:
            super().__init__(board, credentials=credentials)
            self.credentials = credentials

    async def noted(server: BoardServer, tokens: KeyTokens | None = None, **_: object) -> None:
        assert isinstance(server.memory, Noted)
        shown = [await tokens.verify_token(token(name, key)) for name in ("ann", "bob")] if tokens else []
        spoken.append((server.agent, server.memory.credentials, [each.client_id for each in shown if each]))

    monkeypatch.setattr("agents.adapters.service.MemoryService", Noted)
    for serve in ("serve_stdio", "serve_http"):
        monkeypatch.setattr(f"agents.adapters.mcp.{serve}", noted)
    keys, key = tmp_path / "keys", tmp_path / "ann.nk"
    for agent, http, shown in ((None, None, keys), ("ann", None, key), (None, "0", keys), ("ann", "0", key)):
        await mcp(str(tmp_path / "trip"), agent=agent, http=http, where=Where(data=tmp_path, credentials=shown))
    assert spoken == [("operator", keys, []), ("ann", key, []), (None, keys, []), (None, key, ["ann"])]


async def test_where_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the loopback address that was named, in brackets or not; on 127.0.0.1 if a port alone was."""
    await begun(tmp_path / "trip")
    listened = list[tuple[str, int]]()

    async def noted(*_: object, host: str, port: int, **__: object) -> None:
        listened.append((host, port))

    monkeypatch.setattr("agents.adapters.mcp.serve_http", noted)
    for http in ("8000", "localhost:8001", "[::1]:8002"):
        await mcp(str(tmp_path / "trip"), agent="ann", http=http, where=Where(data=tmp_path))
    assert listened == [("127.0.0.1", 8000), ("localhost", 8001), ("::1", 8002)]


def test_what_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said before anything is served, with the cure."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PHEROBOARD_CREDENTIALS", raising=False)
    monkeypatch.setenv("PHEROBOARD_DATA", str(tmp_path))
    asyncio.run(begun(tmp_path / "trip"))

    def refused(*arguments: str) -> str:
        assert call(["mcp", *arguments]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        return err

    assert "which board? Name an address, or the path of a database" in refused()
    assert "there is no ./nope.db" in refused("nope")
    assert "agent name 'a b'" in refused("trip", "--as", "a b")
    assert "there are no credentials at" in refused("trip", "--credentials", str(tmp_path / "missing"))
    assert "--http x: give an address on loopback and a port" in refused("trip", "--http", "x")
    assert "0.0.0.0 is not one of 127.0.0.1, ::1, localhost" in refused("trip", "--http", "0.0.0.0:0", "--as", "ann")
    assert "no agent has a key here: say with --as" in refused("trip", "--http", "0")
    make(tmp_path / "others" / "ann.nk")
    assert "leave out --as" in refused("trip", "--http", "0", "--as", "ann", "--credentials", str(tmp_path / "others"))
    assert "say whose with --as" in refused("trip", "--http", "0", "--credentials", str(tmp_path / "others" / "ann.nk"))


def test_which_of_several(served: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where more than one board is served none is taken that was not named."""
    monkeypatch.setenv("PHEROBOARD_DATA", str(served))
    assert call(["mcp"]) == 1
    assert "which board? Name one of shop, lab, kitchen, desk" in capsys.readouterr().err


def test_a_board_that_is_served_to_all(served: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As long as no agent was added its server's own keys are nobody's token."""
    monkeypatch.setenv("PHEROBOARD_DATA", str(served))
    monkeypatch.delenv("PHEROBOARD_CREDENTIALS", raising=False)
    assert call(["mcp", "desk", "--http", "0"]) == 1
    assert "no agent has a key here: say with --as" in capsys.readouterr().err


async def begun(path: Path) -> None:
    """A board that is there."""
    async with open_board(path, agent="ann"):
        pass


def printed(monkeypatch: pytest.MonkeyPatch) -> "asyncio.Queue[str]":
    """The lines that are printed from here on."""
    lines: asyncio.Queue[str] = asyncio.Queue()

    class Outlet:
        def write(self, text: str) -> None:
            if text.strip():
                lines.put_nowait(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr(sys, "stdout", Outlet())
    return lines
