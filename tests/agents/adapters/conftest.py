"""A board that two agents have open, who plan a trip."""

from collections.abc import AsyncIterator

import pytest

from blackboard.testing import RunningBoard, running_board


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "travel") as running:
        yield running
