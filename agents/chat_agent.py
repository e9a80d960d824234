"""An agent that is a language model: behind any server that speaks OpenAI's chat protocol, with the board as its memory.

    finance = ChatAgent("finance", board, model="qwen3", budget=Budget(50_000), instructions="You keep the budget.", tools=[price])
    print(await finance.chat("May we fly?"))
    async for text in finance.stream("And by train?"):
        print(text, end="")

Laws:

- Before each call of the model the agent's view is assembled anew, and stands as the last message of the prompt, the user's. It is in no
  history: so what comes before it is, from one call to the next, the same to the byte, but where the window moves.
- A turn is whole, or it is none: one that fails or is cancelled leaves nothing in the history. What was said in it, and what tools gave, is
  on the board all the same.
- The history goes out of the window by its oldest whole turns, half a window at once; the board remembers what left.
- A tool that fails, or is called wrongly, is told to the model; nothing else that goes wrong is.
- No call begins that the budget might not bear. A board that is away costs the memory, never the turn.
- One turn at a time.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from itertools import chain
from typing import Any, NamedTuple, Self

import anyio
import msgspec

from agents.adapters.events import AgentSaid, ToolReturned, UserSaid
from agents.adapters.observing import excerpt
from agents.adapters.service import MemoryService
from agents.agent import Agent
from agents.board_tools import board_tools
from agents.chat import Budget, Chat, Message
from agents.errors import BadReply
from agents.replies import Reply, ToolCall
from agents.tools import Tool
from blackboard.client import Board
from blackboard.errors import BadValue, Refused

VERBS = ("check", "constrain", "constraints", "experts", "observe", "recall", "share")
"""The board's tools that a model gets, unless it is told otherwise; its view is assembled for it anyway."""
AWAY = "error: the board is away for now: go on without it"
"""What a tool of the board's gives then."""
GIVEN = 1_000
"""Characters of each of a turn's tool results, by which a later call in it recalls."""

_calling: ContextVar[tuple["ChatAgent", ...]] = ContextVar("calling", default=())
"""Whose tools are running, here or around here."""


class _Turn(NamedTuple):
    messages: tuple[Message, ...]
    tokens: int


