"""A lone network: what its tests put into it, and what it is told to have done."""

from typing import Any

from msgspec.structs import replace

from blackboard.items import ContextItem, Edge
from blackboard.kinds import DEFAULTS
from blackboard.network import PheromoneNetwork

BARE = {name: replace(kind, protect=0.0) for name, kind in DEFAULTS.items()}
"""The default kinds without protection."""


class Moves:
    """A recorder that keeps what it is told."""

    def __init__(self) -> None:
        self.items: list[tuple[str, str, float, float, str, float | None]] = []
        self.edges: list[tuple[str, float, float, str]] = []

    def moved(self, item: ContextItem, cause: str, old: float, new: float, by: str, *, delta: float | None = None) -> None:
        assert item.strength == new, "the state has changed before the recorder is told"
        self.items.append((item.content, cause, old, new, by, delta))

    def edge_moved(self, edge: Edge, cause: str, old: float, new: float, by: str) -> None:
        assert edge.strength == new
        self.edges.append((cause, old, new, by))


def rounds(network: PheromoneNetwork, n: int) -> None:
    for _ in range(n):
        network.evaporate()


def put(network: PheromoneNetwork, content: str = "x", strength: float | None = None, **said: Any) -> ContextItem:
    return network.deposit(ContextItem(content, **said), initial_strength=strength)
