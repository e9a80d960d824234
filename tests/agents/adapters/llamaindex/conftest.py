"""What holds for all tests with LlamaIndex."""

from collections.abc import AsyncIterator

import pytest

from tests.agents.adapters.llamaindex.fakes import stores


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """Close what LlamaIndex opens for a memory, and leaves open."""
    yield
    while stores:
        if (engine := stores.pop()._async_engine) is not None:
            await engine.dispose()
