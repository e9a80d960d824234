"""What recording a step takes beside the background work that learns from it, over what it takes without.

Both in one process on one board in a file, some tasks of the one and some of the other in turns, so that what else the machine does meets
both; so many that beginning with the background work, a process for retries, say, weighs no more than where it goes on for hours. Steps
follow one another without a pause, which is the worst that an agent can do: a real one waits for a model meanwhile.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, NamedTuple

import blackboard
from agents.memory.memory import Memory
from agents.memory.records import ToolCall
from tests.benchmarks.evolving import evolved, evolving
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

TURNS = 50
BLOCK = 25
"""Tasks in a row of one kind: some seconds."""
ROWS = [{"flight": f"HAT{n:03}", "origin": "JFK", "destination": "SEA", "price": 100 + n, "seats": n % 9} for n in range(60)]
"""A result of some 1,700 tokens."""
ASKS = "Find me the cheapest flight on May 20, and do not use my credit card."
LOOKS = "Now let me look that up for you."
TELLS = "I found 12 flights. The cheapest is HAT069 for $121, which leaves at 06:00. I will book it once you confirm. It cannot be changed."
MS = 1e3


class Beside(NamedTuple):
    """What goes on in the background."""

    going_on: Callable[[Memory], AbstractAsyncContextManager[Any]]
    """While the context is open."""
    did: Callable[[Memory, int], Awaitable[bool]]
    """Was it done what is measured, after so many tasks?"""


async def compressed(memory: Memory, tasks: int) -> bool:
    """Has each of the tasks its record?"""
    return len(await memory.journal.tasks()) == tasks


BESIDE = {"compression": Beside(Memory.compressing, compressed), "compression and evolution": Beside(evolving, evolved)}


def tasks(sizes: Sizes) -> list[Row]:
    """For each kind of background work the p50 and the p99 of a step beside it, over those without."""
    return [row for name, beside in BESIDE.items() for row in asyncio.run(_measured(name, beside, sizes))]


async def _measured(name: str, beside: Beside, sizes: Sizes) -> list[Row]:
    blocks = max(1, sizes.messages // 200)
    with_it, without = list[tuple[float, float]](), list[tuple[float, float]]()
    for _ in range(sizes.pairs):
        busy, alone = list[float](), list[float]()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "board"
            async with blackboard.open(path, agent="busy") as one, blackboard.open(path, agent="alone") as other:
                for block in range(blocks + 1):  # the first is for warming up
                    for _ in range(BLOCK):
                        await _task(Memory(other), alone if block else [])
                    memory = Memory(one)
                    async with beside.going_on(memory):
                        for _ in range(BLOCK):
                            await _task(memory, busy if block else [])
                did = await beside.did(Memory(one), BLOCK * (blocks + 1))
                assert did, "the background did not do what it is measured at"
        with_it.append(_points(busy))
        without.append(_points(alone))

    def row(point: str, which: int, must: float | None) -> Row:
        mine, bare = ([points[which] for points in run] for run in (with_it, without))
        note = f"{median(mine):.2f} ms over {median(bare):.2f} ms"
        return Row(
            f"a step beside {name} over one without, {point}", "×", tuple(a / b for a, b in zip(mine, bare, strict=True)), must, note=note
        )

    return [row("p50", 0, None), row("p99", 1, 1.2)]


async def _task(memory: Memory, times: list[float]) -> None:
    async with memory.task("Book a flight to Seattle", type="flights") as task:
        for n in range(TURNS):
            before = perf_counter()
            match n % 4:
                case 0:
                    await task.step(ASKS, by="user")
                case 3:
                    await task.step(TELLS)
                case _:
                    await task.step(LOOKS, calls=[ToolCall("search_flights", {"origin": "JFK", "page": n}, ROWS)])
            times.append(perf_counter() - before)
        task.succeed()


def _points(times: list[float]) -> tuple[float, float]:
    return median(times) * MS, quantiles(times, n=100)[98] * MS
