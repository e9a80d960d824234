"""Claims about values that break constraints: raised once, to those who see both."""

from typing import Any

import pytest

from blackboard.board import Board
from bus import names
from bus.messages import Confirm, Deposit, Erase, HandOver, Reinforce, RenameKey, Retract, Share
from tests.blackboard.driver import Driver


def budget(driver: Driver, agent: str = "finance", **fields: Any) -> str:
    said = {"kind": "constraint", "key": "budget", "op": "<=", "value": 50_000, "unit": "CNY", "hard": True, "scope": "shared"} | fields
    return driver.deposit(agent, "at most 50,000", **said)


def test_a_value_that_breaks_a_standing_constraint_is_a_violation() -> None:
    """The signal names the constraint, the value and the agent; the observation is recorded all the same."""
    driver = Driver()
    constraint = budget(driver)
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    (signal,) = driver.signals("violated")
    assert signal.evidence.constraint == constraint
    assert signal.evidence.rule == "budget <= 50000 CNY"
    assert signal.evidence.values == {"procurement": 52_000}
    assert len(driver.top("finance")) == 2


def test_a_constraint_that_arrives_is_held_against_the_standing_values() -> None:
    """The value came first; the violation is raised when the constraint does."""
    driver = Driver()
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    budget(driver)
    assert [s.evidence.values for s in driver.signals("violated")] == [{"procurement": 52_000}]


def test_only_values_that_stand_are_held_against_a_constraint() -> None:
    """Not other constraints, nor what has no value or was withdrawn."""
    driver = Driver()
    driver.deposit("procurement", "a note", key="budget", scope="shared")
    driver.say("procurement", Retract(driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")))
    budget(driver, op=">=", value=60_000)
    budget(driver)
    budget(driver, op="==", value=55_000)
    driver.deposit("procurement", "another note", key="budget", scope="shared")
    assert driver.signals("violated") == []


def test_a_violation_is_raised_once_and_not_with_every_restatement() -> None:
    """Saying the offending value again does not raise it again; another value does."""
    driver = Driver()
    budget(driver)
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    assert len(driver.signals("violated")) == 1
    driver.deposit("procurement", "total", key="budget", value=53_000, scope="shared")
    assert len(driver.signals("violated")) == 2


def test_a_value_and_its_constraint_in_one_unit_are_one_violation() -> None:
    """Whichever comes first in the unit."""
    total = Deposit("total", key="budget", value=60, scope="shared")
    cap = Deposit("cap", kind="constraint", key="budget", op="<=", value=50, scope="shared")
    for unit in ((total, cap), (cap, total)):
        driver = Driver()
        driver.say("a", *unit)
        assert len(driver.signals("violated")) == 1


def test_a_constraint_that_is_asserted_anew_is_broken_anew() -> None:
    """Releasing it ended the violation."""
    driver = Driver()
    constraint = budget(driver)
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    driver.say("finance", Retract(constraint))
    budget(driver)
    assert len(driver.signals("violated")) == 2


def test_a_faded_constraint_forgets_nothing_over_a_restart() -> None:
    """What it let pass is raised when it is confirmed again, by another host, and what was raised before is not raised again."""
    driver = Driver()
    travel = driver.deposit("finance", "travel", kind="constraint", key="travel", op="<=", value=2_000, scope="shared")
    driver.deposit("sales", "early", key="travel", target="May", value=2_500, scope="shared")
    driver.rounds(10)
    driver.deposit("sales", "late", key="travel", target="June", value=3_000, scope="shared")
    driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True))
    driver.say("finance", Confirm(travel))
    assert [s.target for s in driver.signals("violated")] == ["May", "June"]


def test_a_private_value_is_told_to_its_owner_alone_until_it_is_shared() -> None:
    """Everyone for a shared value, the owner alone for a private one."""
    driver = Driver()
    budget(driver)
    private = driver.deposit("procurement", "total", key="budget", value=52_000)
    assert driver.signals("violated") == []
    assert len(driver.signals("violated", "private.procurement")) == 1
    driver.say("procurement", Share(private))
    assert len(driver.signals("violated")) == 1


def test_another_agents_private_constraint_stays_private() -> None:
    """A shared value that breaks it is told to the constraint's owner alone; another's private value is not held against it."""
    driver = Driver()
    budget(driver, "finance", scope="private")
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    driver.deposit("sales", "guess", key="budget", value=99_000)
    assert driver.signals("violated") == []
    assert len(driver.signals("violated", "private.finance")) == 1
    assert driver.signals("violated", "private.sales") == []
    assert driver.check("procurement", budget=52_000) == ()


def test_a_constraint_with_a_target_binds_that_target_only() -> None:
    """Values for another target, or for none, are not held against it."""
    driver = Driver()
    driver.deposit("a", "refund", kind="constraint", key="refund", target="A789", op="<=", value=100, scope="shared")
    driver.deposit("b", "refund", key="refund", target="B1", value=500, scope="shared")
    driver.deposit("b", "refund", key="refund", value=500, scope="shared")
    assert driver.signals("violated") == []
    driver.deposit("b", "refund", key="refund", target="A789", value=500, scope="shared")
    assert len(driver.signals("violated")) == 1


