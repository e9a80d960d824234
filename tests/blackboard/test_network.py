"""The three updates, what a restatement does, and what happens by time alone (chapters 1 and 2)."""

import math
from typing import Any

import pytest
from msgspec.structs import replace

from blackboard.errors import BadValue, NotInView, NotYours, UnknownKind
from blackboard.items import ContextItem, Edge
from blackboard.kinds import DEFAULTS, policy
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


# ---- figures that must come out ---------------------------------------------------------------------------------------------------------


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


# ---- what a restatement does ------------------------------------------------------------------------------------------------------------


def test_saying_it_again_confirms() -> None:
    """A second deposit gives back the first record: max(S, S₀) + 0.5, never a twin."""
    network = PheromoneNetwork(kinds=BARE)
    first = put(network, "at  most", 6.0)
    rounds(network, 20)
    again = ContextItem(" at most")
    assert network.deposit(again, by="bob") is first
    assert first.strength == 6.5
    assert again.id == first.id
    assert again.strength == 6.5
    assert (first.confirmations, first.confirmed, set(first.asserters)) == (1, 20, {"", "bob"})
    network.deposit(first)
    assert first.strength == 7.0
    assert len(network.all_items()) == 1


def test_confirming_lifts_to_what_it_first_was() -> None:
    """S₀ is the larger of the first strength and the kind's initial one."""
    network = PheromoneNetwork(kinds=BARE)
    strong, weak = put(network, "strong", 7.0), put(network, "weak", 2.0)
    rounds(network, 10)
    network.confirm(strong)
    network.confirm(weak.id)
    assert (strong.strength, weak.strength) == (7.5, 4.5)


def test_a_confirmation_does_not_protect_anew() -> None:
    """Protection runs from the deposit alone."""
    network = PheromoneNetwork()
    item = put(network)
    rounds(network, 2)
    network.confirm(item)
    rounds(network, 2)
    assert item.strength == pytest.approx(4.5 * 0.98)


def test_reinforcing_never_weakens() -> None:
    """0.2 onto 0.9 gives 1.1."""
    network = PheromoneNetwork()
    item = put(network, strength=0.9, kind="trace")
    network.reinforce(item, 0.2)
    assert item.strength == pytest.approx(1.1)


def test_a_slot_holds_its_owners_last_value() -> None:
    """The newer value supersedes the older of the same owner, kind, key and target; what has no value, or another slot, stays."""
    network = PheromoneNetwork()
    said: dict[str, Any] = {"key": "address", "target": "A789", "kind": "slot"}
    old, new = put(network, "Shanghai", value="S", **said), put(network, "Beijing", value="B", **said)
    assert (old.status, new.status, old.strength) == ("superseded", "standing", 0.0)
    others = [
        put(network, "Beijing", value="B", owner="bob", **said),
        put(network, "Beijing", value="B", **{**said, "target": "B1"}),
        put(network, "Beijing", value="B", **{**said, "key": "city"}),
        put(network, "somewhere", **said),
        put(network, "somewhere else", **said),
        put(network, "Paris", value="P", scope="shared", **said),
    ]
    assert network.top(99) == [new, *others]
    assert network.history("address", "A789") == [old, new, others[0], *others[3:]]


def test_bounds_of_one_direction_supersede_each_other() -> None:
    """A new upper bound takes the old one's place, and leaves the lower one."""
    network = PheromoneNetwork()
    said: dict[str, Any] = {"kind": "constraint", "key": "budget"}
    upper, lower = put(network, "≤ 5", op="<=", value=5, **said), put(network, "≥ 1", op=">=", value=1, **said)
    put(network, "< 4", op="<", value=4, **said)
    assert (upper.status, lower.status) == ("superseded", "standing")


def test_what_is_said_again_supersedes_in_its_turn() -> None:
    """A superseded value comes back as a first deposit, protected, and its successor steps back."""
    network = PheromoneNetwork()
    old, new = (put(network, content, 5.0, key="k", value=content) for content in "ab")
    rounds(network, 10)
    assert put(network, "a", key="k", value="a") is old
    assert (old.status, old.strength, old.first, new.status) == ("standing", 4.0, 4.0, "superseded")
    rounds(network, 3)
    assert old.strength == 4.0


