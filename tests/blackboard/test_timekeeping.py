"""blackboard.timekeeping: clocks that are set back, and clocks that differ."""

import asyncio

import anyio

from blackboard import timekeeping
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.service import Service
from blackboard.store import MemoryStore
from bus.memory import MemoryBus
from tests.blackboard.hosting import CAT, host, post, state


class Wrong(ManualClock):
    """A clock that somebody sets."""

    def set(self, now: float) -> None:
        self._now = now
        self.advance(0.0)


async def test_a_clock_that_is_set_back() -> None:
    """Time stands still, which is told with by how much; what is said counts, and what is due is done once the clock has caught up."""
    clock, store = Wrong(1_000.0), MemoryStore()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock, time="wall") as service, Board(bus, "board", "finance") as finance, asyncio.timeout(10):
        coupon = await finance.deposit("a coupon", scope="shared", expires_at=1_060.0)
        assert (await finance.stats()).trouble == ""
        clock.set(400.0)
        before = (await finance.get(coupon)).strength
        await finance.reinforce(coupon, 1.0)
        trouble = (await finance.stats()).trouble
        assert trouble.startswith("since 1970-01-01 00:06:40+00:00: the clock of the log is 600 s behind what it was: time stands still")
        assert (await finance.get(coupon)).strength == before + 1.0
        clock.set(990.0)
        await finance.confirm(coupon)
        assert "10 s behind" in (await finance.stats()).trouble
        clock.set(1_000.5)
        await anyio.wait_all_tasks_blocked()
        assert (await finance.stats()).trouble == ""
        assert (await finance.get(coupon)).status == "standing"
        clock.set(1_061.0)
        await service.caught_up()
        assert (await finance.get(coupon)).status == "expired"
        was = state(service)
    async with host(store, clock=clock) as service:
        assert state(service) == was


async def test_boards_of_rounds_do_not_care() -> None:
    """Their time is in what is said."""
    clock = Wrong(1_000.0)
    bus = MemoryBus(clock.now)
    async with host(MemoryStore(), bus=bus, clock=clock), Board(bus, "board", "finance") as finance:
        item = await finance.deposit("x", kind="trace", scope="shared", strength=4.0)
        clock.set(0.0)
        for _ in range(20):
            await finance.end_round()
        assert (await finance.get(item)).strength < 4.0
        stats = await finance.stats()
        assert (stats.now, stats.trouble) == (20.0, "")


class Apart:
    """A host whose clock is not the log's."""

    def __init__(self) -> None:
        self.log, self.host = Wrong(1_000.0), Wrong(1_000.0)
        self.bus = MemoryBus(self.log.now)

    def service(self) -> Service:
        return host(MemoryStore(), bus=self.bus, clock=self.host, time="wall")

    def set(self, log: float, host: float) -> None:
        self.log.set(log)
        self.host.set(host)


async def test_a_host_whose_clock_is_behind() -> None:
    """That is told until the log says otherwise; what is due is done when the host's clock says so, or with what others say."""
    at = Apart()
    async with at.service(), Board(at.bus, "board", "finance") as finance, asyncio.timeout(10):
        coupon = await finance.deposit("a coupon", scope="shared", expires_at=1_060.0)
        at.set(1_100.0, 1_050.0)
        other = await finance.deposit("x", scope="shared")
        assert "the clock of this host is 50 s behind the log's" in (await finance.stats()).trouble
        assert (await finance.get(coupon)).status == "expired"
        at.host.set(1_100.0)
        await finance.confirm(other)
        assert (await finance.stats()).trouble == ""


async def test_a_host_whose_clock_is_ahead() -> None:
    """Its tick comes too early: that is told, and the tick is repeated until the log's time has come."""
    at = Apart()
    async with at.service() as service, Board(at.bus, "board", "finance") as finance, asyncio.timeout(10):
        coupon = await finance.deposit("a coupon", scope="shared", expires_at=1_060.0)
        at.set(1_010.0, 1_070.0)
        await service._progress.until(lambda: bool(service._progress.trouble))
        assert "the clock of this host is 60 s ahead of the log's" in service._progress.trouble
        assert (await finance.get(coupon)).status == "standing"
        at.set(1_061.0, 1_070.0 + timekeeping.TICK_AGAIN)
        await service._progress.until(lambda: service.board.now >= 1_060.0)
        assert (await finance.get(coupon)).status == "expired"
        at.set(1_080.0, 1_080.0)
        await finance.confirm(await finance.deposit("x", scope="shared"))
        assert (await finance.stats()).trouble == ""


async def test_a_clock_that_is_set_right_again() -> None:
    """Then all is well at once, whatever was to be waited for."""
    at = Apart()
    async with at.service(), Board(at.bus, "board", "finance") as finance, asyncio.timeout(10):
        item = await finance.deposit("x", scope="shared")
        at.log.set(400.0)
        await finance.confirm(item)
        assert "600 s behind what it was" in (await finance.stats()).trouble
        at.log.set(1_001.0)
        await finance.confirm(item)
        assert (await finance.stats()).trouble == ""


async def test_what_is_late_is_no_clock_that_is_wrong() -> None:
    """What a host finds in the log when it comes is old, and says nothing about clocks."""
    at = Apart()
    async with at.service() as service, asyncio.timeout(10):
        at.host.set(5_000.0)
        await at.bus.publish("board", "finance", post(1, CAT))
        assert service._progress.trouble == ""
