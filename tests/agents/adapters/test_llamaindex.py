"""The claims of ``agents.adapters.llamaindex``, against LlamaIndex itself with its own fake models."""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentStream, AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.agent.workflow.workflow_events import ToolCallResult
from llama_index.core.base.llms.types import ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import InsertMethod, Memory, StaticMemoryBlock
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from agents.adapters import MemoryService
from agents.adapters.llamaindex import PheromoneMemory, PheromoneMemoryBlock, PheromonePostprocessor
from blackboard.client import Board
from blackboard.errors import BadValue, NotInstalled
from blackboard.items import ContextItem
from blackboard.opening import serving
from blackboard.recall import weight
from blackboard.section import OPENING
from blackboard.testing import RunningBoard, running_board
from blackboard.tokens import count_tokens
from bus.errors import BadName
from bus.nats import NatsBus
from bus.server import running_server
from tests.agents.adapters.told import told

# Making an agent, LlamaIndex looks at all attributes that it has, those that pydantic has deprecated among them.
pytestmark = pytest.mark.filterwarnings("ignore:.* attribute .*is deprecated:pydantic.warnings.PydanticDeprecationWarning:inspect")

LIMIT = "A flight must not cost more than 500 EUR."
ASKED = "Which flight to Lisbon may we book?"
BUS, METRO = "Buses to the centre take an hour.", "The red metro line takes 25 minutes."


class Model(MockFunctionCallingLLM):
    """LlamaIndex's fake, that keeps what it was sent, and answers from a list; its last answer again and again."""

    def __init__(self, *answers: ChatMessage | str | Exception) -> None:
        left = list(answers)
        sent: list[list[ChatMessage]] = []

        def respond(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
            sent.append([message.model_copy(deep=True) for message in messages])
            answer = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(answer, Exception):
                raise answer
            return ChatMessage(answer, role="assistant") if isinstance(answer, str) else answer

        super().__init__(response_generator=respond, is_chat_model=True)
        self._sent = sent

    _sent: list[list[ChatMessage]]

    @property
    def sent(self) -> list[list[ChatMessage]]:
        return self._sent


def calls(name: str, **given: Any) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id=f"call {name}", tool_name=name, tool_kwargs=given)])


stores: list[SQLAlchemyChatStore] = []


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """Close what LlamaIndex opens for a memory, and leaves open."""
    yield
    while stores:
        if (engine := stores.pop()._async_engine) is not None:
            await engine.dispose()


def remembering(kind: type[Memory], *blocks: Any, **options: Any) -> Memory:
    stores.append(SQLAlchemyChatStore("messages"))
    return kind.from_defaults(memory_blocks=list(blocks), chat_store=stores[-1], **options)


def memory_of(board: MemoryService | Board, agent: str = "travel", **options: Any) -> Memory:
    return remembering(PheromoneMemory, PheromoneMemoryBlock(board, agent), **options)


def block_of(memory: Memory) -> PheromoneMemoryBlock:
    return next(block for block in memory.memory_blocks if isinstance(block, PheromoneMemoryBlock))


def user(text: str) -> ChatMessage:
    return ChatMessage(text, role="user")


def texts(message: ChatMessage) -> list[str]:
    return [block.text for block in message.blocks if isinstance(block, TextBlock)]


def flights(city: str) -> str:
    """Flights to a city."""
    return f"{city}: LH1166 for 480 EUR"


def trains(city: str) -> str:
    """Trains to a city."""
    raise LookupError(f"no trains to {city}")


async def standing(board: Board) -> dict[str, ContextItem]:
    """What stands on the board, by its words."""
    await board.wait_applied()
    return {told(item): item for item in await board.view(limit=1000)}


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


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "travel") as running:
        yield running


# ---- what the model sees ----------------------------------------------------------------------------------------------------------------


