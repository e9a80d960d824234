"""What becomes of an item that is shared (chapter 1)."""

from typing import Any

import pytest

from blackboard.items import ContextItem
from blackboard.kinds import policy
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import put, rounds


def test_sharing_moves_an_item_and_leaves_an_alias() -> None:
    """Strength, protection and edges go along; the old ids lead there still."""
    network = PheromoneNetwork()
    item, other = put(network, "x", 5.0, owner="ann"), put(network, "other", owner="ann")
    edge = network.connect(other, item)
    private_id, edge_id = item.id, edge.id
    network.evaporate()
    assert network.share(item, by="ann") is item
    assert (item.scope, item.owner, item.strength, network.aliases) == ("shared", "ann", 5.0, {"private:ann": {private_id: item}})
    assert network.get(private_id) is item
    assert network.edges_of(private_id) == network.edges_of(other) == [edge]
    network.reinforce_edge(edge_id, 1.0)
    assert edge.strength == pytest.approx(1.98)
    assert network.connect(item, other) is edge, "said of the shared item, it is the same edge"
    assert network.top(9, partitions=["shared"]) == [item]
    rounds(network, 2)
    assert item.strength == 5.0
    network.evaporate()
    assert item.strength == pytest.approx(4.9)
    assert network.share(item, by="ann") is item


def test_sharing_onto_what_is_shared_joins_the_two() -> None:
    """The larger of the two + 0.5; asserters, contributions and edges joined; one item is left."""
    network = PheromoneNetwork()
    shared = network.deposit(ContextItem("x", owner="ann", scope="shared"))
    mine, other = put(network, "x", 6.0, owner="bob", hard=True), put(network, "other", owner="bob")
    edge = network.connect(mine, other)
    private_id = mine.id
    assert network.share(mine, by="bob") is shared
    assert (shared.strength, set(shared.asserters), shared.hard) == (6.5, {"ann", "bob"}, True)
    assert {key: share.amount for key, share in shared.contributions.items()} == {
        ("ann", "deposit"): 4.0, ("bob", "deposit"): 6.0, ("bob", "share"): 0.5,
    }  # fmt: skip
    assert network.edges_of(shared) == [edge]
    assert network.all_items() == [shared, other]
    assert network.get(private_id) is network.get(mine) is shared


def test_what_was_shared_and_is_said_privately_is_confirmed() -> None:
    """While the shared one stands, there is no twin; once it is released, saying it in private shares nothing."""
    network = PheromoneNetwork()
    item = put(network, owner="ann")
    network.share(item, by="ann")
    assert put(network, owner="ann") is item
    assert item.strength == 4.5
    network.retract(item, by="ann")
    private = put(network, owner="ann")
    assert (private is item, private.scope, item.status, network.led(private.id)) == (False, "private", "released", None)


def test_sharing_what_was_released_makes_it_stand_again() -> None:
    """With the private item's strength; it supersedes its owner's other value."""
    network = PheromoneNetwork()
    said: dict[str, Any] = {"key": "k", "value": 1, "owner": "ann"}
    released = put(network, "one", scope="shared", **said)
    network.retract(released, by="ann")
    other = put(network, "two", scope="shared", **{**said, "value": 2})
    private = put(network, "one", 5.0, **said)
    assert network.share(private, by="ann") is released
    assert (released.status, released.strength, other.status) == ("standing", 5.0, "superseded")


def test_what_has_decayed_beyond_all_numbers_can_be_shared() -> None:
    """A kind without a threshold never fades: its items are as weak as a number can be."""
    network = PheromoneNetwork(kinds={"dust": policy("dust", initial=1, rate=0.9, threshold=0, protect=0)})
    shared = network.deposit(ContextItem("x", kind="dust", owner="bob", scope="shared"))
    network.retract(shared, by="bob")
    mine = network.deposit(ContextItem("x", kind="dust", owner="ann"))
    network.advance(1_000)
    assert network.share(mine, by="ann") is shared
    assert 0 < shared.strength < 1e-300
    assert mine.status == "discarded"
