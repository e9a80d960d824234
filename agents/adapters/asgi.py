"""ASGI middleware, for FastAPI, Starlette and whatever else speaks ASGI: it observes the message in a request, and offers what is
remembered in the request's state.

    app.add_middleware(MemoryMiddleware, memory="nats://127.0.0.1:4222/desk", agent="desk", header="X-Memory")

    @app.post("/chat")
    async def chat(body: dict[str, str], request: Request) -> str:
        memory: RequestMemory = request.state.memory
        answer = await model([*history, {"role": "user", "content": body["message"]}, {"role": "user", "content": memory.section}])
        await memory.observe(AgentSaid(answer))
        return answer

Laws:

- The app hears every message of the server's, byte for byte and in order, and the server every one of the app's; nothing but one header is
  added. What either raises, and what is cancelled, passes through, and the app runs in the task, and in the context, of its server's call.
- A body is read ahead only if it may be a message: JSON, of at most ``max_body`` bytes, and for at most ``AHEAD`` seconds. Whether it is
  well formed is the app's business.
- The app waits for one answer of the board's at most; its message is observed while it works, and before its request ends.
- Nothing of the memory's fails a request: ``request.state.memory`` is there in every one, and has nothing in it where there is no message,
  no agent or no board.
- Whose memory it is comes from who made the app, or from its callable, never from the body.
"""

