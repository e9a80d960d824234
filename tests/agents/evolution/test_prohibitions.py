"""The claims of ``agents.evolution.prohibitions``."""

from typing import Any

import pytest

from agents.evolution.prohibitions import forbidding
from agents.evolution.proposals import Proposal
from tests.agents.evolution.shop import call, looked_up, talk


def returning(tool: str = "return_order", **record: Any) -> Proposal:
    return Proposal(talk(looked_up(**record)), call(tool, order_id="A17"))


def test_a_sentence_that_names_tool_and_record_speaks_against_it() -> None:
    """To the letter, and only that sentence of the text."""
    text = "Be polite. - Final sale items cannot be returned. Others can be returned."
    assert forbidding(text, returning()) == ["- Final sale items cannot be returned."]


@pytest.mark.parametrize(
    "sentence",
    [
        "Clearance items cannot be returned.",
        "Final sale items cannot be gift-wrapped.",
        "Final sale items can be returned.",
        "An order can have at most five items.",
        "",
    ],
)
def test_a_sentence_about_something_else_does_not(sentence: str) -> None:
    """Another value, another act, no prohibition, or one that needs reckoning."""
    assert not forbidding(sentence, returning())


@pytest.mark.parametrize("tool", ["exchange_order", "refundOrder", "order.return"])
def test_words_for_the_same_act_count(tool: str) -> None:
    """However the tool's name is written."""
    assert forbidding("Final sale items must not be returned.", returning(tool))


@pytest.mark.parametrize(
    "sentence",
    [
        "Final sale items can be returned only if insurance was bought.",
        "Final sale items can only be returned if insurance was bought.",
        "Orders of any kind may be sent back; final sale items may be returned only when there is insurance, and gifts always.",
    ],
)
def test_a_condition_counts_where_the_record_lacks_it(sentence: str) -> None:
    """``insurance: no`` does, ``insurance: yes`` does not, nor does a record without the field."""
    assert forbidding(sentence, returning(insurance="no"))
    assert forbidding(sentence, returning(insurance=False))
    assert not forbidding(sentence, returning(insurance="yes"))
    assert not forbidding(sentence, returning(insurance="yes", item_type="clearance"))


def test_a_longer_name_is_not_a_shorter_one() -> None:
    """*Basic economy* says nothing of *economy*, once both are known to be things."""
    sentence = "Basic economy seats cannot be cancelled."
    log = talk(call("get_seat", {"seat_id": "9", "cabin": "economy", "prices": {"basic_economy": 5, "economy": 8}}, seat_id="9"))
    assert not forbidding(sentence, Proposal(log, call("cancel_seat", seat_id="9")))
    assert forbidding("Economy seats cannot be cancelled.", Proposal(log, call("cancel_seat", seat_id="9")))


def test_what_is_left_as_it_is_is_not_meant() -> None:
    """A sentence that names fields speaks against a call that changes one of them."""
    sentence = "The address of final sale items cannot be changed."
    log = talk(looked_up())
    assert forbidding(sentence, Proposal(log, call("update_order", order_id="A17", address="2 Oak Lane")))
    assert not forbidding(sentence, Proposal(log, call("update_order", order_id="A17", address="1 Elm Road", delivery="express")))


@pytest.mark.parametrize(
    ("sentence", "against"),
    [
        ("特价票不能改签。", True),
        ("请注意：特价票不得更改，其他票可以。", True),
        ("特价票可以改签。", False),
        ("普通票不能改签。", False),
        ("只有买了保险的特价票才能改签。", True),
        ("特价票不能退款。", False),
    ],
)
def test_chinese_is_read(sentence: str, *, against: bool) -> None:
    """Prohibitions and conditions."""
    log = talk(call("get_ticket", {"ticket_id": "T1", "类型": "特价票", "保险": "无"}, ticket_id="T1"))
    assert bool(forbidding(sentence, Proposal(log, call("change_ticket", ticket_id="T1")))) == against


def test_nothing_is_known_nothing_is_forbidden() -> None:
    """A tool without words in its name, a thing without a record."""
    assert not forbidding("Final sale items cannot be returned.", Proposal(talk(), call("return_order", order_id="A17")))
    assert not forbidding("Final sale items cannot be returned.", returning("_"))
