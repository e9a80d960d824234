"""Cycles of evolution without end, beside whoever records tasks, and beside compression, which makes the records they select from.

As a target of ``apart`` it does a task once more, which takes as long as a query would.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from time import perf_counter

import anyio

from agents.evolution.apart import apart
from agents.evolution.cycle import accounts, evolve
from agents.evolution.entries import Settings
from agents.evolution.strategies import Diagnosis, Mend, Rule, Strategy
from agents.memory.memory import Memory
from agents.memory.records import TaskLog
from tests.agents.evolution import world

TAKES = 0.02
"""Seconds of work for a retry."""
REST = 200.0
NUMBERS = count(1000)


async def retry(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
    """Work, and then as the world has it."""
    until = perf_counter() + TAKES
    while perf_counter() < until:
        pass
    return await world.retry(task, strategies)


class Restless:
    """Always knows something new."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis:
        """Suggests what holds under a condition that was never there, so that all of it is tried."""
        del successes, strategies
        mend = Mend(None, Rule(set={"limit": 100}), when={"tool": {"==": world.TOOL}, "request": {"lacks": str(next(NUMBERS))}})
        return Diagnosis(failure.id, "tool", failure.agent, 0, "it times out without a limit", 0.9, (mend,))


@asynccontextmanager
async def evolving(memory: Memory) -> AsyncIterator[None]:
    """Go through cycles while the context is open: each ends when its budget is spent, so the next has the same to do."""
    board = memory.journal.board
    if not any(task.verdict and task.verdict.outcome == "failure" for task in await memory.journal.heads()):
        await world.lay(memory.journal, world.tasks(failures=4, successes=4))
    async with memory.compressing(), apart(__name__) as again, anyio.create_task_group() as tasks:

        async def forever() -> None:
            while True:
                await evolve(board, again, analyst=Restless(), settings=Settings(failures=2, retries=12), rest=REST)

        tasks.start_soon(forever)
        yield
        tasks.cancel_scope.cancel()


async def evolved(memory: Memory, _tasks: int) -> bool:
    """Is a cycle under way, at least?"""
    return bool(await accounts(memory.journal.board))