def test_a_value_that_was_let_pass_is_told_once() -> None:
    """Though it was withdrawn and said again meanwhile."""
    driver = Driver()
    travel = driver.deposit("finance", "travel", kind="constraint", key="travel", op="<=", value=2_000, scope="shared")
    driver.rounds(10)
    for _ in range(2):
        trip = driver.deposit("sales", "trip", key="travel", value=3_000, scope="shared")
        driver.say("sales", Retract(trip))
    driver.deposit("sales", "trip", key="travel", value=3_000, scope="shared")
    driver.say("finance", Confirm(travel))
    assert len(driver.signals("violated")) == 1


def test_a_value_that_is_deposited_and_shared_in_one_unit_is_one_violation() -> None:
    """It came as a shared one; so did its confirmations not."""
    driver = Driver()
    budget(driver)
    said = Deposit("total", key="budget", value=52_000)
    total = driver.id_of("sales", said)
    driver.say("sales", said, Reinforce(total, 2.0), Share(total))
    assert [s.signal for s in driver.signals()] == ["violated"]
    assert driver.signals(audience="private.sales") == []


def test_an_erased_value_that_was_let_pass_is_remembered_nowhere() -> None:
    """Under none of its ids; nor is an erased constraint."""
    driver = Driver()
    travel = driver.deposit("finance", "travel", kind="constraint", key="travel", op="<=", value=2_000, scope="shared")
    driver.rounds(10)
    trip = driver.deposit("finance", "trip", key="travel", value=3_000)
    hotel = driver.deposit("sales", "hotel", key="travel", value=4_000, scope="shared")
    driver.say("finance", Share(trip))
    driver.say("finance", Erase(trip))
    kept = b"".join(driver.board.snapshot(full=True).values())
    assert trip.encode() not in kept
    assert hotel.encode() in kept
    driver.say("finance", Erase(travel))
    assert travel.encode() not in b"".join(driver.board.snapshot(full=True).values())


def test_what_a_constraint_let_pass_is_forgotten_with_it() -> None:
    """When it is withdrawn; and once it is shared, all is kept under its present id."""
    driver = Driver()
    constraint = budget(driver, hard=False, scope="private")
    driver.rounds(12)
    total = driver.deposit("finance", "total", key="budget", value=52_000)
    assert driver.board._alerts.dump().passed == {constraint: {total: None}}
    driver.say("finance", Share(constraint))
    shared = driver.get("finance", constraint).id
    assert driver.board._alerts.dump().passed == {shared: {total: None}}
    driver.say("finance", Retract(shared))
    assert driver.board._alerts.dump().passed == {}


def test_values_and_constraints_that_come_together_under_one_key_are_held_against_each_other() -> None:
    """Once each pair: what had been of one key before is not told of again."""
    driver = Driver()
    budget(driver, key="limit")
    driver.deposit("procurement", "total", key="limit", value=52_000, scope="shared")
    assert len(driver.signals("violated")) == 1
    driver.say(names.HOST, RenameKey("limit", "budget"))
    assert len(driver.signals("violated")) == 1
    driver.deposit("schedule", "sum", key="total", value=60_000, scope="shared")
    driver.say(names.HOST, RenameKey("total", "budget"))
    assert [signal.evidence.values for signal in driver.signals("violated")][1:] == [{"schedule": 60_000}]
    budget(driver, key="ceiling", value=55_000)
    driver.say(names.HOST, RenameKey("ceiling", "budget"))
    assert [signal.evidence.values for signal in driver.signals("violated")][2:] == [{"schedule": 60_000}]


def test_what_a_faded_constraint_let_pass_is_remembered_under_another_key() -> None:
    """And told of when it is confirmed again."""
    driver = Driver()
    constraint = budget(driver, hard=False)
    driver.rounds(12)
    driver.deposit("procurement", "total", key="budget", value=52_000, scope="shared")
    driver.say(names.HOST, RenameKey("budget", "limit"))
    driver.say("finance", Confirm(constraint))
    assert [signal.evidence.values for signal in driver.signals("violated")] == [{"procurement": 52_000}]


def test_what_two_have_become_is_not_held_against_what_either_met() -> None:
    """A constraint and a value were each there and came, too: what broke the one rule is told once, whichever of them it met."""
    driver = Driver()
    for key in ("limit", "budget"):
        budget(driver, key=key)
        driver.deposit("procurement", "total", key=key, value=52_000, scope="shared")
    driver.deposit("ann", "sum", key="limit", value=60_000, scope="shared")
    driver.deposit("bob", "other", key="budget", value=70_000, scope="shared")
    told = len(driver.signals("violated"))
    driver.say(names.HOST, RenameKey("limit", "budget"))
    assert {item.content for item in driver.top("x")} == {"at most 50,000", "total", "sum", "other"}
    assert (told, len(driver.signals("violated"))) == (4, 4)


