"""The claims of ``agents.memory.applicability``."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.conditions import Situation
from agents.memory.applicability import obstacle
from agents.memory.distilling import words
from agents.memory.records import Experience


def experience(request: str, **more: Any) -> Experience:
    given = {"outcome": "success", "lesson": "…", "path": ("query_sales", "plot"), "about": tuple(request.split())} | more
    return Experience("e", request=request, **given)


def test_what_nothing_speaks_against_applies() -> None:
    """Other numbers and names in the place of those that differ between its tasks are no obstacle; nor are tools that are not known."""
    known = experience("Sales of 2023 by month", about=("Sales", "month"))
    assert obstacle(known, Situation("Sales of 2024 by month", tools=("plot", "query_sales", "mail"))) is None
    assert obstacle(known, Situation("Sales of 2024 by month")) is None


@pytest.mark.parametrize(
    ("asked", "known", "why"),
    [
        ("Plot sales, but do not use a log scale", experience("Plot sales on a log scale"), "the request rules out “use a log scale”"),
        ("Plot sales on a log scale", experience("Plot sales; never use a log scale"), "its tasks ruled out “use a log scale”"),
        ("Report the sales without plot", experience("Report the sales"), "rules out “plot”"),
        ("Sales in USD", experience("Sales in EUR"), "all its tasks are about EUR, which the request does not name"),
        ("Cancel order 18", experience("Cancel order 17"), "about 17"),
        ("A flight to Boston", experience("A flight to Denver"), "about Denver"),
        ("The highest sales", experience("The lowest sales", about=()), "its tasks say “lowest”, the request “highest”"),
        ("Cancel within 24 hours", experience("Cancel after 24 hours"), "say “after”, the request “within”"),
        ("Approve up to 3,500 CNY", experience("Approve up to 3,000 CNY"), "about 3,000, which"),
        ("报销不超过3,500元", experience("报销不超过3,000元", about=tuple(words("报销不超过3,000元").values())), "about 3,000, which"),
        ("The balance is 5.5", experience("The balance is -5.5"), "about -5.5, which"),
        ("Approve it, but not 3,000 CNY", experience("Approve 3000 CNY", about=()), "the request rules out “3,000 CNY”"),
        ("销售图，不要对数坐标", experience("销售图用对数坐标", about=()), "the request rules out “对数坐标”"),
    ],
)
def test_what_looks_alike_and_does_not_apply(asked: str, known: Experience, why: str) -> None:
    """What one rules out and the other does; a name or a number that all its tasks share; a word and its opposite."""
    told = obstacle(known, Situation(asked))
    assert told is not None
    assert why in told


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Plot sales, do not use a log scale", experience("Plot sales, do not use a log scale")),
        ("No hurry. Plot the sales", experience("Plot the sales")),
        ("Plot sales with a legend, without a grid", experience("Plot sales with a title, without a frame", about=())),
        ("please Plot sales", experience("Plot sales")),
        ("Approve up to 3000 CNY", experience("Approve up to 3,000 CNY")),
        ("总共3000元以内", experience("报销不超过3,000元", about=("3,000",))),
        ("Approve 2,000 CNY, not 3,000 CNY", experience("Approve 2,000 EUR, not 3,500 CNY", about=("2,000",))),
    ],
)
def test_what_both_say_is_no_obstacle(asked: str, known: Experience) -> None:
    """Both rule out the same; what is ruled out is nothing of it; both words of a pair are there; a sentence's capital is no name;
    a number is the same with a thousands comma or without one.
    """
    assert obstacle(known, Situation(asked)) is None


def test_its_conditions_are_asked() -> None:
    """A fact that differs is told as the condition that does not hold; conditions that cannot be read are no reason to trust."""
    known = experience("Sales", when={"facts.currency": {"==": "EUR"}})
    assert obstacle(known, Situation("Sales", facts={"currency": "EUR"})) is None
    assert "currency" in (obstacle(known, Situation("Sales", facts={"currency": "USD"})) or "")
    assert "cannot be read" in (obstacle(experience("Sales", when={"weather": {"==": 1}}), Situation("Sales")) or "")


def test_its_tools_must_be_at_hand() -> None:
    """Where the tools are known, those of its path are among them."""
    assert obstacle(experience("Sales"), Situation("Sales", tools=("plot",))) == "the tool query_sales is not at hand"
    assert obstacle(experience("Sales"), Situation("Sales", tools=("mail",))) == "the tools plot, query_sales are not at hand"


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_any_two_requests_can_be_asked(asked: str, known: str) -> None:
    """The answer is a reason or none; and an experience always applies to the very request that it is of."""
    assert obstacle(experience(known), Situation(asked)) != ""
    assert obstacle(experience(known, path=(), lesson="", about=tuple(words(known).values())), Situation(known)) is None
