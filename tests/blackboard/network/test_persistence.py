"""How a network is kept, and taken up again."""

import pytest

from blackboard.errors import BadValue, UnknownKind
from blackboard.kinds import DEFAULTS, policy
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import put, rounds


def test_a_restored_network_goes_on_as_the_original() -> None:
    """The same bytes when it is taken up, and after the same acts."""
    network = PheromoneNetwork(board="b", now=3)
    items = [put(network, str(n), 1.5 + n, kind=kind, key="k", value=n, owner="ann") for n, kind in enumerate(DEFAULTS)]
    network.connect(items[0], items[1])
    network.evaporate(rate=0.1)
    rounds(network, 4)
    late = put(network, "late", owner="ann")
    network.share(late, by="ann")
    items[0].marks = {"rising/1": [1, 2.5]}
    restored = PheromoneNetwork(board="b")
    restored.restore(network.snapshot(full=True))
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert restored.snapshot() == {"network": network.snapshot(full=True)["network"]}
    for each in (network, restored):
        each.evaporate()
        each.confirm(next(iter(late.formerly)), by="bob")
        put(each, "new", kind="trace")
        rounds(each, 40)
        each.use(items[2].id)
        each.advance(100)
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert restored.next_due() == network.next_due()
    assert [item.id for item in restored.top(99)] == [item.id for item in network.top(99)]
    assert restored.stats() == network.stats()


def test_only_a_new_network_takes_up_a_snapshot() -> None:
    """And only one that knows the kinds."""
    network = PheromoneNetwork()
    put(network)
    with pytest.raises(BadValue, match="new network"):
        network.restore(network.snapshot(full=True))
    with pytest.raises(UnknownKind, match="'fact'"):
        PheromoneNetwork(kinds={"x": policy("x", initial=1, rate=0)}).restore(network.snapshot(full=True))
