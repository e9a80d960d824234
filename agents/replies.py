"""What a language model replies, as OpenAI's chat protocol has it: in one piece, or in the pieces of a stream.

Laws:

- A reply is whole, or it is none: one that was refused, cut off or broken off, that is empty, or that calls a tool without a name is a
  ``BadReply``, whatever of it has come already.
- A piece is read strictly where it is used, and not at all where it is not: servers add what they like.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from agents.errors import BadReply


class ToolCall(Struct, frozen=True):
    """A tool that the model wants to have called."""

    id: str
    name: str
    arguments: str
    """As the model wrote them: JSON, if it kept to the protocol."""


class Reply(Struct, frozen=True):
    """A whole reply: text, or calls of tools, or both."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    """Why the model ended, in the server's word."""
    tokens: int = 0
    """What it cost, of the budget: prompt and reply together."""


class _Function(Struct):
    name: str | None = None
    arguments: str | None = None


class _Call(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    delta: _Message | None = None
    message: _Message | None = None
    finish_reason: str | None = None


class Piece(Struct):
    """A chunk of a stream; a reply that comes whole is one, too."""

    choices: list[_Choice]
    usage: Any = None


class _Usage(Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class _Growing(Struct):
    """A call of which more may come."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


class Gathered:
    """A reply as it comes. ``tokens``: what it costs, unless the server says otherwise."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self._text: list[str] = []
        self._refusal = ""
        self._finish: str | None = None
        self._calls: list[_Growing] = []

    def take(self, data: Any) -> Iterator[str]:
        """Take in a piece, as JSON decoded it; give what it adds to the text. Raises ``BadReply``."""
        try:
            piece = msgspec.convert(data, Piece)
        except msgspec.ValidationError as error:
            raise BadReply(f"outside of the protocol: {error}: is it a chat server of OpenAI's kind?") from None
        self.tokens = _cost(piece.usage, self.tokens)
        for choice in piece.choices[:1]:
            self._finish = choice.finish_reason or self._finish
            for message in filter(None, (choice.delta, choice.message)):
                self._refusal += message.refusal or ""
                for call in message.tool_calls or ():
                    self._grow(call)
                if message.content:
                    self._text.append(message.content)
                    yield message.content

    def _grow(self, part: _Call) -> None:
        # Some servers number no calls, or give all of them one number: a new id is a new call, too.
        same = [each for each in self._calls if part.index is None or each.index == part.index][-1:]
        if not same or (part.id and same[0].id and part.id != same[0].id):
            same = [_Growing(part.index)]
            self._calls += same
        call = same[0]
        call.id = call.id or part.id or ""
        if part.function is not None:
            call.name = call.name or part.function.name or ""
            call.arguments += part.function.arguments or ""

    def reply(self) -> Reply:
        """The whole reply. Raises ``BadReply``."""
        if self._refusal:
            raise BadReply(f"refused: {self._refusal}")
        if self._finish is None:
            raise BadReply("gave no choice, or broke off before its end")
        if self._finish in {"length", "content_filter"}:
            cure = "allow more tokens" if self._finish == "length" else "ask otherwise"
            raise BadReply(f"was cut off ({self._finish}): {cure}")
        if any(not call.name for call in self._calls):
            raise BadReply("called a tool without naming it")
        given = Counter(each.id for each in self._calls)  # some servers give none, and some the name of the tool
        ids = (each.id if each.id and given[each.id] == 1 else f"call-{n}" for n, each in enumerate(self._calls))
        calls = tuple(ToolCall(id_, each.name, each.arguments) for id_, each in zip(ids, self._calls, strict=True))
        text = "".join(self._text)
        if not calls and not text.strip():
            raise BadReply("gave an empty answer")
        return Reply(text, calls, self._finish, self.tokens)


def _cost(usage: Any, otherwise: int) -> int:
    """What a reply says that it cost, if that can be."""
    try:
        told = msgspec.convert(usage, _Usage)
    except msgspec.ValidationError:
        return otherwise
    parts = told.prompt_tokens + told.completion_tokens
    return parts if told.prompt_tokens > 0 and told.completion_tokens >= 0 and told.total_tokens == parts else otherwise
