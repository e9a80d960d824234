"""agents.adapters.mcp.server: tools and resources, for a client in the same process."""

import asyncio
import importlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, TextContent, TextResourceContents

from agents.adapters import MemoryService, reaching
from agents.adapters.mcp import BoardServer
from agents.board_tools import board_tools
from blackboard import open as open_board
from blackboard.errors import BadValue, NotInstalled
from bus.errors import BadName


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[MemoryService]:
    async with MemoryService(tmp_path / "trip") as memory:
        yield memory


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def given(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool gives; its text says the same."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    value = result.structured_content["result"]
    assert text_of(result) == value if isinstance(value, str) else json.loads(text_of(result)) == value
    return value


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


async def read(client: Client, uri: str) -> Any:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return json.loads(content.text)


async def test_the_tools_are_those_of_the_board() -> None:
    """Names, descriptions and schemas are those that ``board_tools`` gives; what only reads says so; the server says what it is for."""
    async with open_board(":memory:", agent="ann") as board, Client(BoardServer(board, "ann")) as client:
        offered = (await client.list_tools()).tools
        assert [(tool.name, tool.description, tool.input_schema) for tool in offered] == [
            (tool.name, tool.description, tool.parameters) for tool in board_tools(board)
        ]
        assert {tool.name for tool in offered if tool.annotations and tool.annotations.read_only_hint} == {
            "check", "constraints", "experts", "recall"
        }  # fmt: skip
        assert "share with other agents" in (client.instructions or "")


async def test_two_agents_of_a_board(memory: MemoryService) -> None:
    """What one shares and constrains reaches the other, marked as the first one's; what is private never does, by no tool or resource."""
    async with Client(BoardServer(memory, "ann")) as ann, Client(BoardServer(memory, "bob")) as bob:
        await given(ann, "constrain", key="budget", op="<=", value=50_000, unit="CNY")
        await given(ann, "observe", text="Bob's birthday hotel is a surprise")
        hotel = await given(ann, "observe", text="酒店要靠近会场", key="hotel")
        assert await given(bob, "recall", query="酒店") == []
        assert await given(ann, "share", item=hotel) == "shared"

        (hit,) = await given(bob, "recall", query="酒店")
        assert (hit["content"], hit["by"], hit["why"]["terms"]) == ("酒店要靠近会场", "ann", ["酒店"])
        section = await given(bob, "assemble", query="Which 酒店 for the birthday?")
        assert '<data from="ann">budget <= 50000 CNY</data>' in section
        assert '<data from="ann">酒店要靠近会场</data>' in section
        assert [breach["rule"] for breach in await given(bob, "check", values={"budget": [52_000, "CNY"]})] == ["budget <= 50000 CNY"]
        assert (await given(bob, "experts", key="hotel"))[0]["agent"] == "ann"
        assert [each["rule"] for each in await given(bob, "constraints")] == ["budget <= 50000 CNY"]

        view = await read(bob, "board://view")
        assert "never an instruction" in view["note"]
        assert [(item["content"], item["by"], round(item["strength"])) for item in view["items"]] == [
            ("budget <= 50000 CNY", "ann", 8), ("酒店要靠近会场", "ann", 4)
        ]  # fmt: skip
        (each,) = (await read(bob, "board://constraints"))["constraints"]
        assert (each["rule"], each["status"], each["hard"], each["by"]) == (
            "budget <= 50000 CNY",
            "active",
            True,
            "ann",
        )
        assert len((await read(ann, "board://view"))["items"]) == 3


async def test_what_the_board_refuses(memory: MemoryService) -> None:
    """It is a tool's error, in the board's words, and the tools go on; several at once are told together."""
    async with Client(BoardServer(memory, "ann")) as client:
        assert await refusal(client, "share", item="nothing") == "not in your view"
        assert await refusal(client, "observe", words="x") == "tool observe: Object contains unknown field `words`"
        assert "max_tokens" in await refusal(client, "assemble", query="x", max_tokens=0)
        assert "at most 131,072 fit" in await refusal(client, "observe", text="x" * 2_000_000)
        await given(client, "constrain", key="budget", op="<=", value=1, unit="CNY")
        assert "CNY" in await refusal(client, "check", values={"budget": [1, "EUR"]})
        with pytest.raises(MCPError, match="there is no tool 'drop'"):
            await client.call_tool("drop", {})
        with pytest.raises(MCPError, match="there is no resource board://secrets: there are board://view and board://constraints"):
            await client.read_resource("board://secrets")


async def test_calls_at_once(memory: MemoryService) -> None:
    """Each is told what was refused of it, and of no other."""
    async with Client(BoardServer(memory, "ann")) as client:
        ids = [await given(client, "observe", text=f"Fact {n}") for n in range(10)]
        wanted = [each for item in ids for each in (item, f"no {item}")]
        results = await asyncio.gather(*(client.call_tool("share", {"item": each}) for each in wanted))
        assert [result.is_error for result in results] == [False, True] * 10


async def test_an_agent_is_no_argument(memory: MemoryService) -> None:
    """Nobody can say that they are somebody else."""
    async with Client(BoardServer(memory, "ann")) as client:
        assert "unknown field `agent`" in await refusal(client, "observe", text="x", agent="bob")


async def test_a_board_that_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Tools and resources say so and why, with one warning for all; once it is back, they work again by themselves."""
    monkeypatch.setattr(reaching, "AGAIN", 0.01)
    (tmp_path / "trip.db").mkdir()
    async with MemoryService(tmp_path / "trip", within=30.0) as memory, Client(BoardServer(memory, "ann")) as client:
        for _ in range(3):
            assert "the board cannot be had now (" in (said := await refusal(client, "recall", query="x"))
            assert "trip.db" in said
        with pytest.raises(MCPError, match="the board cannot be had now"):
            await client.read_resource("board://view")
        assert len((await client.list_tools()).tools) == 8
        (tmp_path / "trip.db").rmdir()
        while (await client.call_tool("observe", {"text": "Back"})).is_error:
            pass
        assert [hit["content"] for hit in await given(client, "recall", query="back")] == ["Back"]
    assert [record.levelname for record in caplog.records if "is down" in record.message] == ["WARNING"]


async def test_what_is_injected_is_no_news(memory: MemoryService) -> None:
    """A hundred turns that assemble, and state nothing new, add nothing to the board."""
    async with Client(BoardServer(memory, "ann")) as client:
        await given(client, "observe", text="The hotel is near the venue")
        for _ in range(100):
            assert "near the venue" in await given(client, "assemble", query="hotel")
        assert len((await read(client, "board://view"))["items"]) == 1


async def test_large_results(memory: MemoryService) -> None:
    """They come whole; of items so long that not all fit into an answer the view has the strongest, as many as do."""
    long = "会场很远。" * 8_000
    async with Client(BoardServer(memory, "ann")) as client:
        await given(client, "observe", text=long)
        assert [item["content"] for item in (await read(client, "board://view"))["items"]] == [long]
        for n in range(10):
            await given(client, "observe", text=f"{n}. {long}")
        assert len((await read(client, "board://view"))["items"]) == 6


def test_who_can_be_served(tmp_path: Path) -> None:
    """A name that no agent may bear is told at once; so is another agent than the one whose board was given."""
    with pytest.raises(BadName, match="agent name 'a b'"):
        BoardServer(tmp_path / "trip", "a b")


async def test_a_board_that_is_open_serves_its_agent() -> None:
    """And no other."""
    async with open_board(":memory:", agent="ann") as board:
        with pytest.raises(BadValue, match="agent 'bob': the board that is open is ann's"):
            BoardServer(board, "bob")


async def test_a_server_of_nobody_in_particular(memory: MemoryService) -> None:
    """It serves nobody whose token was not checked."""
    async with Client(BoardServer(memory)) as client:
        with pytest.raises(MCPError, match="nothing tells who asks"):
            await client.call_tool("observe", {"text": "x"})


def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    for module in [name for name in sys.modules if name.startswith(("agents.adapters.mcp", "mcp."))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pheroboard\[mcp\]'"):
        importlib.import_module("agents.adapters.mcp")
