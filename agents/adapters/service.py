"""The board as a memory service beside a framework: ``assemble(agent, query, max_tokens)`` and ``observe(agent, event)``.

    memory = MemoryService("nats://127.0.0.1:4222/trip", credentials="keys")
    section = await memory.assemble("finance", "May we fly?", 800)        # or memory.assemble_sync(…)
    await memory.observe("finance", UserSaid("At most 50,000, all in."))

Laws:

- A framework's call never fails, and never waits long, because of the board: whatever goes wrong there is told once, and means no memory.
  Only what cannot be, from the start (a name, a type), raises, and does so where the service or the adapter is made.
- A board that is down is looked for in the background, and is used again once it answers. Until then nobody waits for it.
- One client for each agent, whatever loops and threads call: it lives on one loop, that of a board which was given, or the process's own.
- What is being cancelled is cancelled.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from agents.adapters import observing
from agents.adapters.events import Event
from agents.adapters.reaching import Reached
from blackboard.background import await_on, background, wait_on
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.opening import open as open_board
from blackboard.sync import SyncBoard
from bus.names import valid_name

WITHIN = 2.0
"""Seconds that a call waits for the board at most."""

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class MemoryService:
    """The memory of a framework's agents.

    ``board`` is an address, as ``blackboard.open`` takes it, on which each agent gets a client of its own when it first needs one; or a
    board that is open, which serves the one agent that holds it, and stays its opener's to close. ``credentials`` is a key file, or the
    folder of them. What is observed goes into ``scope``: *private*, each agent's own, or *shared*. ``within``: seconds that a call may
    wait for the board. ``settings``: further ones of ``blackboard.open``. Raises ``BadValue``.
    """

    def __init__(
        self,
        board: str | Path | Board | SyncBoard,
        *,
        credentials: str | Path | None = None,
        scope: str = "private",
        within: float = WITHIN,
        **settings: Any,
    ) -> None:
        if scope not in {"private", "shared"}:
            raise BadValue(f"scope {scope!r}: give private or shared")
        if not within > 0:
            raise BadValue(f"within {within!r}: give seconds above 0")
        self.scope = scope
        self._within = within
        self._clients: dict[str, Reached] = {}
        self._told = False
        if isinstance(board, Board | SyncBoard):
            if credentials is not None or settings:
                raise BadValue("credentials and settings are for a board that the service opens: this one is open")
            held, self._loop = (board, _running()) if isinstance(board, Board) else (board.held, background().loop)
            self._clients[held.agent] = Reached(held.agent, lambda: nullcontext(held), within)
            self._opening: Callable[[str], AbstractAsyncContextManager[Board]] | None = None
        else:
            self._loop = background().loop
            self._opening = lambda agent: open_board(board, agent=agent, credentials=credentials, **settings)
            background().closers.add(self._aclose)

    def client(self, agent: str) -> None:
        """Check that the service serves ``agent``, before it is needed. Raises ``BadName``, ``BadValue``."""
        if valid_name(agent) not in self._clients and self._opening is None:
            held = ", ".join(self._clients)
            raise BadValue(f"agent {agent!r}: the board that is open is {held}'s; give an address to serve several agents")

    # ---- the contract -------------------------------------------------------------------------------------------------------------------

    async def assemble(self, agent: str, query: str, max_tokens: int) -> str:
        """What belongs into a prompt of the agent's about ``query``: a marked section of at most ``max_tokens``; "" if there is nothing.

        What is in it is thereby used, which reinforces it a little.
        """
        return await self.reach(agent, partial(self._assemble, query=query, max_tokens=max_tokens), "")

    def assemble_sync(self, agent: str, query: str, max_tokens: int) -> str:
        """``assemble`` for code without an event loop."""
        return self.reach_sync(agent, partial(self._assemble, query=query, max_tokens=max_tokens), "")

    async def observe(self, agent: str, event: Event) -> None:
        """Take in what happened in the agent's turn. While the board is down it is kept, and said once that is back."""
        await self.reach(agent, partial(observing.observe, event=event, scope=self.scope), None, later=True)

    def observe_sync(self, agent: str, event: Event) -> None:
        """``observe`` for code without an event loop."""
        self.reach_sync(agent, partial(observing.observe, event=event, scope=self.scope), None, later=True)

    # ---- for adapters -------------------------------------------------------------------------------------------------------------------

    async def reach(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, *, later: bool = False) -> T:
        """What ``work`` gives with the agent's board; ``otherwise`` if that cannot be had now: then it is done ``later``, or not."""
        return await await_on(self._loop, self._do(agent, work, otherwise, later)) if self._there() else otherwise

    def reach_sync(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, *, later: bool = False) -> T:
        """``reach`` for code without an event loop."""
        return wait_on(self._loop, self._do(agent, work, otherwise, later)) if self._there(waits=True) else otherwise

    async def _do(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, later: bool) -> T:
        if agent not in self._clients:
            self.client(agent)
            assert self._opening is not None
            self._clients[agent] = Reached(agent, partial(self._opening, agent), self._within)
        return await self._clients[agent].do(work, otherwise, later=later)

    async def _assemble(self, board: Board, query: str, max_tokens: int) -> str:
        assembled = await observing.assemble(board, query, max_tokens)
        if assembled.chosen:  # said behind the call, which need not wait until it is durable
            self._clients[board.agent].behind(lambda board: board.used(assembled))
        return assembled.text

    def _there(self, *, waits: bool = False) -> bool:
        """Can the loop of the boards be reached from here?"""
        if not self._loop.is_running():
            why = "the event loop in which its board was opened has ended"
        elif waits and _on(self._loop):
            why = "a call without await, in the event loop of its board, would wait for itself: use the async twin, or give an address"
        else:
            return True
        if not self._told:
            self._told = True
            _logger.warning("no memory: %s", why)
        return False

    # ---- its end ------------------------------------------------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """Send what was said, and close what was opened. Used again, it opens anew."""
        await await_on(self._loop, self._aclose())

    def close(self) -> None:
        """``aclose`` for code without an event loop."""
        wait_on(self._loop, self._aclose())

    async def _aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        if self._opening is not None:
            self._clients.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _running() -> asyncio.AbstractEventLoop:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise BadValue("a board of blackboard.open belongs to its event loop: make the service in there, or give an address") from None


def _on(loop: asyncio.AbstractEventLoop) -> bool:
    """Are we on this loop?"""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