async def test_what_one_agent_is_told_reaches_the_others_prompt_and_what_is_private_never(running: RunningBoard) -> None:
    """A constraint that the first hears in a scope that is shared; and a secret that it hears in its own."""
    for scope, said in (("shared", LIMIT), ("private", "Flights to Lisbon are a surprise for Ana.")):
        memory = memory_of(MemoryService(running["finance"], scope=scope), "finance")
        await FunctionAgent(llm=Model("Noted.")).run(user_msg=said, memory=memory)
    model = Model("LH1166.")
    answer = await FunctionAgent(llm=model).run(user_msg=ASKED, memory=memory_of(running["travel"]))
    assert str(answer) == "LH1166."
    prompt = str(model.sent[0][-1].content)
    assert f'<data from="finance">{LIMIT}</data>' in prompt
    assert "surprise" not in prompt
    assert any("surprise" in said for said in await standing(running["finance"]))


@pytest.mark.parametrize("insert", list(InsertMethod))
async def test_what_is_remembered_is_a_text_before_the_users_own_in_his_last_message(running: RunningBoard, insert: InsertMethod) -> None:
    """Whatever the memory does with other blocks; and what is said to the model before is the same from turn to turn, byte for byte."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    await running["travel"].deposit("The hotel in Lisbon has a garden.")
    memory = memory_of(running["travel"], insert_method=insert)
    model = Model("LH1166.", "It has.")
    agent = FunctionAgent(llm=model, system_prompt="Be brief.")
    for said in (ASKED, "Has the hotel in Lisbon a garden?"):
        await agent.run(user_msg=said, memory=memory)
    for sent, said in zip(model.sent, (ASKED, "Has the hotel in Lisbon a garden?"), strict=True):
        section, own = texts(sent[-1])
        assert sent[-1].role == "user"
        assert section.startswith(OPENING)
        assert section.endswith("</memory>\n")
        assert own == said
    history = await memory.aget_all()
    assert model.sent[1][:-1] == [ChatMessage("Be brief.", role="system"), *history[:2]]


async def test_other_blocks_stand_where_they_stood(running: RunningBoard) -> None:
    """A static one beside ours, in the system message."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    static = StaticMemoryBlock(name="house", static_content=[TextBlock(text="We like gardens.")])
    memory = remembering(PheromoneMemory, static, PheromoneMemoryBlock(running["travel"], "travel"))
    await memory.aput(user(ASKED))
    first, last = await memory.aget()
    assert (first.role, last.role) == ("system", "user")
    assert "gardens" in str(first.content)
    assert "TP571" not in str(first.content)
    assert "TP571" in texts(last)[0]


async def test_where_the_history_ends_otherwise_it_is_a_message_behind_it(running: RunningBoard) -> None:
    """As after a hand-over between agents, or where an engine puts the question into the memory only once it is answered."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    memory = memory_of(running["travel"])
    assert [message.role.value for message in await memory.aget(ASKED)] == ["user"]
    await memory.aput_messages([user("Hello."), ChatMessage("How can I help?", role="assistant")])
    *history, last = await memory.aget(ASKED)
    assert history == await memory.aget_all()
    assert "TP571" in str(last.content)
    assert (await memory.aget()) == history  # the answer was given: nobody asks


async def test_a_store_keeps_its_messages_as_they_were(running: RunningBoard) -> None:
    """Also one that gives out its own."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    asked = user(ASKED)

    class Own(SQLAlchemyChatStore):
        async def get_messages(self, *_: Any, **__: Any) -> list[ChatMessage]:
            return [asked]

    block = PheromoneMemoryBlock(running["travel"], "travel")
    memory = PheromoneMemory.from_defaults(memory_blocks=[block], chat_store=Own(table_name="messages"))
    for _ in range(2):
        assert len((await memory.aget())[0].blocks) == 2
    assert asked == user(ASKED)


async def test_a_turn_asks_the_board_once_a_model_call(running: RunningBoard) -> None:
    """Not once more when the agent looks into its memory after the answer, for nobody."""
    asked: list[str] = []

    class Asked(MemoryService):
        async def assemble(self, agent: str, query: str, max_tokens: int, beside: Sequence[str] = ()) -> str:
            asked.append(query)
            return await super().assemble(agent, query, max_tokens, beside)

    agent = FunctionAgent(llm=Model(calls("flights", city="Lisbon"), "LH1166."), tools=[flights])
    await agent.run(user_msg=ASKED, memory=memory_of(Asked(running["travel"])))
    assert asked == [ASKED, ASKED]


