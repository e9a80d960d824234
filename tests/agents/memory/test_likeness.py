"""The claims of ``agents.memory.likeness``."""

import pytest

from agents.memory import likeness
from agents.memory.distilling import distil
from agents.memory.likeness import by_likeness
from agents.memory.records import TaskRecord
from blackboard.errors import NotInstalled
from tests.agents.memory.made import record

MONTHS = ("January", "February", "March", "April", "May", "June")


def mixed() -> list[TaskRecord]:
    """Two sorts of tasks, none of which went exactly as another."""
    sales = [
        record(f"s{n}", f"Plot the sales of {each} by region", path=("query_sales", *["check"] * (n % 2), "plot"))
        for n, each in enumerate(MONTHS)
    ]
    refunds = [
        record(f"r{n}", f"Which refunds were not paid in {each}?", path=("query_refunds", *["ask"] * (n % 2)))
        for n, each in enumerate(MONTHS)
    ]
    return [*sales, *refunds]


def sorts(groups: list[list[TaskRecord]]) -> set[frozenset[str]]:
    return {frozenset(each.id for each in group) for group in groups}


TWO = {frozenset(f"s{n}" for n in range(6)), frozenset(f"r{n}" for n in range(6))}


def test_what_is_alike_is_together() -> None:
    """Though paths differ by a step, and requests by a name: where exact grouping finds four ways, there are two sorts of tasks."""
    assert sorts(by_likeness(mixed())) == TWO
    assert len(distil(mixed())) == 4
    assert len(distil(mixed(), grouping=by_likeness)) == 2


def test_blocks_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more records than are compared at once, those of one sort are found together all the same."""
    monkeypatch.setattr(likeness, "BLOCK", 4)
    assert sorts(by_likeness(mixed())) == TWO


def test_blocks_of_which_nothing_is_alike_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no block becomes smaller there is an end."""
    monkeypatch.setattr(likeness, "BLOCK", 2)
    words = ("apples", "bridges", "clouds", "drums", "engines")
    assert len(by_likeness([record(word, word, path=(f"tool_{word}",)) for word in words])) == len(words)


def test_few_records_and_none() -> None:
    """One stands alone, none are no group, and one that says nothing is one."""
    assert by_likeness([]) == []
    assert by_likeness([record("1")]) == [[record("1")]]
    assert len(by_likeness([record("1", "", path=()), record("2", "…", path=())])) == 1


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setattr(likeness, "find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"pheroboard\[learn\]"):
        by_likeness([record("1"), record("2")])
