"""LangChain runs, fails and streams as without memory: awaited or not, on a board that is down, and made with what cannot be."""

import asyncio
import importlib
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, BaseMessage

import blackboard
from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneCallback, PheromoneMiddleware
from blackboard.errors import BadValue, NotInstalled
from blackboard.opening import serving
from blackboard.testing import RunningBoard
from bus.errors import BadName
from bus.nats import NatsBus
from bus.server import running_server
from tests.agents.adapters.langchain.fakes import ASKED, LIMIT, Model, agent_of, answers, asks, calls, contents, section_of


def test_agents_that_are_not_awaited_have_it_all_too(tmp_path: Path) -> None:
    """``invoke``, a tool, and two agents on a board that is opened by its path."""

    def flights(city: str) -> str:
        """Flights to a city."""
        return f"{city}: LH1166 for 480 EUR"

    with MemoryService(tmp_path / "trip", scope="shared") as memory:
        agent_of(answers("Noted."), memory, agent="finance").invoke(asks(LIMIT))
        model = answers(calls("flights", city="Lisbon"), "LH1166 it is.")
        agent_of(model, memory, flights).invoke(asks(ASKED))
        assert LIMIT in section_of(model.sent[0])
        said = memory.reach_sync("finance", contents, list[str]())
        assert 'flights(city="Lisbon"): Lisbon: LH1166 for 480 EUR' in said
        assert "LH1166 it is." in said


async def test_streams_are_what_they_are_without(running: RunningBoard) -> None:
    """Token by token and event by event, with nothing of memory among it."""
    await running["travel"].constrain("flight_price", "<=", 500, unit="EUR")

    async def streamed(*middleware: AgentMiddleware[Any, Any, Any]) -> tuple[list[str], list[Any]]:
        agent: Any = create_agent(answers("LH1166 for 480 EUR."), middleware=middleware)
        tokens, steps = [], []
        async for mode, each in agent.astream(asks(ASKED), stream_mode=["messages", "updates"]):
            if mode == "messages":
                tokens.append(str(each[0].text))
            else:
                steps += [(name, [str(message.text) for message in (update or {}).get("messages", [])]) for name, update in each.items()]
        return tokens, [step for step in steps if not step[0].startswith("PheromoneMiddleware")]

    assert await streamed(PheromoneMiddleware(running["travel"], "travel")) == await streamed()


@pytest.mark.parametrize("awaited", [True, False])
async def test_what_a_model_raises_passes_through(running: RunningBoard, *, awaited: bool) -> None:
    """The same error."""
    error = ConnectionError("rate limit")

    def fail(_: list[BaseMessage]) -> AIMessage:
        raise error

    agent = agent_of(Model(says=fail), running["travel"])
    with pytest.raises(ConnectionError) as caught:
        await (agent.ainvoke(asks(ASKED)) if awaited else asyncio.to_thread(agent.invoke, asks(ASKED)))
    assert caught.value is error


async def test_what_is_cancelled_is_cancelled(running: RunningBoard) -> None:
    """In the middle of a tool; and the next turn is as any."""
    begun = asyncio.Event()

    async def wait() -> str:
        """Wait."""
        begun.set()
        await asyncio.Event().wait()
        return ""

    agent = agent_of(answers(calls("wait"), "OK."), running["travel"], wait)
    turn = asyncio.create_task(agent.ainvoke(asks("We fly on Friday.")))
    await begun.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert (await agent.ainvoke(asks("?")))["messages"][-1].text == "OK."
    assert not any("wait" in each for each in await contents(running["travel"]))


async def test_a_board_that_is_down_means_no_memory_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No call fails, one warning is given, and what was observed meanwhile is on the board once it is there."""
    monkeypatch.setattr("agents.adapters.reaching.AGAIN", 0.02)
    caplog.set_level(logging.WARNING, "agents.adapters")
    async with running_server(tmp_path / "nats") as server:
        url = server.url
    port = int(url.rpartition(":")[2])
    model = Model(says=lambda _: AIMessage("OK."))
    async with MemoryService(f"{url}/trip", within=0.1) as memory:
        agent = agent_of(model, PheromoneMiddleware(memory, "travel", tools=True))
        for _ in range(2):
            assert (await agent.ainvoke(asks(LIMIT)))["messages"][-1].text == "OK."
        model.says, model.messages = None, iter([calls("constraints"), AIMessage("OK.")])
        assert "go on without" in (await agent.ainvoke(asks("?")))["messages"][-2].text
        assert [section_of(sent) for sent in model.sent] == [""] * 4
        assert [record.message.partition(";")[0] for record in caplog.records] == ["the board of travel is down, and its memory with it"]
        async with running_server(tmp_path / "nats", port=port):
            bus = await NatsBus.connect(url)
            async with serving(bus, "trip", tmp_path / "data"):
                model.says = lambda _: AIMessage("OK.")
                while not await memory.assemble("travel", ASKED, 300):
                    pass
                await agent.ainvoke(asks(ASKED))
                assert LIMIT in section_of(model.sent[-1])
                await memory.aclose()
            await bus.aclose()


# ---- what cannot be ---------------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_is_told_at_once() -> None:
    """Where the middleware is made, and not in a turn."""
    with pytest.raises(BadValue, match="max_tokens 0: give 1 or more"):
        PheromoneMiddleware(":memory:", "travel", max_tokens=0)
    with blackboard.open_sync(":memory:", agent="travel") as board:
        for adapter in (PheromoneMiddleware, PheromoneCallback):
            with pytest.raises(BadValue, match="is travel's"):
                adapter(board, "finance")
            with pytest.raises(BadName):
                adapter(":memory:", "no name")


def test_without_langchain_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setitem(sys.modules, "langchain.agents.middleware", None)
    monkeypatch.delitem(sys.modules, "agents.adapters.langchain")
    with pytest.raises(NotInstalled, match=r"pip install 'pheroboard\[langchain\]'"):
        importlib.import_module("agents.adapters.langchain")
