"""What an item is, and how it crosses the wire."""

from typing import Any

import msgspec
import pytest

from blackboard.errors import BadValue
from blackboard.items import ContextItem, Edge, direction, edge_identity, edge_to_wire, from_wire, identity, partition, to_wire
from blackboard.network import PheromoneNetwork
from bus import messages


def identify(**said: Any) -> str:
    given: dict[str, Any] = {
        "owner": "ann", "scope": "private", "kind": "fact", "key": "budget", "target": None, "content": "at most 50,000", "value": 50_000,
        "op": None, "unit": "CNY",
    }  # fmt: skip
    return identity("b", **{**given, **said})


@pytest.mark.parametrize(
    "same",
    [
        {"content": "  at   most\n50,000 "},
        {"value": 50_000.0},
        {"key": " budget"},
    ],
)
def test_what_is_the_same_has_one_id(same: dict[str, Any]) -> None:
    """White space is folded, and integral numbers are equal however they are written."""
    assert identify(**same) == identify()


def test_composed_and_decomposed_letters_are_the_same() -> None:
    """Unicode NFC: an é is an é."""
    assert identify(content="caf\u00e9") == identify(content="cafe\u0301")


@pytest.mark.parametrize(
    "other",
    [
        {"owner": "bob"}, {"scope": "shared"}, {"kind": "slot"}, {"key": "budgets"}, {"key": None}, {"target": "A789"},
        {"content": "At most 50,000"}, {"value": 50_001}, {"value": "50000"}, {"value": None}, {"op": "<="}, {"unit": "EUR"},
        {"unit": None},
    ],
)  # fmt: skip
def test_what_differs_has_another_id(other: dict[str, Any]) -> None:
    """Everything that an item is enters its id; case does, too."""
    assert identify(**other) != identify()


def test_an_id_is_32_hex_digits_and_never_changes() -> None:
    """Ids are kept for years: this one is written down."""
    assert identify() == "40c0c62afe582c8ff3c1388c00069562"


def test_whoever_shares_it_a_shared_item_is_one() -> None:
    """The owner counts for private items only."""
    assert identify(scope="shared", owner="ann") == identify(scope="shared", owner="bob")


def test_boards_do_not_share_ids() -> None:
    """The same words on two boards are two items."""
    said: dict[str, Any] = dict.fromkeys(("key", "target", "value", "op", "unit"))
    one, other = (identity(board, owner="", scope="shared", kind="fact", content="x", **said) for board in ("a", "b"))
    assert one != other


def test_values_compare_by_what_they_are() -> None:
    """Mappings have no order, numbers no type; truth is no number, a list no mapping."""
    assert identify(value={"a": 1, "b": [2.0]}) == identify(value={"b": (2,), "a": 1.0})
    assert identify(value=True) != identify(value=1)
    assert identify(value=[True]) != identify(value=[1])
    assert identify(value=1e300) != identify(value=2e300)
    assert identify(value={"a": 1}) != identify(value=[["a", 1]])
    assert identify(value=["mapping", [["a", 1]]]) != identify(value={"a": 1})


@pytest.mark.parametrize("value", [object(), {1, 2}, 2**70, [object()]])
def test_values_that_cannot_be_kept_are_refused(value: object) -> None:
    """A value is what JSON has, within 64 bits."""
    with pytest.raises(BadValue, match="a value is made of"):
        identify(value=value)


def test_a_relation_has_a_direction_and_an_association_has_none() -> None:
    """a-b is b-a; "a causes b" is not "b causes a"."""
    where: dict[str, Any] = {"owner": "ann", "scope": "private"}
    assert edge_identity("b", a="1", b="2", relation=None, **where) == edge_identity("b", a="2", b="1", relation=None, **where)
    assert edge_identity("b", a="1", b="2", relation="causes", **where) != edge_identity("b", a="2", b="1", relation="causes", **where)


def test_partitions_say_whose_view() -> None:
    """Private to an owner, shared by all, or whatever scope comes later."""
    assert [partition("ann", scope) for scope in ("private", "shared", "group:eu")] == ["private:ann", "shared", "group:eu"]


@pytest.mark.parametrize("pair", [("<=", "<"), (">=", ">"), ("==", "in"), ("!=", "not_in"), ("matches", "matches")])
def test_operators_of_one_direction_are_about_the_same_thing(pair: tuple[str, str]) -> None:
    """A new upper bound takes the place of an upper bound, and of no other."""
    one, other = map(direction, pair)
    assert one == other
    assert len({direction(op) for op in ("<=", ">=", "==", "!=", "matches", None)}) == 6


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


def test_items_cross_the_wire() -> None:
    """What is read from a board has all its figures and a fixed strength."""
    network = PheromoneNetwork(board="b")
    said: dict[str, Any] = {"kind": "constraint", "key": "budget", "value": [1], "op": "<=", "unit": "CNY", "hard": True, "meta": {"a": 1}}
    item = network.deposit(ContextItem("at most", owner="ann", scope="shared", **said))
    network.confirm(item, by="bob")
    wire = msgspec.msgpack.decode(msgspec.msgpack.encode(to_wire(item)), type=messages.Item)
    read = from_wire(wire)
    network.evaporate(rate=0.5)
    assert to_wire(read) == wire
    assert read.strength == 8.5 != item.strength
    assert read.hard
    assert read.identify("b") == item.id
    assert to_wire(item, 3.0).strength == 3.0


def test_edges_cross_the_wire() -> None:
    """An edge shows its ends and its strength."""
    network = PheromoneNetwork()
    a, b = network.deposit(ContextItem("a")), network.deposit(ContextItem("b"))
    edge = network.connect(a, b, relation="causes", initial_strength=2)
    assert edge_to_wire(edge) == messages.EdgeView(id=edge.id, a=a.id, b=b.id, strength=2.0, relation="causes")
    assert edge_to_wire(edge, 1.5).strength == 1.5


def test_a_repr_says_what_it_is() -> None:
    """Kind, what it is about, the words, strength, whose, and the beginning of the id."""
    network = PheromoneNetwork()
    item = network.deposit(ContextItem("at most 50,000", kind="constraint", key="budget", target="A7", owner="ann"))
    assert repr(item) == f"<constraint budget/A7 'at most 50,000' 8 private:ann {item.id[:8]}>"
    assert "not deposited" in repr(ContextItem("x"))
    assert repr(Edge("a" * 32, "b" * 32)).startswith("<edge aaaaaaaa -- bbbbbbbb 0")