def test_an_archived_hard_constraint_binds_what_comes_to_its_key() -> None:
    """And what is of the key that it comes to; one that was released binds nothing, nor is anything held that does not stand."""
    driver = Driver()
    rule = budget(driver, strength=1.01)
    driver.rounds(20)
    assert driver.get("x", rule).status == "archived"
    gone = driver.deposit("procurement", "gone", key="total", value=51_000, scope="shared")
    driver.say("procurement", Retract(gone))
    driver.deposit("procurement", "total", key="total", value=52_000, scope="shared")
    driver.deposit("schedule", "sum", key="sum", value=60_000, scope="shared")
    driver.say(names.HOST, RenameKey("total", "budget"))
    driver.say(names.HOST, RenameKey("budget", "sum"))
    assert [signal.evidence.values for signal in driver.signals("violated")] == [{"procurement": 52_000}, {"schedule": 60_000}]
    driver.say("finance", Retract(driver.get("x", rule).id))
    driver.deposit("procurement", "more", key="more", value=53_000, scope="shared")
    driver.say(names.HOST, RenameKey("more", "sum"))
    driver.say(names.HOST, RenameKey("sum", "budget"))
    assert len(driver.signals("violated")) == 2


def test_who_comes_into_anothers_place_is_told_what_is_broken_there() -> None:
    """What was handed over arrives in the new owner's view: it is held against what is shared and what he has, each pair once."""
    driver = Driver()
    budget(driver)
    driver.deposit("procurement", "total", key="budget", target="a", value=52_000)
    budget(driver, "procurement", scope="private", value=51_000)
    budget(driver, "schedule", scope="private", value=51_000)
    budget(driver, "schedule", scope="private", op="!=", value=52_000)
    driver.deposit("schedule", "sum", key="budget", target="b", value=60_000)
    told = {audience: len(driver.signals("violated", audience)) for audience in driver.heard}
    assert told == {"shared": 0, "private.procurement": 2, "private.schedule": 2}
    driver.say(names.HOST, HandOver("procurement", "schedule"))
    assert len(driver.signals("violated", "private.procurement")) == 2
    new = [signal.evidence for signal in driver.signals("violated", "private.schedule")[2:]]
    assert [(each.rule, each.values) for each in new] == [
        ("budget <= 50000 CNY", {"schedule": 52_000}),
        ("budget <= 51000 CNY", {"schedule": 52_000}),
        ("budget != 52000 CNY", {"schedule": 52_000}),
    ]


@pytest.mark.parametrize("again", [False, True])
def test_what_a_constraint_let_pass_is_remembered_of_whoever_has_it(again: bool) -> None:
    """Once of a value that was handed over, also if it is said again by who had it; and of one that was shared by then."""
    driver = Driver()
    constraint = budget(driver, hard=False)
    driver.rounds(12)
    said = [Deposit("total", key="budget", target="a", value=52_000), Deposit("shown", key="budget", target="b", value=53_000)]
    driver.say("procurement", *said, Share(driver.id_of("procurement", said[1])))
    driver.say(names.HOST, HandOver("procurement", "schedule"))
    if again:
        driver.say("procurement", *said)
        for each in said:
            driver.say("procurement", Retract(driver.id_of("procurement", each)))
    driver.say("finance", Confirm(constraint))
    assert driver.signals("violated", "private.procurement") == []
    assert [signal.evidence.values for signal in driver.signals("violated")] == [{"procurement": 53_000}]
    assert [signal.evidence.values for signal in driver.signals("violated", "private.schedule")] == [{"schedule": 52_000}]


def test_what_was_said_again_is_not_forgotten_with_what_was_handed_over() -> None:
    """Erasing the one, under an id that is the other's now, leaves the other to be told of."""
    driver = Driver()
    constraint = budget(driver, hard=False)
    driver.rounds(12)
    total = driver.deposit("procurement", "total", key="budget", value=52_000)
    driver.say(names.HOST, HandOver("procurement", "schedule"))
    driver.deposit("procurement", "total", key="budget", value=52_000)
    driver.say("schedule", Erase(total))
    driver.say("finance", Confirm(constraint))
    told = {agent: len(driver.signals("violated", f"private.{agent}")) for agent in ("procurement", "schedule")}
    assert told == {"procurement": 1, "schedule": 0}


def test_an_archived_hard_constraint_binds_who_comes_into_its_owners_place() -> None:
    """It is held against the new owner's values, as from the archive it binds what comes."""
    driver = Driver()
    budget(driver, "finance", scope="private", strength=1.01)
    driver.rounds(20)
    driver.deposit("schedule", "sum", key="budget", value=60_000)
    driver.say(names.HOST, HandOver("finance", "schedule"))
    assert [signal.evidence.values for signal in driver.signals("violated", "private.schedule")] == [{"schedule": 60_000}]
