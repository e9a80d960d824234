"""How an item came by its strength."""

import pytest

from blackboard.items import ContextItem
from blackboard.ledger import KEPT
from blackboard.network import PheromoneNetwork
from bus.messages import Account


def balance(account: Account) -> float:
    grown = sum(act.after - act.before for act in account.acts)
    return account.opening + grown - sum(act.evaporated for act in account.acts) - account.evaporated_since


def test_the_acts_add_up_to_the_strength() -> None:
    """Opening, growth and evaporation give the present strength, and each act is named."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("x", kind="state", owner="ann"))
    for _ in range(5):
        network.evaporate()
    network.confirm(item, by="bob")
    network.evaporate()
    network.reinforce(item, 0.25, by="cy")
    network.use(item, by="ann")
    network.evaporate()
    account = network.explain(item)
    assert [(act.cause, act.by, act.t) for act in account.acts] == [
        ("deposit", "ann", 0), ("confirm", "bob", 5), ("reinforce", "cy", 6), ("use", "ann", 6),
    ]  # fmt: skip
    assert account.acts[1].evaporated == pytest.approx(2 - 2 * 0.95**2)
    assert account.opening == 0
    assert balance(account) == pytest.approx(item.strength, abs=1e-12)


def test_a_long_story_is_cut_to_a_balance() -> None:
    """Of what is forgotten the balance stays."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("x"))
    for _ in range(KEPT + 10):
        network.reinforce(item, 1.0)
        network.evaporate()
    account = network.explain(item)
    assert len(account.acts) == KEPT
    assert account.opening > 0
    assert balance(account) == pytest.approx(item.strength, abs=1e-9)


def test_what_was_taken_up_has_a_balance_only() -> None:
    """A restored network does not know what was before it."""
    network, restored = PheromoneNetwork(), PheromoneNetwork()
    item = network.deposit(ContextItem("x"))
    restored.restore(network.snapshot(full=True))
    account = restored.explain(item.id)
    assert account.acts == ()
    assert account.opening == balance(account) == 4


def test_what_is_gone_leaves_nothing_behind() -> None:
    """A discarded item takes its acts along."""
    network = PheromoneNetwork()
    network.deposit(ContextItem("x", kind="trace"))
    for _ in range(20):
        network.evaporate()
    assert not network._ledger._latest
