"""Claims about what a board answers: from the asker's view, and without moving anything."""

import pytest

from blackboard.config import BoardConfig
from blackboard.errors import BadValue, NotInView, UnknownKind
from bus.messages import (
    About,
    AnyQuery,
    Applied,
    Assemble,
    Check,
    Confirm,
    Constraints,
    EdgesOf,
    Expert,
    Experts,
    Get,
    History,
    Hits,
    Items,
    Link,
    Reinforce,
    Search,
    Stats,
    Tick,
    Top,
)
from tests.blackboard.driver import Driver


def test_questions_move_nothing() -> None:
    """However often any of them is asked, the state stays as it was, to the byte."""
    driver = Driver()
    item = driver.deposit("a", "budget 40", key="budget", value=40, scope="shared")
    driver.say("a", Link(item, driver.deposit("a", "other", scope="shared")))
    driver.deposit("a", "at most 30", kind="constraint", key="budget", op="<=", value=30)
    queries: list[AnyQuery] = [
        Top(), Search("budget"), Hits("budget"), Assemble("budget"), Get(item), History("budget"), About("bud*"), EdgesOf(item),
        Constraints(), Check({"budget": 50}), Experts("budget"), Stats(),
    ]  # fmt: skip
    before = driver.board.snapshot(full=True)
    for query in queries * 2:
        driver.ask("a", query)
    assert driver.board.snapshot(full=True) == before


def test_a_long_question_is_answered() -> None:
    """As long as a host takes it."""
    driver = Driver()
    for query in (Search("x " * 32_768), Hits("x " * 32_768), Assemble("x " * 32_768)):
        driver.ask("finance", query)


def test_a_wall_clock_board_answers_as_of_the_question_and_does_nothing_that_a_tick_does() -> None:
    """Strengths are those of the moment; what is protected, or faded unnoticed, is so until the tick."""
    driver = Driver(BoardConfig(name="test", time="wall", round_seconds=60.0))
    made = driver.stamp
    item = driver.deposit("a", "fact")
    driver.deposit("a", "coupon", expires_at=made + 60)

    def strength(at: float) -> float:
        return float(driver.ask("a", Get(item), at=at).items[0].strength)

    late = driver.ask("a", Stats(), at=made + 600).stats
    assert (late.now, late.items, strength(made + 600)) == (made + 600, 2, 4.0)
    [hit] = driver.ask("a", Assemble("fact"), at=made + 240).chosen
    assert hit.item.strength == strength(made + 240)
    driver.say("_board", Tick(), at=made + 180)
    assert driver.ask("a", Stats(), at=made + 600).stats.items == 1
    assert strength(made + 180) == driver.get("a", item).strength == 4.0
    assert strength(made + 240) == pytest.approx(4.0 * 0.98)


def test_a_question_of_the_past_is_answered_as_of_the_present() -> None:
    """Clocks differ: an asker's that is behind the board's tells no former strength."""
    driver = Driver(BoardConfig(name="test", time="wall"))
    item = driver.deposit("a", "fact")
    driver.say("_board", Tick(), at=driver.stamp + 600)
    assert driver.ask("a", Get(item), at=0.0) == driver.ask("a", Get(item), at=driver.stamp)


def test_experts_are_those_who_strengthened_what_all_see() -> None:
    """By agent over all shared items of a key, the strongest first; what was written in private does not count."""
    driver = Driver()
    price = driver.deposit("finance", "price basis", key="price", scope="shared")
    again = driver.deposit("finance", "price trend", key="price", scope="shared")
    driver.deposit("mallory", "price secret", key="price", strength=100.0)
    driver.rounds(1)
    driver.say("procurement", Reinforce(price, 1.0), Reinforce(again, 2.0))
    driver.say("schedule", Confirm(price))
    (finance, procurement, schedule) = driver.ask("sales", Experts("price")).experts
    assert (finance.agent, finance.amount, finance.count) == ("finance", 8.0, 2)
    assert procurement == Expert(agent="procurement", amount=3.0, count=2, last=1.0)
    assert (schedule.agent, schedule.amount) == ("schedule", 0.5)
    assert driver.ask("sales", Experts("nothing")).experts == ()


def test_a_check_takes_values_with_and_without_units() -> None:
    """A bare value, or the value and its unit; anything else is refused with what was given."""
    driver = Driver()
    driver.deposit("a", "cap", kind="constraint", key="budget", op="<=", value=5, unit="CNY", scope="shared")
    assert [each.value for each in driver.check("b", budget=6)] == [6]
    assert [each.value for each in driver.check("b", budget=[6, "CNY"])] == [6]
    assert driver.check("b", budget=[5, None]) == driver.check("b", other=[6, "CNY"]) == ()
    for wrong in ([6], [6, "CNY", 1], [6, 7]):
        with pytest.raises(BadValue, match=r"budget=\[6.*a value and its unit"):
            driver.check("b", budget=wrong)


def test_another_s_private_constraint_binds_nobody_else() -> None:
    """Neither listed nor named by a check."""
    driver = Driver()
    driver.deposit("a", "my cap", kind="constraint", key="budget", op="<=", value=5)
    assert [(len(driver.constraints(agent)), len(driver.check(agent, budget=6))) for agent in "ab"] == [(1, 1), (0, 0)]


def test_what_cannot_be_answered_is_refused() -> None:
    """An item out of view, a limit that is none, a kind that the board does not know, a question that only the host answers."""
    driver = Driver()
    secret = driver.deposit("a", "secret")
    refused: list[tuple[AnyQuery, type[Exception], str]] = [
        (Get(secret), NotInView, r"^not in your view$"),
        (EdgesOf(secret), NotInView, r"^not in your view$"),
        (Top(0), BadValue, "limit 0"),
        (Search("x", limit=10_001), BadValue, "10,000"),
        (Hits("x", limit=0), BadValue, "10,000"),
        (Assemble("x", max_candidates=10_001), BadValue, "max_candidates 10001: ask for 1 to 10,000"),
        (Search("x" * 65_537), BadValue, "a query of 65,537 characters"),
        (Hits("x" * 65_537), BadValue, "at most 65,536"),
        (Assemble("x" * 65_537), BadValue, "say what it is about"),
        (Assemble("x", 10, 20), BadValue, "reserve less"),
        (Top(kind="rumour"), UnknownKind, "rumour"),
        (Applied(), BadValue, "'applied' is not one that a board answers"),
    ]
    for query, error, words in refused:
        with pytest.raises(error, match=words):
            driver.ask("b", query)
    assert driver.ask("b", Top(10_000)) == Items(())
