"""The claims of ``agents.adapters.langchain``, against LangChain itself with its own fake model."""

import asyncio
import importlib
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    add_notification_metadata,
    get_notification_metadata,
)
from langchain_core.outputs import ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field

import blackboard
from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneCallback, PheromoneMiddleware, by_thread
from agents.board_tools import board_tools
from blackboard.client import Board
from blackboard.errors import BadValue, NotInstalled
from blackboard.opening import serving
from blackboard.section import OPENING
from blackboard.testing import RunningBoard, running_board
from bus.errors import BadName
from bus.nats import NatsBus
from bus.server import running_server
from tests.agents.adapters.told import told

LIMIT = "A flight must not cost more than 500 EUR."
ASKED = "Which flight to Lisbon may we book?"


class Model(GenericFakeChatModel):
    """LangChain's fake, that keeps what it was sent, and lets tools be bound to it."""

    messages: Iterator[AIMessage | str] = iter(())
    says: Callable[[list[BaseMessage]], AIMessage] | None = None
    """In place of ``messages``."""
    sent: list[list[BaseMessage]] = Field(default_factory=list)
    bound: list[Any] = Field(default_factory=list)

    def bind_tools(self, tools: Any, **_: Any) -> "Model":
        self.bound[:] = tools
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append(messages)
        if self.says is not None:
            self.messages = iter([self.says(messages)])
        return super()._generate(messages, *args, **kwargs)


def answers(*messages: AIMessage | str) -> Model:
    return Model(messages=iter([AIMessage(each) if isinstance(each, str) else each for each in messages]))


def calls(name: str, **given: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": given, "id": "1"}])


def asks(*texts: Any) -> Any:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


def thread(name: str) -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def agent_of(model: Model, memory: MemoryService | Board | PheromoneMiddleware, *tools: Any, agent: str = "travel", **options: Any) -> Any:
    middleware = memory if isinstance(memory, PheromoneMiddleware) else PheromoneMiddleware(memory, agent)
    return create_agent(model, tools, middleware=[middleware], **options)


def section_of(messages: list[BaseMessage]) -> str:
    """What was injected into a prompt."""
    return str(messages[-1].text) if get_notification_metadata(messages[-1]) == {"source": "pheroboard"} else ""


async def contents(board: Board) -> list[str]:
    """What stands on the board, word for word."""
    await board.wait_applied()
    return [told(item) for item in await board.view(limit=1000)]


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "travel") as running:
        yield running


# ---- what the model sees ----------------------------------------------------------------------------------------------------------------


async def test_what_one_agent_is_told_reaches_the_others_prompt_and_what_is_private_never(running: RunningBoard) -> None:
    """A constraint that the first hears in a scope that is shared; and a secret that it hears in its own."""
    for scope, said in (("shared", LIMIT), ("private", "Flights to Lisbon are a surprise for Ana.")):
        memory = MemoryService(running["finance"], scope=scope)
        await agent_of(answers("Noted."), memory, agent="finance").ainvoke(asks(said))
    model = answers("LH1166.")
    await agent_of(model, running["travel"]).ainvoke(asks(ASKED))
    assert f'<data from="finance">{LIMIT}</data>' in section_of(model.sent[0])
    assert "surprise" not in section_of(model.sent[0])
    assert any("surprise" in said for said in await contents(running["finance"]))


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


async def test_memory_is_the_last_message_a_users_and_marked(running: RunningBoard) -> None:
    """In front of it the prompt is what it would be without, so that what providers keep of it stays good."""
    await running["travel"].constrain("flight_price", "<=", 500, unit="EUR")
    model, bare = (answers(calls("flights"), "LH1166.", "Yes.") for _ in range(2))
    for each, middleware in ((model, [PheromoneMiddleware(running["travel"], "travel")]), (bare, [])):
        agent = create_agent(each, tools=[flights_of_today], system_prompt="Be brief.", middleware=middleware, checkpointer=InMemorySaver())
        for said in (ASKED, "Sure?"):
            await agent.ainvoke(asks(said), thread("1"))
    assert len(model.sent) == 3
    for with_memory, without in zip(model.sent, bare.sent, strict=True):
        assert [(each.type, each.text) for each in with_memory[:-1]] == [(each.type, each.text) for each in without]
        assert isinstance(with_memory[-1], HumanMessage)
        assert with_memory[-1].text.startswith(OPENING)
        assert get_notification_metadata(with_memory[-1]) == {"source": "pheroboard"}