class ChatAgent(Agent):
    """A language model as an agent: give it to a ``Crew``, or a board to it. Subclass it for handlers, which may ``chat``.

    ``instructions`` is the system message; ``tools`` are functions (see ``Tool``), and ``verbs`` names what of the board the model may call
    besides. ``base_url``, ``api_key``, ``within`` and ``temperature`` are those of ``Chat``: without them the environment's. In tokens:
    ``max_tokens`` an answer, ``memory_tokens`` what is recalled for a call, ``window`` all that a request may have, answer included: give
    less than the model has, as it may count more. A turn has at most ``max_calls`` calls of the model. What is said and what tools return
    goes onto the board as ``scope`` says: *private* or *shared*. Raises ``BadValue``, ``NotInstalled``.
    """

    def __init__(
        self,
        name: str | None = None,
        board: Board | None = None,
        *,
        model: str,
        budget: Budget,
        instructions: str = "",
        tools: Iterable[Callable[..., Any] | Tool] = (),
        verbs: Collection[str] = VERBS,
        base_url: str | None = None,
        api_key: str | None = None,
        within: float = 60.0,
        temperature: float | None = None,
        max_tokens: int = 1_000,
        memory_tokens: int = 1_000,
        window: int = 16_000,
        max_calls: int = 8,
        scope: str = "private",
    ) -> None:
        super().__init__(name, board)
        self.budget = budget
        self.instructions = instructions
        self.remembered = ""
        """The section that the last call of the model was given; "" if nothing was relevant, or the board away."""
        self._chat = Chat(model, budget=budget, base_url=base_url, api_key=api_key, within=within, temperature=temperature)
        self._own = _named([Tool.of(each) for each in tools], verbs)
        self._verbs = verbs
        for figure, least in (("max_tokens", max_tokens), ("memory_tokens", memory_tokens), ("max_calls", max_calls)):
            if least < 1:
                raise BadValue(f"{figure} {least!r}: give at least 1")
        if scope not in {"private", "shared"}:
            raise BadValue(f"scope {scope!r}: give private or shared")
        self._max_tokens, self._memory_tokens, self._window, self._max_calls = max_tokens, memory_tokens, window, max_calls
        self._scope = scope
        taken = self._chat.tokens(self._system(), tuple(self._own.values())) + max_tokens + memory_tokens
        if taken >= window:
            raise BadValue(
                f"window {window:,}: instructions, tools, memory and answer alone take {taken:,} tokens: make it larger, or them less"
            )
        self._turns: list[_Turn] = []
        self._one = anyio.Semaphore(1)  # no lock: a stream that was left behind is closed by another task than began it
        self._service: MemoryService | None = None
        self._served: Board | None = None
        self._tools: dict[str, Tool] = {}

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages that are in the window, by whole turns: the user's, the model's, those of tools. Nothing recalled is in it."""
        return tuple(chain.from_iterable(turn.messages for turn in self._turns))

    async def chat(self, text: str, *, observed: bool = True) -> str:
        """What the model answers to ``text``, after whatever tools it calls. ``observed``: False for words of the program's own, no user's.

        Raises ``ChatError`` (``BudgetSpent``, ``NoReply``, ``BadReply``: also where it only goes on calling tools), ``BadValue``.
        """
        async with aclosing(self.stream(text, observed=observed)) as pieces:
            async for _ in pieces:
                pass
            return str(self._turns[-1].messages[-1]["content"])

    async def stream(self, text: str, *, observed: bool = True) -> AsyncGenerator[str, None]:
        """``chat``, piece by piece of what the model writes, also before it calls tools.

        Who leaves it before its end closes it (``contextlib.aclosing``): it is a turn that failed, then.
        """
        if not text.strip():
            raise BadValue("the text is blank: say something")
        if self in _calling.get():
            raise BadValue(f"a tool of {self.name} asks {self.name}, whose turn waits for the tool: let it ask another agent")
        async with self._one, aclosing(self._turn(text, observed)) as pieces:
            async for piece in pieces:
                yield piece

    async def stop(self) -> None:
        """Close its connections to the model, and send what was said. Used again, it opens new ones."""
        service, self._service, self._served = self._service, None, None
        if service is not None:
            await service.aclose()
        await self._chat.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # ---- a turn -------------------------------------------------------------------------------------------------------------------------

    async def _turn(self, text: str, observed: bool) -> AsyncGenerator[str, None]:
        agent, service = self.board.agent, self._memory_service()
        if observed:
            await service.observe(agent, UserSaid(text))
        turn: list[Message] = [{"role": "user", "content": text}]
        tools = tuple(self._tools.values())
        for _ in range(self._max_calls):
            self._make_room(turn, tools)
            messages = [*self.history, *turn]
            self.remembered = await service.assemble(agent, _about(turn), self._memory_tokens, _texts(messages))
            view: list[Message] = [{"role": "user", "content": self.remembered}] if self.remembered else []
            reply = Reply("")
            async with aclosing(self._chat.stream([*self._system(), *messages, *view], self._max_tokens, tools)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Reply):
                        reply = piece
                    else:
                        yield piece
            turn.append(_said(reply))
            if not reply.calls:
                self._turns.append(_Turn(tuple(turn), self._chat.tokens(turn)))
                await service.observe(agent, AgentSaid(reply.text))
                return
            for call in reply.calls:
                result = await self._called(call, service)
                turn.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise BadReply(f"{self._chat.model} has called tools {self._max_calls} times and not answered: allow more (max_calls=…)")

    def _make_room(self, turn: Sequence[Message], tools: Sequence[Tool]) -> None:
        """Cut the history, if it is too long for a call of the model. Raises ``BadValue`` for a turn that is so by itself."""
        room = self._window - self._max_tokens - self._memory_tokens - self._chat.tokens([*self._system(), *turn], tools)
        if room < 0:
            raise BadValue(f"the turn has {-room:,} tokens more than window {self._window:,} has room for: say less, or make it larger")
        if self._held() > room:
            while self._turns and self._held() > room // 2:  # by half: so the prompt begins the same for many turns, which providers cache
                del self._turns[0]

    def _held(self) -> int:
        """The tokens of the history."""
        return sum(turn.tokens for turn in self._turns)

    def _system(self) -> list[Message]:
        return [{"role": "system", "content": self.instructions}] if self.instructions else []

    # ---- tools --------------------------------------------------------------------------------------------------------------------------

    async def _called(self, call: ToolCall, service: MemoryService) -> str:
        """What a call of a tool gives, as the model is told it."""
        tool = self._tools.get(call.name)
        if tool is None:
            there = f"call one of {', '.join(self._tools)}" if self._tools else "there is none at all"
            return f"error: there is no tool {call.name!r}: {there}"
        arguments = _arguments(call)
        if arguments is None:
            return f"error: the arguments of {call.name} are no JSON object: write one that fits its schema"
        if call.name not in self._own:  # what the board told is the board's already
            return (await service.reach(self.board.agent, lambda _: self._result(tool, arguments, Refused), (AWAY, True)))[0]
        before = _calling.set((*_calling.get(), self))
        try:
            result, failed = await self._result(tool, arguments, Exception)
        finally:
            _calling.reset(before)
        await service.observe(self.board.agent, ToolReturned(call.name, arguments, result, failed))
        return result

    async def _result(self, tool: Tool, arguments: Mapping[str, Any], told: type[Exception]) -> tuple[str, bool]:
        """What a tool gives, as text, and whether it failed; the errors that are ``told`` to the model are its text, then."""
        try:
            result, failed = await tool.call(arguments), False
            text = result if isinstance(result, str) else msgspec.json.encode(result, enc_hook=str).decode()
        except told as error:
            text, failed = f"error: {error}" if isinstance(error, Refused) else f"error: {type(error).__name__}: {error}", True
        return excerpt(text, self._window // 4), failed

    def _memory_service(self) -> MemoryService:
        if self._service is None or self._served is not self.board:
            self._served = self.board
            self._service = MemoryService(self.board, scope=self._scope)
            self._tools = self._own | {tool.name: tool for tool in board_tools(self.board) if tool.name in self._verbs}
        return self._service


def _about(turn: Sequence[Message]) -> str:
    """By what a call recalls: what tools have returned, and the user's words, which count most."""
    results = [str(each["content"])[:GIVEN] for each in turn if each["role"] == "tool"]
    return "\n".join([*results, str(turn[0]["content"])])


