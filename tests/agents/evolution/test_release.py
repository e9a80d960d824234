"""Claims about canaries."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.evolution.release import Arm, Test, decide
from agents.evolution.strategies import Release, Rule, Strategy
from agents.memory.records import TaskLog
from blackboard.errors import BadValue
from tests.agents.evolution.world import TOOL, logged

LIMIT = Strategy("limit", Rule(set={"limit": 100}), types=("report",), when={"tool": {"==": TOOL}})
CANARY = Release(LIMIT, "canary", share=0.5, by="Ada")


def ran(*, having: str, without: str) -> list[TaskLog]:
    """Tasks in turn with it and without it: *s* went well, *f* did not."""
    logs = []
    for number, (one, other) in enumerate(zip(having, without, strict=True)):
        logs.append(logged(2 * number, "success" if one == "s" else "failure", strategies=[LIMIT.ref]))
        logs.append(logged(2 * number + 1, "success" if other == "s" else "failure"))
    return logs


def test_a_gain_promotes() -> None:
    """By Fisher's exact test, at the level of one look; the figures are told."""
    decision = decide(CANARY, ran(having="s" * 20, without="sf" * 10), Test(tasks=40, looks=1))
    assert decision.ruling == "promote"
    assert (decision.having, decision.without) == (Arm(20, 20), Arm(20, 10))
    assert decision.better == pytest.approx(0.000218, rel=0.01)  # C(30, 10) of C(40, 20) … of the table (20 0 / 10 10)
    assert "20 of 20 tasks with it and in 10 of 20 without" in decision.why
    assert decision.scores == {"with tasks": 20, "without tasks": 20, "success with": 1.0, "success without": 0.5, "p": decision.better}


def test_harm_stops_it_early() -> None:
    """At the first look, with most of the tasks still to come."""
    decision = decide(CANARY, ran(having="f" * 10, without="s" * 10), Test(tasks=80, looks=4))
    assert (decision.ruling, decision.look) == ("roll back", 1)
    assert "it does harm" in decision.why


def test_no_gain_at_the_last_look_is_rolled_back() -> None:
    """Nothing goes live for want of evidence."""
    decision = decide(CANARY, ran(having="sf" * 10, without="sf" * 10), Test(tasks=40, looks=4))
    assert (decision.ruling, decision.look) == ("roll back", 4)
    assert "no gain is shown" in decision.why


def test_before_the_first_look_it_goes_on() -> None:
    """However good it looks; when the next look is is told."""
    decision = decide(CANARY, ran(having="s" * 9, without="f" * 9), Test(tasks=80, looks=4))
    assert (decision.ruling, decision.look) == ("go on", 0)
    assert "18 tasks have ended; the next look is after 20" in decision.why


def test_only_tasks_that_it_speaks_about_since_it_is_tried_count() -> None:
    """Others, earlier ones, and those under way tell nothing."""
    logs = [replace(log, began=log.began + 1000) for log in ran(having="s" * 10, without="f" * 10)]
    beside = [replace(log, id=f"x{log.id}", type="import", strategies=()) for log in logs]
    under_way = [replace(log, id=f"y{log.id}", verdict=None) for log in logs]
    before = [replace(log, id=f"z{log.id}", began=0.0) for log in logs]
    test = Test(tasks=20, looks=1)
    decision = decide(CANARY, [*before, *beside, *under_way, *logs], test, since=1000.0)
    assert decision == decide(CANARY, logs, test)
    assert decision.having == Arm(10, 10)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60), st.integers(1, 5))
def test_how_often_somebody_looks_changes_nothing(ran: list[tuple[bool, bool]], looks: int) -> None:
    """What is decided once is decided the same when more tasks have ended."""
    test = Test(tasks=40, looks=looks)
    logs = [
        logged(number, "success" if went_well else "failure", strategies=[LIMIT.ref] if has else [])
        for number, (has, went_well) in enumerate(ran)
    ]
    decided = [decision for end in range(len(logs) + 1) if (decision := decide(CANARY, logs[:end], test)).ruling != "go on"]
    assert all(decision == decided[0] for decision in decided)


def test_one_that_makes_no_difference_is_seldom_promoted() -> None:
    """Of 2,000 that make none at most alpha are, although there are four looks; and as few are stopped for harm."""
    random, promoted, harmed = Random(7), 0, 0
    test = Test(tasks=80, looks=4, alpha=0.05)
    for _ in range(2000):
        counts = [(random.random() < 0.5, random.random() < 0.6) for _ in range(80)]
        logs = [logged(n, "success" if well else "failure", strategies=[LIMIT.ref] if has else []) for n, (has, well) in enumerate(counts)]
        decision = decide(CANARY, logs, test)
        promoted += decision.ruling == "promote"
        harmed += "harm" in decision.why
    assert promoted <= 0.05 * 2000
    assert harmed <= 0.05 * 2000


@pytest.mark.parametrize(("settings", "named"), [({"looks": 0}, "looks"), ({"tasks": 3}, "looks"), ({"alpha": 0.0}, "alpha")])
def test_a_test_that_cannot_be(settings: dict[str, float], named: str) -> None:
    """It names the field."""
    with pytest.raises(BadValue, match=named):
        Test(**settings)  # type: ignore[arg-type]
