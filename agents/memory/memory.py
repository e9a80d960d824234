"""An agent's memory of its work: the tasks that it records, on its board.

memory = Memory(board)                       # what agent.memory is
async with memory.task("Sales by month") as task: ...
for log in await memory.left(): ...          # tasks that were left open: go on with one by its id
"""

import secrets
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from agents.evolution.matcher import Picked
from agents.memory.compressor import Compressor
from agents.memory.journal import Journal
from agents.memory.plain import as_read, require_id
from agents.memory.recorder import Task
from agents.memory.records import TaskLog
from agents.memory.summarising import Extractive, Guarded, Summariser
from blackboard.client import Board
from blackboard.clock import Clock, SystemClock


class Memory:
    """What the agent whose ``board`` it is keeps of its work.

    ``scope``: who sees it. ``clock`` tells when things happened. ``summariser`` words what is condensed, and is looked
    through; by default what was said stands.
    """

    def __init__(self, board: Board, *, scope: str = "shared", clock: Clock | None = None, summariser: Summariser | None = None) -> None:
        self.journal = Journal(board, scope=scope)
        self._clock = clock or SystemClock()
        self.summariser = Guarded(summariser or Extractive())
        self._compressor = Compressor(self.journal, self.summariser)
        self._under_way = set[str]()

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
        """A task, which begins with ``async with``.

        ``request``: what is asked for; ``type``: which kind of task that is; ``tools``: those at hand; ``facts``: what is known beside the
        request, flat; ``critical``: a failure of it counts for more. ``id``: one that is known elsewhere, by default a new one; that of a
        task which this agent left open goes on with it. ``picked``: the strategies to go by, in place of what the board's library has for
        such a task. Raises ``BadValue``.
        """
        log = as_read(
            TaskLog(
                id=secrets.token_hex(8) if id is None else id,
                agent=self.journal.board.agent,
                request=request,
                type=type,
                critical=critical,
                tools=tuple(sorted(set(tools))),
                facts=dict(facts or {}),
            )
        )
        require_id(log.id)
        return Task(log, self.journal, self._compressor, self._clock, under_way=self._under_way, new=id is None, picked=picked)

    async def left(self) -> list[TaskLog]:
        """This agent's tasks without a verdict, without their turns: under way, or left when it ended."""
        return await self.journal.left(self.journal.board.agent)

    def compressing(self) -> AbstractAsyncContextManager[None]:
        """Condense in the background while the context is open, beginning with what was left; a crew does that for its agents."""
        return self._compressor.running()

    async def settled(self) -> None:
        """Return once the background has condensed all that was recorded by now."""
        await self._compressor.settled()

    async def compress(self) -> None:
        """Condense all that there is to condense, now, where nothing does so in the background. Raises as ``Journal``."""
        await self._compressor.compress()
