"""A real server, and a bus on it."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bus import server as module
from bus.binary import find_server
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


class Restartable(Server):
    """A server that nobody keeps running: it can be killed, and started again on the same store and port."""

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


@pytest.fixture
async def restartable(tmp_path: Path) -> AsyncIterator[Restartable]:
    (tmp_path / "nats").mkdir()
    running = Restartable(find_server(), tmp_path / "nats", -1)
    await running.start()
    yield running
    await running.end()
