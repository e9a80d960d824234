"""Two LangChain agents share a board: what one is told reaches the other's prompt, and stays out of its history. Offline."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatResult

from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneMiddleware


class Scripted(GenericFakeChatModel):
    """In place of a real model: it prints what it is sent, and answers by heart."""

    def bind_tools(self, *_: Any, **__: Any) -> "Scripted":
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        print("\nThe model is sent")
        for message in messages:
            print(f"  {message.type}: {message.text or 'calls flights'}".replace("\n", "\n      "))
        return super()._generate(messages, *args, **kwargs)


def flights(city: str) -> str:
    """Flights to a city, with their prices."""
    return f"{city}: TP571 for 640 EUR, LH1166 for 480 EUR"


def main() -> None:
    with TemporaryDirectory() as folder, MemoryService(Path(folder) / "trip", scope="shared") as memory:
        finance = create_agent(
            Scripted(messages=iter([AIMessage("I have noted it.")])),
            middleware=[PheromoneMiddleware(memory, "finance")],
        )
        finance.invoke({"messages": [{"role": "user", "content": "A flight must not cost more than 500 EUR."}]})

        call = ToolCall(name="flights", args={"city": "Lisbon"}, id="1")
        travel = create_agent(
            Scripted(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("LH1166 for 480 EUR.")])),
            tools=[flights],
            middleware=[PheromoneMiddleware(memory, "travel")],
        )
        end = travel.invoke({"messages": [{"role": "user", "content": "Which flight to Lisbon may we book?"}]})
        print("\nThe history has", ", ".join(message.type for message in end["messages"]))


if __name__ == "__main__":
    main()