def test_what_merely_faded_is_still_its_asserters() -> None:
    """Said again by another it is said by both, and stays its owner's; what was taken back is the one's who says it anew."""
    network = PheromoneNetwork(kinds=BARE)
    said: dict[str, Any] = {"scope": "shared", "hard": True, "kind": "constraint"}
    faded, released = (network.deposit(ContextItem(content, owner="ann", **said), initial_strength=1.01) for content in "ab")
    network.retract(released, by="ann")
    rounds(network, 3)
    was = faded.status
    for content in "ab":
        network.deposit(ContextItem(content, owner="bob", **said))
    assert (was, faded.owner, set(faded.asserters)) == ("archived", "ann", {"ann", "bob"})
    assert (released.owner, set(released.asserters)) == ("bob", {"bob"})


def test_an_archived_value_is_superseded_too() -> None:
    """What was archived before its successor came does not come back by use beside it."""
    network = PheromoneNetwork(kinds=BARE)
    old = put(network, "a", 1.01, key="k", value="a")
    rounds(network, 2)
    was = old.status
    put(network, "b", key="k", value="b")
    assert (was, old.status) == ("archived", "superseded")


def test_retracting_withdraws_ones_own_assertion() -> None:
    """The last one takes the item along; who has not said it cannot take it back."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("x", kind="constraint", owner="ann", scope="shared", hard=True))
    network.deposit(ContextItem("x", kind="constraint", owner="bob", scope="shared"))
    with pytest.raises(NotYours, match="'cy'"):
        network.retract(item, by="cy")
    network.retract(item, by="ann")
    assert (item.standing, item.hard, item.strength) == (True, False, 8.5)
    network.retract(item, by="bob")
    assert (item.status, item.strength) == ("released", 0.0)
    assert network.top(1) == []


def test_what_does_not_stand_cannot_be_confirmed() -> None:
    """The error says what became of it, and the cure."""
    network = PheromoneNetwork()
    item = put(network)
    network.withdraw(item, "expired", "expire")
    for act in (network.confirm, network.use, lambda each: network.reinforce(each, 1.0), lambda each: network.share(each, by="")):
        with pytest.raises(BadValue, match=r"expired.*deposit it again"):
            act(item)


@pytest.mark.parametrize("amount", [0, -1, math.nan, math.inf, 1.0001e6, True, "3"])
def test_amounts_that_cannot_be_are_refused(amount: float) -> None:
    """Strengths and deltas are above 0 and at most a million; nothing moves."""
    network = PheromoneNetwork()
    a, b = put(network, "a"), put(network, "b")
    edge = network.connect(a, b)
    before = network.snapshot(full=True)
    for act in (
        lambda: put(network, "c", amount),
        lambda: network.reinforce(a, amount),
        lambda: network.connect(a, b, initial_strength=amount),
        lambda: network.reinforce_edge(edge, amount),
    ):
        with pytest.raises(BadValue, match=repr(amount)):
            act()
    assert network.snapshot(full=True) == before


@pytest.mark.parametrize("rate", [-0.1, 1.0, math.nan])
def test_rates_that_cannot_be_are_refused(rate: float) -> None:
    """A round's rate is at least 0 and below 1; no time passes."""
    network = PheromoneNetwork()
    with pytest.raises(BadValue, match=repr(rate)):
        network.evaporate(rate=rate)
    assert network.now == 0


def test_unknown_ids_and_kinds_are_refused() -> None:
    """And nothing is made of them."""
    network = PheromoneNetwork()
    for act in (network.get, network.use, network.confirm, network.edges_of, network.tier, network.explain):
        with pytest.raises(NotInView, match="not in your view"):
            act("nobody")
    with pytest.raises(UnknownKind, match=r"'rumour'.*fact"):
        put(network, kind="rumour")
    assert set(network.snapshot(full=True)) == {"network"}


def test_an_item_is_in_one_network() -> None:
    """A live record of one network is no deposit for another."""
    one, other = PheromoneNetwork(), PheromoneNetwork()
    item = put(one)
    with pytest.raises(BadValue, match="another network"):
        other.deposit(item)


# ---- use --------------------------------------------------------------------------------------------------------------------------------


def test_use_adds_less_the_stronger_it_is() -> None:
    """δ·max(0, 1 - S/(2·S₀)); it is no evidence that the item holds."""
    network = PheromoneNetwork(kinds=BARE)
    item = put(network)
    assert network.use(item) is item
    assert item.strength == 4.25
    assert item.confirmations == 0
    network.reinforce(item, 4.0)
    network.load(item.id)
    assert item.strength == 8.25


