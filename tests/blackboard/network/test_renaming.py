"""What becomes of items whose key is renamed, or merged with another."""

from typing import Any

import pytest

from blackboard.document import edge_record, item_record
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import BARE, Moves, put, rounds


def test_a_renamed_key_keeps_everything_but_its_name() -> None:
    """Strength, protection, edges and history; what had the former ids is found by them, and what is said again by either is confirmed."""
    moves = Moves()
    network = PheromoneNetwork(recorder=moves)
    item, other = put(network, "x", 5.0, key="budgte", owner="ann"), put(network, "other", key="trip", owner="ann")
    past = put(network, "gone", key="budgte", owner="bob")
    network.retract(past, by="bob")
    edge = network.connect(item, other, relation="limits")
    former = {each: each.id for each in (item, past)}
    moves.items.clear()
    network.evaporate()
    moved = network.rename_key(" budgte ", "budget", by="_board")
    assert moved == {former_id: each.id for each, former_id in former.items()}
    assert all(each.id == each.identify("") != former[each] and network.get(former[each]) is each for each in former)
    assert (item.key, item.strength, past.status, list(network.about("budgte"))) == ("budget", 5.0, "released", [])
    assert (network.edges_of(item), edge.a, edge.b) == ([edge], item.id, other.id)
    assert moves.items == [("x", "rename", 5.0, 5.0, "_board", None), ("gone", "rename", 0.0, 0.0, "_board", None)]
    assert [move[0] for move in moves.edges[1:]] == ["rename"]
    assert put(network, "x", key="budgte", owner="ann") is put(network, "x", key="budget", owner="ann") is item
    assert network.search("budget") == [item, other]  # which is linked with it
    assert network.search("budgte") == []
    rounds(network, 3)
    assert item.strength == pytest.approx(6.0 * 0.98)
    assert network.keys() == {"budget": {"standing": 1, "released": 1}, "trip": {"standing": 1}}


def test_back_again() -> None:
    """A key that is renamed and named back is as it was; what was renamed onto another's former key takes the id over."""
    network = PheromoneNetwork()
    item = put(network, "x", key="a", owner="ann")
    former = item.id
    edge = network.connect(item, put(network, "y"))
    edge_id = edge.id
    network.rename_key("a", "b")
    network.rename_key("b", "a")
    assert (edge.id, edge_id in edge.formerly) == (edge_id, False)
    assert (item.id, dict(item.formerly)) == (former, {item.identify("", key="b"): "private:ann"})
    network.rename_key("a", "b")
    other = put(network, "x", key="c", owner="ann")
    network.rename_key("c", "a")
    assert (network.get(former), other.id, dict(item.formerly)) == (other, former, {})


def test_what_says_the_same_under_one_key_becomes_one() -> None:
    """The stronger's strength, the asserters, contributions and edges of both; nothing is added, and each former id leads there."""
    network = PheromoneNetwork(kinds=BARE)
    one = network.deposit(ContextItem("x", key="k", owner="ann", scope="shared", expires_at=9))
    two = network.deposit(ContextItem("x", key="l", owner="bob", scope="shared", expires_at=5), initial_strength=6.0)
    note = put(network, "note", key="n", owner="ann")
    rounds(network, 1)
    network.confirm(two, by="eve")
    rounds(network, 1)
    network.confirm(one, by="fay")
    edges = network.connect(note, one), network.connect(note, two), network.connect(one, two)
    network.reinforce_edge(edges[1], 2.0)
    strength, ids = two.strength, (one.id, two.id)
    network.rename_key("k", "l")
    assert network.all_items() == [two, note]
    assert (two.strength, two.confirmations, two.confirmed, two.expires_at) == (strength, 2, 2.0, 9)
    assert (one.id, one.status, one.strength) == (two.id, "discarded", 0.0)
    assert set(two.asserters) == {"ann", "bob"}
    assert {share: of.amount for share, of in two.contributions.items()} == {
        ("ann", "deposit"): 4.0, ("bob", "deposit"): 6.0,
        ("eve", "confirm"): pytest.approx(0.62), ("fay", "confirm"): pytest.approx(0.6584),
    }  # fmt: skip
    assert [network.get(each) for each in ids] == [two, two]
    assert [edge.strength for edge in network.edges_of(two)] == [pytest.approx(3.0)]
    rounds(network, 7)
    assert two.status == "expired", "at the later of the two times, once"


