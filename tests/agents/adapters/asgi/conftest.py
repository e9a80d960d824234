"""A board that one agent has open."""

from collections.abc import AsyncIterator

import pytest

from blackboard.client import Board
from blackboard.testing import running_board


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    async with running_board("desk") as running:
        yield running["desk"]
