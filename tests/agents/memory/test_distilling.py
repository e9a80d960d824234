"""The claims of ``agents.memory.distilling``."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.conditions import Situation, meets, validated
from agents.memory.distilling import by_fingerprint, compared, distil, words
from agents.memory.records import Experience, TaskRecord
from tests.agents.memory.made import record

LOG = "Do not use a log scale."

RECORDS = st.lists(
    st.builds(
        record,
        st.integers(0, 30).map(str),
        st.sampled_from(["Sales by month", "Sales by month for EUR", "Refunds by week"]),
        st.sampled_from(["success", "failure"]),
        st.sampled_from([("query",), ("query", "plot")]),
        kept=st.sampled_from([(), (LOG,), ("Only net sales.",)]),
        type=st.sampled_from(["", "report"]),
    ),
    max_size=20,
    unique_by=lambda made: made.id,
)


def test_tasks_that_went_alike_become_one_experience() -> None:
    """It tells the path, what was asked, what all requests share, and whose tasks it is made of."""
    records = [record("1", "Sales by month for EUR"), record("2", "Show sales by month for EUR"), record("3", "EUR sales by month")]
    (made,) = distil([*records, record("4", path=("query_sales",))])
    assert (made.outcome, made.type, made.path, made.tools) == ("success", "report", ("query_sales", "plot"), ("plot", "query_sales"))
    assert made.records == ("1", "2", "3")
    assert made.request == "EUR sales by month"
    assert made.about == ("EUR", "sales", "month")
    assert made.lesson == "“EUR sales by month” and 2 like it went well by query_sales → plot"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Up to 3,000 CNY", ["up", "to", "3000", "cny"]),
        ("报销3,000元，见Q3预算", ["报销", "3000", "元", "见", "q3", "预算"]),
        ("-5.5 °C for $1,250", ["-5.5", "c", "for", "1250"]),
        ("HAT084 and SKU-12 to ann1@shop.org at 15:00", ["hat084", "and", "sku-12", "to", "ann1@shop.org", "at", "15:00"]),
    ],
)
def test_a_number_is_one_word(text: str, found: list[str]) -> None:
    """With its sign, point and thousands, however it is written, in Chinese as in English; and so is an address with a digit."""
    assert list(words(text)) == found


@settings(max_examples=200, deadline=None)
@given(st.text() | st.text("3,.-$a@元 ", max_size=12))
def test_a_word_is_compared_as_it_stands(text: str) -> None:
    """Out of its text it is compared as within."""
    assert all(compared(stands) == word for word, stands in words(text).items())


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**9), 10**9))
def test_thousands_may_be_set_apart(number: int) -> None:
    """An integer is the same with commas and without, and no other one is."""
    assert list(words(f"to {number:,} CNY")) == list(words(f"to {number} CNY")) == ["to", str(number), "cny"]


def test_what_tasks_share_are_whole_numbers() -> None:
    """Of 3,000 and 3,500 nothing is shared; 3,000 and 3000 are the same."""
    assert distil([record(str(n), f"Up to {amount} CNY") for n, amount in enumerate(("3,000", "3,500", "3,000"))])[0].about == ("CNY",)
    assert "3000" in map(compared, distil([record(str(n), f"Up to {a} CNY") for n, a in enumerate(("3,000", "3000", "3,000"))])[0].about)


def test_what_binds_is_kept_to_the_letter() -> None:
    """And what was promised; not what only has a number of one task in it."""
    sentences = (LOG, "I have 40 EUR.", "At most 3 rows!", "We will call you.", "绝不要图")
    (made,) = distil([record(str(n), kept=(sentences[n], sentences[n + 2])) for n in range(3)])
    assert set(made.kept) == {*sentences} - {"I have 40 EUR."}


def test_fewer_tasks_are_no_experience() -> None:
    """Two alike may be chance; who wants them says so."""
    records = [record("1"), record("2")]
    assert distil(records) == []
    assert len(distil(records, least=2)) == 1


def test_a_failure_tells_its_cause_and_what_was_learnt() -> None:
    """The most common of each; and a path is not praised without a word of those that failed by it."""
    failed = [record(str(n), outcome="failure", cause="tool", lesson="Give a limit.") for n in range(3)]
    went = [record(f"w{n}") for n in range(3)]
    by_outcome = {each.outcome: each.lesson for each in distil([*failed, *went])}
    assert by_outcome["failure"] == "“Sales by month” and 2 like it failed by query_sales → plot (tool): Give a limit."
    assert by_outcome["success"] == "“Sales by month” and 2 like it went well by query_sales → plot (3 others of its type failed by it)"


def test_a_failure_tells_what_failed() -> None:
    """Also where that names the tool of its path; most failed so; of several as common the one that says what the others say."""

    def told(*lessons: str) -> str:
        failed = [record(str(n), outcome="failure", path=("find",), lesson=lesson) for n, lesson in enumerate(lessons)]
        return distil(failed)[0].lesson.partition("failed by find")[2]

    too_many, gone = "find failed: 4,210 rows; use page=200", "find failed: gone"
    assert told(too_many, gone, too_many) == f": {too_many}"
    assert told("a timeout", "find failed: rows 7 of 90; use page=200", too_many) == f": {too_many}"
    assert told("", "", gone) == f": {gone}"
    assert told("", "", "") == ""


def test_a_success_does_not_say_its_way_twice() -> None:
    """That it led there is no lesson beside it; another one is."""
    plain = [record(str(n), path=("find",), lesson="find led there") for n in range(3)]
    assert distil(plain)[0].lesson.endswith("went well by find")
    assert distil([record(str(n), path=("find",), lesson="Ask first.") for n in range(3)])[0].lesson.endswith(
        "went well by find: Ask first."
    )


def test_the_conditions_are_what_sets_its_tasks_apart() -> None:
    """The type; facts that all of them have alike, and not all others of the type; nothing that is no plain value."""
    went = [record(str(n), facts={"currency": "EUR", "year": 2024, "n": n, "rows": [1]}) for n in range(3)]
    failed = [record(f"f{n}", outcome="failure", facts={"currency": "USD", "year": 2024}) for n in range(3)]
    of = {each.outcome: each.when for each in distil([*went, *failed])}
    assert of["success"] == {"type": {"==": "report"}, "facts.currency": {"==": "EUR"}}
    assert of["failure"] == {"type": {"==": "report"}, "facts.currency": {"==": "USD"}}


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers()), max_size=4))
@example({"x": -(2**63) - 1, "": 1, "y": "\ud800"})
def test_conditions_can_be_read(facts: dict[str, Any]) -> None:
    """Whatever facts there are: what is made of them are conditions, and hold for the tasks behind it."""
    tasks = [record(str(n), facts=facts) for n in range(3)]
    made = next(each for each in distil([*tasks, record("4", outcome="failure")]) if each.outcome == "success")
    assert meets(validated(made.when), Situation(tasks[0].request, tasks[0].type, facts=facts))


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.randoms(use_true_random=False))
def test_the_same_records_come_to_the_same(records: list[TaskRecord], random: object) -> None:
    """In whatever order they come, and however often: what is known already does not change."""
    made = distil(records)
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert distil(shuffled) == made
    assert distil(records, made) == made
    assert distil(shuffled, made[::-1]) == made


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.integers(0, 20))
def test_what_is_known_is_renewed_not_doubled(records: list[TaskRecord], first: int) -> None:
    """With new tasks an experience keeps its id, all its tasks, and all that binds, to the letter; and no task is in two."""
    before = distil(records[:first])
    after = {each.id: each for each in distil(records, before)}
    for each in before:
        assert set(each.records) <= set(after[each.id].records)
        assert set(each.kept) <= set(after[each.id].kept)
    of_all = [task for each in after.values() for task in each.records]
    assert len(of_all) == len(set(of_all))
    for each in after.values():
        kept = {sentence for made in records if made.id in each.records for sentence in made.kept}
        assert set(each.kept) == kept


@settings(max_examples=100, deadline=None)
@given(RECORDS, st.lists(st.booleans(), max_size=5))
def test_what_parts_and_comes_together_has_ids_of_its_own(records: list[TaskRecord], together: list[bool]) -> None:
    """Whichever grouping follows which: each group is one experience, and no two have the same id."""
    known: list[Experience] = []
    for one in together:
        known = distil(records, known, grouping=(lambda some: [list(some)]) if one else by_fingerprint)
        fresh = distil(records, grouping=(lambda some: [list(some)]) if one else by_fingerprint)
        assert len({each.id for each in known}) == len(known)
        assert {each.records for each in known} == {each.records for each in fresh}


def test_what_records_are_gone_of_stays() -> None:
    """An experience outlives its records, and names them still, also once others are added."""
    (before,) = distil([record(str(n), kept=(LOG,)) for n in range(3)])
    assert distil([], [before]) == [before]
    (after,) = distil([record(str(n)) for n in range(2, 6)], [before])
    assert (after.id, after.records, after.kept) == (before.id, ("0", "1", "2", "3", "4", "5"), (LOG,))
    assert "and 5 like it" in after.lesson


def test_what_is_known_may_come_one_by_one() -> None:
    """Any iterable will do, also one that can be gone through once."""
    known = distil([record(str(n)) for n in range(3)])
    assert distil([], iter(known)) == known


def test_what_is_known_of_tasks_that_are_now_with_others_is_left_out() -> None:
    """Of two that become one, the larger goes on."""
    small = Experience("small", "success", "…", records=("1",))
    large = Experience("large", "success", "…", records=("2", "3"))
    (made,) = distil([record("1"), record("2"), record("3")], [small, large])
    assert made.id == "large"


def test_an_experience_of_the_other_outcome_is_not_continued() -> None:
    """A task whose verdict was changed takes what was learnt from it elsewhere."""
    before = Experience("before", "failure", "…", records=("1", "2", "3"))
    (made,) = distil([record("1"), record("2"), record("3")], [before])
    assert (made.id == "before", made.outcome) == (False, "success")


def test_of_requests_that_are_as_alike_the_first_one_speaks() -> None:
    """Which that is follows from when they began, not from ids that are drawn."""
    months = {"c": "Sales of May", "a": "Sales of Jul", "b": "Sales of Aug"}
    [made] = distil([record(name, request=request, began=float(n)) for n, (name, request) in enumerate(months.items())])
    assert made.request == "Sales of May"
