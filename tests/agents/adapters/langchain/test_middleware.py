"""What the middleware shows to a model of LangChain's, and what it puts on the board."""

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, add_notification_metadata, get_notification_metadata
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneMiddleware, by_thread
from blackboard.section import OPENING
from blackboard.testing import RunningBoard
from tests.agents.adapters.langchain.fakes import ASKED, LIMIT, Model, agent_of, answers, asks, calls, contents, section_of, thread

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
