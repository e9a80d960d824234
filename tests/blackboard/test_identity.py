"""Claims about what a thing is."""

import unicodedata
from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.identity import composed, direction, edge_identity, identity, partition


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


def test_marks_without_end_are_put_in_order_some_at_a_time() -> None:
    """Up to 30 in a row a text is as Unicode has it; of 60,000 no comparison waits for all of them. Twice gives the same."""
    for few in ("e\u0301" * 100, "\u0315\u0300" * 15, "\u1100\u1161", "👩\u200d👧" * 50, "שָׁ" * 50):
        assert composed(few, "NFC") == unicodedata.normalize("NFC", few)
    for many in ("\u0315\u0300", "\u0344\u0315", "\uff9e\u0300", "\u0f73\u0f71"):
        assert (said := composed(f"a{many * 30_000}", "NFKC")) == composed(said, "NFKC")
        assert said.replace("\u034f", "")[:4] == unicodedata.normalize("NFKC", f"a{many * 10}")[:4]