async def test_an_agents_state_stands_with_the_users_words(running: RunningBoard) -> None:
    """LlamaIndex writes it around the last text of the message."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    model = Model("LH1166.")
    await FunctionAgent(llm=model, initial_state={"seats": 2}).run(user_msg=ASKED, memory=memory_of(running["travel"]))
    section, own = texts(model.sent[0][-1])
    assert "seats" not in section
    assert "seats" in own


async def test_less_room_is_a_smaller_section(running: RunningBoard) -> None:
    """What LlamaIndex truncates where its own limit is short is assembled anew, what binds first; and left out where nothing fits."""
    await running["travel"].constrain("flight", "<=", 500, unit="EUR", scope="private")
    for n in range(30):
        await running["travel"].deposit(f"Flight {n} to Lisbon leaves at {n % 24}:00 and has free seats.")
    for limit, some in ((5000, 31), (200, 5), (35, 1), (12, 0)):
        memory = memory_of(running["travel"], token_limit=limit)
        await memory.aput(user(ASKED))
        (message,) = await memory.aget()
        lines = str(message.content).count("\n- ")
        assert (lines == some) if some in {0, 1, 31} else (some <= lines < 31)
        assert lines == 0 or "flight <= 500 EUR" in str(message.content)
        assert count_tokens(str(message.content)) <= limit
    block_of(memory).priority = 0  # LlamaIndex's: never truncate
    (message,) = await memory.aget()
    assert str(message.content).count("\n- ") == 31


async def test_a_message_may_be_of_any_blocks_and_in_any_language(running: RunningBoard) -> None:
    """A picture with a text; Chinese; nothing at all."""
    await running["travel"].deposit("去里斯本的航班最多 500 欧元。")
    memory = memory_of(running["travel"])
    picture = ImageBlock(url="http://127.0.0.1/a.png")
    await memory.aput(ChatMessage(role="user", blocks=[picture, TextBlock(text="去里斯本订哪个航班?")]))
    (message,) = await memory.aget()
    assert "去里斯本的航班最多 500 欧元。" in texts(message)[0]
    assert message.blocks[1:] == [picture, TextBlock(text="去里斯本订哪个航班?")]
    await memory.aput_messages([ChatMessage(role="assistant", blocks=[]), ChatMessage(role="user", blocks=[picture])])
    assert (await memory.aget())[-1].blocks == [picture]


# ---- what is observed -------------------------------------------------------------------------------------------------------------------


async def test_a_hundred_turns_leave_the_history_free_and_the_board_as_it_was(running: RunningBoard) -> None:
    """Whatever was said in the first: the same, and what is injected each time, adds nothing, flushed or not."""
    memory = memory_of(running["travel"], token_limit=300)
    model = Model("LH1166 for 480 EUR.")
    engine = SimpleChatEngine.from_defaults(llm=model, memory=memory)
    first: set[str] = set()
    for turn in range(100):
        await engine.achat(LIMIT if turn == 0 else ASKED)
        first = first or set(await standing(running["travel"]))
    assert LIMIT in str(model.sent[-1][-1].content)
    history = await memory.aget_all()
    assert len(history) == 200
    assert len(model.sent[-1]) < 40  # the rest is flushed
    assert not any(OPENING in str(message.content) for message in history)
    now = await standing(running["travel"])
    assert set(now) == first
    assert now[LIMIT].confirmations == 0
    assert now["LH1166 for 480 EUR."].confirmations == 99


async def test_a_history_that_is_set_was_heard_when_it_was_said(running: RunningBoard) -> None:
    """What an engine is given as its history is not observed."""
    engine = SimpleChatEngine.from_defaults(llm=Model("OK."), memory=memory_of(running["travel"]))
    await engine.achat("We fly on Friday.", chat_history=[user(LIMIT), ChatMessage("Noted.", role="assistant")])
    said = await standing(running["travel"])
    assert "We fly on Friday." in said
    assert "Noted." not in said
    assert LIMIT not in said


async def test_a_plain_memory_is_refused_with_the_cure(running: RunningBoard) -> None:
    """There it would be in front, and hear next to nothing. By itself a block recalls and observes what it is given."""
    block = PheromoneMemoryBlock(running["travel"], "travel")
    memory = remembering(Memory, block)
    await memory.aput(user(ASKED))
    with pytest.raises(BadValue, match=r"PheromoneMemory\.from_defaults"):
        await memory.aget()
    await block.aput([user("TP571 flies to Lisbon on Fridays.")])
    (message,) = await block.aget([user(ASKED)])
    assert "TP571" in str(message.content)
    assert await block.aget([]) == []
    assert await block.atruncate([], 10) is None
    assert await block.atruncate([message], 1000) is None


async def test_tools_are_heard_with_the_answer_and_calls_are_no_statements(running: RunningBoard) -> None:
    """Of a turn: what the user said, what each tool returned with what it was asked, and the answer."""
    asks = calls("flights", city="Lisbon").blocks
    model = Model(ChatMessage(role="assistant", blocks=[TextBlock(text="Let me look."), *asks]), "LH1166 it is.")
    await FunctionAgent(llm=model, tools=[flights]).run(user_msg=LIMIT, memory=memory_of(running["travel"]))
    said = await standing(running["travel"])
    assert said['flights(city="Lisbon"): Lisbon: LH1166 for 480 EUR'].kind == "tool_result"
    assert {LIMIT, "LH1166 it is."} < set(said)
    assert not any("Let me look" in each for each in said)


async def test_a_stream_tells_what_a_tool_returned_at_once_and_nothing_twice(running: RunningBoard) -> None:
    """While the turn runs, and whether it failed; the messages that come at its end, or came first, confirm nothing."""
    memory = memory_of(running["travel"])
    block = block_of(memory)
    for first in ("event", "message"):
        both = ChatMessage(role="assistant", blocks=[*calls("flights", city="Lisbon").blocks, *calls("trains", city="Lisbon").blocks])
        agent = FunctionAgent(llm=Model(both, "LH1166 it is."), tools=[flights, trains])
        handler = agent.run(user_msg=ASKED, memory=memory)
        if first == "message":
            await handler
        async for event in handler.stream_events():
            await block.observe(event)
            if isinstance(event, ToolCallResult) and first == "event":
                assert any(str(event.tool_output.content) in each for each in await standing(running["travel"]))
        await handler
    said = await standing(running["travel"])
    assert said['flights(city="Lisbon"): Lisbon: LH1166 for 480 EUR'].confirmations == 1
    failed = [item for item in said.values() if "no trains" in item.content]
    assert [(told(item), item.kind) for item in failed if item.kind == "trace"] == [
        ('trains(city="Lisbon") failed: no trains to Lisbon', "trace")
    ]


async def test_agents_that_hand_over_go_on_with_what_is_remembered(running: RunningBoard) -> None:
    """It is the last that the next one is sent; and the handing over is no fact, however it is heard."""
    await running["travel"].deposit("TP571 flies to Lisbon on Fridays.")
    model = Model(calls("handoff", to_agent="booking", reason="it books"), "Booked.")
    agents: list[BaseWorkflowAgent] = [
        FunctionAgent(name=name, description=f"{name} flights", llm=model, can_handoff_to=others)
        for name, others in (("finding", ["booking"]), ("booking", []))
    ]
    memory = memory_of(running["travel"])
    handler = AgentWorkflow(agents=agents, root_agent="finding").run(user_msg=ASKED, memory=memory)
    async for event in handler.stream_events():
        await block_of(memory).observe(event)
    assert str(await handler) == "Booked."
    assert [message.role.value for message in model.sent[1]] == ["user", "assistant", "tool", "user"]
    assert "TP571" in str(model.sent[1][-1].content)
    assert set(await standing(running["travel"])) == {"TP571 flies to Lisbon on Fridays.", "Booked."}


@pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning")  # by LlamaIndex's own step
async def test_a_react_agent_states_its_answer_and_its_tools_are_heard_from_the_stream(running: RunningBoard) -> None:
    """It puts its thoughts before its answer into its memory, and its tools' results not at all."""
    thinks = 'Thought: I look.\nAction: flights\nAction Input: {"city": "Lisbon"}'
    model = Model(thinks, "Thought: I can answer without using any more tools.\nAnswer: LH1166 it is.")
    memory = memory_of(running["travel"])
    handler = ReActAgent(llm=model, tools=[flights]).run(user_msg=ASKED, memory=memory)
    async for event in handler.stream_events():
        await block_of(memory).observe(event)
    assert str(await handler) == "LH1166 it is."
    assert set(await standing(running["travel"])) == {'flights(city="Lisbon"): Lisbon: LH1166 for 480 EUR', "LH1166 it is."}


