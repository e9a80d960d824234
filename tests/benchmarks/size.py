"""A board of a million items: bytes an item, opening it again, replaying a tail, and reading it while it works.

The board is hosted in a process of its own, from files that a board like it would have left.
"""

import asyncio
import gc
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from unittest.mock import patch

from blackboard import text
from blackboard.board import Board
from blackboard.client import Board as Client
from blackboard.sqlite import SqliteStore
from blackboard.store import Batch
from bus.messages import AnyObservation, Deposit, EndRound, Post, Unit, encode
from bus.nats import NatsBus
from bus.server import running_server
from tests.benchmarks import load
from tests.benchmarks.durable import applied, connected, publish
from tests.benchmarks.host import hosted
from tests.benchmarks.load import BOARD, UNITS, Loaded
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

STRONGEST = 1e6
"""As strong as an item may be: else a fifth of a million, drawn alike, would fall below a threshold within a few rounds."""
NEVER = 10**12
PAUSE = 0.002
"""Seconds between two reads."""
ROUND_EVERY = 10
"""Posts after which a round ends while it is read, and what fades does."""
CYCLE = 12 * ROUND_EVERY
"""Posts after which the same is said again: what is weak has faded by then."""


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096


def _nothing(*_: object) -> None:
    """Stands for what is left out."""


def size(sizes: Sizes) -> list[Row]:
    """Everything that is asked of the largest board, and the replay."""
    contents = [each.content for each in load.deposits(sizes.many)]
    gc.collect()
    before = resident()
    # The text index is not part of it. (A mock would remember what it was called with, and that would be counted.)
    with patch.object(text.TextIndex, "add", _nothing), patch.object(text.TextIndex, "remove", _nothing):
        loaded = Loaded(sizes.many, strongest=STRONGEST, contents=contents)
    loaded.taken()
    gc.collect()
    bytes_an_item = (resident() - before) / sizes.many
    targets = loaded.ids()[: sizes.some]
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(reopened(Path(folder), loaded.board, targets, sizes))
    del loaded, contents
    with tempfile.TemporaryDirectory() as folder:
        replayed = asyncio.run(_replayed(Path(folder), sizes))
    return [
        Row(f"bytes an item beyond content and text index, {sizes.many:,} items", "bytes", (bytes_an_item,), 700, 400, note="resident"),
        *rows[:1],
        replayed,
        *rows[1:],
    ]


async def _keep(url: str, bus: NatsBus, data: Path, board: Board) -> None:
    """Lay the board down as if it had been hosted: one entry in its log, and a checkpoint that stands for it."""
    async with hosted(url, data):
        pass  # an empty one, which settles all but that
    await bus.publish(BOARD, load.AGENTS[0], b"the entry that all of it came from")
    store = SqliteStore(data / f"{BOARD}.db")
    await store.open()
    await store.commit(Batch(1))
    await store.checkpoint(1, board.snapshot(full=True))
    await store.aclose()


async def reopened(folder: Path, board: Board, targets: list[str], sizes: Sizes) -> list[Row]:
    """Opening it from its files, and reading it while it works."""
    opened = []
    data = folder / "data"
    async with running_server(folder / "nats") as server, AsyncExitStack() as stack:
        bus = await connected(stack, server.url)
        await _keep(server.url, bus, data, board)
        for _ in range(min(sizes.pairs, 3)):
            async with hosted(server.url, data) as host:
                opened.append(host.opened)
        async with hosted(server.url, data):
            reads = await _read_while_working(server.url, bus, targets, sizes)
    return [Row(f"reopening {sizes.many:,} items", "s", tuple(opened), 15, 5, note="from a checkpoint, until it serves"), reads]


async def _replayed(folder: Path, sizes: Sizes) -> Row:
    """How much longer opening takes with a tail of posts behind the checkpoint, after a kill, than without."""
    rates, data = [], folder / "data"
    loaded = Loaded(sizes.some)
    targets = loaded.ids()
    count = 6 * sizes.posts * UNITS  # long, beside what opening itself takes now less, now more
    async with running_server(folder / "nats") as server, AsyncExitStack() as stack:
        bus = await connected(stack, server.url)
        await _keep(server.url, bus, data, loaded.board)
        for run in range(sizes.pairs):
            posts = load.packed(load.mix(targets, count, seed=run), f"epoch-{run}")
            with suppress(BrokenPipeError, ConnectionResetError):
                async with hosted(server.url, data, checkpoint_every=NEVER) as host:
                    await publish(bus, BOARD, "writer", posts, wait=f"epoch-{run}")
                    await host.kill()
            async with hosted(server.url, data) as host:
                tail = host.opened
            async with hosted(server.url, data) as host:
                rates.append(count / (tail - host.opened) / 1e3)
    note = f"{count:,} observations behind the checkpoint of {sizes.some:,} items; opening with them less opening without"
    return Row("replaying the tail", "k/s", tuple(rates), 100, 200, least=True, note=note)


async def _read_while_working(url: str, bus: NatsBus, targets: list[str], sizes: Sizes) -> Row:
    """p99 of a client's top-20, while another writes without a pause, rounds end, items fade and checkpoints are written."""
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(Client(await connected(stack, url), BOARD, "reader"))
        writer = _Writer(bus, targets)
        writing = asyncio.create_task(writer.run())
        found, reads = [], 0
        try:
            await reader.top(20)
            for _ in range(sizes.pairs):
                times: list[float] = []
                end = perf_counter() + sizes.seconds
                while perf_counter() < end or len(times) < 2:
                    began = perf_counter()
                    await reader.top(20)
                    times.append(perf_counter() - began)
                    await asyncio.sleep(PAUSE)
                found.append(quantiles(times, n=100, method="inclusive")[98] * 1e3)
                reads += len(times)
            if writing.done():
                await writing
            gone = (await reader.stats()).tiers["archived"]
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
    note = f"{reads:,} reads; {writer.posts * UNITS:,} observations and {writer.rounds} rounds meanwhile; {gone:,} items are archived"
    return Row(f"read p99 at {sizes.many:,} items while writing, folding, archiving, checkpointing", "ms", tuple(found), 20, 5, note=note)


class _Writer:
    """Writes as fast as the board applies it: the mix, and a tenth of weak items that fade some rounds later (and when they come again).

    Each round it waits until its posts are applied: a log that grows faster than any board could take it in measures how far it is behind.
    """

    def __init__(self, bus: NatsBus, targets: list[str]) -> None:
        self.posts = 0
        self.rounds = 0
        self._bus = bus
        self._posts = [self._units(targets, i) for i in range(CYCLE)]

    @staticmethod
    def _units(targets: list[str], i: int) -> tuple[Unit, ...]:
        weak = UNITS // 20
        fold = [Deposit(f"weak {i} {j}", kind="tool_result", key=f"weak-{i}", strength=1.05, scope="shared") for j in range(weak)]
        gone = [Deposit(f"gone {i} {j}", kind="trace", strength=0.55, scope="shared") for j in range(weak)]
        said: list[AnyObservation] = [*load.mix(targets, UNITS - 2 * weak, seed=i), *fold, *gone]
        return tuple((each,) for each in said)

    async def run(self) -> None:
        while True:
            for _ in range(ROUND_EVERY):
                post = Post("writer", self.posts + 1, self._posts[self.posts % len(self._posts)])
                await self._bus.publish(BOARD, "writer", encode(post))
                self.posts += 1
            end = EndRound(load.SETTLED + self.rounds)
            self.rounds += 1
            await self._bus.publish(BOARD, "timer", encode(Post("timer", self.rounds, ((end,),))))
            await applied(self._bus, "timer", "timer", self.rounds)
