"""How what was chosen stands in the prompt (chapter 4, "assembler")."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal, TypeAlias, get_args

from blackboard.context.history import History
from blackboard.context.pieces import Message

Order: TypeAlias = Literal["chronological", "relevance", "edges"]
"""As it was said; the most important first; the most important at the beginning and the end, where models read best."""

ORDERS: tuple[Order, ...] = get_args(Order)


def ordered(numbers: Sequence[int], order: Order) -> list[int]:
    """``numbers``: the most important first."""
    match order:
        case "chronological":
            return sorted(numbers)
        case "relevance":
            return list(numbers)
        case "edges":
            return [*numbers[::2], *numbers[1::2][::-1]]


def text_of(history: History, numbers: Iterable[int]) -> str:
    """The pieces as one text, with a line break between."""
    return "\n".join(history.pieces[number].rendered for number in numbers)


def messages_of(history: History, numbers: Iterable[int]) -> list[Message]:
    """The pieces as chat messages: those that they stand for, as they were given. Of one of which only parts are in, a copy with these."""
    found: list[Message] = []
    for origin, group in groupby(numbers, key=lambda number: history.origins[number]):
        parts = [history.pieces[number] for number in group]
        given = parts[0].messages or ({"role": "user"},)
        if parts[0].messages and len(parts) == history.parts[origin]:
            found.extend(given)
        else:
            found.append({**given[0], "content": "\n".join(part.text for part in parts)})
    return found
