"""What ``pheroboard evolve`` is given in tests: retries that take their time."""

import anyio

from agents.evolution.strategies import Strategy
from agents.memory.records import TaskLog
from tests.agents.evolution import world

analyst = world.Guesses()


async def retry(task: TaskLog, strategies: list[Strategy]) -> TaskLog:
    await anyio.sleep(0.01)
    return await world.retry(task, strategies)
