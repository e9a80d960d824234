"""A board that two agents have open."""

from collections.abc import AsyncIterator

import pytest

from blackboard.testing import RunningBoard, running_board


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("ada", "bob", time="wall") as running:
        yield running
