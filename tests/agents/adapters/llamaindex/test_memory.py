"""What LlamaIndex's agents remember, and what is observed of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.agent.workflow.workflow_events import ToolCallResult
from llama_index.core.base.llms.types import ImageBlock, TextBlock, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import InsertMethod, Memory, StaticMemoryBlock
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from agents.adapters import MemoryService
from agents.adapters.llamaindex import PheromoneMemory, PheromoneMemoryBlock
from blackboard.errors import BadValue
from blackboard.section import OPENING
from blackboard.testing import RunningBoard
from blackboard.tokens import count_tokens
from tests.agents.adapters.llamaindex.fakes import ASKED, LIMIT, MAKES_AGENTS, Model, calls, memory_of, remembering, standing, texts
from tests.agents.adapters.told import told

pytestmark = MAKES_AGENTS


def block_of(memory: Memory) -> PheromoneMemoryBlock:
    return next(block for block in memory.memory_blocks if isinstance(block, PheromoneMemoryBlock))


def user(text: str) -> ChatMessage:
    return ChatMessage(text, role="user")


def flights(city: str) -> str:
    """Flights to a city."""
    return f"{city}: LH1166 for 480 EUR"


def trains(city: str) -> str:
    """Trains to a city."""
    raise LookupError(f"no trains to {city}")


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
