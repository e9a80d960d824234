"""Claims about which order a thing is about."""

import pytest

from blackboard.scent import observe
from tests.blackboard.scent.observed import said, values


def test_a_message_carries_several_scents_each_about_its_own_order() -> None:
    """Chapter 3's example: what is to be cancelled and how the other is sent."""
    assert said("cancel order #A1 and send #B2 by SF Express") == [
        ("directive", "A1", "cancel"),
        ("order_reference", "A1", "A1"),
        ("order_reference", "B2", "B2"),
        ("shipping_method", "B2", "SF Express"),
    ]
    assert said("取消订单A1，把订单B2用顺丰寄到成都") == [
        ("directive", "A1", "cancel"),
        ("order_reference", "A1", "A1"),
        ("order_reference", "B2", "B2"),
        ("shipping_method", "B2", "顺丰"),
        ("shipping_address", "B2", "成都"),
    ]


def test_what_names_no_order_is_about_the_one_before_or_the_focus() -> None:
    """Of the clause, then of what was said before, then of the conversation."""
    assert said("cancel it", focus="A1") == [("directive", "A1", "cancel")]
    assert said("发到北京", focus="A1") == [("shipping_address", "A1", "北京")]
    assert said("It is about #B2. Please cancel it.", focus="A1")[-1] == ("directive", "B2", "cancel")
    assert said("Cancel it, I mean order #B2", focus="A1")[0] == ("directive", "B2", "cancel")
    assert said("My name is Anna", focus="A1") == [("name", None, "Anna")]
    assert said("I have #B2, send by DHL #A1")[-2:] == [("shipping_method", "A1", "DHL"), ("order_reference", "A1", "A1")]
    assert said("#A1 and #B2 go by DHL")[-1] == ("shipping_method", "B2", "DHL")
    assert said("I have #B2, send it by DHL, then #A1")[1] == ("shipping_method", "B2", "DHL")
    assert said("Send it by DHL. Order #A1 is late.")[0] == ("shipping_method", None, "DHL")


def test_who_denies_a_thing_names_its_order_all_the_same() -> None:
    """What is denied is the verb; without one it is the order."""
    assert said("I no longer want order 5120, please cancel it") == [("order_reference", "5120", "5120"), ("directive", "5120", "cancel")]
    assert said("不要修改订单5120，取消") == [("order_reference", "5120", "5120"), ("directive", "5120", "cancel")]
    assert said("not #A12 but #A13") == [("order_reference", "A13", "A13")]
    assert said("A12先别取消，B13取消") == [
        ("order_reference", "A12", "A12"),
        ("order_reference", "B13", "B13"),
        ("directive", "B13", "cancel"),
    ]


def test_a_request_is_about_all_orders_that_are_named_together() -> None:
    """Before it or behind it, however they are parted; and about none that is only named near."""

    def cancelled(text: str) -> list[str | None]:
        return [scent.target for scent in observe(text) if scent.type == "directive" and scent.value == "cancel"]

    assert cancelled("cancel order 1001, 1002 and #A3") == ["1001", "1002", "A3"]
    assert cancelled("取消订单1001、1002和1003") == ["1001", "1002", "1003"]
    assert cancelled("把订单A1和B2取消") == ["A1", "B2"]
    assert cancelled("cancel #A1, keep #B2") == ["A1"]
    assert cancelled("cancel #A1 instead of #B2") == ["A1"]
    assert cancelled("寄出A1后把B2取消") == ["B2"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Do not cancel order #A1", ["A1"]), ("Don't change order #A1. Ship it to Leeds", ["A1"]), ("不要取消订单A1", ["A1"]),
        ("Never cancel order #A1", ["A1"]), ("Not order #A1, order #B2", ["B2"]), ("不是订单A1，是订单B2", ["B2"]),
    ],
)  # fmt: skip
def test_an_order_is_named_also_by_what_is_not_to_be_done_with_it(text: str, named: list[str]) -> None:
    """So what follows is about it; but not by what it is not."""
    assert values(text, "order_reference") == named
    assert {scent.target for scent in observe(text) if scent.type == "shipping_address"} <= {"A1"}


def test_each_of_two_orders_goes_where_it_is_said_to() -> None:
    """In one sentence."""
    scents = [scent for scent in observe("Ship A1001 to Leeds and A1002 to York") if scent.type == "shipping_address"]
    assert [(scent.target, scent.value) for scent in scents] == [("A1001", "Leeds"), ("A1002", "York")]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("cancel 7731-B", "7731-B"), ("Please cancel LX1002-3, thanks", "LX1002-3"), ("Cancel 114-3941689-8772232", "114-3941689-8772232"),
        ("I'd like to cancel number 88123", "88123"), ("cancel ab12cd", "AB12CD"), ("取消20240517ABC", "20240517ABC"),
        ("把7731-B取消", "7731-B"), ("refund XK-2024/118 please", "XK-2024/118"),
    ],
)  # fmt: skip
def test_what_is_to_be_done_goes_to_the_number_that_is_said(text: str, number: str) -> None:
    """And to no other order, of whatever shape the number is."""
    assert ("order_reference", number, number) in said(text, focus="B2")
    assert {target for type_, target, _ in said(text, focus="B2") if type_ == "directive"} <= {number}
