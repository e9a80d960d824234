"""Claims about slots for which different values stand."""

from typing import Any

from blackboard.board import Board
from blackboard.contests import OPEN
from bus import names
from bus.messages import Confirm, Deposit, Reinforce, RenameKey, Retract
from tests.blackboard.driver import Driver


def test_different_values_for_a_slot_are_contested_until_one_is_confirmed_past_the_other() -> None:
    """Once when it begins; settled by a confirmation that puts one ahead, or by a retraction."""
    driver = Driver()
    mine = driver.deposit("a", "basis 40", key="basis", value=40, scope="shared")
    driver.deposit("b", "basis 47", key="basis", value=47, scope="shared")
    (signal,) = driver.signals("contested")
    assert signal.evidence.values == {"a": 40, "b": 47}
    driver.say("c", Confirm(mine))
    driver.say("d", Confirm(mine))
    assert len(driver.signals("contested")) == 1
    theirs = driver.id_of("b", Deposit("basis 47", key="basis", value=47, scope="shared"))
    for agent in ("x", "y", "z"):
        driver.say(agent, Confirm(theirs))
    assert len(driver.signals("contested")) == 2, "the other was confirmed past the leader"


def test_a_contested_constraint_is_marked_until_one_retracts() -> None:
    """``constraints()`` says which are contested."""
    driver = Driver()
    fields: dict[str, Any] = {"kind": "constraint", "key": "budget", "op": "<=", "scope": "shared"}
    driver.deposit("a", "50", value=50, **fields)
    theirs = driver.deposit("b", "60", value=60, **fields)
    assert [c.contested for c in driver.constraints("x")] == [True, True]
    driver.say("b", Retract(theirs))
    assert {c.rule: c.contested for c in driver.constraints("x") if c.status == "active"} == {"budget <= 50": False}
    assert len(driver.signals("contested")) == 1


def test_the_same_value_in_other_words_is_not_contested() -> None:
    """What counts is the value."""
    driver = Driver()
    driver.deposit("a", "basis is 40", key="basis", value=40, scope="shared")
    driver.deposit("b", "forty", key="basis", value=40.0, scope="shared")
    assert driver.signals("contested") == []


def test_a_contest_outlives_those_of_its_parties_that_leave() -> None:
    """It goes on between the others: an ally of who left, or those that the leader was past."""
    driver = Driver()
    fields: dict[str, Any] = {"kind": "constraint", "key": "budget", "op": "<=", "scope": "shared"}
    mine, ally = driver.deposit("a", "50", value=50, **fields), driver.deposit("b", "fifty", value=50, **fields)
    driver.deposit("c", "60", value=60, **fields)
    driver.say("a", Retract(mine))
    assert {c.item.owner: c.contested for c in driver.constraints("x")} == {"a": False, "b": True, "c": True}
    driver.deposit("d", "70", value=70, **fields)
    driver.say("x", Confirm(ally))
    assert not any(c.contested for c in driver.constraints("x"))
    driver.deposit("a", "50", value=50, **fields)
    driver.say("x", Confirm(mine))
    assert not any(c.contested for c in driver.constraints("x")), "the leader's value came again, and is its ally"
    told = len(driver.signals("contested"))
    driver.say("a", Retract(mine))
    driver.say("b", Retract(ally))
    assert [s.evidence.values for s in driver.signals("contested")[told:]] == [{"c": 60, "d": 70}]


def test_another_value_that_joins_is_told() -> None:
    """With all that stand, also while one leads; an ally of one that is there does not join, nor does what is gone with its unit."""
    driver = Driver()
    said = [Deposit(f"basis {n}", key="basis", value=n, scope="shared") for n in (40, 47, 50)]
    for agent, deposit in zip("abc", said, strict=True):
        driver.say(agent, deposit)
    assert [signal.evidence.values for signal in driver.signals("contested")] == [{"a": 40, "b": 47}, {"a": 40, "b": 47, "c": 50}]
    driver.deposit("d", "forty", key="basis", value=40, scope="shared")
    gone = Deposit("fifty", key="basis", value=50, scope="shared")
    driver.say("e", gone, Retract(driver.id_of("e", gone)))
    assert driver.refusals("e") == []
    assert len(driver.signals("contested")) == 2
    driver.say("x", Confirm(driver.id_of("a", said[0])))
    driver.deposit("f", "basis 60", key="basis", value=60, scope="shared")
    assert driver.signals("contested")[-1].evidence.values == {"a": 40, "b": 47, "c": 50, "d": 40, "f": 60}


