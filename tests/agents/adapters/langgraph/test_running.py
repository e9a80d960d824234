"""The store in a graph, on a server, and without one."""

import asyncio
import importlib
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    SearchOp,
)

from agents.adapters import MemoryService
from agents.adapters.langgraph import PheromoneStore
from blackboard.errors import NotInstalled
from blackboard.opening import serving
from blackboard.sync import open_sync
from blackboard.testing import RunningBoard
from bus.nats import NatsBus
from bus.server import running_server
from tests.agents.adapters.langgraph.stores import ADA, stores, value_of


class State(TypedDict):
    said: str
    known: list[str]


async def aremember(state: State, runtime: Runtime) -> State:
    """Put what was said; give what was known about it."""
    assert runtime.store is not None
    known = await runtime.store.asearch(ADA, query=state["said"])
    await runtime.store.aput(ADA, str(len(known)), {"memory": state["said"]})
    return {"said": state["said"], "known": [each.value["memory"] for each in known]}


def remember(state: State, runtime: Runtime) -> State:
    assert runtime.store is not None
    known = runtime.store.search(ADA, query=state["said"])
    runtime.store.put(ADA, str(len(known)), {"memory": state["said"]})
    return {"said": state["said"], "known": [each.value["memory"] for each in known]}


def graph_of(node: Any, store: BaseStore) -> Any:
    return StateGraph(State).add_node("node", node).add_edge(START, "node").compile(store=store)


async def test_a_graph_has_it_as_its_store(tmp_path: Path) -> None:
    """Awaited or not, in whatever thread or loop the framework runs a node; and another graph of the agent's knows it, too."""
    with MemoryService(tmp_path / "trip") as memory:
        awaited, plain = (graph_of(node, PheromoneStore(memory, "ada")) for node in (aremember, remember))
        assert (await awaited.ainvoke({"said": "the tea is green"}))["known"] == []
        assert (await asyncio.to_thread(plain.invoke, {"said": "the train is late"}))["known"] == ["the tea is green"]
        assert (await plain.ainvoke({"said": "which train"}))["known"] == ["the train is late", "the tea is green"]


async def test_a_graphs_own_errors_pass_through(running: RunningBoard) -> None:
    """A node that fails after it has put fails its graph as ever, and what it put is there."""
    ada, _ = stores(running)

    async def fail(state: State, runtime: Runtime) -> State:
        assert runtime.store is not None
        await runtime.store.aput(ADA, "1", {"memory": "tea"})
        raise LookupError(state["said"])

    with pytest.raises(LookupError, match="no train"):
        await graph_of(fail, ada).ainvoke({"said": "no train", "known": []})
    assert await value_of(ada, ADA, "1") == {"memory": "tea"}


async def test_a_board_that_is_down_means_an_empty_store_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No call fails, one warning is given, and what was put and deleted meanwhile is, in order, once the board is there."""
    for module in ("reaching", "watching"):
        monkeypatch.setattr(f"agents.adapters.{module}.AGAIN", 0.02)
    caplog.set_level(logging.WARNING, "agents.adapters")
    async with running_server(tmp_path / "nats") as server:
        url = server.url
    async with MemoryService(f"{url}/trip", within=0.2) as memory:
        ada, bob = PheromoneStore(memory, "ada"), PheromoneStore(memory, "bob")
        async with ada.watch(("shared",)) as changes:
            waiting = asyncio.ensure_future(anext(changes))
            for city in ("Lisbon", "Porto"):
                value = {"city": {"name": city}}
                await ada.aput(("shared", "trip"), "city", value)
                value["city"]["name"] = "nowhere"
            await ada.aput(ADA, "1", {"memory": "tea"})
            await ada.adelete(ADA, "1")
            assert await ada.abatch([GetOp(ADA, "1"), SearchOp(()), ListNamespacesOp(), SearchOp(ADA, query="tea")]) == [None, [], [], []]
            async with running_server(tmp_path / "nats", port=int(url.rpartition(":")[2])):
                bus = await NatsBus.connect(url)
                async with serving(bus, "trip", tmp_path / "data"):
                    while not (found := await ada.asearch(())):
                        pass
                    assert [(each.namespace, each.value) for each in found] == [(("shared", "trip"), {"city": {"name": "Porto"}})]
                    while await value_of(bob, ("shared", "trip"), "city") != {"city": {"name": "Porto"}}:
                        pass
                    await bob.aput(("shared", "trip"), "day", {"day": "Friday"})
                    while (change := await waiting).key != "day":
                        waiting = asyncio.ensure_future(anext(changes))
                    assert (change.value, change.cause, change.by) == ({"day": "Friday"}, "deposit", "bob")
                    await changes.aclose()
                    await memory.aclose()
                await bus.aclose()
    told = [record.message for record in caplog.records if record.name.startswith("agents")]
    assert [each.partition(";")[0] for each in told if " of ada " in each] == ["the board of ada is down, and its memory with it"]


def test_code_without_an_event_loop_has_a_board_that_is_open(tmp_path: Path) -> None:
    """And what it put is there when the board is opened again, in prompts and in the store."""
    for _ in range(2):
        with open_sync(tmp_path / "trip", agent="ada") as board:
            store = PheromoneStore(board, "ada")
            store.put(ADA, "1", {"memory": "Ada takes the train"})
            assert [each.key for each in store.search(ADA, query="train")] == ["1"]
            assert "- memories/ada: Ada takes the train" in board.assemble("by train?").text


def test_a_script_that_ends_says_nothing_of_it() -> None:
    """Although it closes nothing: what lives on the process's own loop ends with it."""
    code = (
        "import blackboard; from agents.adapters import MemoryService;"
        "board = blackboard.open_sync(':memory:', agent='ada'); MemoryService(board).assemble_sync('ada', 'tea', 100)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True)
    assert (done.stdout, done.stderr) == ("", "")


async def test_what_is_cancelled_is_cancelled(running: RunningBoard) -> None:
    """A wait for the next change ends at once; the watch goes on."""
    ada, _ = stores(running)
    async with ada.watch() as changes:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await anext(changes)
        await ada.aput(ADA, "1", {"memory": "tea"})
        assert (await anext(changes)).value == {"memory": "tea"}


def test_without_langgraph_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing the adapter raises what tells how to install it."""
    monkeypatch.delitem(sys.modules, "agents.adapters.langgraph")
    monkeypatch.setitem(sys.modules, "langgraph.store.base", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pheroboard\[langgraph\]'"):
        importlib.import_module("agents.adapters.langgraph")
