"""Clocks."""

import asyncio
import time

import pytest

from blackboard.clock import ManualClock, SystemClock


async def test_manual_clock_stands_still() -> None:
    """A manual clock wakes its sleepers when it is advanced to their time, not before."""
    clock = ManualClock(start=100.0)
    woken: list[float] = []

    async def sleeper(when: float) -> None:
        await clock.sleep_until(when)
        woken.append(when)

    early, late = asyncio.create_task(sleeper(105.0)), asyncio.create_task(sleeper(110.0))
    clock.advance(5.0)
    await early
    assert (woken, clock.now()) == ([105.0], 105.0)
    clock.advance(60.0)
    await late
    assert woken == [105.0, 110.0]
    await clock.sleep_until(1.0)


def test_time_only_moves_on() -> None:
    """A step back is refused, as is what is no number."""
    for step in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="only moves on"):
            ManualClock().advance(step)


async def test_system_clock() -> None:
    """The system's clock tells the wall's time, and is never early."""
    clock = SystemClock()
    when = time.time() + 0.01
    await clock.sleep_until(when)
    assert clock.now() >= when