def test_a_contest_goes_along_when_its_key_is_renamed() -> None:
    """It is told no second time, and its leader stays the leader."""
    driver = Driver()
    mine, theirs = (driver.deposit(by, f"basis {n}", key="basis", value=n, scope="shared") for by, n in (("a", 40), ("b", 47)))
    driver.say("c", Confirm(mine))
    driver.say(names.HOST, RenameKey("basis", "price"))
    assert len(driver.signals("contested")) == 1
    driver.say("c", Confirm(mine))
    assert len(driver.signals("contested")) == 1, "the leader was confirmed past the other already"
    for agent in ("x", "y", "z"):
        driver.say(agent, Confirm(theirs))
    assert len(driver.signals("contested")) == 2
    driver.say("b", Retract(theirs))
    assert driver.board._alerts.dump().leaders == {}


def test_merging_keys_begins_a_contest() -> None:
    """Between values of different agents that come together; of values that one agent said, only the last one stands."""
    driver = Driver()
    driver.deposit("a", "basis 40", key="basis", value=40, scope="shared")
    driver.rounds(1)
    driver.deposit("b", "price 47", key="price", value=47, scope="shared")
    driver.deposit("a", "price 41", key="price", value=41, scope="shared")
    assert len(driver.signals("contested")) == 1
    driver.say(names.HOST, RenameKey("basis", "price"))
    assert [item.value for item in driver.top("x")] == [47, 41]
    assert len(driver.signals("contested")) == 1, "a's 40 was said before its 41"
    driver.deposit("c", "cost 50", key="cost", value=50, scope="shared")
    driver.say(names.HOST, RenameKey("cost", "price"))
    assert [signal.evidence.values for signal in driver.signals("contested")][1:] == [{"a": 41, "b": 47, "c": 50}]


def test_what_comes_to_an_ally_of_its_own_words_joins_no_contest() -> None:
    """The contest was between these values before, and is; a further value that comes along joins it."""
    driver = Driver()
    for agent, key, value in (("a", "price", 40), ("b", "price", 47), ("c", "basis", 40)):
        driver.deposit(agent, f"it is {value}", key=key, value=value, scope="shared")
    driver.say(names.HOST, RenameKey("basis", "price"))
    assert len(driver.signals("contested")) == 1
    for value in (40, 60):
        driver.deposit("d", f"it is {value}", key="cost", value=value, scope="shared")
    driver.say(names.HOST, RenameKey("cost", "price"))
    assert driver.signals("contested")[-1].evidence.values == {"a": 40, "b": 47, "c": 40, "d": 60}
    assert len(driver.signals("contested")) == 2


def leaders(board: Board) -> list[str]:
    return list(board._alerts.dump().leaders.values())


def test_of_a_board_that_was_exported() -> None:
    """A value leads that was confirmed and is stronger than all others, as far as an export tells; else what was contested is."""
    driver = Driver()
    fields: dict[str, Any] = {"key": "basis", "scope": "shared"}
    weak, mine, theirs = (
        driver.deposit(by, f"basis {n}", value=n, strength=strength, **fields)
        for by, n, strength in (("a", 1, 1.01), ("b", 2, 6), ("c", 3, 7))
    )
    driver.deposit("a", "alone", key="other", value=1, scope="shared")

    def made() -> list[str]:
        return leaders(Board.of_document(driver.board.document(), "test"))

    assert made() == [OPEN], "the strongest was never confirmed"
    driver.say("x", Confirm(mine))
    assert made() == [OPEN], "the confirmed one is weaker"
    driver.say("x", Reinforce(mine, 0.5))
    assert (driver.get("x", mine).strength, made()) == (7.0, [OPEN]), "as strong is not stronger"
    driver.say("x", Confirm(mine), Confirm(theirs), Confirm(theirs))
    assert made() == [theirs]
    driver.say("c", Retract(theirs))
    driver.rounds(5)
    assert (driver.get("x", weak).status, made()) == ("archived", []), "what is left has no rival that stands"
