"""The bus within one process."""

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import pytest

from bus.errors import BusError, LogMismatch, Unreachable
from bus.memory import MemoryBus
from bus.names import SHARED
from bus.port import Bus

from .contract import BOARD, WITHIN, BusContract, hosting, take


@pytest.fixture
async def bus() -> AsyncIterator[Bus]:
    ticks = count(1000)
    memory = MemoryBus(lambda: float(next(ticks)))
    yield memory
    await memory.aclose()


class TestMemoryBus(BusContract):
    """The contract."""


async def test_durable_when_the_reader_says_so(bus: Bus) -> None:
    """``publish`` returns when the reader has committed the entry, and not when it has read it."""
    log = await bus.open_log(BOARD, after=0)
    publishing = asyncio.create_task(bus.publish(BOARD, "finance", b"x"))
    async with asyncio.timeout(WITHIN):
        assert [m.seq for m in await log.read()] == [1]
        await asyncio.sleep(0)
        assert not publishing.done()
        await log.committed(1)
        assert await publishing == 1


async def test_publishing_waits_for_the_board(bus: Bus) -> None:
    """What is published before the board is open is its first entry."""
    publishing = asyncio.create_task(bus.publish(BOARD, "finance", b"early"))
    await asyncio.sleep(0)
    async with hosting(bus, after=41):
        async with asyncio.timeout(WITHIN):
            assert await publishing == 42


async def test_a_closed_log_tells_its_publishers(bus: Bus) -> None:
    """Publishers whose entries were not committed when the log closed are told to send again; the next log has them once."""
    log = await bus.open_log(BOARD, after=0)
    publishing = asyncio.create_task(bus.publish(BOARD, "finance", b"x"))
    async with asyncio.timeout(WITHIN):
        await log.read()
        await log.aclose()
        with pytest.raises(Unreachable, match="send it again"):
            await publishing
    async with hosting(bus) as host:
        assert await bus.publish(BOARD, "finance", b"x") == 1
        assert len(await host.wait_for(1)) == 1


async def test_a_cancelled_publisher_leaves_its_entry(bus: Bus) -> None:
    """A publisher that is cancelled has published all the same, and breaks nothing."""
    log = await bus.open_log(BOARD, after=0)
    publishing = asyncio.create_task(bus.publish(BOARD, "finance", b"x"))
    async with asyncio.timeout(WITHIN):
        assert len(await log.read()) == 1
        publishing.cancel()
        await asyncio.wait({publishing})
        await log.committed(1)


async def test_stamps_are_the_clocks(bus: Bus) -> None:
    """An entry's stamp is what the clock said when it was published."""
    async with hosting(bus) as host:
        await bus.publish(BOARD, "finance", b"one")
        await bus.publish(BOARD, "finance", b"two")
        assert [m.stamp for m in await host.wait_for(2)] == [1000.0, 1001.0]


async def test_one_host_a_board(bus: Bus) -> None:
    """A second reader of a board in one process is refused."""
    async with hosting(bus):
        with pytest.raises(BusError, match="share that one"):
            await bus.open_log(BOARD, after=0)


async def test_a_servers_log_is_not_continued_in_memory(bus: Bus) -> None:
    """A board that has read a server's log is not opened embedded: its numbers would part from the server's."""
    with pytest.raises(LogMismatch, match="open it there"):
        await bus.open_log(BOARD, after=7, identity="2026-01-01T00:00:00Z")


async def test_a_new_log_tells_anew(bus: Bus) -> None:
    """Numbers count within one log: the next one's events are heard from 1 again."""
    async with bus.listen(BOARD, SHARED) as heard:
        for _ in range(2):
            async with hosting(bus):
                await bus.emit(BOARD, SHARED, 1, b"one")
        assert await take(heard, 2) == [b"one", b"one"]


async def test_the_end_reaches_an_asker(bus: Bus) -> None:
    """An answer that the end of its context cuts off is told to the asker."""
    asked = asyncio.Event()

    async def answering(agent: str, data: bytes) -> bytes:
        asked.set()
        await asyncio.Event().wait()
        return b""

    async with bus.answer(BOARD, answering):
        asking = asyncio.create_task(bus.ask(BOARD, "finance", b"?", timeout=60))
        async with asyncio.timeout(WITHIN):
            await asked.wait()
    with pytest.raises(BusError, match="closed before"):
        await asking