def test_the_weaker_one_that_stays_grows_as_strong() -> None:
    """No strength is lost, and the recorder is told of it."""
    moves = Moves()
    network = PheromoneNetwork(kinds=BARE, recorder=moves)
    put(network, "x", 6.0, key="k", owner="ann", scope="shared")
    stays = put(network, "x", 2.0, key="l", owner="bob", scope="shared")
    network.rename_key("k", "l")
    assert (network.top(2), stays.strength) == ([stays], 6.0)
    assert moves.items[-1] == ("x", "merge", 2.0, 6.0, "", None)


@pytest.mark.parametrize("swapped", [False, True])
def test_what_is_in_force_stays(swapped: bool) -> None:
    """Of what stands and what is history the former stays, whatever key it had, with its own asserters; its strength is not touched."""
    network = PheromoneNetwork(kinds=BARE)
    past, item = put(network, "x", key="k", owner="ann", scope="shared"), put(network, "x", 2.0, key="l", owner="bob", scope="shared")
    former = past.id, item.id
    network.rename_key("k", "k0")
    network.rename_key("k0", "k")
    network.rename_key("l", "l0")
    network.rename_key("l0", "l")
    network.retract(past, by="ann")
    ids = *former, *past.formerly, *item.formerly
    network.rename_key(*(("l", "k") if swapped else ("k", "l")))
    assert [network.get(each) for each in ids] == [item] * 4
    assert (item.status, item.strength, item.owner, list(item.asserters)) == ("standing", 2.0, "bob", ["bob"])
    assert network.all_items() == [item]
    assert [each.status for each in network.made_after(-1)] == ["standing"]


def test_what_is_archived_of_both_is_asserted_by_both() -> None:
    """It faded, and nobody took it back: a hard constraint binds from the archive."""
    network = PheromoneNetwork(kinds=BARE)
    said: dict[str, Any] = {"kind": "constraint", "scope": "shared"}
    one, two = (put(network, "x", 1.001, key=key, owner=owner, hard=owner == "ann", **said) for key, owner in (("k", "ann"), ("l", "bob")))
    rounds(network, 1)
    network.rename_key("k", "l")
    assert network.get(one.id) is network.get(two) is two
    assert (two.status, two.asserters) == ("archived", {"ann": True, "bob": False})


@pytest.mark.parametrize(("ends", "end"), [((9, 5), 9), ((5, 9), 9), ((None, 5), None), ((5, None), None)])
@pytest.mark.parametrize("hard", [(True, False), (False, True), (False, False)])
def test_one_binds_if_either_did_and_ends_when_neither_would_stand(
    ends: tuple[float | None, ...], end: float | None, hard: tuple[bool, ...]
) -> None:
    """Whichever of the two has stayed, and also of one who said both."""
    network = PheromoneNetwork(kinds=BARE)
    for key, expires_at, binding in zip("kl", ends, hard, strict=True):
        put(network, "x", kind="constraint", key=key, owner="ann", scope="shared", hard=binding, expires_at=expires_at)
    network.rename_key("k", "l")
    [item] = network.all_items()
    assert (item.expires_at, network.next_due() == end, item.asserters) == (end, end is not None, {"ann": any(hard)})


def test_of_two_values_for_a_slot_each_sayer_keeps_the_one_said_last() -> None:
    """Whichever key it had; who said one of them only goes on saying it."""
    network = PheromoneNetwork(kinds=BARE)
    said: dict[str, Any] = {"scope": "shared"}
    old = put(network, "40", key="k", value=40, owner="ann", **said)
    put(network, "40", key="k", value=40, owner="bob", **said)
    rounds(network, 1)
    new = put(network, "47", key="l", value=47, owner="ann", **said)
    network.rename_key("l", "k")
    assert (list(old.asserters), old.owner, list(new.asserters)) == (["bob"], "bob", ["ann"])
    assert network.slot("shared", "fact", "k", None, None) == [old, new]
    rounds(network, 1)
    older = put(network, "39", key="l", value=39, owner="bob", **said)
    network.rename_key("k", "l")
    assert (old.status, older.status, new.status) == ("superseded", "standing", "standing")