def _texts(messages: Sequence[Message]) -> list[str]:
    """What messages say, newest first."""
    return [str(each["content"]) for each in reversed(messages)]


def _said(reply: Reply) -> Message:
    """A reply as a message of the history. Arguments that are no object are left out of it: some servers refuse what their model wrote."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": "{}" if _arguments(call) is None else call.arguments or "{}"},
            }
            for call in reply.calls
        ]
    return message


def _arguments(call: ToolCall) -> dict[str, Any] | None:
    """A call's arguments; None: they are no JSON object."""
    try:
        return msgspec.json.decode(call.arguments or "{}", type=dict[str, Any])
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _named(tools: Sequence[Tool], verbs: Collection[str]) -> dict[str, Tool]:
    """Tools by name. Raises ``BadValue`` for a name that two have, and for a verb that no board has."""
    if isinstance(verbs, str) or (unknown := sorted(set(verbs) - set(VERBS))):
        raise BadValue(f"verbs {verbs if isinstance(verbs, str) else unknown!r}: give a list of {', '.join(VERBS)}")
    named = {tool.name: tool for tool in tools}
    for n, tool in enumerate(tools):
        if tool.name in verbs or named[tool.name] is not tool:
            raise BadValue(f"tool {tool.name!r}, number {n + 1}: the board or another tool has that name: rename one, or omit the verb")
    return named