def flights_of_today() -> str:
    """Flights of today."""
    return "LH1166"


flights_of_today.__name__ = "flights"


async def test_where_nothing_is_relevant_the_request_is_as_it_was(running: RunningBoard) -> None:
    """No empty section, and no message of ours."""
    await running["travel"].deposit("The office plants want water on Fridays")
    model = answers("LH1166.")
    await agent_of(model, running["travel"]).ainvoke(asks(ASKED))
    assert [each.text for each in model.sent[0]] == [ASKED]


async def test_the_query_is_what_a_person_said_last(running: RunningBoard) -> None:
    """Not a summary that the framework puts in a person's place, not a picture, not a section of another memory; in blocks or Chinese."""
    await running["travel"].deposit("里斯本的酒店每晚 120 欧元")
    await running["travel"].deposit("The office plants want water on Fridays")
    model = Model(says=lambda _: AIMessage("It keeps to the limit."))
    agent = agent_of(model, running["travel"])
    summary = add_notification_metadata(HumanMessage("So far: the plants of the office"), source="summarization")
    picture = HumanMessage([{"type": "image", "url": "https://example.org/plants.png"}])
    other = HumanMessage(f"{OPENING}Known:\n- The plants of the office\n</memory>")
    await agent.ainvoke({"messages": [HumanMessage([{"type": "text", "text": "里斯本的酒店多少钱？"}]), picture, summary, other]})
    assert "120 欧元" in section_of(model.sent[0])
    assert "plants" not in section_of(model.sent[0])
    await agent.ainvoke({"messages": []})  # nobody said anything
    assert "plants" not in "".join(str(each.text) for each in model.sent[1])


# ---- what the history and the board have ------------------------------------------------------------------------------------------------


async def test_a_hundred_turns_leave_no_copy_of_memory(running: RunningBoard) -> None:
    """Neither in the history nor on the board, though the model says again all that it is sent; what is said again adds nothing."""
    board = running["travel"]
    await board.constrain("flight_price", "<=", 500, unit="EUR")
    model = Model(says=lambda sent: AIMessage(f"I know: {section_of(sent)}"))
    agent = agent_of(model, PheromoneMiddleware(board, "travel", max_tokens=300), checkpointer=InMemorySaver())
    said = [ASKED, "Lisbon is fine for all of us.", "We fly on Friday."]
    sizes = []
    for turn in range(100):
        end = await agent.ainvoke(asks(said[turn % 3]), thread("1"))
        if turn in {5, 99}:
            sizes.append(len(await contents(board)))
    assert all(section_of(sent) for sent in model.sent)
    assert [each.text for each in end["messages"] if each.type == "human"] == [said[turn % 3] for turn in range(100)]
    assert len(end["messages"]) == 200
    assert not any(get_notification_metadata(each) for each in end["messages"])
    assert not any("<memory>" in each for each in await contents(board))
    assert sizes[0] == sizes[1]


async def test_what_a_person_said_is_on_the_board_while_the_turn_runs(running: RunningBoard) -> None:
    """Only what is new in the history, each message once, in order."""
    seen: list[list[str]] = []

    async def look() -> str:
        """Look."""
        seen.append(await contents(running["finance"]))
        return ""

    agent = agent_of(answers(calls("look"), "We are all set."), MemoryService(running["finance"]), look, agent="finance")
    history = [
        HumanMessage("We are nine people."),
        AIMessage("Nine."),
        HumanMessage("The budget is 50,000."),
        HumanMessage("The budget is 40,000."),
    ]
    await agent.ainvoke({"messages": history})
    assert set(seen[0]) == {"The budget is 50,000.", "The budget is 40,000.", "Budget: 40,000"}
    assert set(await contents(running["finance"])) == {*seen[0], "We are all set."}


async def test_each_thread_may_be_a_conversation(running: RunningBoard) -> None:
    """Which one a turn is of is said by the name that is given, or by a function of the run."""
    memory = MemoryService(running["travel"])
    for conversation in (by_thread, "desk"):
        middleware = PheromoneMiddleware(memory, "travel", conversation=conversation)
        agent = agent_of(answers("OK."), middleware, checkpointer=InMemorySaver())
        await agent.ainvoke(asks("Please ship order A-1001 to Beijing."), thread("t1"))
    assert [(await running["travel"].field(each)).round for each in ("t1", "desk", "")] == [1, 1, 0]
    without = agent_of(answers("OK."), PheromoneMiddleware(memory, "travel", conversation=by_thread))
    await without.ainvoke(asks("Please ship order A-1002 to Beijing."))
    assert (await running["travel"].field("")).round == 1


