"""One server for all commands under test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.cli.commands import line_of, started


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a running ``pheroboard up shop lab kitchen desk``."""
    data = tmp_path_factory.mktemp("served")
    with started(data, "up", "shop", "lab", "kitchen", "desk") as up:
        assert line_of(up).startswith("serving shop, lab, kitchen, desk at nats://127.0.0.1:")
        yield data
