"""Claims about what crosses the wire."""

from typing import Any

import msgspec

from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.wire import edge_to_wire, from_wire, to_wire
from bus import messages


def test_items_cross_the_wire() -> None:
    """What is read from a board has all its figures and a fixed strength."""
    network = PheromoneNetwork(board="b")
    said: dict[str, Any] = {"kind": "constraint", "key": "budget", "value": [1], "op": "<=", "unit": "CNY", "hard": True, "meta": {"a": 1}}
    item = network.deposit(ContextItem("at most", owner="ann", scope="shared", **said))
    network.confirm(item, by="bob")
    wire = msgspec.msgpack.decode(msgspec.msgpack.encode(to_wire(item)), type=messages.Item)
    read = from_wire(wire)
    network.evaporate(rate=0.5)
    assert to_wire(read) == wire
    assert read.strength == 8.5 != item.strength
    assert read.hard
    assert read.identify("b") == item.id
    assert to_wire(item, 3.0).strength == 3.0


def test_edges_cross_the_wire() -> None:
    """An edge shows its ends and its strength."""
    network = PheromoneNetwork()
    a, b = network.deposit(ContextItem("a")), network.deposit(ContextItem("b"))
    edge = network.connect(a, b, relation="causes", initial_strength=2)
    assert edge_to_wire(edge) == messages.EdgeView(id=edge.id, a=a.id, b=b.id, strength=2.0, relation="causes")
    assert edge_to_wire(edge, 1.5).strength == 1.5
