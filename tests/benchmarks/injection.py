"""What memory adds to a model call: ``MemoryService.assemble``, from a framework's own event loop and from code without one.

The board is served by a process of its own, on this machine, as ``pheroboard up`` does. The items are shared by others, so that each that
goes into a prompt is marked as data; it is used behind the call, which competes with the next one here as it does for users.
"""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from agents.adapters import MemoryService
from bus.server import running_server
from tests.benchmarks import load
from tests.benchmarks.durable import connected, publish
from tests.benchmarks.host import hosted
from tests.benchmarks.latency import MS
from tests.benchmarks.load import BOARD
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

READER = "assistant"
MAX_TOKENS = 2_000
MODEL = 0.02
"""Seconds from one call to the next: a model takes longer."""
MUST = 10
"""Milliseconds, at p95."""

Call = Callable[[str], Awaitable[object]]


def injection(sizes: Sizes) -> list[Row]:
    """p95 of a call, on a small board and on one ten times as large."""
    return [row for items in (sizes.few, 10 * sizes.few) for row in asyncio.run(_injection(items, sizes))]


async def _injection(items: int, sizes: Sizes) -> list[Row]:
    found: dict[str, list[tuple[float, float]]] = {"async": [], "sync": []}
    chosen = []
    for run in range(sizes.pairs):
        with tempfile.TemporaryDirectory() as folder:
            async with running_server(Path(folder, "nats")) as server, AsyncExitStack() as stack:
                await stack.enter_async_context(hosted(server.url, Path(folder, "data")))
                loader = await connected(stack, server.url)
                await publish(loader, BOARD, "loader", load.packed([*load.rules(), *load.deposits(items)], "standing"), wait="standing")
                memory = await stack.enter_async_context(MemoryService(f"{server.url}/{BOARD}", within=60.0))
                asked = queries(run)
                section = await memory.assemble(READER, next(asked), MAX_TOKENS)  # which opens the board, and indexes its texts
                chosen.append(section.count("<data"))
                calls = (("async", _awaited(memory)), ("sync", _in_a_thread(memory)))
                for which, call in calls if run % 2 else reversed(calls):
                    found[which].append(await percentiles(call, asked, sizes.messages))

    def row(name: str, which: str) -> Row:
        half, most = zip(*found[which], strict=True)
        note = f"p50 {median(half) * MS:.2f} ms; {median(chosen):.0f} items go into the prompt, of up to {MAX_TOKENS:,} tokens"
        return Row(name, "ms", tuple(each * MS for each in most), MUST, note=note)

    return [
        row(f"what memory adds to a model call, served, {items:,} items, p95", "async"),
        row("… for code without an event loop, p95", "sync"),
    ]


def queries(seed: int) -> Iterator[str]:
    """What people may ask about the load, without an end."""
    rng = random.Random(seed)
    while True:
        yield f"what is quoted for part {rng.randrange(977)}, lot {rng.randrange(89)}?"


def _awaited(memory: MemoryService) -> Call:
    return lambda query: memory.assemble(READER, query, MAX_TOKENS)


def _in_a_thread(memory: MemoryService) -> Call:
    return lambda query: asyncio.to_thread(memory.assemble_sync, READER, query, MAX_TOKENS)


async def percentiles(call: Call, asked: Iterator[str], n: int) -> tuple[float, float]:
    """p50 and p95 of ``n`` calls, one after the other as a model leaves time for them, in seconds."""
    took = []
    for query, _ in zip(asked, range(n), strict=False):
        began = perf_counter()
        await call(query)
        took.append(perf_counter() - began)
        await asyncio.sleep(MODEL)
    cuts = quantiles(took, n=20, method="inclusive")
    return cuts[9], cuts[18]
