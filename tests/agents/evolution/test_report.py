"""Claims about the four figures."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.decisions import Decision
from agents.evolution.release import Arm
from agents.evolution.report import DAY, report
from agents.memory.records import Outcome, TaskRecord
from blackboard.errors import BadValue


def done(number: int, outcome: Outcome = "success", *, type: str = "report", recalled: bool = False, turns: int = 2) -> TaskRecord:  # noqa: A002
    return TaskRecord(
        f"t{number}", "a", "r", outcome, "f", type=type, turns=turns, recalled=("e1",) if recalled else (), ended=float(number)
    )  # fmt: skip


def test_the_figures_of_windows() -> None:
    """Each window has its own: success, turns, memory found; in the order in which tasks ended."""
    records = [done(n, "success" if n >= 4 else "failure", recalled=n % 2 == 0, turns=8 if n < 4 else 2) for n in reversed(range(8))]
    early, late = report(records, tasks=4).windows
    assert (early.first, early.last, early.success, early.turns, early.found) == (1, 4, 0.0, 8.0, 0.5)
    assert (late.first, late.last, late.success, late.turns, late.found) == (5, 8, 1.0, 2.0, 0.5)


def test_windows_of_days() -> None:
    """Days without tasks are none."""
    records = [done(0), done(int(DAY / 2)), done(int(3.5 * DAY))]
    assert [window.last for window in report(records, days=1.0).windows] == [2, 3]


def test_whether_memory_helped_is_asked_among_tasks_of_one_type() -> None:
    """Where memory is found for the hard type above all, success with it is lower over all, and yet it helped."""
    hard = [done(n, "success" if n < 4 else "failure", type="hard", recalled=n < 8) for n in range(10)]  # 4 of 8 with, 0 of 2 without
    easy = [done(10 + n, "success" if n < 9 else "failure", type="easy", recalled=n < 2) for n in range(10)]  # 2 of 2, 7 of 8
    found = report([*hard, *easy])
    assert {each.type: (each.having, each.without) for each in found.by_type} == {
        "hard": (Arm(8, 4), Arm(2, 0)),
        "easy": (Arm(2, 2), Arm(8, 7)),
    }
    assert found.helped == pytest.approx((0.5 + 0.125) / 2)  # both types weigh 8·2/10


def test_whether_it_helped_may_not_be_known() -> None:
    """Where no type was done both with memory and without."""
    assert isnan(report([done(1, recalled=True), done(2, type="other")]).helped)
    assert isnan(report([]).success)


def test_the_library() -> None:
    """Now, and as it was at the end of each window: from what was decided, and when."""
    decisions = {
        "limit": [Decision(1, "candidate", at=0.5), Decision(1, "active", by="Ada", at=0.7), Decision(2, "active", by="Ada", at=2.5)],
        "tone": [Decision(1, "candidate", at=9.0)],
    }
    found = report([done(n) for n in range(4)], decisions, tasks=2)
    told = [
        {name: count for name, count in library.items() if count} for library in (*(each.library for each in found.windows), found.library)
    ]
    assert told == [{"all": 1, "active": 1}, {"all": 2, "active": 1, "retired": 1}, {"all": 3, "active": 1, "retired": 1, "candidate": 1}]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40), st.integers(1, 12))
def test_windows_part_the_tasks(said: list[tuple[bool, bool]], size: int) -> None:
    """Every task is in one of them, and what they say comes to what is said of all."""
    records = [done(n, "success" if well else "failure", recalled=recalled) for n, (well, recalled) in enumerate(said)]
    found = report(records, tasks=size)
    assert [number for window in found.windows for number in range(window.first, window.last + 1)] == list(range(1, len(said) + 1))
    successes = sum(window.success * (window.last - window.first + 1) for window in found.windows)
    assert successes == pytest.approx(sum(well for well, _ in said))


@pytest.mark.parametrize("given_", [{"tasks": 0}, {"days": -1.0}, {"tasks": 3, "days": 1.0}])
def test_windows_that_cannot_be(given_: dict[str, float]) -> None:
    """They are named."""
    with pytest.raises(BadValue, match="windows of"):
        report([], **given_)  # type: ignore[arg-type]
