"""What a prompt is chosen from: pieces, and how a history becomes pieces (chapter 4).

Laws: a tool call and its results are one piece, since a model refuses the one without the other. A piece's text is never changed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import inf
from typing import Any, TypeAlias, TypeGuard

import msgspec

from blackboard.errors import BadValue

Message: TypeAlias = Mapping[str, Any]
"""A chat message in OpenAI's shape: ``{"role": …, "content": …}``, with ``tool_calls`` or ``tool_call_id`` where a tool is called."""


class Piece(msgspec.Struct, frozen=True):
    """What is in the prompt as a whole, or not at all."""

    text: str
    id: str = ""
    """By which others name it, in ``supersedes`` and ``summarises``; without one, its number in the history."""
    speaker: str = ""
    """Who says it; shown before the text."""
    day: date | None = None
    """When it was said; shown to nobody, found by whoever asks for it."""
    weight: float = 1.0
    """How much it counts beside its relevance: the strength of an item on a board, say."""
    topic: str = ""
    """Pieces of one topic share what they add to diversity; without one it is found by what they say."""
    protected: bool | None = None
    """In before all others, if it fits; ``None``: told from its text."""
    supersedes: tuple[str, ...] = ()
    """The ids of those that it overturns."""
    summarises: tuple[str, ...] = ()
    """The ids of those that it says in fewer words: it is a summary, beside the originals."""
    messages: tuple[Message, ...] = ()
    """The chat messages that it stands for."""
    whole: bool = True
    """Can it be sent? A tool call that was never answered cannot, nor a result without its call."""

    @property
    def rendered(self) -> str:
        """As it stands in a prompt that is one text."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


Entry: TypeAlias = str | Piece | Message
"""What a history may be made of."""


def pieces_of(entries: Sequence[Entry], start: int = 0) -> Iterator[tuple[int, Piece]]:
    """The pieces of a history from entry ``start`` on, each with the number of the entry behind it.

    Whatever begins with a tool call may go on with the entries that are still to come, as long as it is the last.

    :raises BadValue: an entry that is no text, no piece and no message, or a weight below 0
    """
    while start < len(entries):
        entry = entries[start]
        end = start + 1
        if isinstance(entry, str):
            piece = Piece(entry, str(start))
        elif isinstance(entry, Piece):
            if not 0 <= entry.weight < inf:
                raise BadValue(f"entry {start} has the weight {entry.weight}: give 0 or more")
            piece = entry if entry.id else msgspec.structs.replace(entry, id=str(start))
        elif _is_message(entry):
            try:
                if called := _calls(entry):
                    while end < len(entries) and _is_result(entries[end]):
                        end += 1
                piece = _said(str(start), entries[start:end], called)  # type: ignore[arg-type]
            except (AttributeError, KeyError, TypeError) as error:
                raise BadValue(
                    f"entry {start} is {entry!r:.80}: a message has the shape of OpenAI's, and this has not ({error!r})"
                ) from error
        else:
            raise BadValue(f"entry {start} is {entry!r:.80}: give a text, a Piece, or a message with a role and a content")
        yield end, piece
        start = end


def _is_message(entry: object) -> TypeGuard[Message]:
    return isinstance(entry, Mapping) and "role" in entry


def _said(name: str, messages: Sequence[Message], called: set[str]) -> Piece:
    """What one message says, or a tool call with its results."""
    first = messages[0]
    speaker = str(first.get("name") or first["role"])
    protected = True if first["role"] in {"system", "developer"} else None
    if not called:
        lone = _is_result(first)
        return Piece(content_of(first), name, speaker, protected=protected, messages=(first,), whole=not lone)
    answered = [str(each["tool_call_id"]) for each in messages[1:] if each.get("tool_call_id")]
    whole = len(messages) - 1 - len(answered) >= len(called.difference(answered))  # a result without an id is whatever result is missing
    text = "\n".join([shown_call(first), *(f"{each.get('name') or each['role']}: {content_of(each)}" for each in messages[1:])])
    return Piece(text, name, speaker, messages=tuple(messages), whole=whole)


def _calls(message: Message) -> set[str]:
    """The ids of the tools that a message calls."""
    if message["role"] != "assistant":
        return set()
    return {str(each.get("id", "")) for each in message.get("tool_calls") or ()} | ({""} if message.get("function_call") else set())


def _is_result(entry: Entry) -> bool:
    return isinstance(entry, Mapping) and entry.get("role") in {"tool", "function"}


def content_of(message: Message) -> str:
    """The text of a message; of parts that are no text, what they are."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) if part.get("type") == "text" else f"[{part.get('type')}]" for part in content)


def shown_call(message: Message) -> str:
    """What a message says and calls."""
    called = [each["function"] for each in message.get("tool_calls") or ()]
    if function := message.get("function_call"):
        called.append(function)
    lines = [content_of(message), *(f"{each['name']}({_arguments(each)})" for each in called)]
    return "\n".join(line for line in lines if line)


def _arguments(function: Mapping[str, Any]) -> str:
    given = function.get("arguments", "")
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