async def test_tools_of_any_model_are_heard(running: RunningBoard) -> None:
    """Arguments as a text, ids that are none or come again, and calls as servers write them."""
    block = PheromoneMemoryBlock(running["travel"], "travel")
    legacy = ChatMessage("I call.", role="assistant", additional_kwargs={"tool_calls": [{"id": "9"}]})
    for given in ('{"city": "Lisbon"}', "Lisbon"):
        call = ChatMessage(role="assistant", blocks=[ToolCallBlock(tool_call_id="f", tool_name="flights", tool_kwargs=given)])
        await block.aput([call, ChatMessage("LH1166", role="tool", additional_kwargs={"tool_call_id": "f"})])
    await block.aput([legacy, ChatMessage("sunny", role="tool", additional_kwargs={"tool_call_id": "9"}), ChatMessage("cold", role="tool")])
    assert set(await standing(running["travel"])) == {
        'flights(city="Lisbon"): LH1166', 'flights(input="Lisbon"): LH1166', "tool(): sunny", "tool(): cold"
    }  # fmt: skip
    for n in range(2000):
        block._news(f"{n}", +1)
    assert len(block._heard) == 1000


async def test_a_conversation_may_have_a_name(running: RunningBoard) -> None:
    """What is stated is then about that conversation."""
    block = PheromoneMemoryBlock(running["travel"], "travel", conversation="ana")
    await block.aput([user("Please ship it to Lisbon.")])
    assert (await running["travel"].field("ana")).concentrations
    assert not (await running["travel"].field()).concentrations


