"""Claims about constraints: predicates, statuses, checks."""

from typing import Any

import pytest

from blackboard.board import Board
from blackboard.constraints import OPERATORS, breaks, check_predicate, holds, rule, status
from blackboard.errors import BadValue, UnitMismatch
from blackboard.items import ContextItem
from bus.messages import Confirm, Deposit, Retract
from tests.blackboard.driver import Driver


@pytest.mark.parametrize(
    ("op", "bound", "good", "bad"),
    [
        ("<=", 50_000, 50_000, 50_001),
        ("<", 5, 4.9, 5),
        (">=", 3, 3, 2),
        (">", 3, 3.1, 3),
        ("==", "CNY", "CNY", "USD"),
        ("!=", True, 1, True),
        ("in", ["a", "b"], "b", "c"),
        ("not_in", [1, 2], 3, 2.0),
        ("matches", "^[A-Z]{2}\\d+$", "AB12", "ab12"),
    ],
)
def test_every_operator_tells_a_good_value_from_a_bad_one(op: str, bound: Any, good: Any, bad: Any) -> None:
    """``holds`` is true for what keeps the predicate and false for what breaks it."""
    check_predicate(op, bound)
    assert holds(op, bound, good) is True
    assert holds(op, bound, bad) is False


def test_the_table_above_covers_all_operators() -> None:
    """No operator is left untested."""
    (marked,) = vars(test_every_operator_tells_a_good_value_from_a_bad_one)["pytestmark"]
    assert {row[0] for row in marked.args[1]} == set(OPERATORS)


@pytest.mark.parametrize(
    ("op", "bound", "names"),
    [
        ("=<", 5, "=<"),
        ("<=", None, "needs a value"),
        ("<=", [1], "neither"),
        ("in", "abc", "list"),
        ("matches", "(", r"\("),
        ("matches", 5, "regular"),
    ],
)
def test_a_predicate_that_cannot_be_is_refused_with_its_value(op: str, bound: Any, names: str) -> None:
    """The error names what is wrong."""
    with pytest.raises(BadValue, match=names):
        check_predicate(op, bound)


def test_matching_takes_linear_time() -> None:
    """A pattern that makes a backtracking engine explode is answered at once."""
    assert holds("matches", "^(a+)+$", "a" * 5_000 + "b") is False


def test_values_that_cannot_be_compared_break_nothing() -> None:
    """A text against a number, or another unit: nobody can say, so no violation."""
    budget = ContextItem("b", kind="constraint", key="budget", op="<=", value=5, unit="CNY")
    assert not breaks(budget, "six", None)
    assert not breaks(budget, 6, "USD")
    assert breaks(budget, 6, None)
    assert rule(budget) == "budget <= 5 CNY"


def budget(driver: Driver, agent: str = "finance", **fields: Any) -> str:
    said = {"kind": "constraint", "key": "budget", "op": "<=", "value": 50_000, "unit": "CNY", "hard": True, "scope": "shared"} | fields
    return driver.deposit(agent, "at most 50,000", **said)


def test_a_soft_constraint_fades_and_may_be_relaxed() -> None:
    """Not confirmed for ten rounds: fading, named by ``check`` as relaxable, and no violation raised until it is confirmed again."""
    driver = Driver()
    travel = driver.deposit("finance", "travel at most 2,000", kind="constraint", key="travel", op="<=", value=2_000, scope="shared")
    driver.rounds(9)
    assert [c.status for c in driver.constraints("sales")] == ["active"]
    driver.rounds(1)
    (view,) = driver.constraints("sales")
    assert (view.status, view.relaxable, view.unconfirmed) == ("fading", True, False)
    (fading,) = driver.signals("fading")
    assert fading.evidence.relaxable
    assert [b.relaxable for b in driver.check("sales", travel=3_000)] == [True]
    driver.deposit("sales", "trip", key="travel", value=3_000, scope="shared")
    assert driver.signals("violated") == []
    driver.say("finance", Confirm(travel))
    assert [c.status for c in driver.constraints("sales")] == ["active"]
    assert [s.evidence.values for s in driver.signals("violated")] == [{"sales": 3_000}]