def test_of_two_values_in_one_name_the_newer_stands() -> None:
    """Whoever said them for their owner; each that goes is told once."""
    moves = Moves()
    network = PheromoneNetwork(kinds=BARE, recorder=moves)
    values = []
    for key, value, by in (("k", 40, "bob"), ("l", 47, "eve"), ("l", 50, "eve"), ("m", 60, "ann"), ("k", 70, "ann")):
        values.append(network.deposit(ContextItem(str(value), key=key, value=value, owner="ann"), by=by))
        rounds(network, 1)
    moves.items.clear()
    network.rename_key("l", "k")
    network.rename_key("m", "k")
    assert [item.status for item in values] == ["superseded"] * 4 + ["standing"]
    assert [move[:2] for move in moves.items if move[1] == "supersede"] == [("50", "supersede"), ("60", "supersede")]


def test_former_ids_outlive_sharing() -> None:
    """A private item that was renamed and then shared is found by all its ids; so is the shared one under whose former id it would come."""
    network = PheromoneNetwork()
    item = put(network, "x", key="k", owner="ann")
    ids = [item.id]
    network.rename_key("k", "l")
    ids.append(item.id)
    network.share(item, by="ann")
    ids.append(item.id)
    network.rename_key("l", "m")
    assert [network.get(each) for each in ids] == [item] * 3
    assert list(item.formerly.values()) == ["private:ann", "private:ann", "shared"]
    mine = put(network, "x", key="l", owner="bob")
    assert network.share(mine, by="bob") is item
    assert set(item.asserters) == {"ann", "bob"}


def test_what_waits_is_folded_under_its_new_key() -> None:
    """Items of two keys become related by having one."""
    network = PheromoneNetwork(kinds=BARE)
    for key in ("k", "l"):
        put(network, f"{key} 42", 1.001, key=key, owner="ann")
    rounds(network, 1)
    assert network.stats()["kinds"] == {}
    network.rename_key("k", "l")
    rounds(network, 1)
    assert [(item.kind, item.key, item.content) for item in network.all_items()] == [("summary", "l", "k 42\nl 42")]


@pytest.mark.parametrize("stands", [False, True])
def test_what_a_summary_says_of_one_it_says_of_both(stands: bool) -> None:
    """Two archived ones that become one do not wait any more; what stands will wait again once it fades."""
    network = PheromoneNetwork(kinds=BARE)
    for content in ("x", "y"):
        put(network, content, 1.001, key="k", owner="ann")
    rounds(network, 1)
    [summary] = network.all_items()
    item = put(network, "x", 9.0 if stands else 1.001, key="l", owner="ann")
    rounds(network, 1)
    network.rename_key(*(("k", "l") if stands else ("l", "k")))
    found = network.get(item.id)
    assert (found.standing, found.folded, network.foldings()) == (stands, not stands, [])
    assert network.summaries_of(found) == [summary]


def test_order_outlives_a_restart() -> None:
    """What came to a key is in order of making there; a network that takes up the snapshot is the same."""
    network = PheromoneNetwork()
    items = [put(network, str(n), key="kl"[n % 2]) for n in range(6)]
    network.rename_key("k", "l")
    assert list(network.about("l")) == network.history("l") == items
    again = PheromoneNetwork()
    again.restore(network.snapshot(full=True))
    assert [item_record(each, formerly=each.formerly) for each in again.about("l")] == [
        item_record(each, formerly=each.formerly) for each in items
    ]
    assert [again.get(former).id for item in items for former in item.formerly] == [item.id for item in network.about("l") if item.formerly]
    imported = PheromoneNetwork()
    imported.import_json(network.export_json())
    assert imported.export_json() == network.export_json()


