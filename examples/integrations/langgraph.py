"""Two graphs have a board as their store: what one puts, the other finds and hears of, and what is private it does not."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from agents.adapters import MemoryService
from agents.adapters.langgraph import PheromoneStore

TRIP = ("shared", "trip")


class State(TypedDict):
    """What a graph is told, and what it knows about that."""

    said: str
    known: list[str]


async def remember(state: State, runtime: Runtime) -> State:
    """A node as for any store: it looks up what is known, and puts what was said."""
    assert runtime.store is not None
    known = await runtime.store.asearch(("shared",), query=state["said"], limit=3)
    await runtime.store.aput(TRIP, f"note {len(known) + 1}", {"memory": state["said"]})
    return {"said": state["said"], "known": [item.value["memory"] for item in known]}


async def main() -> None:
    """The finance agent's graph is told of a limit; the travel agent's finds it."""
    with TemporaryDirectory() as folder:
        async with MemoryService(Path(folder) / "trip") as memory:
            finance, travel = PheromoneStore(memory, "finance"), PheromoneStore(memory, "travel")
            graphs = [StateGraph(State).add_node(remember).add_edge(START, "remember").compile(store=store) for store in (finance, travel)]

            async with finance.watch(("shared",)) as changes:
                await graphs[0].ainvoke({"said": "A flight must not cost more than 500 EUR", "known": []})
                told = await graphs[1].ainvoke({"said": "Which flight to Lisbon?", "known": []})
                print("travel knows:", told["known"])
                for _ in range(2):
                    change = await anext(changes)
                    print("finance hears:", "/".join(change.namespace), change.key, change.cause, "by", change.by)

            await travel.aput(("notes", "travel"), "1", {"memory": "The flight is a surprise"})
            print("finance sees:", await finance.alist_namespaces())
            print("travel sees:", await travel.alist_namespaces())
            print(await memory.assemble("travel", "What may the flight cost?", 300))


if __name__ == "__main__":
    asyncio.run(main())
