"""LlamaIndex runs, fails and streams as without memory: awaited or not, on a board that is down, and made with what cannot be."""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from agents.adapters import MemoryService
from agents.adapters.llamaindex import PheromoneMemory, PheromoneMemoryBlock, PheromonePostprocessor
from blackboard.errors import BadValue, NotInstalled
from blackboard.items import ContextItem
from blackboard.opening import serving
from blackboard.testing import RunningBoard
from bus.errors import BadName
from bus.nats import NatsBus
from bus.server import running_server
from tests.agents.adapters.llamaindex.fakes import (
    ASKED,
    BUS,
    LIMIT,
    MAKES_AGENTS,
    METRO,
    Found,
    Model,
    calls,
    found,
    memory_of,
    standing,
    texts,
)

pytestmark = MAKES_AGENTS


@asynccontextmanager
async def served(url: str, folder: Path) -> AsyncIterator[None]:
    """The board *trip*, on a server at this address."""
    async with running_server(folder / "nats", port=int(url.rpartition(":")[2])):
        bus = await NatsBus.connect(url)
        try:
            async with serving(bus, "trip", folder / "data"):
                yield
        finally:
            await bus.aclose()


async def test_errors_streams_and_cancelling_pass_through(running: RunningBoard) -> None:
    """A model that raises, one that streams, an agent that is cancelled: as without memory, and what the user said is kept."""
    with pytest.raises(ZeroDivisionError, match="model"):
        await FunctionAgent(llm=Model(ZeroDivisionError("model"))).run(user_msg=LIMIT, memory=memory_of(running["travel"]))
    assert LIMIT in await standing(running["travel"])

    handler = FunctionAgent(llm=Model("LH1166.")).run(user_msg=ASKED, memory=memory_of(running["travel"]))
    assert [event.delta async for event in handler.stream_events() if isinstance(event, AgentStream)] == ["LH1166."]
    await handler
    engine = SimpleChatEngine.from_defaults(llm=Model("On Friday."), memory=memory_of(running["travel"]))
    streamed = await engine.astream_chat("When?")
    assert [each async for each in streamed.async_response_gen()] == ["On Friday."]
    assert "On Friday." in await standing(running["travel"])

    begun = asyncio.Event()

    async def waits() -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return ""

    memory = memory_of(running["travel"])
    task = asyncio.ensure_future(FunctionAgent(llm=Model(calls("waits")), tools=[waits]).run(user_msg="We are four.", memory=memory))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [str(message.content) for message in await memory.aget_all()] == ["We are four."]
    assert "We are four." in await standing(running["travel"])


def test_code_without_an_event_loop_has_it_all_too() -> None:
    """``chat`` and ``stream_chat``, in which LlamaIndex makes event loops of its own; a query engine that is not awaited."""
    with MemoryService(":memory:", scope="shared", within=30) as board:
        SimpleChatEngine.from_defaults(llm=Model("Noted."), memory=memory_of(board, "finance")).chat(LIMIT)
        model = Model("LH1166.")
        engine = SimpleChatEngine.from_defaults(llm=model, memory=memory_of(board))
        streamed = engine.stream_chat(ASKED)
        assert "".join(streamed.response_gen) == "LH1166."
        assert LIMIT in str(model.sent[0][-1].content)
        assert "LH1166." in board.reach_sync("finance", standing, dict[str, ContextItem]())

        sources = PheromonePostprocessor(board, "travel")
        sources.confirm(found((METRO, 0.5)))
        asked = RetrieverQueryEngine.from_args(Found((BUS, 0.6), (METRO, 0.5)), llm=MockLLM(max_tokens=1), node_postprocessors=[sources])
        assert [node.text for node in asked.query("How?").source_nodes] == [METRO, BUS]


async def test_a_board_that_is_down_costs_a_warning_and_comes_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody serves it at first: no memory, scores as they were. Then it is served: what was said and confirmed meanwhile is known."""
    async with running_server(tmp_path / "nats") as server:
        url = server.url
    async with MemoryService(f"{url}/trip", within=1.0) as board:
        memory, sources = memory_of(board), PheromonePostprocessor(board, "travel", top_n=2)
        for said in (LIMIT, ASKED):
            assert str(await FunctionAgent(llm=(model := Model("OK."))).run(user_msg=said, memory=memory)) == "OK."
            assert texts(model.sent[0][-1]) == [said]
        nodes = found((BUS, 0.6), (METRO, 0.5), ("On foot.", 0.1))
        assert await sources.apostprocess_nodes(nodes) == nodes[:2]
        await sources.aconfirm(nodes[1:2])
        assert [record.message.partition(";")[0] for record in caplog.records] == ["the board of travel is down, and its memory with it"]
        async with served(url, tmp_path):
            while not await board.assemble("travel", ASKED, 300):
                pass
            model = Model("OK.")
            await FunctionAgent(llm=model).run(user_msg=ASKED, memory=memory_of(board))  # another conversation
            assert LIMIT in texts(model.sent[0][-1])[0]
            assert [node.text for node in await sources.apostprocess_nodes(nodes)] == [METRO, BUS]
            await board.aclose()


# ---- where it is made -------------------------------------------------------------------------------------------------------------------


async def test_what_cannot_be_is_refused_where_it_is_made(running: RunningBoard) -> None:
    """Names, sizes and scopes, each with the value."""
    for made in (PheromoneMemoryBlock, PheromonePostprocessor):
        with pytest.raises(BadName):
            made(":memory:", "no name")
        with pytest.raises(BadValue, match="board that is open is travel's"):
            made(running["travel"], "finance")
    with pytest.raises(BadValue, match="max_tokens 0"):
        PheromoneMemoryBlock(":memory:", "travel", max_tokens=0)
    with pytest.raises(BadValue, match="scope 'ours'"):
        PheromonePostprocessor(":memory:", "travel", scope="ours")
    with pytest.raises(BadValue, match="top_n 0"):
        PheromonePostprocessor(":memory:", "travel", top_n=0)
    assert (PheromoneMemory.class_name(), PheromonePostprocessor.class_name()) == ("PheromoneMemory", "PheromonePostprocessor")


def test_without_the_framework_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install is in it."""
    monkeypatch.delitem(sys.modules, "agents.adapters.llamaindex")
    monkeypatch.setitem(sys.modules, "llama_index.core.agent.workflow.workflow_events", None)
    with pytest.raises(NotInstalled, match=r"pheroboard\[llamaindex\]"):
        importlib.import_module("agents.adapters.llamaindex")
