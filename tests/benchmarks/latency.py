"""From saying to hearing: ``Board.reinforce`` of one agent until another's feed gives the change out, over the raw hop.

The raw hop is a JetStream publish (sync always) until a consumer's handler has it, with nats-py. The board is a process of its own; who
says, who hears and both ends of the raw hop are in this one. Under load another agent sends packed posts at half of what the pipeline was
found to take; the raw hop is loaded with the same posts at the same pace, and all that they did reaches the one who hears, too.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from blackboard.client import Board
from blackboard.feed import Feed
from bus import names
from bus.messages import Change, Post, Reinforce, encode
from bus.nats import NatsBus
from bus.server import running_server
from tests.benchmarks import load
from tests.benchmarks.durable import RAW, STANDING, client, connected, publish, raw_stream
from tests.benchmarks.host import hosted
from tests.benchmarks.load import BOARD, UNITS
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

WITHIN = 60.0
LOAD = 0.5
"""Of what the pipeline takes."""
MS = 1e3

Hop = Callable[[], Awaitable[float]]


def latency(sizes: Sizes) -> list[Row]:
    """p50 and p99, idle and at half load, over the raw hop."""
    return asyncio.run(_latency(sizes))


async def _latency(sizes: Sizes) -> list[Row]:
    found: dict[str, list[tuple[float, float]]] = {which: [] for which in ("idle", "raw idle", "load", "raw load")}
    loads = []
    for run in range(sizes.pairs):
        with tempfile.TemporaryDirectory() as folder:
            loads.append(await _run(Path(folder), sizes, found, board_first=run % 2 == 0))

    def row(name: str, ours: str, theirs: str, which: int, must: float, aim: float) -> Row:
        mine, bare = ([each[which] * MS for each in found[each_of]] for each_of in (ours, theirs))
        note = f"{median(mine):.2f} ms over {median(bare):.2f} ms"
        return Row(name, "×", tuple(a / b for a, b in zip(mine, bare, strict=True)), must, aim, note=note)

    at = f"at half load ({median(loads):,.0f}/s)"
    return [
        row("publish → handler over the raw hop, idle, p50", "idle", "raw idle", 0, 3, 2),
        row("… idle, p99", "idle", "raw idle", 1, 3, 2),
        row(f"… {at}, over the raw hop under the same load, p50", "load", "raw load", 0, 6, 3.5),
        row("… p99", "load", "raw load", 1, 10, 5),
        row(f"… {at}, over the idle raw hop, p50", "load", "raw idle", 0, 6, 3.5),
        row("… p99", "load", "raw idle", 1, 10, 5),
    ]


async def _run(folder: Path, sizes: Sizes, found: dict[str, list[tuple[float, float]]], *, board_first: bool) -> float:
    """One run of everything, on a server and a board of its own; the load in observations a second."""
    said = list(load.deposits(min(STANDING, sizes.some)))
    ids = load.ids(said)
    async with running_server(folder / "nats") as server, AsyncExitStack() as stack:
        await stack.enter_async_context(hosted(server.url, folder / "data"))
        await raw_stream(server.url)
        loader = await connected(stack, server.url)
        first = load.packed([*load.rules(), *said], "standing")
        await publish(loader, BOARD, "loader", first, wait="standing")
        await publish(loader, RAW, "loader", first)
        ours = await stack.enter_async_context(heard_on_the_board(server.url, ids[0]))
        raw = await stack.enter_async_context(_heard_raw(server.url, ids[0]))
        burst = load.packed(load.mix(ids, max(sizes.posts // 4, 2) * UNITS, seed=1), "burst")
        began = perf_counter()
        await publish(loader, BOARD, "loader", burst, wait="burst")
        pace = LOAD * len(burst) / (perf_counter() - began)
        for board in (board_first, not board_first):
            hop, which, where = (ours, "", BOARD) if board else (raw, "raw ", RAW)
            for _ in range(3):
                await hop()
            found[f"{which}idle"].append(await percentiles(hop, sizes.messages))
            async with _loaded(loader, where, ids, pace):
                found[f"{which}load"].append(await percentiles(hop, sizes.messages))
    return pace * UNITS


async def percentiles(hop: Hop, n: int) -> tuple[float, float]:
    """p50 and p99 of ``n`` hops, in seconds."""
    async with asyncio.timeout(WITHIN):
        cuts = quantiles([await hop() for _ in range(n)], n=100, method="inclusive")
    return cuts[49], cuts[98]


@asynccontextmanager
async def _loaded(bus: NatsBus, board: str, ids: list[str], pace: float) -> AsyncIterator[None]:
    """Packed posts at ``pace`` a second, while the context is open."""
    units = [(each,) for each in load.mix(ids, 50 * UNITS, seed=2)]

    async def send() -> None:
        began = perf_counter()
        for number in count(1):
            await asyncio.sleep(began + number / pace - perf_counter())
            place = number % 50 * UNITS
            await bus.publish(board, "load", encode(Post("load", number, tuple(units[place : place + UNITS]))))

    task = asyncio.create_task(send())
    try:
        yield
        if task.done():
            await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class _Arrival:
    """When what was sent last arrived."""

    def __init__(self) -> None:
        self._came: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def came(self) -> None:
        if not self._came.done():
            self._came.set_result(perf_counter())

    async def after(self, send: Callable[[], Awaitable[object]]) -> float:
        """Seconds from now until it arrives."""
        self._came = asyncio.get_running_loop().create_future()
        began = perf_counter()
        await send()
        return await self._came - began


@asynccontextmanager
async def heard_on_the_board(url: str, item: str) -> AsyncIterator[Hop]:
    """From ``Board.reinforce`` of one agent until another's feed gives the change out."""
    async with AsyncExitStack() as stack:
        says = await stack.enter_async_context(Board(await connected(stack, url), BOARD, "says"))
        hears = await stack.enter_async_context(Board(await connected(stack, url), BOARD, "hears"))
        arrival = _Arrival()
        feed = await stack.enter_async_context(hears.changes())

        async def hear(changes: Feed[Change]) -> None:
            async for change in changes:
                if change.by == "says":
                    arrival.came()

        task = asyncio.create_task(hear(feed))
        try:
            yield lambda: arrival.after(lambda: says.reinforce(item, 0.01))
        finally:
            task.cancel()


@asynccontextmanager
async def _heard_raw(url: str, item: str) -> AsyncIterator[Hop]:
    async with client(url) as says, client(url) as hears:
        arrival = _Arrival()
        data = encode(Post("0123456789abcdef", 1, ((Reinforce(item, 0.01),),)))
        subject = names.observations(RAW, "says")

        async def heard(msg: Any) -> None:
            if msg.subject == subject:
                arrival.came()

        only_new = ConsumerConfig(deliver_policy=DeliverPolicy.NEW, ack_policy=AckPolicy.NONE)
        await hears.jetstream().subscribe(names.observations(RAW), cb=heard, config=only_new)
        stream = says.jetstream()
        yield lambda: arrival.after(lambda: stream.publish(subject, data))
