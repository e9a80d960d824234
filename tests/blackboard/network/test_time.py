"""What happens by time alone (chapters 1 and 2)."""

import math

import pytest

from blackboard.errors import BadValue, NotInView
from blackboard.items import ContextItem
from blackboard.kinds import DEFAULTS, policy
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import BARE, put, rounds


def test_a_new_item_does_not_evaporate_for_three_rounds() -> None:
    """By policy; a round at a given rate hits everything, protected or not."""
    network = PheromoneNetwork()
    item = put(network)
    rounds(network, 3)
    assert item.strength == 4
    network.evaporate()
    assert item.strength == pytest.approx(3.92)
    other = put(network, "other")
    network.evaporate(rate=0.5)
    rounds(network, 2)
    assert other.strength == 2
    network.evaporate()
    assert other.strength == pytest.approx(1.96)


def test_decay_does_not_depend_on_how_often_one_looks() -> None:
    """Ten steps over 600 s leave what one leaves, to the bit; protection ends at its own time, not at the next look."""
    often, once = PheromoneNetwork(), PheromoneNetwork()
    for network in (often, once):
        put(network, "a")
        put(network, "b", kind="preference")
    for t in (0.7, 2.9, 3.3, 11, 20, 30, 30.5, 40, 50, 60):
        often.advance(t)
        often.top(2)
        often.next_due()
    once.advance(60)
    assert [item.strength for item in often.top(2)] == [item.strength for item in once.top(2)]
    assert once.top(2)[0].strength == pytest.approx(6 * 0.98**57)


def test_time_runs_one_way() -> None:
    """The past and the unknown are refused; now is no step."""
    network = PheromoneNetwork(now=5)
    for wrong in (4.9, math.nan, math.inf):
        with pytest.raises(BadValue, match="time"):
            network.advance(wrong)
    before = network.snapshot(full=True)
    network.advance(5)
    assert network.snapshot(full=True) == before


@pytest.mark.parametrize(("kind", "status"), [("constraint", "archived"), ("fact", "archived"), ("state", "gone"), ("trace", "gone")])
def test_forgetting_follows_the_kind(kind: str, status: str) -> None:
    """Discarded kinds are gone with their edges; the others stay in the archive, until folding comes also those that will be folded."""
    network = PheromoneNetwork()
    item, other = put(network, "weak", 1.01, kind=kind, key="k"), put(network, "other", kind="constraint")
    network.connect(item, other)
    rounds(network, 30)
    if status == "gone":
        assert network.history("k") == []
        assert network.edges_of(other) == []
        assert item.status == "discarded"
        with pytest.raises(NotInView):
            network.get(item)
    else:
        assert (network.get(item).status, network.history("k"), len(network.edges_of(other))) == (status, [item], 1)


@pytest.mark.parametrize(("initial", "last"), [(4.0, 71), (1.0, 3)])
def test_an_item_fades_when_it_is_below(initial: float, last: int) -> None:
    """A fact is last seen in the round before 0.98ⁿ · S falls below 1; at 1 exactly it stays."""
    network = PheromoneNetwork()
    item = put(network, strength=initial)
    rounds(network, last)
    assert item.standing
    network.evaporate()
    assert not item.standing


def test_what_happens_next_is_known() -> None:
    """The end of protection, then the fade of the item; at that very time it happens. Nothing left, nothing due."""
    network = PheromoneNetwork(now=1.75e9)
    item = put(network)
    other = put(network, "other", kind="trace")
    network.connect(item, other, initial_strength=0.5)
    network.advance(1.75e9 + 1)
    assert network.next_due() == 1.75e9 + 3
    seen = []
    while (due := network.next_due()) is not None:
        assert due > network.now
        network.advance(due)
        seen.append((round(due - 1.75e9, 2), item.status, other.status, len(network.edges_of(item))))
    half = 3 + math.log(0.5) / math.log(0.9)
    quarter = 3 + math.log(0.25) / math.log(0.98)
    assert seen == [
        (3, "standing", "standing", 1),
        (round(half, 2), "standing", "discarded", 0),
        (round(quarter, 2), "archived", "discarded", 0),
    ]


