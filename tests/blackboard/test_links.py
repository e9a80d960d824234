"""Edges: made, walked, moved along and gone."""

import pytest

from blackboard.errors import BadValue, NotInView
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork


def network_of(*contents: str, owner: str = "ann") -> tuple[PheromoneNetwork, list[ContextItem]]:
    network = PheromoneNetwork()
    return network, [network.deposit(ContextItem(content, owner=owner)) for content in contents]


def test_linking_again_strengthens_the_edge() -> None:
    """max(S, 1) + 0.2, from either end; its ends do not move."""
    network, (a, b) = network_of("a", "b")
    edge = network.connect(a, b, initial_strength=2.0)
    assert network.connect(b.id, a.id) is edge
    assert edge.strength == 2.2
    network.evaporate(rate=0.6)
    network.connect(a, b)
    assert edge.strength == 1.2
    assert a.strength == pytest.approx(1.6)


def test_edges_differ_by_relation_owner_and_scope() -> None:
    """Each is an edge of its own."""
    network, (a, b) = network_of("a", "b")
    edges = [
        network.connect(a, b),
        network.connect(a, b, relation="causes", initial_strength=3),
        network.connect(b, a, relation="causes", initial_strength=2),
        network.connect(a, b, owner="bob"),
        network.connect(a, b, scope="shared"),
    ]
    assert network.edges_of(a) == [edges[1], edges[2], edges[0], edges[3], edges[4]]
    assert network.stats(["shared"])["edges"] == 1


def test_an_edge_joins_two_items() -> None:
    """That are there, and not one."""
    network, (a,) = network_of("a")
    with pytest.raises(BadValue, match="two items"):
        network.connect(a, a.id)
    with pytest.raises(NotInView):
        network.connect(a, "nobody")
    with pytest.raises(NotInView):
        network.reinforce_edge("nobody", 1.0)


def test_walking_an_edge_adds_less_the_stronger_it_is() -> None:
    """0.2 · max(0, 1 - S/(2·S₀))."""
    network, (a, b) = network_of("a", "b")
    edge = network.connect(a, b)
    network.use_edge(edge)
    assert edge.strength == pytest.approx(1.1)
    network.reinforce_edge(edge.id, 5.0)
    network.use_edge(edge)
    assert edge.strength == pytest.approx(6.1)


def test_edges_fade_and_are_gone() -> None:
    """Below 0.1, after 114 rounds from 1.0; unprotected."""
    network = PheromoneNetwork()
    a, b = (network.deposit(ContextItem(content, kind="constraint")) for content in "ab")
    edge = network.connect(a, b)
    for _ in range(113):
        network.evaporate()
    assert network.edges_of(a) == [edge]
    assert edge.strength == pytest.approx(0.98**113)
    network.evaporate()
    assert network.edges_of(a) == []
    with pytest.raises(NotInView):
        network.reinforce_edge(edge, 1.0)
    assert network.stats()["edges"] == 0


def test_onto_an_edge_that_is_there_the_stronger_stays() -> None:
    """When its item joins the shared one, an edge that then says the same twice is one, and both ids lead to it."""
    network, (private, other) = network_of("x", "other")
    shared = network.deposit(ContextItem("x", owner="bob", scope="shared"))
    weak, strong = network.connect(shared, other, owner="ann"), network.connect(private, other, initial_strength=3.0)
    former = strong.id
    network.share(private, by="ann")
    assert network.edges_of(other) == [weak]
    assert weak.strength == 3.0
    network.reinforce_edge(former, 1.0)
    assert weak.strength == 4.0


def test_what_joins_an_item_with_itself_is_dropped() -> None:
    """An edge between the private and the shared item ends when they become one."""
    network, (private,) = network_of("x")
    shared = network.deposit(ContextItem("x", owner="bob", scope="shared"))
    edge = network.connect(private, shared)
    network.share(private, by="ann")
    assert network.edges_of(shared) == []
    assert network.stats()["edges"] == 0
    assert edge.strength == 0.0


def test_edges_are_restored() -> None:
    """With their strength and the ids that they had."""
    network, (a, b) = network_of("a", "b")
    edge = network.connect(a, b, relation="causes", initial_strength=2.0)
    former = edge.id
    network.share(a, by="ann")
    network.evaporate()
    restored = PheromoneNetwork()
    restored.restore(network.snapshot(full=True))
    restored.reinforce_edge(former, 1.0)
    (again,) = restored.edges_of(a.id)
    assert (again.id, again.strength, again.relation) == (edge.id, 2 * 0.98 + 1, "causes")


def test_a_new_edge_is_not_taken_for_a_former_one() -> None:
    """When its item is said in private again, an edge made anew has the id that leads to the shared one: it is itself, and both fade."""
    network, (item, other) = network_of("x", "other")
    moved = network.connect(item, other)
    network.share(item, by="ann")
    network.retract(item, by="ann")
    again = network.deposit(ContextItem("x", owner="ann"))
    anew = network.connect(again, other)
    network.reinforce_edge(anew, 1.0)
    assert (anew.strength, moved.strength) == (2.0, 1.0)
    network.share(again, by="ann")
    assert network.edges_of(other) == [moved]
    network.advance(200)
    assert network.stats()["edges"] == 0
