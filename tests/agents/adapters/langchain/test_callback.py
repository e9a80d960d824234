"""Plain chains of LangChain's, which a callback observes."""

import asyncio

import pytest
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool

import blackboard
from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneCallback, PheromoneMiddleware
from blackboard.section import OPENING
from blackboard.testing import RunningBoard
from tests.agents.adapters.langchain.fakes import LIMIT, Model, answers, calls, contents
from tests.agents.adapters.told import told


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
