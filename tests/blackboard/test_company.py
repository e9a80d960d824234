"""blackboard.company: what a host has to do with the others. Several hosts at work are in ``service/test_standing_by.py``."""

import asyncio
from typing import cast

import pytest

from blackboard.clock import ManualClock
from blackboard.company import Company
from blackboard.progress import Progress
from blackboard.snapshots import Snapshots
from blackboard.store import MemoryStore
from bus.memory import MemoryBus
from bus.messages import Beat, encode

WITHIN = 5.0


class Given:
    """Snapshots of which it is counted how many are given at a time."""

    def __init__(self) -> None:
        self.at_once = self.most = self.given = 0

    async def give(self) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        self.given += 1


def company(bus: MemoryBus, snapshots: Given | None = None) -> Company:
    return Company(bus, "board", "here", MemoryStore(), Progress(0, {}), cast("Snapshots | None", snapshots))


async def test_one_snapshot_at_a_time() -> None:
    """Whoever wants one given while another is made gets one that is made after that: of what it wants to be in it."""
    given = Given()
    host = company(MemoryBus(ManualClock().now), given)
    assert all(await asyncio.gather(host.give_snapshot(), host.give_snapshot()))
    assert (given.most, given.given) == (1, 2)


async def test_a_host_of_another_version(caplog: pytest.LogCaptureFixture) -> None:
    """What it lets others hear is told of once, and keeps nobody from hearing the rest."""
    bus = MemoryBus(ManualClock().now)
    host = company(bus)
    hearing = asyncio.create_task(host.hear())
    await asyncio.sleep(0)
    for _ in range(3):
        await bus.beat("board", encode(Beat(host="later", cursor=1, v=99)))
    await bus.beat("board", encode(Beat(host="there", cursor=7)))
    async with asyncio.timeout(WITHIN):
        await host._progress.until(lambda: len(host.states()) == 2)
    assert [state.host for state in host.states()] == ["here", "there"]
    assert caplog.text.count("a host of another version") == 1
    hearing.cancel()
    await asyncio.wait({hearing})