def test_edges_between_renamed_items_follow_both() -> None:
    """Their ids are those that they would have had from the start."""
    networks = []
    for key in ("k", "l"):
        network = PheromoneNetwork()
        edge = network.connect(put(network, "x", key=key), put(network, "y", key=key), relation="r")
        if key == "k":
            network.rename_key("k", "l")
        networks.append(edge_record(edge))
    assert networks[0] == networks[1]


@pytest.mark.parametrize(("key", "to", "sentence"), [("none", "k", "'none' has no items"), ("k", " k ", "is 'k' already")])
def test_nothing_to_rename(key: str, to: str, sentence: str) -> None:
    """It says so."""
    network = PheromoneNetwork()
    put(network, key="k")
    with pytest.raises(BadValue, match=sentence):
        network.rename_key(key, to)


@pytest.mark.parametrize("searched", [False, True])
def test_it_is_found_by_its_new_key_alone(searched: bool) -> None:
    """Whether it was searched for before or not."""
    network = PheromoneNetwork()
    item, other = put(network, "x", key="budgte"), put(network, "y", key="budget")
    if searched:
        assert network.search("budgte") == [item]
    network.rename_key("budgte", "budget")
    assert network.search("budgte") == []
    assert set(network.search("budget")) == {item, other}


# ---- what is private of an agent --------------------------------------------------------------------------------------------------------


def test_what_is_handed_over_keeps_everything_but_its_owner() -> None:
    """Strength, protection, edges and history; what was shared, and who contributed, stays. The former ids lead the new owner there."""
    moves = Moves()
    network = PheromoneNetwork(recorder=moves)
    item, past = put(network, "x", 5.0, key="k", owner="ann"), put(network, "gone", key="k", owner="ann")
    network.retract(past, by="ann")
    known = put(network, "known", owner="ann")
    shown = known.id
    network.share(known, by="ann")
    other = put(network, "other", owner="eve", scope="shared")
    edges = network.connect(item, known, relation="limits"), network.connect(known, other, owner="ann")
    public = network.connect(known, other, owner="ann", scope="shared")
    former = {each: each.id for each in (item, past)}
    moves.items.clear()
    moves.edges.clear()
    network.evaporate()
    moved = network.hand_over("ann", "bob", by="_board")
    assert moved == {former_id: each.id for each, former_id in former.items()}
    assert [(each.owner, each.partition, each.id == each.identify("")) for each in (item, past)] == [("bob", "private:bob", True)] * 2
    assert (item.strength, list(item.asserters), list(item.contributions)) == (5.0, ["bob"], [("ann", "deposit")])
    assert (known.owner, list(known.asserters), public.owner) == ("ann", ["ann"], "ann")
    assert [(edge.owner, edge.partition, edge.a, edge.b) for edge in edges] == [
        ("bob", "private:bob", item.id, known.id), ("bob", "private:bob", known.id, other.id),
    ]  # fmt: skip
    assert [move[:4] for move in moves.items] == [("x", "handover", 5.0, 5.0), ("gone", "handover", 0.0, 0.0)]
    assert [move[0] for move in moves.edges] == ["handover"] * 2
    assert [network.led(each, ["private:bob"]) for each in (*former.values(), shown)] == [item, past, known]
    assert [network.led(each, ["private:ann", "shared"]) for each in (*former.values(), shown)] == [None] * 3
    rounds(network, 3)
    assert item.strength == pytest.approx(5.0 * 0.98)
    assert network.stats(["private:bob"])["owners"] == {"bob": 1}
    assert network.hand_over("ann", "bob") == {}


def test_what_both_said_is_one() -> None:
    """As with a key: as strong as the stronger, said by the new owner, who of two values for a slot says the newer."""
    network = PheromoneNetwork(kinds=BARE)
    one, two = put(network, "x", 6.0, owner="ann"), put(network, "x", 2.0, owner="bob")
    old = put(network, "40", key="k", value=40, owner="bob")
    rounds(network, 1)
    new = put(network, "47", key="k", value=47, owner="ann")
    ids, strength = (one.id, two.id), one.strength
    edges = network.connect(one, new), network.connect(two, old)
    network.hand_over("ann", "bob")
    assert [network.get(each) for each in ids] == [two, two]
    assert (two.strength, list(two.asserters), old.status, new.status) == (strength, ["bob"], "superseded", "standing")
    assert set(network.edges_of(two)) == set(edges)


