"""LlamaIndex with its own fake models, and the memories that the tests give it."""

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import TextBlock, ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import Memory
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from agents.adapters import MemoryService
from agents.adapters.llamaindex import PheromoneMemory, PheromoneMemoryBlock
from blackboard.client import Board
from blackboard.items import ContextItem
from tests.agents.adapters.told import told

LIMIT = "A flight must not cost more than 500 EUR."
ASKED = "Which flight to Lisbon may we book?"
BUS, METRO = "Buses to the centre take an hour.", "The red metro line takes 25 minutes."

# Making an agent, LlamaIndex looks at all attributes that it has, those that pydantic has deprecated among them.
MAKES_AGENTS = pytest.mark.filterwarnings("ignore:.* attribute .*is deprecated:pydantic.warnings.PydanticDeprecationWarning:inspect")


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


def remembering(kind: type[Memory], *blocks: Any, **options: Any) -> Memory:
    stores.append(SQLAlchemyChatStore("messages"))
    return kind.from_defaults(memory_blocks=list(blocks), chat_store=stores[-1], **options)


def memory_of(board: MemoryService | Board, agent: str = "travel", **options: Any) -> Memory:
    return remembering(PheromoneMemory, PheromoneMemoryBlock(board, agent), **options)


def texts(message: ChatMessage) -> list[str]:
    return [block.text for block in message.blocks if isinstance(block, TextBlock)]


def found(*passages: tuple[str, float | None]) -> list[NodeWithScore]:
    return [NodeWithScore(node=TextNode(text=text), score=score) for text, score in passages]


class Found(BaseRetriever):
    """Finds the same passages, whatever the question."""

    def __init__(self, *passages: tuple[str, float | None]) -> None:
        super().__init__()
        self.nodes = found(*passages)

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        return self.nodes


async def standing(board: Board) -> dict[str, ContextItem]:
    """What stands on the board, by its words."""
    await board.wait_applied()
    return {told(item): item for item in await board.view(limit=1000)}
