"""Two LlamaIndex agents share a board, and a query engine goes by what has proved itself. Offline."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from agents.adapters import MemoryService
from agents.adapters.llamaindex import PheromoneMemory, PheromoneMemoryBlock, PheromonePostprocessor


def model(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
    """In place of a real model: it prints what it is sent, and answers the same each time."""
    print("\nThe model is sent")
    for message in messages:
        print(f"  {message.role.value}: {message.content}".replace("\n", "\n      "))
    return ChatMessage("I have noted it.", role="assistant")


class Guides(BaseRetriever):
    """In place of an index: it finds the same passages each time."""

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        found = {"Buses to the centre take an hour.": 0.8, "The red metro line takes 25 minutes.": 0.7}
        return [NodeWithScore(node=TextNode(text=text), score=score) for text, score in found.items()]


async def chat(memory: MemoryService) -> None:
    """What one agent is told reaches the other's prompt, and stays out of its history."""
    for agent, said in ("finance", "A flight must not cost more than 500 EUR."), ("travel", "Which flight may we book?"):
        history = PheromoneMemory.from_defaults(memory_blocks=[PheromoneMemoryBlock(memory, agent)])
        await FunctionAgent(llm=MockFunctionCallingLLM(response_generator=model)).run(user_msg=said, memory=history)
    print("\nThe history has")
    for message in await history.aget_all():
        print(f"  {message.role.value}: {message.content}")


async def query(memory: MemoryService) -> None:
    """What was confirmed once comes first from then on."""
    sources = PheromonePostprocessor(memory, "travel")
    engine = RetrieverQueryEngine.from_args(Guides(), llm=MockLLM(max_tokens=5), node_postprocessors=[sources])
    for _ in range(2):
        answer = await engine.aquery("How do we get to the centre?")
        print("\nThe engine found")
        for node in answer.source_nodes:
            print(f"  {node.score:.2f} {node.text}")
        await sources.aconfirm([node for node in answer.source_nodes if "metro" in node.text])  # a traveller liked that


async def main() -> None:
    async with MemoryService(":memory:", scope="shared", within=30) as memory:  # an address in place of ":memory:" is kept, or served
        await chat(memory)
        await query(memory)


if __name__ == "__main__":
    asyncio.run(main())
