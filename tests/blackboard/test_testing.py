"""Boards for tests behave as the real ones, under a clock that is turned by hand."""

import pytest

from blackboard.store import MemoryStore
from blackboard.testing import ManualClock, running_board


async def test_time_is_turned_by_hand() -> None:
    """On a wall-clock board what is due by time is done when ``advance`` returns, and never before."""
    clock = ManualClock(1_700_000_000.0)
    async with running_board("finance", time="wall", clock=clock) as running:
        finance = running["finance"]
        item = await finance.deposit("a state", kind="state", scope="shared", strength=2.0)
        await running.advance(180.0)
        assert (await finance.get(item)).strength == 2.0
        await running.advance(60.0)
        assert (await finance.get(item)).strength == pytest.approx(2.0 * 0.95)
        await running.advance(86_400.0)
        assert (await finance.top()) == []


async def test_reading_moves_no_time() -> None:
    """A read is evaluated at its own moment, without an effect that only a tick may have."""
    clock = ManualClock(1_700_000_000.0)
    async with running_board("finance", time="wall", clock=clock) as running:
        finance = running["finance"]
        item = await finance.deposit("a state", kind="state", strength=2.0)
        await running.advance(300.0)
        newest = await finance.newest()
        strengths = [(await finance.get(item)).strength for _ in range(3)]
        assert len(set(strengths)) == 1
        assert await finance.newest() == newest


async def test_a_store_goes_on() -> None:
    """Given the same store, a second running board is the first one opened again."""
    store = MemoryStore()
    async with running_board("finance", store=store) as running:
        await running["finance"].deposit("kept")
    async with running_board("finance", store=store) as running:
        assert [item.content for item in await running["finance"].top()] == ["kept"]
