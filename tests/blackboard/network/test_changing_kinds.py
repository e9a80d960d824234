"""Other kinds on a network that holds items."""

import pytest
from msgspec.structs import replace

from blackboard.errors import BadValue, UnknownKind
from blackboard.kinds import DEFAULTS, policy
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import BARE, put, rounds


def test_other_kinds() -> None:
    """Strengths go on from where they are at the new pace, edges too; what is below a new threshold fades with the next step of time."""
    network = PheromoneNetwork(kinds={**BARE, "rumour": policy("rumour", initial=2, rate=0.1, protect=0)})
    fact, state = put(network), put(network, "y", kind="state", strength=4.0)
    edge = network.connect(fact, state)
    rounds(network, 2)
    before = fact.strength, state.strength, edge.strength
    kinds = {**BARE, "fact": replace(BARE["fact"], rate=0.5, confirm=1.0), "state": replace(BARE["state"], rate=0, threshold=3.9)}
    network.set_kinds({**kinds, "note": policy("note", initial=1, half_life=10)}, replace(network.edge, rate=0.25))
    assert (fact.strength, state.strength, edge.strength) == before
    assert "rumour" not in network.kinds
    rounds(network, 1)
    assert fact.strength == pytest.approx(before[0] / 2)
    assert network.find_by_content("y") is None
    put(network)
    assert fact.strength == 5.0
    assert put(network, "z", kind="note").strength == 1.0


def test_a_kind_that_has_items_does_not_go() -> None:
    """In the history neither; nothing changes then."""
    network = PheromoneNetwork(kinds={**BARE, "rumour": policy("rumour", initial=2, rate=0.1)})
    rumour = put(network, kind="rumour")
    network.retract(rumour, by="")
    with pytest.raises(BadValue, match="'rumour' has items"):
        network.set_kinds(DEFAULTS, network.edge)
    assert network.kinds["fact"].protect == 0
    with pytest.raises(UnknownKind):
        network.holds("nonsense")
