"""LlamaIndex: a board as a block of an agent's memory, and as what strength there is for a query engine's sources.

    block = PheromoneMemoryBlock("nats://127.0.0.1:4222/trip", "finance")
    memory = PheromoneMemory.from_defaults(memory_blocks=[block])
    await FunctionAgent(tools=tools, llm=llm).run(user_msg="May we fly?", memory=memory)

    sources = PheromonePostprocessor("nats://127.0.0.1:4222/trip", "finance")
    RetrieverQueryEngine.from_args(retriever, llm=llm, node_postprocessors=[sources])

Laws:

- What is remembered goes to the user's last message, as a text of its own before his: so no system message has it, what stands in front is
  the same at each call, and the history never has it.
- What is put into the memory is observed then, once: not when it is flushed from there, which may be never.
- A source's score moves only by what is known of it: what nobody has confirmed keeps its score.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
from agents.adapters.needing import needing
from agents.adapters.observing import excerpt
from agents.adapters.service import AnyMemory, MemoryService, service_of
from blackboard.client import Board
from blackboard.errors import BadValue, NotInView
from blackboard.items import ContextItem
from blackboard.recall import weight
from blackboard.section import without_memory
from blackboard.tokens import count_tokens
from bus.messages import UseAll

with needing("llamaindex"):
    from llama_index.core.agent.workflow.workflow_events import ToolCallResult
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory import BaseMemoryBlock, Memory
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

__all__ = ["PheromoneMemory", "PheromoneMemoryBlock", "PheromonePostprocessor"]

MAX_TOKENS = 1000
"""Of what is remembered for a model call, unless it is said."""
HALF = 3.0
"""The strength by which a source's score is half again as high: from there a board's items are core, unless it is told otherwise."""
HEARD = 1000
"""Tool results of which it is kept, lest they be heard twice, that they were heard: the newest."""

HANDOFF = "handoff"
"""LlamaIndex's own tool: what it returns is for the model."""


class _Section(ChatMessage):
    """What is remembered, as a message by itself, until ``PheromoneMemory`` puts it where it belongs."""

    _texts: Sequence[str] = PrivateAttr(default=())
    """The messages that it was assembled for, newest first: a smaller one is for the same."""


