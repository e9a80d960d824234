"""LangChain: a board as the memory of an agent that ``create_agent`` makes, and as the observer of a plain chain.

    agent = create_agent(model, tools, middleware=[PheromoneMiddleware("nats://127.0.0.1:4222/trip", "finance")])
    chain.invoke(question, {"callbacks": [PheromoneCallback("nats://127.0.0.1:4222/trip", "finance")]})

Laws:

- What is remembered stands behind the messages of one request, and nowhere else: the agent's state, and so its checkpoints, never has it.
- What the model, a tool or the framework raises or returns passes through as it is.
- Each thing is observed once: what a person said when the turn begins, so that others learn of it while the turn runs; what a tool gave,
  when it did; the answer when the turn ends.
- What the board's own tools gave is not observed: it is on the board.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
from agents.adapters.needing import needing
from agents.adapters.service import AnyMemory, MemoryService, service_of
from agents.board_tools import BOARD_TOOLS
from agents.tools import Tool
from blackboard.client import Board
from blackboard.errors import BadValue, Refused
from blackboard.section import without_memory

with needing("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ToolCallRequest
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        HumanMessage,
        ToolMessage,
        add_notification_metadata,
        get_notification_metadata,
    )
    from langchain_core.outputs import ChatGeneration, LLMResult
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from langgraph.errors import GraphBubbleUp
    from langgraph.runtime import Runtime
    from langgraph.types import Command

__all__ = ["PheromoneCallback", "PheromoneMiddleware", "by_thread"]

SOURCE = "pheroboard"
"""What the framework's messages and tools are marked with that are ours."""
AWAY = "the board cannot be reached now: go on without it, and try again later"

T = TypeVar("T")


def by_thread(runtime: Runtime[Any]) -> str:
    """For ``conversation``: each thread of the agent's checkpointer is a conversation of its own."""
    return (runtime.execution_info and runtime.execution_info.thread_id) or ""


class PheromoneMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Give an agent of ``create_agent`` what the board ``memory`` has for it, and tell the board what happens in its turns.

    ``agent`` is its name there. ``max_tokens``: of what is put behind the messages of a model call. ``conversation``: which of the agent's
    conversations a turn is of, or a function that tells it (``by_thread``). ``tools``: let the model use the board's verbs, too. Raises
    ``BadName``, ``BadValue``.
    """

    def __init__(
        self,
        memory: AnyMemory,
        agent: str,
        *,
        max_tokens: int = 1000,
        conversation: str | Callable[[Runtime[Any]], str] = "",
        tools: bool = False,
    ) -> None:
        if max_tokens < 1:
            raise BadValue(f"max_tokens {max_tokens!r}: give 1 or more; a section with one line has about 30")
        self.memory = service_of(memory, agent)
        self.agent = agent
        self._max_tokens = max_tokens
        self._conversation = conversation
        self.tools = [_structured(tool, self.memory, agent) for tool in BOARD_TOOLS.values()] if tools else []

    # ---- the turn begins, and ends ------------------------------------------------------------------------------------------------------

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Observe what a person said."""
        for event in self._asked(state, runtime):
            self.memory.observe_sync(self.agent, event)

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """``before_agent`` for an agent that is awaited."""
        for event in self._asked(state, runtime):
            await self.memory.observe(self.agent, event)

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Observe the answer."""
        for event in self._answered(state, runtime):
            self.memory.observe_sync(self.agent, event)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """``after_agent`` for an agent that is awaited."""
        for event in self._answered(state, runtime):
            await self.memory.observe(self.agent, event)

    def _asked(self, state: AgentState[Any], runtime: Runtime[Any]) -> Iterator[Event]:
        for text in _said_last(state["messages"]):
            yield UserSaid(text, self._of(runtime))

    def _answered(self, state: AgentState[Any], runtime: Runtime[Any]) -> Iterator[Event]:
        if text := _answer(state):
            yield AgentSaid(text, self._of(runtime))

    def _of(self, runtime: Runtime[Any]) -> str:
        return self._conversation if isinstance(self._conversation, str) else self._conversation(runtime)

    # ---- the model ----------------------------------------------------------------------------------------------------------------------

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], T]) -> T:
        """Let the model see what is remembered, behind the messages."""
        section = self.memory.assemble_sync(self.agent, _query(request.messages), self._max_tokens, _shown(request.messages))
        return handler(_with(request, section))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[T]]) -> T:
        """``wrap_model_call`` for an agent that is awaited."""
        section = await self.memory.assemble(self.agent, _query(request.messages), self._max_tokens, _shown(request.messages))
        return await handler(_with(request, section))

    # ---- tools --------------------------------------------------------------------------------------------------------------------------

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], T]) -> T:
        """Observe what a tool gave, or that it failed."""
        try:
            result = handler(request)
        except Exception as error:
            for event in _returned(_call(request), error):
                self.memory.observe_sync(self.agent, event)
            raise
        for event in _returned(_call(request), result):
            self.memory.observe_sync(self.agent, event)
        return result

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[T]]) -> T:
        """``wrap_tool_call`` for an agent that is awaited."""
        try:
            result = await handler(request)
        except Exception as error:
            for event in _returned(_call(request), error):
                await self.memory.observe(self.agent, event)
            raise
        for event in _returned(_call(request), result):
            await self.memory.observe(self.agent, event)
        return result


class PheromoneCallback(BaseCallbackHandler):
    """Tell the board ``memory`` what a plain chain is asked, answers, and has of its tools; it changes nothing, and injects nothing.

    For chains and graphs of one's own, awaited or not: an agent with a ``PheromoneMiddleware`` is observed already. ``agent`` is the
    chain's name on the board, ``conversation`` which of its conversations this is. Raises ``BadName``, ``BadValue``.
    """

    # No methods are coroutines: LangChain calls these in a thread where a chain is awaited, but waits for coroutines, in a chain that is
    # not, without letting the loop run on that it was called in.

    def __init__(self, memory: AnyMemory, agent: str, *, conversation: str = "") -> None:
        self.memory = service_of(memory, agent)
        self.agent = agent
        self._conversation = conversation
        self._running: dict[UUID, _Call] = {}

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], **_: Any) -> None:  # noqa: ARG002
        """Observe what a person said last."""
        self._observe(UserSaid(text, self._conversation) for each in messages for text in _said_last(each))

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Observe the answer, unless it is that tools are to be called."""
        for first in (several[0] for several in response.generations if several):
            message = first.message if isinstance(first, ChatGeneration) else AIMessage(first.text)
            if isinstance(message, AIMessage) and not message.tool_calls:
                self._observe([AgentSaid(str(message.text), self._conversation)])

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        inputs: dict[str, Any] | None = None,
        tool_call_id: str | None = None,
        **_: Any,
    ) -> None:
        """Keep what a tool is called with, until it ends."""
        given = inputs if inputs is not None else {"input": input_str}
        self._running[run_id] = _Call(serialized.get("name", "tool"), given, tool_call_id, SOURCE in (tags or ()))

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """Observe what a tool gave."""
        if call := self._running.pop(run_id, None):
            self._observe(_returned(call, output))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """Observe that a tool failed."""
        if call := self._running.pop(run_id, None):
            self._observe(_returned(call, error))

    def _observe(self, events: Iterable[Event]) -> None:
        for event in events:
            self.memory.observe_sync(self.agent, event)


# ---- what the framework's messages say --------------------------------------------------------------------------------------------------


def _by_a_person(message: BaseMessage) -> bool:
    """Not what a part of the framework says in a person's place, such as a summary."""
    return isinstance(message, HumanMessage) and get_notification_metadata(message) is None


def _said_last(messages: Sequence[BaseMessage]) -> list[str]:
    """What a person said since the agent last spoke."""
    since = list(takewhile(lambda message: not isinstance(message, AIMessage), reversed(messages)))
    return [str(message.text) for message in reversed(since) if _by_a_person(message)]


