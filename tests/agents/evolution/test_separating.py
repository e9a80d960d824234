from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.conditions import Situation, meets, validated
from agents.evolution.separating import separating


def asked(*requests: str) -> list[list[Situation]]:
    """Tasks with these requests."""
    return [[Situation(request)] for request in requests]


def given_calls(*parameters: dict[str, Any]) -> list[list[Situation]]:
    """Tasks with one call each."""
    return [[Situation("An appointment", tool="find_slots", parameters=each)] for each in parameters]


def facts(name: str, *values: Any) -> list[list[Situation]]:
    """Tasks that differ in one fact."""
    return [[Situation("An appointment", facts={name: value})] for value in values]


def test_a_bound_lies_half_way_between_those_on_either_side() -> None:
    """As little beyond what was seen as can be, either way."""
    assert separating(facts("age", 70, 81, 77), facts("age", 12, 30, 50, 40)) == ("facts.age", ">", 60)
    assert separating(given_calls({"days": 1}, {"days": 2}), given_calls(*({"days": n} for n in (9, 30, 14, 21, 8)))) == (
        "parameters.days",
        "<",
        5,
    )


def test_a_value_or_its_absence_tells() -> None:
    """A fact that all have in common, one that the others have, a parameter that is left out."""
    assert separating(facts("ward", *["eye"] * 3), facts("ward", "ear", "skin", "ear", "bone")) == ("facts.ward", "==", "eye")
    assert separating(facts("ward", "ear", "skin", "bone"), facts("ward", *["eye"] * 4)) == ("facts.ward", "!=", "eye")
    assert separating(given_calls({}, {}, {}), given_calls(*[{"limit": 5}] * 4)) == ("parameters", "lacks", "limit")


def test_words_are_the_longest_that_all_requests_share() -> None:
    """Between two marks; of Chinese, characters."""
    ours = asked("Move it to Monday, but do not call me", "But do not call me; cancel it", "Book it but do not call me!")
    others = asked("Cancel it", "Please call me", "Book Monday", "do move it")
    assert separating(ours, others) == ("request", "matches", r"(?i)\bdo not call me\b")
    ours = asked("请不要打电话，改到周一", "取消，不要打电话", "预约。不要打电话！")
    assert separating(ours, asked("取消", "请打来", "周一预约", "改到周一")) == ("request", "has", "不要打电话")


def test_no_condition_quotes_one_request() -> None:
    """Nor the same one twice."""
    others = asked(*(f"Book number {n}" for n in range(20)))
    assert separating(asked("Cancel Dr. Wang"), others) is None
    assert separating(asked("Cancel Dr. Wang", "Cancel Dr. Wang"), others) is None


def test_what_might_be_chance_is_not_believed() -> None:
    """Two tasks against two tell nothing; nor do many facts of few tasks."""
    assert separating(facts("ward", "eye", "eye"), facts("ward", "ear", "skin")) is None
    ours = [[Situation(facts={f"f{n}": n for n in range(20)})] for _ in range(2)]
    others = [[Situation(facts={f"f{n}": -n for n in range(20)})] for _ in range(6)]
    assert separating(ours, others) is None


def test_parameters_come_before_facts_and_facts_before_words() -> None:
    """Of conditions that tell equally well."""
    ours = [[Situation(f"{n} slots at the eye ward", facts={"ward": "eye"}, tool="t", parameters={"x": 1})] for n in range(4)]
    others = [[Situation(f"{n} slots", facts={"ward": "ear"}, tool="t", parameters={"x": 2})] for n in range(4)]
    assert separating(ours, others) == ("parameters.x", "!=", 2)


situations = st.builds(
    Situation,
    st.sampled_from(["book it", "do not call", "please do not call", "不要打电话", "call 5 times"]),
    facts=st.dictionaries(st.sampled_from("ab"), st.one_of(st.integers(0, 5), st.sampled_from(["x", "y"]))),
    tool=st.just("find_slots"),
    parameters=st.dictionaries(st.sampled_from("pq"), st.one_of(st.floats(0, 1), st.booleans())),
)
tasks = st.lists(st.lists(situations, min_size=1, max_size=2), max_size=8)


@given(tasks, tasks)
def test_what_is_found_covers_all_and_leaves_out_some(covered: list[list[Situation]], others: list[list[Situation]]) -> None:
    """It is a valid condition, and the same whatever the order of the tasks."""
    found = separating(covered, others)
    assert found == separating(covered[::-1], others[::-1])
    if found:
        subject, operator, value = found
        when = validated({subject: {operator: value}})
        assert all(any(meets(when, each) for each in task) for task in covered)
        assert not all(any(meets(when, each) for each in task) for task in others)
