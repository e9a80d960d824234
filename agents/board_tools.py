"""The board's verbs as tools for a language model: what it may say, ask and check there, in the name of the agent that it is.

Every tool gives text or plain data, and what other agents wrote comes marked as theirs. What the board refuses is raised by the tool that
said it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Meta

from agents.tools import Tool
from blackboard.client import Board
from blackboard.items import ContextItem

Value = str | float | int | bool | list[str | float | int] | None
Scope = Literal["private", "shared"]
T = TypeVar("T")

_turns: WeakKeyDictionary[Board, asyncio.Lock] = WeakKeyDictionary()
"""Whose turn it is to say something: one for each board, however often its tools are made."""


async def _applied(board: Board, say: Callable[[], Awaitable[T]]) -> T:
    """What ``say`` gives, once the board has taken it. One at a time: what was refused is told to the call that said it."""
    async with _turns.setdefault(board, asyncio.Lock()):
        said = await say()
        await board.wait_applied()
        return said


async def assemble(
    board: Board,
    query: Annotated[str, Meta(description="what the turn is about")],
    max_tokens: Annotated[int, Meta(ge=1, le=32_000)] = 1000,
) -> str:
    """What is remembered about a question, as a section for a prompt: what must hold first, then the most relevant."""
    return (await board.assemble(query, max_tokens)).text


async def check(
    board: Board,
    values: Annotated[dict[str, Value], Meta(description='what is planned, as {"budget": 52000}, or {"budget": [52000, "CNY"]}')],
) -> list[dict[str, Any]]:
    """Which shared constraints a plan would break. Call it before you commit to figures; an empty list: none."""
    return [_plain(breach) for breach in await board.check(values)]


async def constrain(
    board: Board,
    key: Annotated[str, Meta(description="the quantity, as in budget")],
    op: Literal["<=", "<", ">=", ">", "==", "!=", "in", "not_in", "matches"],
    value: Value,
    unit: str | None = None,
    hard: Annotated[bool, Meta(description="true: it binds; false: it may be relaxed once nobody confirms it any more")] = True,
    scope: Scope = "shared",
) -> str:
    """State a constraint that all must keep, as budget <= 50000 CNY."""
    item = await _applied(board, lambda: board.constrain(key, op, value, unit=unit, hard=hard, scope=scope))
    return item.id


async def constraints(board: Board) -> list[dict[str, Any]]:
    """All constraints in view, with their status."""
    return [_plain(each) for each in await board.constraints()]


async def experts(board: Board, key: Annotated[str, Meta(description="what it is about, as in supplier_price")]) -> list[dict[str, Any]]:
    """Which agents know about something: who strengthened what is shared about it, and how much."""
    return [_plain(each) for each in await board.experts(key)]


async def observe(
    board: Board,
    text: Annotated[str, Meta(description="what you found out, in one sentence that stands by itself")],
    key: Annotated[str | None, Meta(description="what it is about; with a value, a newer one takes the older one's place")] = None,
    value: Value = None,
    unit: str | None = None,
    scope: Annotated[Scope, Meta(description="private: for you alone; shared: for all agents of the board")] = "private",
) -> str:
    """Put what you found out on the board, so that it is remembered; gives its id, which share takes."""
    item = await _applied(board, lambda: board.deposit(text, key=key, value=value, unit=unit, scope=scope))
    return item.id


async def recall(
    board: Board,
    query: Annotated[str, Meta(description="the words of what you look for")],
    limit: Annotated[int, Meta(ge=1, le=50)] = 10,
) -> list[dict[str, Any]]:
    """Items that a question recalls, the best first, each with its id, its strength, who wrote it and why it came."""
    return [{**shown(hit.item), "why": _plain(hit.why)} for hit in await board.hits(query, limit)]


async def share(board: Board, item: Annotated[str, Meta(description="the id that observe or recall gave")]) -> str:
    """Let all agents of the board see a private item of yours."""
    await _applied(board, lambda: board.share(item))
    return "shared"


_FUNCTIONS: tuple[Callable[..., Any], ...] = (assemble, check, constrain, constraints, experts, observe, recall, share)
BOARD_TOOLS = {function.__name__: Tool.of(function, without={"board"}) for function in _FUNCTIONS}
"""Name → the tool, of no board yet: ``having(board=board)`` makes it one's."""


def board_tools(board: Board) -> tuple[Tool, ...]:
    """The tools of ``board``: assemble, check, constrain, constraints, experts, observe, recall, share."""
    return tuple(tool.having(board=board) for tool in BOARD_TOOLS.values())


def shown(item: ContextItem) -> dict[str, Any]:
    """An item as a model is shown it: with its id, its strength, and who wrote it."""
    return {
        "id": item.id,
        "kind": item.kind,
        "content": item.content,
        "strength": round(item.strength, 2),
        "by": item.owner,
        "scope": item.scope,
    }


def _plain(struct: msgspec.Struct) -> dict[str, Any]:
    """A struct as JSON has it, without what it does not say."""
    said: Mapping[str, Any] = msgspec.json.decode(msgspec.json.encode(struct))
    return {name: value for name, value in said.items() if value is not None}