def _query(messages: Sequence[BaseMessage]) -> str:
    """What the turn is about: what a person said last, in words of their own; "" if there is none, for what must hold whatever it is."""
    said = (without_memory(str(message.text)).strip() for message in reversed(messages) if _by_a_person(message))
    return next(filter(None, said), "")


def _shown(messages: Sequence[BaseMessage]) -> list[str]:
    """What the prompt says, newest first."""
    return [str(message.text) for message in reversed(messages)]


def _with(request: ModelRequest[Any], section: str) -> ModelRequest[Any]:
    if not section:
        return request
    return request.override(messages=[*request.messages, add_notification_metadata(HumanMessage(section), source=SOURCE)])


def _answer(state: AgentState[Any]) -> str:
    """What the agent stated at the end; "" if its turn ended otherwise, as with a tool's result."""
    last = next((message for message in reversed(state["messages"]) if not isinstance(message, ToolMessage)), None)
    if not isinstance(last, AIMessage):
        return ""
    if not last.tool_calls:
        return str(last.text)
    # A structured answer is a call of a tool that there is not; the framework answers it itself.
    return _written(last.tool_calls[0]["args"]) if state.get("structured_response") is not None else ""


class _Call(NamedTuple):
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any]
    id: str | None
    ours: bool
    """Is it one of the board's own?"""


def _call(request: ToolCallRequest) -> _Call:
    call = request.tool_call
    tags = request.tool.tags if request.tool is not None else None
    return _Call(call["name"], call["args"], call["id"], SOURCE in (tags or ()))


def _returned(call: _Call, result: Any) -> Iterator[Event]:
    """The events of what a call gave, or raised."""
    if not call.ours:
        for text, failed in _texts(call, result):
            yield ToolReturned(call.tool, call.arguments, text, failed)


def _texts(call: _Call, result: Any) -> Iterator[tuple[str, bool]]:
    """What it says, and whether it says that the tool failed."""
    match result:
        case ToolMessage():
            yield str(result.text), result.status == "error"
        case Command():  # its update may have the whole history
            messages = result.update.get("messages", ()) if isinstance(result.update, Mapping) else ()
            for each in messages if isinstance(messages, Iterable) else (messages,):
                if isinstance(each, ToolMessage) and each.tool_call_id == call.id:
                    yield from _texts(call, each)
        case [ToolMessage() | Command(), *_]:
            for each in result:
                yield from _texts(call, each)
        case GraphBubbleUp():
            pass  # it waits for a person, or goes on elsewhere
        case Exception():
            yield f"{type(result).__name__}: {result}", True
        case BaseException():
            pass  # it was stopped
        case _:
            yield _written(result), False


def _written(value: Any) -> str:
    """A value as text, with its texts as they are: not as JSON, which would hide what of them is memory."""
    match value:
        case Mapping():
            return f"{{{', '.join(f'{name}: {_written(each)}' for name, each in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_written, value))}]"
        case _:
            return str(value)


# ---- the board --------------------------------------------------------------------------------------------------------------------------


def _structured(tool: Tool, memory: MemoryService, agent: str) -> BaseTool:
    """A tool of the board's as one of LangChain's, on the board as each call reaches it; what that refuses is told to the model."""

    async def call(board: Board, given: Mapping[str, Any]) -> str | ToolException:
        try:
            result = await tool.having(board=board).call(given)
        except Refused as error:
            return ToolException(str(error))
        return result if isinstance(result, str) else msgspec.json.encode(result).decode()

    away: str | ToolException = ToolException(AWAY)

    def told(result: str | ToolException) -> str:
        if isinstance(result, ToolException):
            raise result
        return result

    def run(**given: Any) -> str:
        return told(memory.reach_sync(agent, partial(call, given=given), away))

    async def arun(**given: Any) -> str:
        return told(await memory.reach(agent, partial(call, given=given), away))

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, func=run, coroutine=arun, handle_tool_error=True,
        tags=[SOURCE],
    )  # fmt: skip
