"""A quiet agent beside one that floods the board: how much longer from saying to hearing (``latency``) than where it is alone.

Two kinds of flooders, each in a process of its own: our client, with many tasks that reinforce as fast as they are let; and one that sends
posts of many units, many at a time, whatever the board's limits are. The board has the limits that it has by default. What is in flight is
in the server's queue, which writes one message after the other to the disk: no board shortens that, so the second row has no limit.
``python -m tests.benchmarks.isolation client|raw URL ITEM`` is a flooder.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter

from blackboard.client import Board
from bus.messages import AnyObservation, Post, Reinforce, encode
from bus.nats import NatsBus
from bus.server import running_server
from tests.benchmarks import load
from tests.benchmarks.durable import STANDING, connected, publish
from tests.benchmarks.host import hosted
from tests.benchmarks.latency import MS, heard_on_the_board, percentiles
from tests.benchmarks.load import BOARD, UNITS
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

FLOODERS = ("client", "raw")
TASKS = 64
WARM = 2.0
"""Seconds that a flooder floods before it is measured what that does: it has used up its burst."""


def isolation(sizes: Sizes) -> list[Row]:
    """p99 beside a flooder over p99 alone."""
    return asyncio.run(_isolation(sizes))


async def _isolation(sizes: Sizes) -> list[Row]:
    found: dict[str, list[tuple[float, float]]] = {which: [] for which in ("alone", *FLOODERS)}
    for run in range(sizes.pairs):
        with tempfile.TemporaryDirectory() as folder:
            await _run(Path(folder), sizes, found, alone_first=run % 2 == 0)

    def row(flooder: str, says: str, must: float | None = None) -> Row:
        beside, alone = ([each[1] * MS for each in found[which]] for which in (flooder, "alone"))
        note = f"p99 {median(beside):.2f} ms beside it, {median(alone):.2f} ms alone"
        ratios = tuple(a / b for a, b in zip(beside, alone, strict=True))
        return Row(f"publish → handler beside a flooding agent ({says}), over alone, p99", "×", ratios, must, note=note)

    return [row("client", "our client, 64 tasks", must=2), row("raw", "64 posts in flight, limits ignored")]


async def _run(folder: Path, sizes: Sizes, found: dict[str, list[tuple[float, float]]], *, alone_first: bool) -> None:
    """One run of each, on a server and a board of its own."""
    said = list(load.deposits(min(STANDING, sizes.some)))
    ids = load.ids(said)
    async with running_server(folder / "nats") as server, AsyncExitStack() as stack:
        await stack.enter_async_context(hosted(server.url, folder / "data", limited=True))
        standing = await connected(stack, server.url)
        for number, first in enumerate(range(0, len(said), UNITS)):  # an agent for each, so that none is too fast
            some: list[AnyObservation] = [*said[first : first + UNITS]]
            await publish(standing, BOARD, f"loader-{number}", load.packed(some, "standing"), wait="standing")
        hop = await stack.enter_async_context(heard_on_the_board(server.url, ids[0]))
        for _ in range(3):
            await hop()
        for which in ("alone", *FLOODERS) if alone_first else (*FLOODERS, "alone"):
            if which == "alone":
                found[which].append(await percentiles(hop, sizes.messages))
            else:
                async with _flooded(which, server.url, ids[1], sizes.seconds):
                    found[which].append(await percentiles(hop, sizes.messages))


@asynccontextmanager
async def _flooded(kind: str, url: str, item: str, seconds: float) -> AsyncIterator[None]:
    """A flooder floods while the context is open."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.benchmarks.isolation", kind, url, item)
    try:
        await asyncio.sleep(min(WARM, 4 * seconds))
        yield
    finally:
        process.kill()
        await process.wait()


async def _client(url: str, item: str) -> None:
    bus = await NatsBus.connect(url)

    async def flood(board: Board) -> None:
        while True:
            await board.reinforce(item, 0.01)

    async with Board(bus, BOARD, "flooder") as board, asyncio.TaskGroup() as tasks:
        for _ in range(TASKS):
            tasks.create_task(flood(board))


async def _raw(url: str, item: str) -> None:
    bus = await NatsBus.connect(url)
    units = ((Reinforce(item, 0.01),),) * UNITS
    numbers, epoch = count(1), f"flood-{perf_counter()}"

    async def flood() -> None:
        while True:
            await bus.publish(BOARD, "flooder", encode(Post(epoch, next(numbers), units)))

    async with asyncio.TaskGroup() as tasks:
        for _ in range(TASKS):
            tasks.create_task(flood())


if __name__ == "__main__":
    kind, url, item = sys.argv[1:]
    asyncio.run({"client": _client, "raw": _raw}[kind](url, item))
