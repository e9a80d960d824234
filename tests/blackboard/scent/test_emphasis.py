"""Claims about emphasis."""

import pytest

from blackboard.scent.emphasis import is_emphatic

VOCABULARY = {"cancel", "now"}


@pytest.mark.parametrize(
    "text",
    [
        "stop!!",
        "**stop**",
        "__stop__",
        "go go",
        "Go, go!",
        "No no no",
        "快快快",
        "取消取消",
        "取消，取消",
        "取消，取消！",
        "CANCEL it",
        "SHIP THIS",
        "ОТМЕНА ЗАКАЗ",
    ],
)
def test_what_insists(text: str) -> None:
    """By marks, by repeating, in bold, or in capitals of any script that has them."""
    assert is_emphatic(text, VOCABULARY)


@pytest.mark.parametrize(
    "text",
    [
        "stop!",
        "go gopher",
        "取消订单",
        "谢谢",
        "看看",
        "SF",
        "USB-C",
        "by UPS or DHL",
        "JSON",
        "A1B2",
        "#ABCD1",
        "I",
        "snake__case",
        "2 * 3 ** 4",
        "11 11",
        "我想退货，退货地址不变",
        "if you return it, it is late",
        "I know that that one had had a fault",
    ],
)
def test_what_does_not(text: str) -> None:
    """A script without letter case, acronyms, numbers, and words that Chinese doubles."""
    assert not is_emphatic(text, VOCABULARY)
