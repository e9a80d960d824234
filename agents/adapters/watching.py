"""What changes of the documents in a namespace, as it changes: also through a board that goes down and comes back.

Laws:

- A read is no change: who reads on every change would never end.
- What a change left is asked for when it is heard of: of several in short order, each may tell of the last.
- Nothing is missed while the board is away, nor where a wait for it is cancelled; what was under way then may be told twice.
"""

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Self

from msgspec import Struct

from agents.adapters.documents import KIND, Namespace, key_of, namespace_of, path, standing
from agents.adapters.reaching import AGAIN
from agents.adapters.service import MemoryService
from blackboard.background import await_on
from blackboard.client import Board
from blackboard.errors import Refused
from blackboard.feed import Feed
from bus.messages import Change

UNTOLD = frozenset({"use", "supersede"})
"""Causes that no document changes by: what superseded another is told itself."""


class DocumentChanged(Struct, frozen=True, kw_only=True):
    """A document changed, or grew stronger, faded, or went."""

    namespace: Namespace
    key: str
    value: dict[str, Any] | None
    """As it stands; None: it is gone."""
    cause: str
    """What happened, as ``bus.messages.Cause`` has it: *deposit*, *confirm*, *retract*, *expire* …"""
    strength: float
    """Afterwards, of what was changed."""
    by: str
    """The agent; "" for what time alone did."""


class _Hearing(Struct):
    """A feed, on the loop of its board."""

    board: Board
    feed: Feed[Change]
    loop: asyncio.AbstractEventLoop
    change: Change | None = None
    """What was heard and not told yet."""


class Watch:
    """An iterator without an end over what changes in ``namespace`` and below it. Close it, or use it as a context.

    As a context it is entered once it hears, unless the board is down.
    """

    def __init__(self, memory: MemoryService, agent: str, namespace: Namespace) -> None:
        self._memory = memory
        self._agent = agent
        self._path = path(namespace)
        self._hearing: _Hearing | None = None
        self._since: str | None = None
        """All before it was told."""
        self._closed = False

    async def __aenter__(self) -> Self:
        await self._begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop hearing. Whoever waits for the next change is at the end."""
        self._closed = True
        await self._stop()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> DocumentChanged:
        while not self._closed:
            if self._hearing is None:
                await self._begin()
            if (hearing := self._hearing) is not None:
                try:
                    if hearing.change is None:
                        self._since = hearing.feed.position
                    told = await await_on(hearing.loop, self._next(hearing))
                except StopAsyncIteration:
                    pass  # its board was closed: by us, or since it was down
                except Refused:
                    self._since = None  # a board that knows nothing of it is another one: it begins anew
                except Exception:  # noqa: BLE001, S110 - whatever a board raises: it is told, and looked for, by those that reach it
                    pass
                else:
                    hearing.change = None
                    return told
                await self._stop()
            if not self._closed:
                await asyncio.sleep(AGAIN)
        raise StopAsyncIteration

    async def _begin(self) -> None:
        self._hearing = await self._memory.reach(self._agent, partial(_hear, since=self._since), None)

    async def _stop(self) -> None:
        hearing, self._hearing = self._hearing, None
        if hearing is not None and hearing.loop.is_running():
            await await_on(hearing.loop, hearing.feed.aclose())

    async def _next(self, hearing: _Hearing) -> DocumentChanged:
        while True:
            if hearing.change is None:
                hearing.change = await anext(hearing.feed)
            change = hearing.change
            if change.cause in UNTOLD or change.key is None or change.target is None or not change.key.startswith(self._path):
                hearing.change = None
                continue
            left = [document.value for document in standing(await hearing.board.about(change.key, change.target))]
            return DocumentChanged(
                namespace=namespace_of(change.key), key=key_of(change.target), value=left[0] if left else None,
                cause=change.cause, strength=change.new, by=change.by,
            )  # fmt: skip


async def _hear(board: Board, since: str | None) -> _Hearing:
    async with AsyncExitStack() as stack:
        feed = await stack.enter_async_context(board.changes(kind=KIND, since=since))
        stack.pop_all()
    return _Hearing(board, feed, asyncio.get_running_loop())
