"""What saying, using and sharing does to an item, and what of it is told (chapters 1 and 2)."""

import math
from typing import Any

import pytest

from blackboard.errors import BadValue, NotInView, NotYours, UnknownKind
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import BARE, Moves, put, rounds

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


def test_what_passes_to_another_is_found_by_its_new_sayer() -> None:
    """Also where it was indexed before; and it goes out of the index as a whole."""
    network = PheromoneNetwork()
    item = put(network, "the cat sleeps", owner="ann", scope="shared")
    put(network, "the cat sleeps", owner="bob", scope="shared")
    assert network.hits("ann, the cat")[0].why.names == ("ann",)
    network.retract(item, by="ann")
    assert network.hits("ann, the cat")[0].why.names == ()
    assert network.hits("bob, the cat")[0].why.names == ("bob",)
    network.erase(item)
    assert network.hits("bob, the cat") == []


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


# ---- erasing ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["standing", "archived", "superseded", "released", "expired"])
def test_erasing_leaves_nothing(status: str) -> None:
    """Whatever its status: the item, its edges, its ids and its place in every page are gone, and what says the same is made anew."""
    moves = Moves()
    network = PheromoneNetwork(kinds=BARE, recorder=moves)
    other = put(network, "other")
    item = put(network, "secret", 9.0, key="k", value=1, kind="preference", expires_at=500.0 if status == "expired" else None)
    private = item.id
    network.connect(item, other)
    network.share(item, by="")
    match status:
        case "archived":
            rounds(network, 150)
        case "expired":
            network.advance(500.0)
        case "superseded":
            put(network, "newer", key="k", value=2, kind="preference", scope="shared")
        case "released":
            network.retract(item, by="")
    assert item.status == status
    shared = item.id
    assert network.erase(private, by="ada") == (shared, private)
    assert [(cause, by) for content, cause, _, new, by, _ in moves.items if content == "secret"][-1] == ("erase", "ada")
    for each in (private, shared):
        with pytest.raises(NotInView):
            network.get(each)
    assert network.edges_of(other) == []
    assert network.find_by_content("secret") is None
    assert network.search("secret") == []
    assert "secret" not in [each.content for each in network.history("k")]
    kept = b"".join(network.snapshot(full=True).values())
    assert not any(each.encode() in kept for each in ("secret", private, shared))
    assert put(network, "secret").confirmations == 0
