"""The figures that must come out (chapter 2)."""

import pytest

from blackboard.errors import NotInView
from blackboard.items import ContextItem
from blackboard.kinds import policy
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import BARE, put, rounds


@pytest.mark.parametrize(("n", "strength"), [(5, 0.7738), (20, 0.3585)])
def test_five_and_twenty_rounds(n: int, strength: float) -> None:
    """S=1, η=0.05, unprotected: 0.7738 after 5 rounds, 0.3585 after 20."""
    network = PheromoneNetwork(kinds={"x": policy("x", initial=1, rate=0.05, threshold=0, protect=0)})
    item = put(network, kind="x")
    rounds(network, n)
    assert item.strength == pytest.approx(strength, abs=5e-5)


def test_one_rate_for_everything() -> None:
    """8.0, 3.0 and an edge of 2.0, straight after their deposit, at a rate of 0.05: 7.6, 2.85 and 1.9."""
    network = PheromoneNetwork()
    budget, pc = put(network, "budget", 8.0, kind="constraint"), put(network, "pc", 3.0)
    edge = network.connect(budget, pc, initial_strength=2.0)
    network.evaporate(rate=0.05)
    assert [budget.strength, pc.strength, edge.strength] == pytest.approx([7.6, 2.85, 1.9])


def test_reinforced_each_round_it_converges() -> None:
    """η=0.05, each round evaporated and then reinforced by 1: 20.0 just after, 19.0 just before."""
    network = PheromoneNetwork(kinds={"x": policy("x", initial=1, rate=0.05)})
    item = put(network, kind="x")
    before = 0.0
    for _ in range(500):
        network.evaporate()
        before = item.strength
        network.reinforce(item, 1.0)
    assert [before, item.strength] == pytest.approx([19.0, 20.0])


def test_two_reinforcements_at_one_time_both_count() -> None:
    """8.0, +0.5 and +0.3 by two agents: 8.8."""
    network = PheromoneNetwork()
    item = put(network, strength=8.0)
    network.reinforce(item, 0.5, by="ann")
    network.reinforce(item, delta=0.3, by="bob")
    assert item.strength == 8.8


def test_sixty_rounds_of_an_assistant() -> None:
    """The strengths at round 60 of chapter 2's example, before any use by assembly: 2.23, 3.47, 6.07, 2.50; the coupon is gone at 25."""
    network = PheromoneNetwork()
    kept: dict[str, ContextItem] = {}
    for now in range(1, 61):
        network.advance(now)
        match now:
            case 2:
                kept["cat"] = put(network, "my cat is called Doudou", key="cat")
                kept["chocolate"] = put(network, "never give Doudou chocolate", kind="constraint", key="cat", hard=True)
                network.connect(kept["cat"], kept["chocolate"])
            case 5:
                kept["coupon"] = put(network, "the take-away coupon expires today", 2.3, kind="state")
            case 8:
                kept["meeting"] = put(network, "phone meeting at 15:00 this afternoon", 5.0, key="meeting")
            case 10 | 12:
                network.confirm(kept["meeting"])
            case 23:
                kept["coriander"] = put(network, "no coriander, in any recommendation", kind="preference")
            case 24:
                assert network.get(kept["coupon"]).standing
            case 25:
                with pytest.raises(NotInView):
                    network.get(kept["coupon"])
            case 29:
                network.confirm(kept["coriander"])
            case 31:
                put(network, "Doudou is shedding", key="cat")
                network.confirm(kept["cat"])
    strengths = {name: round(item.strength, 2) for name, item in kept.items() if name != "coupon"}
    assert strengths == {"meeting": 2.23, "coriander": 3.47, "chocolate": 6.07, "cat": 2.50}


def test_a_hundred_assertions_are_confirmations() -> None:
    """A hundred agents that assert a constraint of 8 leave it at 57.5, with a hundred asserters."""
    network = PheromoneNetwork()
    for n in range(100):
        network.deposit(ContextItem("never call it", kind="constraint", owner=f"a{n}", scope="shared"))
    (item,) = network.all_items()
    assert item.strength == 57.5
    assert len(item.asserters) == 100
    assert item.confirmations == 99


def test_a_hundred_thousand_rounds_lose_no_digit() -> None:
    """Late in the life of a board strengths are as exact as early."""
    network = PheromoneNetwork()
    network.advance(100_000)
    item = put(network, kind="constraint")
    for _ in range(103):
        network.evaporate()
    assert item.strength == pytest.approx(8 * 0.995**100, rel=1e-9)


def test_ten_times_one_round_is_one_time_ten() -> None:
    """To 1e-12, of every default kind; and a round at a kind's own rate, of what is not protected, is a round by policy."""
    stepped, leapt, rated = (PheromoneNetwork(kinds=BARE) for _ in range(3))
    for network in (stepped, leapt, rated):
        for kind in BARE:
            put(network, kind, 9.0, kind=kind)
        network.connect(network.all_items()[0], network.all_items()[1], initial_strength=7.0)
    rounds(stepped, 10)
    leapt.advance(10)
    for one, other in zip(stepped.all_items(), leapt.all_items(), strict=True):
        assert one.strength == pytest.approx(9.0 * (1 - BARE[one.kind].rate) ** 10, rel=1e-12)
        assert one.strength == pytest.approx(other.strength, rel=1e-12)
    for network in (stepped, leapt):
        [edge] = network.edges_of(network.all_items()[0])
        assert edge.strength == pytest.approx(7.0 * 0.98**10, rel=1e-12)
    for _ in range(10):
        rated.evaporate(rate=BARE["fact"].rate)
    [fact] = rated.top(1, kind="fact")
    assert fact.strength == pytest.approx(leapt.top(1, kind="fact")[0].strength, rel=1e-12)


def test_a_million_rounds_and_a_million_reinforcements() -> None:
    """Strengths stay finite and right to 1e-9, counts are exact, and what has decayed to nothing can rise again."""
    network = PheromoneNetwork(kinds={"x": policy("x", initial=1, rate=0.05, threshold=0, protect=0)})
    busy, idle = put(network, "busy", kind="x"), put(network, "idle", kind="x")
    strength = busy.strength
    for n in range(1, 1_001):
        network.advance(n * 1_000)
        strength *= 0.95**1_000
        for _ in range(1_000):
            network.reinforce(busy, 0.25, by="ann")
        strength += 250.0
        assert busy.strength == pytest.approx(strength, rel=1e-9)
    assert busy.contributions["ann", "reinforce"].count == busy.confirmations == 1_000_000
    assert busy.contributions["ann", "reinforce"].amount == pytest.approx(250_000, rel=1e-9)
    assert 0 <= idle.strength < 1e-300
    network.reinforce(idle, 2.0)
    assert idle.strength == 2.0
    rounds(network, 10)
    assert idle.strength == pytest.approx(2.0 * 0.95**10, rel=1e-9)
    for _ in range(2_000):  # each round reinforced, at a level of 51,000: the rounding of one round does not add up
        network.evaporate()
        network.reinforce(idle, 1.0)
    assert idle.strength == pytest.approx(20.0, rel=1e-9)
