"""Claims about the names that users rely on."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import agents
import blackboard
import bus

HEAVY = {"nats", "aiosqlite", "sqlite3", "rich", "cyclopts", "re2", "asyncio", "anyio"}


@pytest.mark.parametrize("package", [agents, blackboard])
def test_all_is_sorted_complete_and_true(package: object) -> None:
    """Every public name is listed, in order, exists, and says what it is."""
    names: list[str] = package.__all__  # type: ignore[attr-defined]
    assert names == sorted(names)
    for name in names:
        assert getattr(package, name).__doc__, name


def test_every_module_says_what_it_is() -> None:
    """A module's docstring is where a reader starts."""
    for package in (agents, blackboard, bus):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                assert importlib.import_module(module.name).__doc__, module.name


def test_importing_the_network_loads_no_transport_no_store_and_no_event_loop() -> None:
    """``import blackboard`` and the network alone stay light."""
    code = "import sys, blackboard; blackboard.PheromoneNetwork(); print(*(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "blackboard" in loaded
    assert not HEAVY & set(loaded)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="Blackboard"):
        blackboard.Blackboard  # noqa: B018
