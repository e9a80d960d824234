"""A real server, and a bus on it."""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bus import server as module
from bus.nats import NatsBus
from bus.server import Server, running_server


def configured(monkeypatch: pytest.MonkeyPatch, more: str) -> None:
    """Let the servers of this test have ``more`` in their configuration."""
    ours = module._configuration
    monkeypatch.setattr(module, "_configuration", lambda *args: ours(*args) + more)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with running_server(tmp_path / "nats") as running:
        yield running


@pytest.fixture
async def bus(server: Server) -> AsyncIterator[NatsBus]:
    connected = await NatsBus.connect(server.url)
    yield connected
    await connected.aclose()


class Restartable:
    """A server that can be killed and started again on the same store and port."""

    def __init__(self, store: Path, stack: AsyncExitStack) -> None:
        self._store = store
        self._stack = stack
        self._port = -1
        self.pid = 0
        self.url = ""

    async def start(self) -> None:
        running = await self._stack.enter_async_context(running_server(self._store, port=self._port))
        self.pid, self.url = running.pid, running.url
        self._port = int(running.url.rpartition(":")[2])

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


@pytest.fixture
async def restartable(tmp_path: Path) -> AsyncIterator[Restartable]:
    async with AsyncExitStack() as stack:
        running = Restartable(tmp_path / "nats", stack)
        await running.start()
        yield running