import asyncio
import json
import logging
import re
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from agents.adapters.events import Event, UserSaid
from agents.adapters.service import AnyMemory, MemoryService, service_of
from blackboard.background import wait_on
from blackboard.client import Board
from blackboard.errors import BadValue
from bus.messages import Fact, Facts

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_HEADER = 4096
"""Characters of a header's value at most: servers and proxies take some 8,000 for all headers together."""
AHEAD = 2.0
"""Seconds that are waited for a body before the app runs."""
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
"""The methods whose body may be a message."""

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class RequestMemory:
    """The memory that a request has: ``request.state.memory``."""

    def __init__(self, memory: MemoryService, agent: str | None, conversation: str, message: str, section: str) -> None:
        self.agent = agent
        """Whose it is; None: nobody's, so that it stays empty."""
        self.conversation = conversation
        """Which of the agent's the request belongs to."""
        self.section = section
        """What was remembered about the message before it came, marked, for the end of a prompt; "" if there is nothing."""
        self._memory = memory
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._observing = asyncio.ensure_future(memory.observe(agent, UserSaid(message, conversation))) if agent and message else None

    async def facts(self) -> Facts:
        """What the conversation states by now, this message included, the most confident first; none if the board cannot be had."""
        await self.observed()
        return Facts() if self.agent is None else await self._memory.reach(self.agent, self._recall, Facts())

    async def observe(self, event: Event) -> None:
        """Take in what else happens, behind the message: ``AgentSaid`` for the app's answer. Also when the response is sent already."""
        await self.observed()
        if self.agent is not None:
            await self._memory.observe(self.agent, event)

    async def observed(self) -> None:
        """Return once the message is observed. Being cancelled does not cancel that: what was said was said."""
        if self._observing is not None:
            await asyncio.wait({self._observing})

    def facts_sync(self) -> Facts:
        """``facts`` for a handler without ``async``, which runs in a thread of its own."""
        return self._wait(self.facts)

    def observe_sync(self, event: Event) -> None:
        """``observe`` for a handler without ``async``, which runs in a thread of its own."""
        self._wait(partial(self.observe, event))

    def _wait(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if threading.get_ident() == self._thread:
            raise BadValue("in an async handler this would wait for itself: await facts() and observe(event) instead")
        return wait_on(self._loop, work())

    async def _recall(self, board: Board) -> Facts:
        return await board.recall("*", conversation=self.conversation)


def said(body: Any) -> str | None:
    """What a JSON body says: its ``message``, or the last message of the user's in ``messages``, as in OpenAI's chat protocol."""
    match body:
        case {"message": str(text)}:
            return text
        case {"messages": [*messages]}:
            return next((_text(each["content"]) for each in reversed(messages) if _by_user(each)), None)
    return None


def header_value(facts: Facts) -> str:
    """Facts as JSON in printable ASCII, of at most ``MAX_HEADER`` characters: those that do not fit whole are left out; "" for none."""
    shown: list[str] = []
    room = MAX_HEADER - 1
    for fact in facts:
        told = json.dumps(_plain(fact), separators=(",", ":"), default=str)
        if len(told) < room:
            shown.append(told)
            room -= len(told) + 1
    return f"[{','.join(shown)}]" if shown else ""


class MemoryMiddleware:
    """Gives each request of ``app`` a ``RequestMemory``, as ``request.state.memory``.

    ``memory`` is a service, which stays its maker's to close, or the board of one that ends with the app's lifespan. ``agent`` is whose
    memory it is, or gives that for a request's scope (after authentication: put this middleware inside), None for nobody. ``message`` gives
    what a JSON body says, None for nothing. ``conversation`` names one of the agent's, or gives its name for the scope and the body, which
    is None where none is read. ``max_tokens`` of a section; ``max_body`` bytes of a body that is read. ``header``: the name of a response
    header, which has the facts as JSON in ASCII, as many as fit. Raises ``BadName``, ``BadValue``.
    """

    def __init__(
        self,
        app: App,
        memory: AnyMemory,
        agent: str | Callable[[Scope], str | None],
        *,
        message: Callable[[Any], str | None] = said,
        conversation: str | Callable[[Scope, Any], str] = "",
        max_tokens: int = 1000,
        max_body: int = 64 * 1024,
        header: str | None = None,
    ) -> None:
        if max_tokens < 1 or max_body < 1:
            raise BadValue(f"max_tokens {max_tokens!r}, max_body {max_body!r}: give at least 1")
        if header is not None and not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", header):
            raise BadValue(f"header {header!r}: a name is made of letters, digits and '-', as in X-Memory")
        self._app = app
        self._owned = not isinstance(memory, MemoryService)
        self._memory = service_of(memory)
        self._agent, self._message, self._conversation = agent, message, conversation
        self._max_tokens, self._max_body = max_tokens, max_body
        self._header = None if header is None else header.lower().encode()
        self._told: set[type[Exception]] = set()
        if isinstance(agent, str):
            self._memory.client(agent)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "lifespan":
                await self._lifespan(scope, receive, send)
            case _:
                await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        ahead = _Ahead(receive)
        try:
            body = await ahead.body(self._max_body) if _may_be_message(scope, self._max_body) else None
            agent, conversation, message = self._asked(scope, body)
            # Before it is observed, since a prompt has the message already; and the app need not wait until it is.
            section = await self._memory.assemble(agent, message, self._max_tokens, [message]) if agent and message else ""
            memory = RequestMemory(self._memory, agent, conversation, message, section)
            scope.setdefault("state", {})["memory"] = memory
            try:
                await self._app(scope, ahead.receive, self._telling(memory, send) if message else send)
            finally:
                await memory.observed()
        finally:
            ahead.end()

    def _asked(self, scope: Scope, body: bytes | None) -> tuple[str | None, str, str]:
        """Whose memory a request is about, in which conversation, and what it says; "" for nothing."""
        agent, conversation, message = None, "", None
        try:
            agent = self._agent(scope) if callable(self._agent) else self._agent
            if agent is not None:
                self._memory.client(agent)
                content = _decoded(body)
                conversation = self._conversation(scope, content) if callable(self._conversation) else self._conversation
                message = None if content is None else self._message(content)
                if not (isinstance(conversation, str) and isinstance(message, str | None)):  # type: ignore[redundant-expr]  # users' own
                    raise BadValue(f"conversation {conversation!r:.80}, message {message!r:.80}: give texts")  # noqa: TRY301
        except Exception as error:
            if type(error) not in self._told:
                self._told.add(type(error))
                _logger.warning("a request has no memory: whose it is, or what it says, cannot be told", exc_info=True)
            return None, "", ""
        return agent, conversation, (message or "").strip()

    def _telling(self, memory: RequestMemory, send: Send) -> Send:
        """``send``, with facts in a header of the response if that is asked for; the app's own of that name stands."""
        name = self._header
        if name is None:
            return send

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                if all(own.lower() != name for own, _ in headers) and (value := header_value(await memory.facts())):
                    message = {**message, "headers": [*headers, (name, value.encode("ascii"))]}
            await send(message)

        return tell

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The app's own, with the board opened before it starts, and closed after it has ended."""

        async def opening() -> Message:
            message = await receive()
            if message["type"] == "lifespan.startup" and isinstance(self._agent, str):
                await self._memory.reach(self._agent, _nothing, None)
            return message

        async def closing(message: Message) -> None:
            if self._owned and message["type"] in {"lifespan.shutdown.complete", "lifespan.shutdown.failed"}:
                await self._memory.aclose()
            await send(message)

        await self._app(scope, opening, closing)


class _Ahead:
    """A request's messages, read ahead of the app, which then hears them all the same."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: deque[Message] = deque()
        self._next: asyncio.Future[Message] | None = None
        """What is waited for already."""

    async def body(self, most: int) -> bytes | None:
        """The body, if it is here in time and has at most so many bytes; else None. Raises nothing: that is for the app to hear."""
        parts, size, until = list[bytes](), 0, asyncio.get_running_loop().time() + AHEAD
        while size <= most:
            self._next = asyncio.ensure_future(self._receive())
            await asyncio.wait({self._next}, timeout=until - asyncio.get_running_loop().time())
            if not self._next.done() or self._next.cancelled() or self._next.exception():
                return None
            message, self._next = self._next.result(), None
            self._read.append(message)
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if not message.get("more_body", False):
                return b"".join(parts) if size <= most else None
        return None

    async def receive(self) -> Message:
        """The next message, as the app hears it."""
        if self._read:
            return self._read.popleft()
        if self._next is not None:
            coming, self._next = self._next, None
            return await coming
        return await self._receive()

    def end(self) -> None:
        """Nobody waits any more."""
        if self._next is not None:
            self._next.cancel()


def _may_be_message(scope: Scope, most: int) -> bool:
    """Is a request's body JSON, and not known to be larger?"""
    headers = dict(scope["headers"])
    kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    length = headers.get(b"content-length", b"0")
    return (
        scope["method"] in WITH_BODY
        and (kind == b"application/json" or (kind.startswith(b"application/") and kind.endswith(b"+json")))
        and not (length.isdigit() and (len(length) > len(str(most)) or int(length) > most))
    )


def _decoded(body: bytes | None) -> Any:
    """What a body says as JSON; None if it is none."""
    try:
        return None if body is None else msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def _by_user(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "user" and "content" in message


def _text(content: Any) -> str:
    """The text of a message: itself, or that of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _plain(fact: Fact) -> dict[str, Any]:
    """What a header says of a fact."""
    # What an item says of a slot tells no more than its value; what has none says itself in words, as a directive.
    told = {"type": fact.type, "target": fact.target, "value": fact.value, "content": fact.content if fact.item is None else None}
    plain = {name: value for name, value in told.items() if value is not None}
    return {**plain, "confidence": round(fact.confidence, 2), "staleness": fact.staleness, "confirm": fact.confirm}


async def _nothing(_: Board) -> None:
    """It is enough that the board is open."""
