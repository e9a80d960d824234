"""An agent: a name, its own board, hooks around its life, and handlers for what happens.

    class Finance(Agent):
        @on_signal("rising", key="supplier_price")
        async def recheck(self, signal: Signal) -> None: ...

Laws:

- Handlers of one agent run one at a time, in the order of events.
- A handler or a hook that raises fails the agent. Its crew reports that and starts it again: ``stop()``, a pause, ``start()``, then what it
  failed on once more. A handler that raised must therefore bear being called again for the same event; one that returned is not.
"""

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from agents.evolution.matcher import Picked
from agents.memory.memory import Memory
from agents.memory.recorder import Task
from blackboard.client import Board
from bus.names import valid_name


class Agent:
    """Subclass it, mark methods with ``on_signal``, ``on_change`` and ``every``, and give it to a ``Crew``."""

    def __init__(self, name: str | None = None, board: Board | None = None) -> None:
        """Bear ``name``, by default the class's own in kebab case: ``SupplyChain`` is *supply-chain*.

        ``board`` is for an agent that brings its own client; a crew opens one for every other, and closes what it opened.
        """
        self.name = valid_name(_kebab(type(self).__name__) if name is None else name)
        self._board = board
        self._memory: Memory | None = None

    @property
    def board(self) -> Board:
        """The agent's own board: what it says there is said in its name, and it sees what only it may see."""
        if self._board is None:
            raise RuntimeError(f"agent {self.name!r} has no board yet: a crew opens it one before start(), or pass Agent(board=…)")
        return self._board

    @property
    def memory(self) -> Memory:
        """What the agent keeps of its work, on its board."""
        if self._memory is None or self._memory.journal.board is not self.board:
            self._memory = self.make_memory()
        return self._memory

    def make_memory(self) -> Memory:
        """The memory that it has on its board. Override it for another: ``Memory(self.board, scope="private", summariser=…)``."""
        return Memory(self.board)

    def task(
        self,
        request: str,
        *,
        type: str = "",  # noqa: A002 - the task's
        tools: Iterable[str] = (),
        facts: Mapping[str, Any] | None = None,
        critical: bool = False,
        id: str | None = None,  # noqa: A002 - the task's
        picked: Picked | None = None,
    ) -> Task:
        """A task of this agent's, which ``async with`` begins, records and ends: as ``Memory.task``."""
        return self.memory.task(request, type=type, tools=tools, facts=facts, critical=critical, id=id, picked=picked)

    @asynccontextmanager
    async def equipped(self, opening: AbstractAsyncContextManager[Board]) -> AsyncIterator[None]:
        """Have a board while the context is open: the one that the agent brought, or else the one that ``opening`` gives.

        What is recorded on it is condensed meanwhile.
        """
        if self._board is not None:
            async with self.memory.compressing():
                yield
            return
        async with opening as board:
            self._board = board
            try:
                async with self.memory.compressing():
                    yield
            finally:
                self._board = None

    async def start(self) -> None:
        """Do what comes first, after every agent of the crew listens already. Called again after a failure."""

    async def run(self) -> None:
        """Act on one's own, beside the handlers; the crew ends when every agent's ``run`` has returned and nobody has anything to do."""

    async def stop(self) -> None:
        """Let go of what ``start`` took; also after a failure and on Ctrl-C."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).strip("_").lower()