@pytest.mark.parametrize(("kind", "settles"), [("constraint", 1.73), ("fact", 1.54), ("trace", 1.54)])
def test_what_is_used_every_round_settles(kind: str, settles: float) -> None:
    """At 1.3 to 1.75 S₀: it cannot run away."""
    network = PheromoneNetwork()
    item = put(network, kind=kind)
    for _ in range(3000):
        network.evaporate()
        network.use(item)
    assert item.strength / network.s0(item) == pytest.approx(settles, abs=0.01)


def test_one_accidental_hit_never_lifts_a_faded_item() -> None:
    """A use of something weak leaves it well below S₀."""
    network = PheromoneNetwork(kinds=BARE)
    item = put(network)
    rounds(network, 65)
    network.use(item)
    assert item.strength < 2


def test_an_archived_item_comes_back_by_use() -> None:
    """At half its kind's initial strength, unprotected, with its content."""
    network = PheromoneNetwork()
    item = put(network, "the cat's name is Doudou", 1.05)
    rounds(network, 10)
    assert (item.status, network.tier(item), network.top(1)) == ("archived", "archived", [])
    assert network.search("cat") == [item]
    network.use(item)
    assert (item.status, item.strength) == ("standing", 2.0)
    network.evaporate()
    assert item.strength == pytest.approx(1.96)


# ---- time -------------------------------------------------------------------------------------------------------------------------------


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


# ---- sharing ----------------------------------------------------------------------------------------------------------------------------


def test_sharing_moves_an_item_and_leaves_an_alias() -> None:
    """Strength, protection and edges go along; the old ids lead there still."""
    network = PheromoneNetwork()
    item, other = put(network, "x", 5.0, owner="ann"), put(network, "other", owner="ann")
    edge = network.connect(other, item)
    private_id, edge_id = item.id, edge.id
    network.evaporate()
    assert network.share(item, by="ann") is item
    assert (item.scope, item.owner, item.strength, network.aliases) == ("shared", "ann", 5.0, {private_id: item.id})
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
    assert (private is item, private.scope, item.status, network.aliases) == (False, "private", "released", {})


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
        assert (item.confirmations, list(item.contributions), item.formerly) == (0, [("ann", "deposit")], ())


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


# ---- what is told -----------------------------------------------------------------------------------------------------------------------


def test_every_move_is_told_in_order() -> None:
    """Cause, strength before and after, by whom, and what a confirmation was to add."""
    moves = Moves()
    network = PheromoneNetwork(kinds=BARE, recorder=moves)
    a = put(network, "a", key="k", value=1, owner="ann")
    network.evaporate(rate=0.5)
    network.confirm(a, by="bob")
    network.use(a, by="ann")
    b = put(network, "b", key="k", value=2, owner="ann")
    c = put(network, "c", 1.5, kind="trace")
    network.connect(c, a, by="cy")
    network.evaporate(rate=0.9)
    network.use(b, by="ann")
    assert moves.items == [
        ("a", "deposit", 0, 4, "ann", None),
        ("a", "confirm", 2, 4.5, "bob", 0.5),
        ("a", "use", 4.5, 4.5 + 0.5 * (1 - 4.5 / 8), "ann", None),
        ("b", "deposit", 0, 4, "ann", None),
        ("a", "supersede", 4.5 + 0.5 * (1 - 4.5 / 8), 0, "ann", None),
        ("c", "deposit", 0, 1.5, "", None),
        ("b", "archive", pytest.approx(0.4), 0, "", None),
        ("c", "discard", pytest.approx(0.15), 0, "", None),
        ("b", "revive", 0, 2, "ann", None),
    ]
    assert moves.edges == [("link", 0, 1, "cy"), ("discard", pytest.approx(0.1), 0, "")]


def test_contributions_say_who_strengthened_it() -> None:
    """By cause: how much, how often, how recently."""
    network = PheromoneNetwork()
    item = put(network, owner="ann")
    for _ in range(3):
        network.evaporate()
        network.reinforce(item, 0.25, by="bob")
    share = item.contributions["bob", "reinforce"]
    assert (share.amount, share.count, share.last) == (0.75, 3, 3)


# ---- how it is kept ---------------------------------------------------------------------------------------------------------------------


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
        each.confirm(late.formerly[0], by="bob")
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
