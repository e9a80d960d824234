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
        self.asked, self.let = asyncio.Event(), asyncio.Event()
        self.let.set()
        self.resigned: list[str] = []

    async def claim(self, board: str, host: str) -> Claim:  # noqa: ARG002 - as the port has it
        says = self.says
        self.asked.set()
        await self.let.wait()
        if isinstance(says, Exception):
            raise says
        return says

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


async def test_counts_from_before_it_was_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a claim whose answer took as long as it is good for nothing is left."""
    bus = Scripted()
    async with claiming(bus, monkeypatch) as lease:
        bus.let.clear()
        bus.says = Claim("here", 0.05)
        bus.asked.clear()
        await bus.asked.wait()
        bus.says = Claim("other", 0.05)
        answered = lease._claimed
        await asyncio.wait({asyncio.create_task(answered.wait())}, timeout=0.06)
        bus.let.set()
        await answered.wait()
        assert lease.leader == "here"
        assert not lease.ours


async def test_resigning_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that was under way when the lease was given up, and is granted, does not bring it back."""
    bus = Scripted()
    bus.says = Claim("here", math.inf)
    async with claiming(bus, monkeypatch) as lease:
        await lease.won()
        bus.let.clear()
        bus.asked.clear()
        await bus.asked.wait()
        await lease.resign("other")
        bus.says = Claim("other", 0.05)
        answered = lease._claimed
        bus.let.set()
        await answered.wait()
        assert not lease.ours
        assert lease.leader == "other"


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
