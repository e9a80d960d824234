"""Stores for tests of ``agents.adapters.langgraph``."""

from typing import Any

from langgraph.store.base import (
    BaseStore,
    SearchItem,
)

from agents.adapters.langgraph import PheromoneStore
from blackboard.testing import RunningBoard

ADA = ("memories", "ada")


def names(found: list[SearchItem]) -> set[str]:
    return {each.key for each in found}


def stores(running: RunningBoard, **options: Any) -> tuple[PheromoneStore, PheromoneStore]:
    return PheromoneStore(running["ada"], "ada", **options), PheromoneStore(running["bob"], "bob", **options)


async def value_of(store: BaseStore, namespace: tuple[str, ...], key: str) -> Any:
    found = await store.aget(namespace, key, refresh_ttl=False)
    return found and found.value
