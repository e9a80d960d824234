"""A closed town, and an open one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.security.town import Town, town


@pytest.fixture
async def closed(tmp_path: Path) -> AsyncIterator[Town]:
    """Whoever is to be let in has a key."""
    async with town(tmp_path) as built:
        yield built


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Town]:
    """No agent was ever added."""
    async with town(tmp_path, closed=False) as built:
        yield built
