"""The whole pipeline: publishers → JetStream (sync always) → board → SQLite (FULL) → applied and committed.

Each pair has a server, a folder and a board of its own. The board is a process of its own; publishers send one post after the other, as
clients do. Raw publishing is the same posts, by the same clients, into a stream that nobody reads; raw SQLite the same posts as rows, each
synced as a board's batch is.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import nats

from bus import names
from bus.errors import NoAnswer
from bus.messages import Applied, Ask, Failed, UpTo, decode_answer, encode
from bus.nats import NatsBus
from bus.server import running_server
from tests.benchmarks import load, peers
from tests.benchmarks.host import hosted
from tests.benchmarks.load import BOARD, UNITS
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

STANDING = 2_000
"""Items that the board holds before; fewer in a tiny run."""
RAW = "raw"
WITHIN = 120.0
BATCH = 64
"""Rows in a transaction of raw SQLite: as many as a board takes into one at most."""


def durable(sizes: Sizes) -> list[Row]:
    """One and four publishers, over raw publishing; and over the best durable peer."""
    return asyncio.run(_durable(sizes))


async def _durable(sizes: Sizes) -> list[Row]:
    shares: dict[int, list[float]] = {1: [], 4: []}
    ours: dict[int, list[float]] = {1: [], 4: []}
    raw: dict[int, list[float]] = {1: [], 4: []}
    sqlite: list[float] = []
    theirs: dict[str, list[float]] = {}
    for run in range(sizes.pairs):
        for n, found in shares.items():
            with tempfile.TemporaryDirectory() as folder:
                mine, bare = await _pair(Path(folder), sizes, publishers=n, board_first=run % 2 == 0)
            ours[n].append(mine)
            raw[n].append(bare)
            found.append(100 * mine / bare)
        with tempfile.TemporaryDirectory() as folder:
            sqlite.append(_raw_sqlite(Path(folder), sizes, seed=run))
            for name, rate in peers.durable_writes(Path(folder), sizes.seconds).items():
                theirs.setdefault(name, []).append(rate)
    label, fast = peers.best(theirs, peers.RECORDED_DURABLE, max)
    ratios = peers.ratios(ours[1], fast)

    def share(n: int, must: float, aim: float) -> Row:
        note = f"ours {median(ours[n]):,.0f}/s, raw {median(raw[n]):,.0f}/s"
        publishers = f"{n} publisher{'s' if n > 1 else ''}"
        return Row(f"durable end to end over raw packed publishing, {publishers}", "%", tuple(shares[n]), must, aim, least=True, note=note)

    return [
        share(1, 30, 55),
        share(4, 15, 30),
        Row("… over the best durable peer, 1 publisher", "×", ratios, 10, 15, least=True, note=f"{label}; {peers.listed(theirs, '/s')}"),
        Row("raw SQLite (FULL), the same posts as rows", "k/s", tuple(each / 1e3 for each in sqlite), note=f"{BATCH} posts a transaction"),
    ]


async def _pair(folder: Path, sizes: Sizes, *, publishers: int, board_first: bool) -> tuple[float, float]:
    """Observations a second: through the board, and raw."""
    said = list(load.deposits(min(STANDING, sizes.some)))
    posts = [load.packed(load.mix(load.ids(said), sizes.posts * UNITS // publishers, seed=i), f"epoch-{i}") for i in range(publishers)]
    count = sum(map(len, posts)) * UNITS
    async with running_server(folder / "nats") as server, AsyncExitStack() as stack:
        buses = [await connected(stack, server.url) for _ in posts]
        await stack.enter_async_context(hosted(server.url, folder / "data"))
        await raw_stream(server.url)
        first = load.packed([*load.rules(), *said], "standing")
        await publish(buses[0], BOARD, "loader", first, wait="standing")
        await publish(buses[0], RAW, "loader", first)

        async def board() -> float:
            began = perf_counter()
            async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as tasks:
                for i, (bus, each) in enumerate(zip(buses, posts, strict=True)):
                    tasks.create_task(publish(bus, BOARD, f"publisher-{i}", each, wait=f"epoch-{i}"))
            return count / (perf_counter() - began)

        async def bare() -> float:
            began = perf_counter()
            async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as tasks:
                for i, (bus, each) in enumerate(zip(buses, posts, strict=True)):
                    tasks.create_task(publish(bus, RAW, f"publisher-{i}", each))
            return count / (perf_counter() - began)

        if board_first:
            return await board(), await bare()
        without = await bare()
        return await board(), without


async def publish(bus: NatsBus, board: str, agent: str, posts: Sequence[bytes], *, wait: str = "") -> None:
    """Send one post after the other; with ``wait``, their epoch, until the board has applied and committed them."""
    for post in posts:
        await bus.publish(board, agent, post)
    if wait:
        await applied(bus, agent, wait, len(posts))


async def applied(bus: NatsBus, agent: str, epoch: str, number: int) -> None:
    """Return once the agent's post is applied and committed; nothing that it said may have been refused."""
    question = encode(Ask(Applied(), epoch, number))
    while True:
        reply = decode_answer(await bus.ask(BOARD, agent, question, timeout=WITHIN)).reply
        if not (isinstance(reply, Failed) and reply.code == NoAnswer.__name__):  # a board that is far behind says: ask again
            break
    assert isinstance(reply, UpTo), reply
    assert not reply.refusals, reply.refusals[0]


# ---- for others, too --------------------------------------------------------------------------------------------------------------------


async def connected(stack: AsyncExitStack, url: str) -> NatsBus:
    """A bus that closes with the stack."""
    bus = await NatsBus.connect(url)
    stack.push_async_callback(bus.aclose)
    return bus


@asynccontextmanager
async def client(url: str) -> AsyncIterator[Any]:
    """nats-py itself."""
    raw = await nats.connect(url, pending_size=-1)
    try:
        yield raw
    finally:
        await raw.close()


async def raw_stream(url: str) -> None:
    """A stream as the board's log is, that no board reads."""
    async with client(url) as raw:
        await raw.jetstream().add_stream(name=RAW, subjects=[names.observations(RAW)])


def _raw_sqlite(folder: Path, sizes: Sizes, *, seed: int) -> float:
    """Observations a second that SQLite alone takes."""
    said = list(load.deposits(min(STANDING, sizes.some)))
    posts = load.packed(load.mix(load.ids(said), sizes.posts * UNITS, seed=seed), "epoch")
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE journal (seq INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        began = perf_counter()
        for i in range(0, len(posts), BATCH):
            db.execute("BEGIN")
            db.executemany("INSERT INTO journal VALUES (?, ?)", enumerate(posts[i : i + BATCH], start=i))
            db.execute("COMMIT")
        return len(posts) * UNITS / (perf_counter() - began)