def test_a_constraint_in_the_archive_is_told_to_have_faded_in_its_time() -> None:
    """It was too weak to last so long: still, once, and after a restart."""
    driver = Driver()
    driver.deposit("a", "travel", kind="constraint", strength=1.0, scope="shared")
    driver.rounds(5)
    assert [c.item.status for c in driver.constraints("b")] == ["archived"]
    driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True))
    driver.rounds(15)
    assert [(s.signal, s.t, s.evidence.relaxable) for s in driver.signals()] == [("fading", 10.0, True)]


def test_a_hard_constraint_binds_until_it_is_released_even_from_the_archive() -> None:
    """Unconfirmed for ten rounds it is marked so; faded into the archive it is still named by ``check``; retracted it is released."""
    driver = Driver()
    constraint = budget(driver)
    driver.rounds(10)
    (view,) = driver.constraints("sales")
    assert (view.status, view.relaxable, view.unconfirmed) == ("fading", False, True)
    assert not driver.signals("fading")[0].evidence.relaxable
    driver.deposit("sales", "total", key="budget", value=52_000, scope="shared")
    assert len(driver.signals("violated")) == 1
    driver.rounds(450)
    assert driver.get("sales", constraint).status == "archived"
    (breach,) = driver.check("sales", budget=52_000)
    assert (breach.relaxable, breach.unconfirmed) == (False, True)
    budget(driver)
    driver.say("finance", Retract(constraint))
    assert [c.status for c in driver.constraints("sales")] == ["released"]
    assert driver.check("sales", budget=52_000) == ()


def test_a_constraint_is_hard_while_any_standing_asserter_says_so() -> None:
    """``hard`` is not part of the id: it goes with those who say it."""
    driver = Driver()
    constraint = budget(driver, "finance", hard=False)
    assert not driver.get("sales", constraint).hard
    assert budget(driver, "legal", hard=True) == constraint
    assert driver.get("sales", constraint).hard
    driver.say("legal", Retract(constraint))
    assert not driver.get("sales", constraint).hard
    assert driver.get("sales", constraint).status == "standing"


def test_a_new_bound_supersedes_the_old_in_its_direction_only() -> None:
    """Constraints of one operator direction share a slot; a lower bound leaves the upper one alone."""
    driver = Driver()
    budget(driver)
    driver.deposit("finance", "at least 1,000", kind="constraint", key="budget", op=">=", value=1_000, scope="shared")
    driver.deposit("finance", "under 45,000", kind="constraint", key="budget", op="<", value=45_000, scope="shared")
    assert {c.rule: c.status for c in driver.constraints("sales")} == {
        "budget <= 50000 CNY": "superseded",
        "budget >= 1000": "active",
        "budget < 45000": "active",
    }
    assert [b.rule for b in driver.check("sales", budget=47_000)] == ["budget < 45000"]


def test_a_quantity_in_another_unit_is_an_error_that_says_so() -> None:
    """A bare number is in the constraint's unit; one in another unit is refused with both named."""
    driver = Driver()
    budget(driver)
    assert len(driver.check("sales", budget=[52_000, "CNY"])) == 1
    with pytest.raises(UnitMismatch, match=r"USD.*CNY"):
        driver.check("sales", budget=[7_000, "USD"])
    with pytest.raises(BadValue, match="a lot"):
        driver.check("sales", budget="a lot")


def test_a_constraint_may_be_a_sentence_alone() -> None:
    """Without a predicate it is text: listed, never broken."""
    driver = Driver()
    driver.say("a", Deposit("never give the cat chocolate", kind="constraint", key="cat", hard=True, scope="shared"))
    assert [c.rule for c in driver.constraints("b")] == ["never give the cat chocolate"]
    assert driver.check("b", cat="chocolate") == ()


def test_a_sentence_has_no_unit() -> None:
    """Only a predicate can be in another one."""
    driver = Driver()
    driver.deposit("a", "mind the budget", kind="constraint", key="budget", scope="shared")
    assert driver.check("b", budget=[5, "CNY"]) == ()


def test_a_constraint_fades_at_the_instant_that_is_told() -> None:
    """The status and the signal agree to the bit at any time of day."""
    for confirmed in (0.1 + n / 7 for n in range(200)):
        item = ContextItem("x", kind="constraint")
        item.confirmed = confirmed
        assert status(item, confirmed + 0.7, 0.7) == "fading"
