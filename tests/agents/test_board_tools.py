"""Claims about the board's verbs as tools, on a real board."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from agents.board_tools import board_tools
from blackboard.errors import BadValue, NotInView
from blackboard.testing import RunningBoard, running_board


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "travel") as running:
        yield running


async def call(running: RunningBoard, agent: str, tool: str, **arguments: object) -> Any:
    """What an agent's tool gives; it must be what JSON has."""
    tools = {each.name: each for each in board_tools(running[agent])}
    gave = await tools[tool].call(arguments)
    assert msgspec.json.decode(msgspec.json.encode(gave)) == gave
    return gave


def test_every_tool_says_what_it_does(running: RunningBoard) -> None:
    """In order, with a schema for each parameter."""
    tools = board_tools(running["finance"])
    names = [tool.name for tool in tools]
    assert names == ["assemble", "check", "constrain", "constraints", "experts", "observe", "recall", "share"]
    assert all(tool.description != tool.name for tool in tools)


async def test_what_is_observed_is_recalled_and_assembled(running: RunningBoard) -> None:
    """With its id, its strength, who wrote it and why it came; private, unless said otherwise."""
    made = await call(running, "finance", "observe", text="The hotel costs 500 a night.", key="hotel_price", value=500, unit="CNY")
    assert isinstance(made, str)
    [hit] = await call(running, "finance", "recall", query="What does the hotel cost?")
    assert (hit["id"], hit["content"], hit["by"], hit["scope"], hit["kind"]) == (
        made,
        "The hotel costs 500 a night.",
        "finance",
        "private",
        "fact",
    )
    assert hit["strength"] > 0
    assert hit["why"]
    assert "The hotel costs 500 a night." in await call(running, "finance", "assemble", query="the hotel")
    assert await call(running, "travel", "recall", query="What does the hotel cost?") == []
    assert await call(running, "travel", "assemble", query="the hotel", max_tokens=100) == ""


async def test_what_is_shared_is_seen_by_all(running: RunningBoard) -> None:
    """A private item that is shared, and one that was shared at once; it comes as data, with its author's name."""
    made = await call(running, "finance", "observe", text="The hotel costs 500 a night.")
    assert await call(running, "finance", "share", item=made) == "shared"
    await call(running, "finance", "observe", text="The hotel has a garden.", scope="shared")
    assert len(await call(running, "travel", "recall", query="hotel", limit=5)) == 2
    assert '<data from="finance">The hotel costs 500 a night.</data>' in await call(running, "travel", "assemble", query="the hotel")


async def test_constraints_hold_for_all(running: RunningBoard) -> None:
    """They are listed with their status, and a plan that breaks one is told so, with a unit or without."""
    made = await call(running, "finance", "constrain", key="budget", op="<=", value=50_000, unit="CNY")
    [constraint] = await call(running, "travel", "constraints")
    assert (constraint["item"]["id"], constraint["item"]["key"]) == (made, "budget")
    for plan in (52_000, [52_000, "CNY"]):
        [breach] = await call(running, "travel", "check", values={"budget": plan})
        assert breach["item"]["id"] == made
    assert await call(running, "travel", "check", values={"budget": 48_000}) == []


async def test_experts(running: RunningBoard) -> None:
    """Who strengthened what is shared of a key."""
    await call(running, "finance", "observe", text="It costs 500.", key="hotel_price", value=500, scope="shared")
    [expert] = await call(running, "travel", "experts", key="hotel_price")
    assert (expert["agent"], expert["count"]) == ("finance", 1)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("constrain", {"key": "budget", "op": "about", "value": 1}),
        ("observe", {"text": "x", "scope": "public"}),
        ("recall", {"query": "x", "limit": 0}),
        ("assemble", {"query": "x", "max_tokens": 10**9}),
        ("check", {"values": {"budget": {}}}),
    ],
)
async def test_arguments_that_do_not_fit(running: RunningBoard, tool: str, arguments: dict[str, object]) -> None:
    """They are named before the board is asked."""
    with pytest.raises(BadValue, match=f"tool {tool}: "):
        await call(running, "finance", tool, **arguments)


async def test_errors_of_the_board(running: RunningBoard) -> None:
    """They reach the caller as they are."""
    with pytest.raises(NotInView):
        await call(running, "finance", "share", item="0" * 32)
    with pytest.raises(BadValue, match="in"):
        await call(running, "finance", "constrain", key="colour", op="in", value=5)


async def test_what_is_refused_is_told_to_who_said_it(running: RunningBoard) -> None:
    """Also where a model calls several tools at once, and an adapter makes the tools anew for each call."""
    said = [call(running, "finance", "observe", text=f"Note {n}.") for n in range(3)]
    wrong = [call(running, "finance", "share", item=f"{n}" * 32) for n in range(3)]
    results = await asyncio.gather(*(each for pair in zip(said, wrong, strict=True) for each in pair), return_exceptions=True)
    assert [type(each) for each in results] == [str, NotInView] * 3