class PheromoneMemoryBlock(BaseMemoryBlock[list[ChatMessage]]):
    """What the board ``memory`` has for a turn of ``agent``, for a ``PheromoneMemory``.

    ``max_tokens``: of what is remembered for a model call. ``conversation``: which of the agent's the memory is about. ``name`` and
    ``priority`` are LlamaIndex's: above priority 0 there is less of it where the memory's ``token_limit`` is short. Raises ``BadName``,
    ``BadValue``.
    """

    name: str = Field(default="pheroboard", description="The name of the memory block.")
    priority: int = Field(default=1, description="0: never less than max_tokens; else the higher, the later.")
    accept_short_term_memory: bool = Field(default=False, description="It has heard what is flushed.")
    agent: str = Field(description="Whose memory it is, on the board.")
    max_tokens: int = Field(default=MAX_TOKENS, description="Of what is remembered for a model call.")
    conversation: str = Field(default="", description="Which of the agent's conversations it is about.")

    _memory: MemoryService = PrivateAttr()
    _placed: bool = PrivateAttr(default=False)
    """Is it a block of a ``PheromoneMemory``?"""
    _heard: dict[str, int] = PrivateAttr(default_factory=dict)
    """Tool result → how often it came as an event, less how often as a message."""

    def __init__(self, memory: AnyMemory, agent: str, **fields: Any) -> None:
        super().__init__(**{"agent": agent, **fields})
        if self.max_tokens < 1:
            raise BadValue(f"max_tokens {self.max_tokens!r}: give 1 or more; a section with one line has about 30")
        self._memory = service_of(memory, agent)

    # ---- what is remembered -------------------------------------------------------------------------------------------------------------

    async def _aget(self, messages: list[ChatMessage] | None = None, session_id: str | None = None, **_: Any) -> list[ChatMessage]:
        """The section for the user's message that is to be answered; nothing where there is none, as after the answer."""
        if session_id is not None and not self._placed:  # a Memory asks
            raise BadValue(
                "a PheromoneMemoryBlock in a Memory would stand before the whole history, and hear what is said only when that is flushed:"
                " make it with PheromoneMemory.from_defaults(memory_blocks=[block])"
            )
        if not messages or messages[-1].role != MessageRole.USER:
            return []
        return await self._section([message.content or "" for message in reversed(messages)], self.max_tokens)

    async def atruncate(self, content: list[ChatMessage], tokens_to_truncate: int) -> list[ChatMessage] | None:
        """A section with so many tokens less, assembled anew: what matters most is in it."""
        for section in content:
            left = count_tokens(section.content or "") - tokens_to_truncate
            if isinstance(section, _Section) and left > 0:
                return await self._section(section._texts, left) or None  # noqa: SLF001 - ours
        return None

    async def _section(self, texts: Sequence[str], max_tokens: int) -> list[ChatMessage]:
        text = await self._memory.assemble(self.agent, texts[0], max_tokens, texts)
        if not text:
            return []
        # Adapters of models write a message's texts one after another, with nothing between.
        section = _Section.from_str(f"{text}\n")
        section._texts = texts  # noqa: SLF001 - ours
        return [section]

    # ---- what is observed ---------------------------------------------------------------------------------------------------------------

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Observe these messages."""
        for event in self._events(messages):
            await self._memory.observe(self.agent, event)

    async def observe(self, event: object) -> None:
        """Observe an event of an agent's stream: what a tool returned, at once and whether it failed; all others come as messages.

        Without it, what tools return is observed when the agent puts it into its memory, at the end of a turn (a ``ReActAgent`` never).
        """
        if isinstance(event, ToolCallResult) and event.tool_name != HANDOFF and self._news(event.tool_id, +1):
            given, gave = event.tool_kwargs, event.tool_output
            await self._memory.observe(self.agent, ToolReturned(event.tool_name, given, gave.content, failed=gave.is_error))

    def _events(self, messages: Sequence[ChatMessage]) -> Iterator[Event]:
        calls = {call.tool_call_id: call for message in messages for call in _calls(message)}
        for message in messages:
            said = message.content or ""
            if message.role == MessageRole.USER:
                yield UserSaid(said, self.conversation)
            elif message.role == MessageRole.ASSISTANT:
                if not _calls(message) and not message.additional_kwargs.get("tool_calls"):
                    yield AgentSaid(_answer(said), self.conversation)
            elif message.role == MessageRole.TOOL:
                called = message.additional_kwargs.get("tool_call_id")
                call = calls.get(called) or ToolCallBlock(tool_name="tool")
                if call.tool_name != HANDOFF and self._news(called, -1):
                    yield ToolReturned(call.tool_name, _arguments(call), said)

    def _news(self, called: str | None, step: int) -> bool:
        """Was a tool's result not heard the other way? Event and message come in any order; some models give the same id again."""
        if called is None:
            return True
        before = self._heard.pop(called, 0)
        if before != -step:
            self._heard[called] = before + step
            if len(self._heard) > HEARD:
                del self._heard[next(iter(self._heard))]
        return before * step >= 0


