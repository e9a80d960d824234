"""Claims about the records of a network."""

from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.items import ContextItem, Edge
from blackboard.kinds import policy
from blackboard.network import PheromoneNetwork


def test_the_kind_may_stand_in_meta() -> None:
    """``meta={"type": …}`` is understood as the kind; a fact if there is none."""
    assert ContextItem("x").kind == "fact"
    assert ContextItem("x", meta={"type": "state"}).kind == "state"
    assert ContextItem("x", kind="trace", meta={"type": "state"}).kind == "trace"


@pytest.mark.parametrize("wrong", [{"content": 3}, {"content": "x", "meta": {"type": 3}}])
def test_items_are_made_of_text(wrong: dict[str, Any]) -> None:
    """Content and kind are texts; the error shows what was given."""
    with pytest.raises(BadValue, match="3"):
        ContextItem(**wrong)


def test_hard_while_any_asserter_says_so() -> None:
    """Alone an item is as hard as it was made; with asserters, as they say."""
    item = ContextItem("x", hard=True)
    assert item.hard
    item.asserters = {"ann": False, "bob": True}
    assert item.hard
    del item.asserters["bob"]
    assert not item.hard


def test_a_repr_says_what_it_is() -> None:
    """Kind, what it is about, the words, strength, whose, and the beginning of the id."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("at most 50,000", kind="constraint", key="budget", target="A7", owner="ann"))
    assert repr(item) == f"<constraint budget/A7 'at most 50,000' 8 private:ann {item.id[:8]}>"
    assert "not deposited" in repr(ContextItem("x"))
    assert repr(Edge("a" * 32, "b" * 32)).startswith("<edge aaaaaaaa -- bbbbbbbb 0")


@pytest.mark.parametrize("agents", [1, 3, 12])
def test_contributions_are_added_up_in_the_order_of_the_first(agents: int) -> None:
    """The first deposit, and each agent by each cause; whether few or many."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("x", owner="a0"), initial_strength=2.0)
    assert [(key, share.amount, share.count) for key, share in item.contributions.items()] == [(("a0", "deposit"), 2.0, 1)]
    for turn in range(2):
        network.evaporate()
        for number in range(agents):
            network.reinforce(item, 1.0 + turn, by=f"a{number}")
    (first, founding), *others = item.contributions.items()
    assert (first, founding.amount, founding.last) == (("a0", "deposit"), 2.0, 0.0)
    assert [key for key, _ in others] == [(f"a{number}", "reinforce") for number in range(agents)]
    assert all((round(share.amount, 9), share.count, share.last) == (3.0, 2, 2.0) for _, share in others)


def test_who_deposited_first_stays_known_whoever_says_it_later() -> None:
    """The owner takes it back, others hold on to it, it fades and comes again: what the first deposit added is told as ever."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("x", owner="ann", scope="shared", kind="preference"), initial_strength=2.0)
    network.deposit(ContextItem("x", owner="bob", scope="shared", kind="preference"), by="bob")
    network.retract(item, by="ann")
    network.retract(item, by="bob")
    assert item.status == "released"
    network.advance(5)
    network.deposit(ContextItem("x", owner="cid", scope="shared", kind="preference"), initial_strength=3.0)
    founding = item.contributions["ann", "deposit"]
    assert (founding.amount, founding.count, founding.last) == (2.0, 1, 0.0)
    assert item.contributions["cid", "revive"].amount == 3.0


def test_a_row_says_contributions_in_one_way() -> None:
    """Where only the first deposit is left to tell of, however that came about, what is restored is what was kept."""
    kinds = {"fact": policy("fact", initial=4, rate=0, confirm=0)}
    network = PheromoneNetwork(kinds=kinds)
    item = network.deposit(ContextItem("x", owner="ann", scope="shared"))
    network.deposit(ContextItem("x", owner="bob", scope="shared"), by="bob")  # which adds nothing
    network.retract(item, by="bob")
    restored = PheromoneNetwork(kinds=kinds)
    restored.restore(network.snapshot(full=True))
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert list(restored.get(item.id).contributions) == [("ann", "deposit")]
