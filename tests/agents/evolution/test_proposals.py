"""The claims of ``agents.evolution.proposals``."""

from typing import Any

import pytest

from agents.evolution.proposals import Proposal, before, names
from agents.memory.records import TaskLog, ToolCall, Turn
from tests.agents.evolution.shop import ORDER, call, looked_up, talk


def test_a_thing_is_known_by_what_it_is_looked_up_by() -> None:
    """One parameter that was enough for an object to be answered; others are no keys, nor is what gave a list or an error."""
    log = talk(
        looked_up(),
        call("search", [{"sku": "lamp"}], word="lamp"),
        call("ship", {"state": "sent"}, order_id="A17", by="road"),
        call("get_user", error="none", user_id="kim"),
        call("quote", 12, sku="lamp"),
    )
    proposal = Proposal(log, call("cancel_order", order_id="A17", by="road", word="lamp"))
    assert proposal.keys == {"order_id"}
    assert proposal.things == [("order_id", "A17")]
    assert proposal.record == ORDER


def test_the_latest_answer_about_a_thing_counts() -> None:
    """Also that of a tool which changed it, if it says what it is about."""
    log = talk(looked_up(), call("move_order", {**ORDER, "address": "2 Oak Lane"}, order_id="A17", address="2 Oak Lane"))
    assert Proposal(log, call("cancel_order", order_id="A17")).record["address"] == "2 Oak Lane"


def test_what_a_record_names_is_known_too() -> None:
    """A record's own fields have their way over those of what it names, and a circle ends."""
    customer = {"customer_id": "kim", "level": "gold", "address": "at home", "order_id": "A17"}
    log = talk(call("get_customer", customer, customer_id="kim"), looked_up())
    record = Proposal(log, call("cancel_order", order_id="A17")).record
    assert (record["level"], record["address"]) == ("gold", "1 Elm Road")


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"address": "1 Elm Road", "delivery": "standard"}, []),
        ({"address": "2 Oak Lane", "delivery": "express"}, ["address", "delivery"]),
        ({"items": [{"sku": "lamp"}]}, []),
        ({"items": [{"sku": "sofa"}]}, ["items"]),
        ({"items": [{"sku": "lamp", "size": 3}]}, ["items"]),
        ({"items": []}, ["items"]),
        ({"gift": True}, []),
    ],
)
def test_a_change_is_what_the_record_says_otherwise(given: dict[str, Any], changed: list[str]) -> None:
    """Who says less says nothing else, and what the record does not have is no field of it."""
    assert Proposal(talk(looked_up()), ToolCall("change_order", {"order_id": "A17", **given})).changed == changed


def test_the_user_has_said_what_he_wrote() -> None:
    """In the request or later, inside lists and objects, whatever the capitals; not what the desk said."""
    log = talk("desk: By express?", "user: To 2 Oak Lane, 3 lamps", request="Move A17")
    given = {"order_id": "a17", "address": "2 oak lane", "items": [{"sku": "lamps", "count": 3}], "delivery": "express", "gift": True}
    assert Proposal(log, ToolCall("change_order", given)).unsaid() == ["delivery", "gift"]


def test_made_up_is_what_nobody_said_and_nothing_answered() -> None:
    """Names in an answer are known, what was tried in vain is not."""
    log = talk("system: Standard delivery is free.", looked_up(prices={"express": 9}), call("pay", error="no such card", card="card_9"))
    given = {"delivery": "standard", "by": "express", "price": 9, "address": "1 Elm Road", "card": "card_9", "count": 4, "note": ""}
    assert Proposal(log, ToolCall("change_order", given)).made_up() == ["card", "count"]


def test_nothing_after_the_call_is_there_before_it() -> None:
    """Not the turns that follow, nor later calls of the same turn, nor the verdict."""
    turns = (Turn("user", "hello"), Turn("desk", "so", (call("a"), call("b"), call("c"))), Turn("user", "thanks"))
    log = before(TaskLog("t", "desk", "hello", turns=turns), 1, 1)
    assert log.turns == (turns[0], Turn("desk", "so", (call("a"),)))
    assert log.verdict is None


@pytest.mark.parametrize(
    ("text", "value", "named"),
    [
        ("Basic  economy, please", "basic_economy", True),
        ("order A17", "a17", True),
        ("order A171", "A17", False),
        ("4 of them", 4, True),
        ("40 of them", 4, False),
        ("订单A17请取消", "A17", True),
        ("我要取消订单", "订单", True),
    ],
)
def test_a_value_is_named_by_its_words(text: str, value: Any, *, named: bool) -> None:
    """As a whole, with blanks or underscores between them; Chinese has no blanks."""
    assert names(text, value) == named
