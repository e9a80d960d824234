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


def lived() -> PheromoneNetwork:
    """A network with something of everything: private and shared, what has a past, what is protected, edges, and text of all sorts."""
    network = PheromoneNetwork(board="b", now=3)
    items = [put(network, f"private {n}", 1.5 + n / 3, kind=kind, key="k", value=n, owner="ann") for n, kind in enumerate(DEFAULTS)]
    network.connect(items[0], items[1], relation="因为", by="ann")
    network.connect(items[1], items[0], owner="ann", initial_strength=1 / 3)
    network.connect(items[0], items[2])
    rounds(network, 4)
    secret = put(network, "was a secret", owner="ann", meta={"n": 1})
    network.connect(items[1], secret)
    network.share(secret, by="ann")
    network.evaporate(rate=0.07)
    text = "永远不要巧克力 <&>\"' \r\n\t\x00\uffff 🍫"
    cat: dict[str, Any] = {"kind": "constraint", "key": "cat", "target": "豆豆", "scope": "shared"}
    network.deposit(ContextItem(text, hard=True, owner="bob", **cat))
    network.deposit(ContextItem(text, owner="ann", **cat), by="ann")
    put(network, "until noon", owner="bob", expires_at=17, meta={"深": [1, 2.5, None, {"x": "\x01\ufffe"}]}, scope="shared")
    values: tuple[Any, ...] = (1.0, -1e300, "\r", "", [], {}, True)
    for value in values:
        put(network, "a value", key="v", value=value, unit="元", owner="bob")
    network.retract(items[3], by="ann")
    network.confirm(items[4], by="bob")
    network.use(items[5], by="ann")
    return network
