"""The claims of ``agents.adapters.documents``."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.documents import Document, Put, again, check_filter, key_of, meets, namespace_of, path, scope_of, standing, target_of
from blackboard.errors import BadValue, TooBig
from blackboard.identity import folded_name
from blackboard.items import ContextItem
from blackboard.section import CLOSING, HEADINGS, OPENING
from blackboard.validity import MAX_NAME
from blackboard.wire import from_deposit
from bus.messages import Deposit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECTION = f"{OPENING}{HEADINGS[2]}- the trip is in May\n{CLOSING}"


def a_put(value: dict[str, Any], *, key: str = "1", **fields: Any) -> Put:
    return Put(**{"namespace": ("memories", "ada"), "key": key, "value": value, "texts": None, "ttl": None, "scope": "private", **fields})


def said(put: Put, *present: ContextItem, agent: str = "ada", at: datetime = NOW, expires_at: float | None = None) -> Deposit:
    return put.deposit(present, agent=agent, at=at, expires_at=expires_at)


def item_of(deposit: Deposit, *, by: str = "ada", confirmed: float = 0.0) -> ContextItem:
    """The item that stands once ``by`` has said this."""
    item = from_deposit(deposit, by)
    item.asserted(by, hard=False)
    item.confirmed = confirmed
    return item


NAMES = st.text(st.characters() | st.sampled_from("%/* \t\u0301é."), max_size=8)


@given(st.lists(NAMES, max_size=4).map(tuple), NAMES)
def test_names_are_read_back_exactly(namespace: tuple[str, ...], key: str) -> None:
    """Whatever is in them; a board keeps them as they are, and no pattern is among them."""
    for name in (path(namespace), target_of(key)):
        assert folded_name(name) == name
        assert "*" not in name
    assert namespace_of(path(namespace)) == namespace
    assert key_of(target_of(key)) == key


@given(st.lists(NAMES, max_size=3).map(tuple), st.lists(NAMES, max_size=3).map(tuple))
def test_the_path_of_a_namespace_begins_those_of_what_is_below_it(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """And no others'."""
    assert path(other).startswith(path(one)) is (other[: len(one)] == one)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"memory": "Ada drinks tea"}, "memories/ada: Ada drinks tea"),
        ({"drink": "tea", "cups": 2, "hot": True, "why": None}, "memories/ada: drink: tea; cups: 2; hot: true"),
        ({"trip": {"to": "里斯本", "days": ["Fri", 6]}}, "memories/ada: trip.to: 里斯本; trip.days: Fri, 6"),
        ({"cups": [{"size": 1}, {"size": 2}]}, "memories/ada: cups.size: 1; cups.size: 2"),
        ({}, "memories/ada: 1"),
        ({"prompt": SECTION}, "memories/ada: 1"),
        ({"prompt": f"Hello.\n{SECTION}"}, "memories/ada: Hello."),
    ],
)
def test_a_document_says_what_is_in_it_as_a_line(value: dict[str, Any], line: str) -> None:
    """With its namespace, which tells whose it is; without what was assembled for a prompt."""
    assert said(a_put(value)).content == line


def test_what_is_not_to_be_found_is_not_in_the_line() -> None:
    """Nothing of it, or some texts only; all of it is in the value."""
    assert said(a_put({"memory": "tea"}, texts=())).content == "memories/ada: 1"
    assert said(a_put({"memory": "tea", "note": "hot"}, texts=("hot",))).content == "memories/ada: hot"
    [document] = standing([item_of(said(a_put({"memory": "tea"}, texts=())))])
    assert (document.value, document.indexed) == ({"memory": "tea"}, False)


def test_each_version_is_an_item_and_the_same_again_is_none() -> None:
    """What an earlier version said is a new one, with its own time; the first one's time stays. 1 is not True."""
    later = NOW + timedelta(hours=1)
    first = item_of(said(a_put({"on": 1})))
    same, other, alike = (said(a_put({"on": on}), first, at=later) for on in (1, 2, True))
    assert item_of(same).identify("b") == first.identify("b")
    assert len({first.identify("b"), *(item_of(each).identify("b") for each in (other, alike))}) == 3
    back = item_of(said(a_put({"on": 1}), item_of(other), at=later + timedelta(hours=1)))
    assert back.identify("b") != first.identify("b")
    [document] = standing([back])
    assert (document.created, document.updated) == (NOW, later + timedelta(hours=1))
    assert item_of(said(a_put({"on": 1}, ttl=5.0), first, at=later)).identify("b") != first.identify("b")


def test_another_agent_that_puts_the_same_says_the_same() -> None:
    """So it is one item, which both assert."""
    ours = item_of(said(a_put({"on": 1}, scope="shared")))
    theirs = item_of(said(a_put({"on": 1}, scope="shared"), ours, agent="bob", at=NOW + timedelta(hours=1)), by="bob")
    assert theirs.identify("b") == ours.identify("b")


