from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.selecting import Weights, select
from agents.memory.records import Cause, Outcome, TaskRecord


def record(name: str, outcome: Outcome = "failure", way: str = "a", cause: Cause | None = None, **more: object) -> TaskRecord:
    """What a task came to."""
    return TaskRecord(name, "desk", "An appointment", outcome, way, type="appointment", cause=cause, **more)  # type: ignore[arg-type]


def test_a_failure_that_is_repeated_critical_and_complained_of_comes_first() -> None:
    """Each part adds to the score, and is told."""
    records = [
        record("once", way="b"),
        record("again", way="a"),
        record("worst", way="a", critical=True, feedback="That was the wrong doctor"),
        record("fine", "success"),
    ]
    worst, again, once = select(records)
    assert (worst.task, again.task, once.task) == ("worst", "again", "once")
    assert worst.parts == {"repeated": 0.5, "critical": 1.0, "feedback": 1.0, "new": 0.5}
    assert worst.score == 3.0
    assert worst.alike == ("again",)
    assert once.parts == {"new": 0.5}


def test_what_was_learned_from_is_not_taken_again_and_is_not_new() -> None:
    """A kind that was seen before scores by its repetition alone."""
    (selected,) = select([record("old"), record("now")], learned={"old"})
    assert selected.task == "now"
    assert selected.parts == {"repeated": 0.5}


def test_a_cause_that_was_seen_is_not_new_though_it_went_another_way() -> None:
    """Failures of the same type and cause are related: they count half."""
    (selected,) = select([record("old", way="a", cause="tool"), record("now", way="b", cause="tool")], learned={"old"})
    assert selected.parts == {"repeated": 1 - 1 / 1.5}


def test_a_failure_that_scores_nothing_is_left_out() -> None:
    """A single one whose kind may not count as new is nothing to learn from."""
    assert select([record("one")], weights=Weights(new=0)) == []


def test_one_trouble_does_not_hide_the_others() -> None:
    """Of failures that went the same way some are taken."""
    many = [record(f"t{n}", way="a") for n in range(30)]
    chosen = select([*many, record("other", way="b")], of_a_kind=3)
    assert [each.task for each in chosen[3:]] == ["other"]
    assert len(chosen) == 4


records = st.lists(
    st.builds(
        record,
        st.uuids().map(str),
        st.sampled_from(["success", "failure"]),
        st.sampled_from("abc"),
        st.sampled_from(["plan", "tool", None]),
        critical=st.booleans(),
        feedback=st.sampled_from(["", "wrong"]),
        began=st.floats(0, 10),
    ),
    unique_by=lambda each: each.id,
)


@given(records, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(given: list[TaskRecord], random: object) -> None:
    """The same records give the same choice."""
    shuffled = sorted(given, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert select(given) == select(shuffled)


@given(records)
def test_a_score_is_the_sum_of_its_parts(given: list[TaskRecord]) -> None:
    """And the choice is in their order, of failures alone."""
    chosen = select(given)
    assert all(each.score == sum(each.parts.values()) > 0 for each in chosen)
    assert [each.score for each in chosen] == sorted((each.score for each in chosen), reverse=True)
    assert {each.task for each in chosen} <= {each.id for each in given if each.outcome == "failure"}
