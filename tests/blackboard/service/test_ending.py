"""How a host ends: loudly where it must, and leaving nothing."""

import asyncio
import logging
from pathlib import Path

import pytest

from blackboard.clock import ManualClock
from blackboard.errors import BoardInUse, Damaged
from blackboard.sqlite import SqliteStore
from blackboard.store import Batch, MemoryStore
from bus.errors import BusError, Unreachable
from bus.memory import MemoryBus
from tests.blackboard.hosting import CAT, host, post


class Broken(MemoryStore):
    """A disk that is broken."""

    async def commit(self, _batch: Batch) -> None:
        raise Damaged("torn")


async def test_what_is_broken_is_loud(caplog: pytest.LogCaptureFixture) -> None:
    """When the journal is broken the service stops: publishers get an error, and the reason is raised and logged."""
    bus = MemoryBus(ManualClock().now)
    with pytest.raises(Damaged, match="torn"):  # noqa: PT012 - raised by what is inside, and again on leaving
        async with host(Broken(), bus=bus) as service:
            with pytest.raises(Unreachable):
                await bus.publish("board", "finance", post(1, CAT))
            with pytest.raises(Damaged, match="torn"):
                await service.wait()
    assert "board board has stopped: torn" in caplog.text
    assert caplog.records[-1].levelno == logging.CRITICAL


async def test_cancelling_whoever_opens_leaves_nothing(tmp_path: Path) -> None:
    """Cancelled while it opens, or while it serves, a host lets go of its files."""
    store = SqliteStore(tmp_path / "board.db")
    serving = asyncio.Event()

    async def serve() -> None:
        async with host(store):
            serving.set()
            await asyncio.Event().wait()

    for when in ("opening", "serving"):
        serving.clear()
        task = asyncio.create_task(serve())
        if when == "serving":
            await serving.wait()
        else:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with host(store):
        with pytest.raises(BoardInUse):
            async with host(SqliteStore(tmp_path / "board.db")):
                pass


async def test_a_service_is_not_opened_twice_on_one_bus() -> None:
    """Two hosts of one board on one bus are refused."""
    bus = MemoryBus(ManualClock().now)
    async with host(MemoryStore(), bus=bus):
        with pytest.raises(BusError, match="open in this process already"):
            async with host(MemoryStore(), bus=bus):
                pass
