"""What memory adds to a model call: ``MemoryService.assemble``, from an event loop and from code without one, and in LangChain's own.

The board is served by a process of its own, on this machine, as ``pheroboard up`` does. The items are shared by others, so that each that
goes into a prompt is marked as data; it is used behind the call, which competes with the next one here as it does for users.
"""

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from itertools import repeat
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from agents.adapters import MemoryService
from agents.adapters.langchain import PheromoneMiddleware
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
DEFAULT = 1_000
"""Tokens that adapters ask for, unless they are told otherwise."""
MODEL = 0.02
"""Seconds from one call to the next: a model takes longer."""
MUST = 10
"""Milliseconds, at p95."""

Call = Callable[[str], Awaitable[object]]


def injection(sizes: Sizes) -> list[Row]:
    """p95 of a call, on a small board and on one ten times as large."""
    return [row for items in (sizes.few, 10 * sizes.few) for row in asyncio.run(_injection(items, sizes))]


async def _injection(items: int, sizes: Sizes) -> list[Row]:
    found: dict[str, list[tuple[float, float]]] = {"async": [], "default": [], "sync": [], "langchain": []}
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
                calls = (("async", _awaited(memory)), ("default", _awaited(memory, DEFAULT)), ("sync", _in_a_thread(memory)))
                for which, call in calls if run % 2 else reversed(calls):
                    found[which].append(
                        percentiles([await timed(call, query) for query, _ in zip(asked, range(sizes.messages), strict=False)])
                    )
                call = _in_langchain(memory)
                found["langchain"].append(percentiles([await call(query) for query, _ in zip(asked, range(sizes.messages), strict=False)]))

    def row(name: str, which: str) -> Row:
        half, most = zip(*found[which], strict=True)
        prompt = f"; {median(chosen):.0f} items go into the prompt, of up to {MAX_TOKENS:,} tokens" if which != "default" else ""
        note = f"p50 {median(half) * MS:.2f} ms{prompt}"
        return Row(name, "ms", tuple(each * MS for each in most), MUST, note=note)

    return [
        row(f"what memory adds to a model call, served, {items:,} items, p95", "async"),
        row(f"… of {DEFAULT:,} tokens, as adapters ask for by default, p95", "default"),
        row("… for code without an event loop, p95", "sync"),
        row("… in a LangChain agent, which has just observed what was asked, p95", "langchain"),
    ]


def queries(seed: int) -> Iterator[str]:
    """What people may ask about the load, without an end."""
    rng = random.Random(seed)
    while True:
        yield f"what is quoted for part {rng.randrange(977)}, lot {rng.randrange(89)}?"


def _awaited(memory: MemoryService, max_tokens: int = MAX_TOKENS) -> Call:
    return lambda query: memory.assemble(READER, query, max_tokens)


def _in_a_thread(memory: MemoryService) -> Call:
    return lambda query: asyncio.to_thread(memory.assemble_sync, READER, query, MAX_TOKENS)


class _Clock(AgentMiddleware[Any, Any, Any]):
    """When a model call came by here."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.at = 0.0

    @property
    def name(self) -> str:
        return self._name

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        self.at = perf_counter()
        return await handler(request)


def _in_langchain(memory: MemoryService) -> Callable[[str], Awaitable[float]]:
    """A turn of an agent with one model call, of which is taken what lies before our middleware and behind it."""
    model = GenericFakeChatModel(messages=iter(repeat(AIMessage("It is to be confirmed."))))
    before, behind = _Clock("before"), _Clock("behind")
    agent = create_agent(model, middleware=[before, PheromoneMiddleware(memory, READER, max_tokens=MAX_TOKENS), behind])

    async def turn(query: str) -> float:
        await asyncio.sleep(MODEL)
        await agent.ainvoke({"messages": [HumanMessage(query)]})
        return behind.at - before.at

    return turn


async def timed(call: Call, query: str) -> float:
    """Seconds that it takes, after the time that a model leaves for what is behind the call before."""
    await asyncio.sleep(MODEL)
    began = perf_counter()
    await call(query)
    return perf_counter() - began


def percentiles(took: list[float]) -> tuple[float, float]:
    """p50 and p95."""
    cuts = quantiles(took, n=20, method="inclusive")
    return cuts[9], cuts[18]