def test_what_was_handed_over_may_be_said_again() -> None:
    """It is another item then, which takes no id from the one that was handed over; and that may be handed over, too."""
    network = PheromoneNetwork()
    item = put(network, "x", owner="ann")
    former = item.id
    network.hand_over("ann", "bob")
    again = put(network, "x", owner="ann")
    assert (again is item, again.id, network.get(former)) == (False, former, again)
    assert network.led(former, ["private:bob"]) is item
    network.hand_over("ann", "eve")
    assert [network.led(former, [f"private:{each}"]) for each in ("ann", "bob", "eve")] == [None, item, again]
    assert network.get(former) is item, "of several the one made first"
    restored = PheromoneNetwork()
    restored.restore(network.snapshot(full=True))
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert [getattr(restored.led(former, [f"private:{each}"]), "ordinal", None) for each in ("ann", "bob", "eve")] == [None, 0, 1]
    network.erase(item)
    assert network.led(former, ["private:bob"]) is None
    assert network.get(former) is again


def test_there_and_back() -> None:
    """What comes back has its id again; where the new owner has an id of its own, what comes does not lead there."""
    network = PheromoneNetwork()
    item = put(network, "x", key="k", owner="ann")
    former = item.id
    network.hand_over("ann", "bob")
    between = item.id
    network.hand_over("bob", "ann")
    assert (item.id, dict(item.formerly), network.aliases["private:bob"]) == (former, {between: "private:ann"}, {})
    network.hand_over("ann", "bob")
    network.rename_key("k", "l")
    mine = put(network, "x", key="k", owner="ann")
    network.hand_over("bob", "ann")
    assert (network.get(former), network.led(former, ["private:ann"])) == (mine, None)
    assert network.led(between, ["private:ann"]) is item


def test_what_waits_is_folded_with_what_the_new_owner_has() -> None:
    """A summary that was being made is one of what is the new owner's by then; what has been folded stays so."""
    network = PheromoneNetwork(kinds=BARE, summariser=None)
    for content in ("a", "b"):
        put(network, content, 1.001, key="folded", owner="ann")
    rounds(network, 1)
    summary = network.fold(network.foldings()[0], "a, b")
    assert summary is not None
    items = [put(network, content, 1.001, key="k", owner="ann") for content in ("x", "y")]
    theirs = put(network, "z", 1.001, key="k", owner="bob")
    rounds(network, 1)
    offered = [item.id for item in network.foldings()[0]]
    network.hand_over("ann", "bob")
    assert (summary.owner, len(network.originals_of(summary))) == ("bob", 2)
    assert network.foldings() == [(*items, theirs)]
    made = network.fold(offered, "x, y")
    assert made is not None
    assert (made.owner, network.originals_of(made)) == ("bob", items)


def test_all_that_is_private_is_erased() -> None:
    """Items, edges, former ids, and the history; not what was shared, be it a summary, nor anybody else's."""
    network = PheromoneNetwork(kinds=BARE, summariser=None)
    items = [put(network, content, 1.001, key="k", owner="ann") for content in ("x", "y")]
    rounds(network, 1)
    summary = network.fold(network.foldings()[0], "x, y")
    assert summary is not None
    former = summary.id
    network.share(summary, by="ann")
    past, mine = put(network, "gone", owner="ann"), put(network, "mine", owner="bob")
    network.retract(past, by="ann")
    other = put(network, "other", owner="bob", scope="shared")
    network.connect(summary, other, owner="ann")
    kept = network.connect(mine, other)
    ids = {each.id for each in (*items, past)}
    assert set(network.erase_owned("ann", by="_board")) == {*ids, former}
    assert network.all_items() == [summary, mine, other]
    assert (network.originals_of(summary), network.edges_of(other), dict(summary.formerly)) == ([], [kept], {})
    assert not any(each in network for each in (*ids, former))
    assert network.erase_owned("ann") == ()