# ---- what passes through ----------------------------------------------------------------------------------------------------------------


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


# ---- sources ----------------------------------------------------------------------------------------------------------------------------


def found(*passages: tuple[str, float | None]) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(text=text), score=score) for text, score in passages]


class Found(BaseRetriever):
    """Finds the same passages, whatever the question."""

    def __init__(self, *passages: tuple[str, float | None]) -> None:
        super().__init__()
        self.nodes = found(*passages)

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        return self.nodes


async def test_what_one_agent_confirmed_comes_first_for_the_other(running: RunningBoard) -> None:
    """Through a query engine; what was found keeps its own score."""
    retriever = Found((BUS, 0.8), (METRO, 0.7))
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(max_tokens=1), node_postprocessors=[PheromonePostprocessor(running["travel"], "travel")]
    )
    answer = await engine.aquery("How?")
    assert [(node.text, node.score) for node in answer.source_nodes] == [(BUS, 0.8), (METRO, 0.7)]
    assert await standing(running["finance"]) == {}
    await PheromonePostprocessor(running["finance"], "finance").aconfirm(answer.source_nodes[1:])
    await running["finance"].wait_applied()
    first, second = (await engine.aquery("How?")).source_nodes
    assert (first.text, second.text) == (METRO, BUS)
    assert first.score is not None
    assert isclose(first.score, 0.7 * weight(4.0, 0.0, half=3.0))
    assert second.score == 0.8
    assert [node.score for node in retriever.nodes] == [0.8, 0.7]


async def test_the_score_goes_by_the_strength_and_comes_back_as_it_fades(running: RunningBoard) -> None:
    """Higher with each confirmation, never the double, lower with each round, and in the end what it was."""
    sources, nodes = PheromonePostprocessor(running["travel"], "travel"), found((METRO, 0.5))

    async def score() -> float:
        (node,) = await sources.apostprocess_nodes(nodes)
        return node.get_score()

    scores = [await score()]
    for _ in range(5):
        await sources.aconfirm(nodes)
        scores.append(await score())
    assert scores[0] == 0.5
    assert scores == sorted(set(scores))
    assert scores[-1] < 1.0
    faded = []
    for _ in range(200):
        await running["travel"].end_round()
        faded.append((await standing(running["travel"])).get(METRO))
    strengths = [item.strength for item in faded if item is not None]
    assert 0 < len(strengths) < 200  # it is gone from what stands
    assert strengths[3:] == sorted(set(strengths[3:]), reverse=True)
    assert await score() == 0.5
    assert await standing(running["travel"]) == {}


