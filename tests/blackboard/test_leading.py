"""blackboard.leading: the lease, claimed again and again."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from blackboard import leading
from blackboard.clock import ManualClock
from blackboard.leading import Leadership
from bus.errors import NoAnswer
from bus.memory import MemoryBus
from bus.port import Claim

WITHIN = 10.0


class Scripted(MemoryBus):
    """A bus whose claims are answered as ``says`` is at the moment."""

    def __init__(self) -> None:
        super().__init__(ManualClock().now)
        self.says: Claim | Exception = Claim("other", 0.05)
        self.resigned: list[str] = []

    async def claim(self, board: str, host: str) -> Claim:  # noqa: ARG002 - as the port has it
        if isinstance(self.says, Exception):
            raise self.says
        return self.says

    async def resign(self, board: str, host: str, to: str = "") -> None:  # noqa: ARG002 - as the port has it
        await asyncio.sleep(0)
        self.resigned.append(to)


@asynccontextmanager
async def claiming(bus: MemoryBus, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Leadership]:
    monkeypatch.setattr(leading, "CLAIM_EVERY", 0.01)
    lease = Leadership(bus, "board", "here")
    running = asyncio.create_task(lease.run())
    try:
        async with asyncio.timeout(WITHIN):
            yield lease
    finally:
        running.cancel()
        await asyncio.wait({running})


async def test_is_won_and_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host leads once its claim is granted, and no longer than until it is granted to another."""
    bus = Scripted()
    async with claiming(bus, monkeypatch) as lease:
        won = asyncio.create_task(lease.won())
        await asyncio.wait({won}, timeout=0.03)
        assert not won.done()
        assert lease.leader == "other"
        bus.says = Claim("here", math.inf)
        await won
        assert lease.ours
        assert lease.leader == "here"
        bus.says = Claim("other", 0.05)
        await lease.lost()
        assert not lease.ours


async def test_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """While who leads cannot be learnt a host leads on until its last claim runs out, and not longer; then nobody is known to lead."""
    bus = Scripted()
    bus.says = Claim("here", 0.05)
    async with claiming(bus, monkeypatch) as lease:
        await lease.won()
        bus.says = NoAnswer("the server is away")
        await lease.lost()
        await lease._claimed.wait()
        assert lease.leader == ""
        bus.says = Claim("here", math.inf)
        await lease.won()


async def test_resigning_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease is given up also where giving it up ends whoever does that; and it is lost at once."""
    bus = Scripted()
    bus.says = Claim("here", math.inf)
    async with claiming(bus, monkeypatch) as lease:
        await lease.won()
        async with anyio.create_task_group() as term:
            term.start_soon(lease.resign, "other")
            await lease.lost()
            term.cancel_scope.cancel()
    assert bus.resigned == ["other"]
