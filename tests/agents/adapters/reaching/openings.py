"""Boards that open, or do not, as a test says."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from agents.adapters.reaching import Reached
from blackboard.client import Board
from blackboard.opening import open as open_board


class Opening:
    """Opens a board in memory, each time one; unless it is told to fail first, or to wait."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.may = asyncio.Event()
        self.may.set()
        self.boards: list[Board] = []
        self.closed = 0

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Board]:
        await self.may.wait()
        if self.failures:
            raise self.failures.pop(0)
        try:
            async with open_board(":memory:", agent="finance") as board:
                self.boards.append(board)
                yield board
        finally:
            self.closed += 1


@asynccontextmanager
async def reached(opening: Opening, within: float = 10.0) -> AsyncIterator[Reached]:
    made = Reached("finance", opening, within)
    try:
        yield made
    finally:
        await made.aclose()


async def until(made: Reached, held: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not held():
            await made._moved.wait()


async def name(board: Board) -> str:
    return board.name


def messages(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.message) for record in caplog.records if record.name == "agents.adapters.reaching"]