async def test_what_is_returned_is_used_and_what_is_not_is_not(running: RunningBoard) -> None:
    """The facts of the first ``top_n`` are reinforced a little, in one unit; and nothing is deposited by looking."""
    nodes = found((BUS, 0.8), (METRO, 0.7), ("On foot.", 0.9))
    sources = PheromonePostprocessor(running["travel"], "travel", top_n=1)
    await sources.aconfirm(nodes[:2])
    before = await standing(running["travel"])
    assert [node.text for node in await sources.apostprocess_nodes(nodes)] == [BUS]
    now = await standing(running["travel"])
    assert set(now) == {BUS, METRO}
    assert now[BUS].strength > before[BUS].strength
    assert now[METRO].strength == before[METRO].strength


async def test_any_score_is_moved_the_right_way_and_equals_keep_their_order(running: RunningBoard) -> None:
    """Below 0, 0 and none; a node without text is no fact."""
    sources = PheromonePostprocessor(running["travel"], "travel")
    await sources.aconfirm(found((METRO, None), ("", 1.0)))
    await running["travel"].wait_applied()
    for score in (-0.5, 0.0, None):
        one, two, known = await sources.apostprocess_nodes(found(("a", score), ("b", score), (METRO, score)))
        if score == 0.0:
            assert (one.text, two.text, known.text) == ("a", "b", METRO)
        else:
            assert (one.text, two.text, known.text) == (METRO, "a", "b")
    assert await sources.apostprocess_nodes([]) == []
    assert [node.text for node in await sources.apostprocess_nodes(found(("", 1.0)))] == [""]


async def test_a_long_passage_is_known_by_its_beginning(running: RunningBoard) -> None:
    """Its fact is short enough to be recalled; what was deposited in the same words is the same fact, and says where it is from."""
    long = "The red metro line takes 25 minutes. " * 200
    sources, nodes = PheromonePostprocessor(running["travel"], "travel"), found((long, 0.5))
    nodes[0].node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="guide.pdf")
    await sources.aconfirm(nodes)
    ((content, item),) = (await standing(running["travel"])).items()
    assert count_tokens(content) < 420
    assert item.meta == {"source": "guide.pdf"}
    assert (item.kind, item.scope) == ("fact", "shared")
    await running["finance"].deposit(BUS, scope="shared")
    await running["finance"].wait_applied()
    weighed = await sources.apostprocess_nodes([*nodes, *found((BUS, 0.5), (METRO, 0.5))])
    assert [node.get_score() > 0.5 for node in weighed] == [True, True, False]


async def test_sources_may_be_private(running: RunningBoard) -> None:
    """What is confirmed in the agent's own scope guides nobody else, and is seen by nobody."""
    nodes = found((BUS, 0.8), (METRO, 0.7))
    own = PheromonePostprocessor(running["finance"], "finance", scope="private")
    await own.aconfirm(nodes[1:])
    await running["finance"].wait_applied()
    assert [node.text for node in await own.apostprocess_nodes(nodes)] == [METRO, BUS]
    for scope in ("private", "shared"):
        other = PheromonePostprocessor(running["travel"], "travel", scope=scope)
        assert [node.text for node in await other.apostprocess_nodes(nodes)] == [BUS, METRO]
    assert await standing(running["travel"]) == {}


async def test_strengths_are_asked_for_all_at_once(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """None waits for another."""
    nodes = found(*((f"passage {n}", 0.5) for n in range(20)))
    get, asked, all_asked = Board.get, 0, asyncio.Event()

    async def together(board: Board, item: Any) -> ContextItem:
        nonlocal asked
        asked += 1
        if asked == len(nodes):
            all_asked.set()
        await all_asked.wait()
        return await get(board, item)

    monkeypatch.setattr(Board, "get", together)
    assert await PheromonePostprocessor(running["travel"], "travel").apostprocess_nodes(nodes) == nodes


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
