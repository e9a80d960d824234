"""What tools give under the middleware, and the board's verbs as tools of LangChain's."""

import asyncio
from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from agents.adapters.langchain import PheromoneMiddleware
from agents.board_tools import board_tools
from blackboard.testing import RunningBoard
from tests.agents.adapters.langchain.fakes import ASKED, agent_of, answers, asks, calls, contents, thread


async def test_what_tools_gave_is_observed(running: RunningBoard) -> None:
    """A text, blocks, an error that the tool tells, and the message in a command; nothing of what else a command has."""

    @tool
    def blocks() -> list[Any]:
        """Give blocks."""
        return [{"type": "text", "text": "in"}, {"type": "text", "text": " blocks"}]

    @tool
    def told() -> str:
        """Fail, in words."""
        raise ToolException("no such flight")

    told.handle_tool_error = True

    @tool
    def commanding(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Give a command."""
        others = [HumanMessage("of the history"), ToolMessage("of another call", tool_call_id="0")]
        return Command(update={"messages": [*others, ToolMessage("by command", tool_call_id=call_id)]})

    for each in (blocks, told, commanding):
        model = answers(calls(each.name), "Done.")
        await agent_of(model, running["travel"], each).ainvoke(asks("?"))
    said = await contents(running["travel"])
    assert {"blocks(): in blocks", "told() failed: no such flight", "commanding(): by command", "Done."} == set(said)


@pytest.mark.parametrize("awaited", [True, False])
async def test_what_a_tool_raises_passes_through(running: RunningBoard, *, awaited: bool) -> None:
    """It is the same error, and that the tool failed is remembered."""
    error = LookupError("no such city: Lisbo")

    def flights(city: str) -> str:
        """Flights to a city."""
        raise error

    agent = agent_of(answers(calls("flights", city="Lisbo")), running["travel"], flights)
    with pytest.raises(LookupError) as caught:
        await (agent.ainvoke(asks(ASKED)) if awaited else asyncio.to_thread(agent.invoke, asks(ASKED)))
    assert caught.value is error
    assert 'flights(city="Lisbo") failed: LookupError: no such city: Lisbo' in await contents(running["travel"])


async def test_a_tool_that_waits_for_a_person_has_not_failed(running: RunningBoard) -> None:
    """The run is interrupted and resumed as without memory, and the tool is observed once."""

    @tool
    def book() -> str:
        """Book, if a person agrees."""
        return f"booked: {interrupt('Book it?')}"

    agent = agent_of(answers(calls("book"), "Done."), running["travel"], book, checkpointer=InMemorySaver())
    assert "__interrupt__" in await agent.ainvoke(asks("?"), thread("1"))
    assert await contents(running["travel"]) == []
    await agent.ainvoke(Command(resume="yes"), thread("1"))
    assert sorted(await contents(running["travel"])) == ["Done.", "book(): booked: yes"]


async def test_a_turn_that_a_tool_ends_has_no_answer(running: RunningBoard) -> None:
    """What it gave is observed as the tool's."""

    @tool(return_direct=True)
    def flights() -> str:
        """Flights."""
        return "LH1166"

    await agent_of(answers(calls("flights")), running["travel"], flights).ainvoke(asks("?"))
    assert await contents(running["travel"]) == ["flights(): LH1166"]


async def test_the_boards_verbs_as_tools(running: RunningBoard) -> None:
    """The model is given their schemas; what it says there is said in the agent's name; what is refused tells it the cure."""
    model = answers(
        calls("constrain", key="budget", op="<=", value=50_000, unit="CNY"),
        calls("check", values={"budget": [52_000, "CNY"]}),
        calls("constrain", key="budget", op="about", value=1),
        calls("share", item="nothing"),
        "Too much.",
    )
    end = await agent_of(model, PheromoneMiddleware(running["travel"], "travel", tools=True)).ainvoke(asks("?"))
    assert {each.name: each.args_schema for each in model.bound} == {each.name: each.parameters for each in board_tools(running["travel"])}
    results = [each for each in end["messages"] if isinstance(each, ToolMessage)]
    assert [each.status for each in results] == ["success", "success", "error", "error"]
    assert '"budget"' in results[1].text
    assert "$.op" in results[2].text
    assert "not in your view" in results[3].text
    (constraint,) = await running["finance"].constraints()
    assert constraint.item.owner == "travel"
    assert await contents(running["travel"]) == [constraint.item.content, "Too much."]
