"""Claims about the names that users rely on."""

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import agents
import agents.adapters
import agents.errors
import agents.evolution
import agents.memory
import blackboard
import blackboard.context
import blackboard.errors
import blackboard.scent
import bus
import bus.errors

ROOT = Path(agents.__path__[0]).parent
FRAMEWORKS = {"fastapi", "langchain", "langchain_core", "langgraph", "llama_index", "mcp", "openai", "opentelemetry", "starlette"}
HEAVY = {"nats", "numpy", "quicktok", "aiosqlite", "sqlite3", "rich", "cyclopts", "re2", "asyncio", "anyio"}


@pytest.mark.parametrize(
    "package", [agents, agents.adapters, agents.evolution, agents.memory, blackboard, blackboard.context, blackboard.scent]
)
def test_all_is_sorted_and_true(package: object) -> None:
    """Every name listed is in order, exists, and says what it is."""
    names: list[str] = package.__all__  # type: ignore[attr-defined]
    assert names == sorted(names)
    for name in names:
        assert getattr(package, name).__doc__, name


def test_all_lists_whatever_is_there() -> None:
    """Of a package that loads its names when they are asked for: all of them."""
    for package in (agents, agents.adapters, agents.evolution, agents.memory, blackboard):
        assert set(package._HOMES) == set(package.__all__)


@pytest.mark.parametrize("module", [agents.errors, blackboard.errors, bus.errors])
def test_the_tree_of_errors_is_drawn(module: ModuleType) -> None:
    """Every error of a room stands in its tree, at its depth."""

    def drawn(error: type[BaseException], depth: int) -> Iterator[tuple[int, str]]:
        yield depth, error.__name__
        for below in error.__subclasses__():
            yield from drawn(below, depth + 1)

    root = next(each for each in vars(module).values() if isinstance(each, type) and Exception in each.__bases__)
    tree = re.findall(r"^    ([ │├└─]*)([A-Z]\w+)", module.__doc__ or "", re.MULTILINE)
    assert sorted((len(branch) // 4, name) for branch, name in tree) == sorted(drawn(root, 0))


def test_every_module_says_what_it_is() -> None:
    """A module's docstring is where a reader starts."""
    for package in (agents, blackboard, bus):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                assert importlib.import_module(module.name).__doc__, module.name


def test_importing_the_network_loads_no_transport_no_store_and_no_event_loop() -> None:
    """``import blackboard`` and the network alone stay light, and so does the choice from a history until something is chosen."""
    code = "import sys, blackboard.context; blackboard.PheromoneNetwork(); print(*(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "blackboard" in loaded
    assert not HEAVY & set(loaded)


def is_adapter(entry: Path) -> bool:
    """Does a module, or a package, of ``agents.adapters`` stand on a framework?"""
    sources = entry.rglob("*.py") if entry.is_dir() else [entry]
    return any("with needing(" in source.read_text("utf-8") for source in sources) and entry.stem != "needing"


def test_only_adapters_load_frameworks() -> None:
    """Whatever else of ours is imported loads none of them."""
    adapters = {entry for entry in (ROOT / "agents" / "adapters").iterdir() if is_adapter(entry)}
    modules = [
        ".".join(source.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in ("agents", "blackboard", "bus")
        for source in sorted((ROOT / package).rglob("*.py"))
        if source.stem != "__main__" and adapters.isdisjoint({source, *source.parents})
    ]
    code = f"import sys, importlib\nfor name in {modules}: importlib.import_module(name)\nprint(*(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "agents" in loaded
    assert not FRAMEWORKS & set(loaded)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="Blackboard"):
        blackboard.Blackboard  # noqa: B018
