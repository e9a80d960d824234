"""LangChain with its own fake model, and the agents that the tests make with it."""

from collections.abc import Callable, Iterator
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, get_notification_metadata
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableConfig
from pydantic import Field

from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneMiddleware
from blackboard.client import Board
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