# ---- tools ------------------------------------------------------------------------------------------------------------------------------


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


# ---- the framework's own ----------------------------------------------------------------------------------------------------------------


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


class Trip(BaseModel):
    """A trip."""

    city: str
    price: float


async def test_a_structured_answer_is_observed(running: RunningBoard) -> None:
    """As what the model gave for it, without the memory that it repeats."""
    model = answers(calls("Trip", city=f"Lisbon {OPENING}Known:\n- Ana flies\n</memory>", price=480.0))
    agent = agent_of(model, running["travel"], response_format=ToolStrategy(Trip))
    assert (await agent.ainvoke(asks("?")))["structured_response"].price == 480.0
    assert await contents(running["travel"]) == ["{city: Lisbon\n, price: 480.0}"]


async def test_a_turn_that_a_tool_ends_has_no_answer(running: RunningBoard) -> None:
    """What it gave is observed as the tool's."""

    @tool(return_direct=True)
    def flights() -> str:
        """Flights."""
        return "LH1166"

    await agent_of(answers(calls("flights")), running["travel"], flights).ainvoke(asks("?"))
    assert await contents(running["travel"]) == ["flights(): LH1166"]


# ---- a board that is down ---------------------------------------------------------------------------------------------------------------


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


# ---- plain chains -----------------------------------------------------------------------------------------------------------------------


async def test_a_chain_is_observed(running: RunningBoard) -> None:
    """Awaited or not: what a person said last and what was answered, not what the prompt says besides, nor what was remembered."""
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Be brief."), ("human", "Example?"), ("ai", "An example."), ("human", "{question}"), ("human", "{memory}")]
    )
    callback = PheromoneCallback(running["travel"], "travel")
    chain = prompt | Model(says=lambda _: AIMessage([{"type": "text", "text": "LH1166."}]))
    given = {"question": LIMIT, "memory": f"{OPENING}Known:\n- Flights are a surprise\n</memory>"}
    await chain.ainvoke(given, {"callbacks": [callback]})
    assert set(await contents(running["travel"])) == {LIMIT, "LH1166."}
    await asyncio.to_thread(chain.invoke, given | {"question": "We fly on Friday."}, {"callbacks": [callback]})
    assert set(await contents(running["travel"])) == {LIMIT, "LH1166.", "We fly on Friday."}


async def test_of_a_text_model_the_answer_is_observed(running: RunningBoard) -> None:
    """A prompt for completion is nothing that a person said."""
    callback = PheromoneCallback(running["travel"], "travel")
    await FakeListLLM(responses=["LH1166."]).ainvoke("Complete: We fly on Friday with", {"callbacks": [callback]})
    assert await contents(running["travel"]) == ["LH1166."]


def test_tools_of_a_chain_are_observed() -> None:
    """What they gave, and that they failed; not that the model called them, nor one that was stopped, nor one of the board's own."""

    @tool
    def flights(city: str) -> str:
        """Flights to a city."""
        if city == "Lisbo":
            raise LookupError(city)
        return f"{city}: LH1166"

    @tool
    def numbers() -> list[int]:
        """Give numbers."""
        return [1, 2]

    @tool
    def stopped() -> str:
        """Be stopped."""
        raise KeyboardInterrupt("by hand")

    with blackboard.open_sync(":memory:", agent="travel") as board, MemoryService(board) as memory:
        callback = PheromoneCallback(memory, "travel")
        config: RunnableConfig = {"callbacks": [callback]}
        answers(AIMessage("Let me see.", tool_calls=calls("flights", city="Lisbon").tool_calls)).invoke("?", config)
        flights.invoke({"type": "tool_call", "name": "flights", "args": {"city": "Lisbon"}, "id": "1"}, config)
        numbers.invoke({}, config)
        with pytest.raises(LookupError):
            flights.invoke({"city": "Lisbo"}, config)
        with pytest.raises(KeyboardInterrupt):
            stopped.invoke({}, config)
        recall = next(each for each in PheromoneMiddleware(memory, "travel", tools=True).tools if each.name == "recall")
        assert "LH1166" in recall.invoke({"query": "Lisbon"}, config)
        said = {'flights(city="Lisbon"): Lisbon: LH1166', 'flights(city="Lisbo") failed: LookupError: Lisbo', "numbers(): [1, 2]"}
        assert {told(item) for item in board.view()} == said


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