def test_what_is_below_from_the_start_is_due_at_once() -> None:
    """After now, so that whoever waits for it does not wait in a circle."""
    network = PheromoneNetwork(kinds=BARE, now=7.0)
    item = put(network, strength=0.5)
    due = network.next_due()
    assert due is not None
    assert due > 7.0
    network.advance(due)
    assert item.status == "archived"


@pytest.mark.parametrize("protected", [True, False])
def test_when_it_falls_below_is_told(protected: bool) -> None:
    """By policy alone, protected or not; never, or not any more, is None."""
    network = PheromoneNetwork(kinds=DEFAULTS if protected else BARE)
    network.advance(10)
    item = put(network)
    t = network.falls_below(item, 3.0)
    assert t is not None
    assert t == pytest.approx(10 + 3 * protected + math.log(3 / 4) / math.log(0.98))
    network.advance(t - 1e-3)
    assert item.strength > 3
    network.advance(t)
    assert item.strength < 3
    assert network.falls_below(item, 3.0) == t
    network.advance(t + 5)
    network.reinforce(item, 0.001)
    assert network.falls_below(item, 3.0) is None
    assert network.falls_below(item, 0.0) is None


def test_what_does_not_evaporate_never_falls() -> None:
    """A kind of rate 0 waits for no one."""
    network = PheromoneNetwork(kinds={"x": policy("x", initial=4, rate=0, protect=0)})
    item = put(network, kind="x")
    assert network.falls_below(item, 3.0) is None
    assert network.next_due() is None


def test_a_long_protection_outlasts_any_evaporation() -> None:
    """However much was taken from it by rounds at a rate of their own, an item comes out of its protection with what it has."""
    network = PheromoneNetwork(kinds={"x": policy("x", initial=4, rate=0.5, threshold=0, protect=2000)})
    item = put(network, kind="x")
    for _ in range(1999):
        network.evaporate(rate=0.5)
    rounds(network, 2)
    assert (item.standing, item.strength) == (True, 0.0)
    network.confirm(item)
    assert item.strength == 4.5


def test_an_item_ends_at_its_expiry_in_a_lone_network_too() -> None:
    """At once, whatever its strength, in the archive as well; what would have faded later has expired."""
    for step in (1, 500):
        network = PheromoneNetwork(kinds=BARE)
        strong, weak = put(network, "strong", 1_000.0, expires_at=2), put(network, "weak", 1.01, expires_at=300)
        state = put(network, "state", kind="state", expires_at=2.5)
        while network.now < 500:
            network.advance(network.now + step)
        assert [each.status for each in (strong, weak, state)] == ["expired"] * 3
        assert network.next_due() is None
    with pytest.raises(BadValue, match="expires_at"):
        put(network, "late", expires_at=3)


def test_only_its_owner_lets_an_item_end_sooner() -> None:
    """Who says that it holds, too, cannot end it for the others."""
    network = PheromoneNetwork(kinds=BARE)
    law = network.deposit(ContextItem("law", owner="ann", scope="shared"))
    network.deposit(ContextItem("law", owner="bob", scope="shared", expires_at=1))
    network.evaporate()
    assert (law.standing, law.expires_at) == (True, None)
    network.deposit(ContextItem("law", owner="ann", scope="shared", expires_at=2))
    network.evaporate()
    assert law.status == "expired"


def test_what_was_discarded_is_deposited_like_new() -> None:
    """The same object again: nothing of its former life is left, and it may fade again."""
    network = PheromoneNetwork(kinds=BARE)
    item = put(network, kind="trace", owner="ann")
    network.share(item, by="ann")
    for _ in range(2):
        network.confirm(item, by="bob")
        network.advance(network.now + 100)
        assert item.status == "discarded"
        network.deposit(item)
        assert (item.confirmations, list(item.contributions), dict(item.formerly)) == (0, [("ann", "deposit")], {})


def test_what_is_archived_can_be_retracted() -> None:
    """A hard constraint binds from the archive until it is released."""
    network = PheromoneNetwork(kinds=BARE)
    item = put(network, kind="constraint", owner="ann", hard=True)
    network.advance(500)
    assert item.status == "archived"
    network.retract(item, by="ann")
    assert (item.status, item.hard) == ("released", True)
    with pytest.raises(BadValue, match="released"):
        network.retract(item, by="ann")