def test_of_several_that_counts_which_was_said_last() -> None:
    """By the board's time; at one time, the one that was made last."""
    one, two = (item_of(said(a_put({"n": n}, scope="shared")), confirmed=n) for n in (1, 2))
    assert [each.value for each in standing([two, one])] == [{"n": 2}]
    one.confirmed = 2
    assert [each.value for each in standing([two, one])] == [{"n": 1}]


def test_what_is_shared_goes_on_being_so() -> None:
    """A root label says it, or the agent has shared an earlier version; that another has one shared says nothing."""
    assert [scope_of(each, ["team"]) for each in (("team", "x"), ("x", "team"), ())] == ["shared", "private", "private"]
    shared = item_of(said(a_put({"n": 1}, scope="shared")))
    assert said(a_put({"n": 2}), shared).scope == "shared"
    assert said(a_put({"n": 2}), shared, agent="bob").scope == "private"


@pytest.mark.parametrize(
    ("left", "by", "due"), [(600.0, "ada", False), (541.0, "ada", False), (540.0, "ada", True), (1.0, "ada", True), (1.0, "bob", False)]
)
def test_a_ttl_begins_anew_once_a_tenth_of_it_has_passed(left: float, by: str, due: bool) -> None:
    """By a read of its putter's; what has none goes on without."""
    [document] = standing([item_of(said(a_put({"n": 1}, ttl=10.0), expires_at=1000.0 + left))])
    deposit = again(document, by, now=1000.0, minute=60.0)
    assert (deposit is not None) is due
    assert deposit is None or (deposit.expires_at, item_of(deposit).identify("b")) == (1600.0, document.item.identify("b"))
    [endless] = standing([item_of(said(a_put({"n": 1})))])
    assert again(endless, by, now=1000.0, minute=60.0) is None


@pytest.mark.parametrize(
    ("put", "error", "named"),
    [
        (a_put({"n": {1, 2}}), BadValue, "set"),
        (a_put({"text": "x" * 70_000}), TooBig, "65,536"),
        (a_put({"n": 1}, key="é" * 300), TooBig, "key of 300 characters"),
        (a_put({"n": 1}, namespace=("*" * 100,)), TooBig, "namespace of 302 characters"),
        (a_put({"n": 1}, ttl=-1.0), BadValue, "ttl -1.0"),
    ],
)
def test_what_no_board_takes_is_found_before_it_is_said(put: Put, error: type[Exception], named: str) -> None:
    """The error names the value, and the limit."""
    with pytest.raises(error, match=named):
        put.check()
    a_put({"n": 1}, key="é" * MAX_NAME).check()


@pytest.mark.parametrize(
    "fields",
    [
        {"value": 5}, {"unit": "EUR"}, {"unit": None}, {"key": "memories"}, {"target": None}, {"meta": {}}, {"meta": {"document": 5}},
        {"meta": {"document": {"created": "x"}}}, {"meta": {"document": {"created": NOW.isoformat(), "ttl": "5"}}},
    ],
)  # fmt: skip
def test_what_is_no_document_is_passed_over(fields: dict[str, Any]) -> None:
    """Whoever wrote it, and whatever it looks like."""
    good: dict[str, Any] = {"key": "/memories/", "target": "1", "value": {}, "unit": NOW.isoformat(),
                            "meta": {"document": {"created": NOW.isoformat()}}}  # fmt: skip
    assert [type(each) for each in standing([ContextItem("x", **good)])] == [Document]
    assert standing([ContextItem("x", **good | fields)]) == []


@pytest.mark.parametrize(
    ("value", "wanted", "met"),
    [
        ({"n": 1}, {"n": {"$gt": 0}}, True),
        ({"n": "b"}, {"n": {"$gt": "a"}}, True),
        ({"n": "9"}, {"n": {"$gt": 1}}, False),
        ({}, {"n": {"$lt": 1}}, False),
        ({}, {"n": {"$ne": 1}}, True),
        ({"n": None}, {"n": {"$lte": 1}}, False),
        ({"n": [1, {"m": 2}]}, {"n": [1, {"m": {"$gte": 2}}]}, True),
        ({"n": [1]}, {"n": [1, 2]}, False),
        ({"n": "ab"}, {"n": ["a", "b"]}, False),
        ({"n": 5}, {"n": {"m": 5}}, False),
    ],
)
def test_a_filter_orders_only_what_is_alike(value: dict[str, Any], wanted: dict[str, Any], met: bool) -> None:
    """What is missing, or of another type, is neither above nor below."""
    assert meets(value, wanted) is met


@pytest.mark.parametrize("wanted", [{"n": {"$near": 1}}, {"m": 1, "n": [{"k": {"$in": [1]}}]}])
def test_an_operator_that_is_none_is_found_wherever_it_stands(wanted: dict[str, Any]) -> None:
    """Also where nothing is compared with it."""
    with pytest.raises(ValueError, match=r"operator '\$"):
        check_filter(wanted)
