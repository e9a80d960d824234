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
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self, TypeVar

from agents.adapters import observing
from agents.adapters.events import Event
from agents.adapters.hopping import Hop, on
from agents.adapters.reaching import Reached
from blackboard.background import await_on, background, wait_on
from blackboard.client import Board
from blackboard.config import BoardConfig
from blackboard.errors import BadValue
from blackboard.opening import MEMORY, board_of
from blackboard.opening import open as open_board
from blackboard.sync import SyncBoard
from bus.messages import Assembled
from bus.names import valid_name

WITHIN = 5.0
"""Seconds that a call waits for the board at most."""
HOP = 0.5
"""Seconds more in which the loop of the boards must have said so: else it is blocked."""
SETTINGS = {*inspect.signature(open_board).parameters, *BoardConfig.__struct_fields__} - {"address", "agent", "name", "settings"}

_in_memory = count(1)

T = TypeVar("T")


class MemoryService:
    """The memory of a framework's agents.

    ``board`` is an address, as ``blackboard.open`` takes it, on which each agent gets a client of its own when it first needs one
    (``":memory:"``: a board of this service's own, which all its agents share); or a board that is open, which serves the one agent that
    holds it, and stays its opener's to close. ``credentials`` is a key file, or the folder of them. What is observed goes into ``scope``:
    *private*, each agent's own, or *shared*. ``within``: seconds that a call may wait for the board. ``settings``: further ones of
    ``blackboard.open``. Raises ``BadValue``, ``BadName``.
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
        if isinstance(board, Board | SyncBoard):
            if credentials is not None or settings:
                raise BadValue("credentials and settings are for a board that the service opens: this one is open")
            held = board if isinstance(board, Board) else board.held
            self._opening: Callable[[str], AbstractAsyncContextManager[Board]] = lambda _: nullcontext(held)
            self._only: str | None = held.agent
            self._home = _running() if isinstance(board, Board) else None
        elif isinstance(board, str | Path):
            board_of(board)
            if unknown := settings.keys() - SETTINGS:
                raise BadValue(f"setting {min(unknown)!r}: there are {', '.join(sorted({*SETTINGS, 'scope', 'within'}))}")
            address = f"{MEMORY}{next(_in_memory)}" if board == MEMORY else board
            self._opening = lambda agent: open_board(address, agent=agent, credentials=credentials, **settings)
            self._only = self._home = None
        else:
            raise BadValue(f"board {board!r}: give an address, or a board that is open")
        self._hop = Hop(self._loop, within + HOP)

    def client(self, agent: str) -> None:
        """Check that the service serves ``agent``, before it is needed. Raises ``BadName``, ``BadValue``."""
        if self._only not in {None, valid_name(agent)}:
            raise BadValue(f"agent {agent!r}: the board that is open is {self._only}'s; give an address to serve several agents")

    def trouble(self, agent: str) -> str:
        """Why the agent's board cannot be had; "" while it can, or if it was not asked for yet."""
        client = self._clients.get(agent)  # another thread may close it
        return client.trouble if client is not None else ""

    # ---- the contract -------------------------------------------------------------------------------------------------------------------

    async def assemble(self, agent: str, query: str, max_tokens: int, beside: Sequence[str] = ()) -> str:
        """What belongs into a prompt of the agent's about ``query``: a marked section of at most ``max_tokens``; "" if there is nothing.

        ``beside``: the texts of the prompt's messages, newest first: what they say word for word is not said again. What is in it is
        thereby used, which reinforces it a little.
        """
        return await self._hop.do(partial(self._assemble, agent, query, max_tokens, beside), "")

    def assemble_sync(self, agent: str, query: str, max_tokens: int, beside: Sequence[str] = ()) -> str:
        """``assemble`` for code without an event loop."""
        return self._hop.do_sync(partial(self._assemble, agent, query, max_tokens, beside), "")

    async def observe(self, agent: str, event: Event) -> None:
        """Take in what happened in the agent's turn, once. While the board is down it is kept, and said when that is back.

        Raises ``BadValue`` for what is no event, as a text.
        """
        await self.reach(agent, partial(observing.observe, event=_event(event), scope=self.scope), None, later=True)

    def observe_sync(self, agent: str, event: Event) -> None:
        """``observe`` for code without an event loop."""
        self.reach_sync(agent, partial(observing.observe, event=_event(event), scope=self.scope), None, later=True)

    # ---- for adapters -------------------------------------------------------------------------------------------------------------------

    async def reach(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, *, later: bool = False) -> T:
        """What ``work`` gives with the agent's board; ``otherwise`` if that cannot be had now: then it is done ``later``, or not."""
        return await self._hop.do(partial(self._do, agent, work, otherwise, later=later), otherwise, surely=later)

    def reach_sync(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, *, later: bool = False) -> T:
        """``reach`` for code without an event loop."""
        return self._hop.do_sync(partial(self._do, agent, work, otherwise, later=later), otherwise, surely=later)

    # ---- on the loop of the boards ------------------------------------------------------------------------------------------------------

    def _loop(self) -> asyncio.AbstractEventLoop:
        return self._home or background().loop

    async def _do(self, agent: str, work: Callable[[Board], Awaitable[T]], otherwise: T, *, later: bool) -> T:
        client = self._reached(agent)
        return await (client.ensure(work, otherwise) if later else client.do(work, otherwise))

    async def _assemble(self, agent: str, query: str, max_tokens: int, beside: Sequence[str]) -> str:
        client = self._reached(agent)
        nothing: Assembled | None = None
        assembled = await client.do(partial(observing.assemble, query=query, max_tokens=max_tokens, beside=beside), nothing)
        if assembled is None:
            return ""
        if assembled.items:  # said behind the call, which need not wait until it is durable, and aside: nor need the next one
            client.behind(lambda board: board.used(assembled, aside=True))
        return assembled.text

    def _reached(self, agent: str) -> Reached:
        client = self._clients.get(agent)
        if client is None or client.loop is not asyncio.get_running_loop():  # that of a process from which this one was forked
            self.client(agent)
            client = self._clients[agent] = Reached(agent, partial(self._open, agent), self._within)
            if self._home is None:
                background().closers.add(self._aclose)
        return client

    @asynccontextmanager
    async def _open(self, agent: str) -> AsyncIterator[Board]:
        await asyncio.to_thread(observing.load)
        async with self._opening(agent) as board:
            yield board

    async def _aclose(self) -> None:
        background().closers.discard(self._aclose)
        clients, self._clients = self._clients, {}
        here = asyncio.get_running_loop()  # what a process had from which this one was forked stays its own
        await asyncio.gather(*(client.aclose() for client in clients.values() if client.loop is here))

    # ---- its end ------------------------------------------------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """Send what was said, and close what was opened. Used again, it opens anew."""
        if (loop := self._loop()).is_running():
            await await_on(loop, self._aclose())

    def close(self) -> None:
        """``aclose`` for code without an event loop. Raises ``BadValue`` in the loop of its board, where it would wait for itself."""
        if (loop := self._loop()).is_running():
            if on(loop):
                raise BadValue("close, or with, in the event loop of its board would wait for itself: use aclose, or async with")
            wait_on(loop, self._aclose())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


AnyMemory = MemoryService | str | Path | Board | SyncBoard
"""What adapters take: a service, or what makes one."""


def service_of(memory: AnyMemory, *agents: str) -> MemoryService:
    """The service that ``memory`` is, or makes; one that serves ``agents``. Raises ``BadName``, ``BadValue``."""
    service = memory if isinstance(memory, MemoryService) else MemoryService(memory)
    for agent in agents:
        service.client(agent)
    return service


def _event(said: Event) -> Event:
    if not isinstance(said, Event):
        raise BadValue(f"event {said!r:.80}: give a UserSaid, an AgentSaid or a ToolReturned")
    return said


def _running() -> asyncio.AbstractEventLoop:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise BadValue("a board of blackboard.open belongs to its event loop: make the service in there, or give an address") from None