class PheromoneMemory(Memory):
    """LlamaIndex's ``Memory`` where the board's blocks have their place: made as that is, ``from_defaults(memory_blocks=[block])``."""

    def model_post_init(self, context: Any, /) -> None:
        """Let the blocks know."""
        super().model_post_init(context)
        for block in self._boards():
            block._placed = True  # noqa: SLF001 - ours

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of it."""
        return "PheromoneMemory"

    async def aget(self, input: str | ChatMessage | None = None, **block_kwargs: Any) -> list[ChatMessage]:  # noqa: A002 - theirs
        """The history, and in its last message, if it is the user's, what is remembered."""
        messages = await super().aget(input, **block_kwargs)
        remembered = [block for message in messages if isinstance(message, _Section) for block in message.blocks]
        history = [message for message in messages if not isinstance(message, _Section)]
        if remembered and history and history[-1].role == MessageRole.USER:
            last = history.pop()  # which may be the store's own: it stays as it is
            history.append(last.model_copy(update={"blocks": [*remembered, *last.blocks]}))
        elif remembered:
            history.append(ChatMessage(role=MessageRole.USER, blocks=remembered))
        return history

    async def aput(self, message: ChatMessage) -> None:
        """Put a message into the history, and let the board observe it."""
        await super().aput(message)
        await self._tell([message])

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Put messages into the history, and let the board observe them."""
        await super().aput_messages(messages)
        await self._tell(messages)

    async def _tell(self, messages: list[ChatMessage]) -> None:
        for block in self._boards():
            await block.aput(messages)

    def _boards(self) -> list[PheromoneMemoryBlock]:
        return [block for block in self.memory_blocks if isinstance(block, PheromoneMemoryBlock)]


class PheromonePostprocessor(BaseNodePostprocessor):
    """Let a query engine go by what has proved itself: nodes that agents have confirmed come before equals that they have not.

    A node is the fact on the board ``memory`` that says its text, in ``scope``. Its score is multiplied by ``1 + s/(s + 3)``, s being that
    fact's strength, 0 for none: by 1 for what nobody has confirmed, or what has faded, and by 2 at most. (A score below 0 is divided; none
    counts as 1.) The nodes come in the order of their new scores, the first ``top_n`` of them, and their facts are thereby used. Raises
    ``BadName``, ``BadValue``.
    """

    agent: str = Field(description="Who asks, on the board.")
    scope: str = Field(default="shared", description="Of the facts: shared, or private to the agent.")
    top_n: int | None = Field(default=None, description="How many nodes are returned at most; None: all.")

    _memory: MemoryService = PrivateAttr()

    def __init__(self, memory: AnyMemory, agent: str, **fields: Any) -> None:
        super().__init__(**{"agent": agent, **fields})
        if self.scope not in {"private", "shared"}:
            raise BadValue(f"scope {self.scope!r}: give private or shared")
        if self.top_n is not None and self.top_n < 1:
            raise BadValue(f"top_n {self.top_n!r}: give 1 or more, or None for all nodes")
        self._memory = service_of(memory, agent)

    @classmethod
    def class_name(cls) -> str:
        """LlamaIndex's name of it."""
        return "PheromonePostprocessor"

    # ---- what is found ------------------------------------------------------------------------------------------------------------------

    def _postprocess_nodes(self, nodes: list[NodeWithScore], _: QueryBundle | None = None) -> list[NodeWithScore]:
        return self._memory.reach_sync(self.agent, lambda board: self._guided(board, nodes), nodes[: self.top_n])

    async def _apostprocess_nodes(self, nodes: list[NodeWithScore], _: QueryBundle | None = None) -> list[NodeWithScore]:
        return await self._memory.reach(self.agent, lambda board: self._guided(board, nodes), nodes[: self.top_n])

    async def _guided(self, board: Board, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        facts = await asyncio.gather(*(self._fact(board, node) for node in nodes))
        weighed = [(_weighed(node, fact), fact) for node, fact in zip(nodes, facts, strict=True)]
        weighed.sort(key=lambda each: -each[0].get_score())
        found = weighed[: self.top_n]
        if used := tuple(dict.fromkeys(fact.id for _, fact in found if fact is not None)):
            await board.say(UseAll(used))
        return [node for node, _ in found]

    async def _fact(self, board: Board, node: NodeWithScore) -> ContextItem | None:
        """The fact that says what the node says, if it stands: one that is in the archive is not brought back by being found."""
        try:
            item = await board.get(ContextItem(_said(node), owner=board.agent, scope=self.scope).identify(board.name))
        except NotInView:
            return None
        return item if item.standing else None

    # ---- what was good ------------------------------------------------------------------------------------------------------------------

    def confirm(self, nodes: Sequence[NodeWithScore]) -> None:
        """Say that an answer from these nodes (its ``source_nodes``) was good: they are deposited as facts, or confirmed if they are."""
        self._memory.reach_sync(self.agent, lambda board: self._confirm(board, nodes), None, later=True)

    async def aconfirm(self, nodes: Sequence[NodeWithScore]) -> None:
        """``confirm``, awaited."""
        await self._memory.reach(self.agent, lambda board: self._confirm(board, nodes), None, later=True)

    async def _confirm(self, board: Board, nodes: Sequence[NodeWithScore]) -> None:
        sources = {said: (node.node.source_node or node.node).node_id for node in nodes if (said := _said(node))}
        async with board.batch() as batch:
            for said, source in sources.items():
                await batch.deposit(said, scope=self.scope, meta={"source": source})


def _calls(message: ChatMessage) -> list[ToolCallBlock]:
    return [block for block in message.blocks if isinstance(block, ToolCallBlock)]


def _arguments(call: ToolCallBlock) -> Mapping[str, Any]:
    """What a tool was called with, which some models give as a text."""
    if not isinstance(call.tool_kwargs, str):
        return call.tool_kwargs
    try:
        return msgspec.json.decode(call.tool_kwargs, type=dict[str, Any])
    except msgspec.MsgspecError:
        return {"input": call.tool_kwargs}


def _answer(said: str) -> str:
    """What is said without the thoughts of a ``ReActAgent``, which it puts into its memory before its answer."""
    thoughts, mark, answer = said.rpartition("\nAnswer: ")
    return answer if mark and thoughts.startswith("Thought: ") else said


def _said(node: NodeWithScore) -> str:
    """The content of the fact that a node is."""
    return excerpt(without_memory(node.node.get_content(metadata_mode=MetadataMode.NONE)))


def _weighed(node: NodeWithScore, fact: ContextItem | None) -> NodeWithScore:
    score = 1.0 if node.score is None else node.score
    by = weight(fact.strength if fact else 0.0, 0.0, half=HALF)
    return NodeWithScore(node=node.node, score=score * by if score >= 0 else score / by)
