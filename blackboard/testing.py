"""Boards for tests: in memory, with a clock that is turned by hand.

``async with running_board("finance", "procurement", time="wall") as running``; then ``running["finance"].deposit(…)``, and
``running.advance(60.0)``.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.service import Service
from blackboard.store import MemoryStore, Store
from blackboard.summaries import DEFAULT, Summariser
from blackboard.trends import Detector
from bus.memory import MemoryBus
from bus.port import Bus

__all__ = ["ManualClock", "RunningBoard", "running_board"]


class RunningBoard:
    """A board that runs in this test. ``running["finance"]`` is finance's board object."""

    def __init__(self, service: Service, bus: Bus, clock: ManualClock, boards: Mapping[str, Board]) -> None:
        self.service = service
        self.bus = bus
        self.clock = clock
        self._boards = boards

    def __getitem__(self, agent: str) -> Board:
        return self._boards[agent]

    async def advance(self, seconds: float) -> None:
        """Move the clock on, and wait until the board has done what is due by then."""
        self.clock.advance(seconds)
        await self.service.caught_up()


@asynccontextmanager
async def running_board(
    *agents: str,
    name: str = "board",
    clock: ManualClock | None = None,
    bus: Bus | None = None,
    store: Store | None = None,
    detectors: tuple[Detector, ...] | None = None,
    summariser: Summariser = DEFAULT,
    **settings: Any,
) -> AsyncIterator[RunningBoard]:
    """Host a board in memory, opened by each of ``agents``; ``settings`` are fields of ``blackboard.config.BoardConfig``."""
    clock = clock or ManualClock()
    bus = bus or MemoryBus(clock.now)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(bus.aclose)
        service = Service(name, bus, store or MemoryStore(), clock, settings=settings, detectors=detectors, summariser=summariser)
        await stack.enter_async_context(service)
        boards = {agent: await stack.enter_async_context(Board(bus, name, agent)) for agent in agents}
        yield RunningBoard(service, bus, clock, boards)
