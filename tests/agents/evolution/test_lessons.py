"""The claims of ``agents.evolution.lessons``."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.conditions import Situation, meets
from agents.evolution.lessons import Lessons, Trial, learn, trial, unexpected
from agents.evolution.risks import RISKS
from agents.memory.records import Outcome, TaskLog, ToolCall, Turn, Verdict
from tests.agents.evolution.shop import call, looked_up, talk

TOOLS = {"cancel_order"}
CANCEL = call("cancel_order", order_id="A17")
TRIALS = st.lists(
    st.builds(
        Trial,
        st.uuids().map(str),
        st.sampled_from("abcdefghij"),
        st.booleans(),
        st.lists(st.frozensets(st.sampled_from(sorted(RISKS)), max_size=3), max_size=2).map(tuple),
    ),
    max_size=40,
)


def tried(id: str, *acts: str, failed: bool = False) -> Trial:  # noqa: A002 - a trial's own word
    """A trial whose calls bear these risk factors, apart by blanks."""
    return Trial(id, id, failed, tuple(frozenset(act.split()) for act in acts))


def ended(log: TaskLog, outcome: Outcome, *expected: ToolCall) -> TaskLog:
    return replace(log, verdict=Verdict(outcome, expected=expected))


def planted(failures: int = 6, successes: int = 20) -> list[Trial]:
    """Failures of which *unnamed* tells, and noise alike in both."""
    failed = [tried(f"f{i}", "unnamed chosen" if i % 2 else "unnamed", failed=True) for i in range(failures)]
    return [*failed, *(tried(f"s{i}", "chosen" if i % 2 else "") for i in range(successes))]


def test_the_planted_lesson_is_learned_and_no_other() -> None:
    """Of enough tasks, with those behind it; of a lesson that no success has borne, one is a warning."""
    lessons = learn(planted(120, 240), TOOLS)
    (lesson,) = lessons.lessons
    assert (lesson.risk, lesson.failed, lesson.well) == ("unnamed", tuple(sorted(f"f{i}" for i in range(120))), ())
    assert (lessons.least, lessons.tools) == (1, ("cancel_order",))
    assert str(lesson) == "A call about a thing that the user never named: 120 tasks failed so, 0 went well."


def test_a_risk_factor_counts_until_the_tasks_speak_against_it() -> None:
    """What failures and successes bear alike is doubtful of few tasks, and none of many; what only successes bear is none."""
    assert {lesson.risk for lesson in learn(planted(6, 20), TOOLS).lessons} == {"unnamed", "chosen"}
    only_well = [tried(f"w{i}", "made_up") for i in range(20)]
    assert {lesson.risk for lesson in learn([*planted(6, 20), *only_well], TOOLS).lessons} == {"unnamed", "chosen"}


def test_what_successes_have_too_takes_more_than_one() -> None:
    """A factor that a fifth of the successes bear is no warning by itself, and two of them are."""
    both = [tried(f"f{i}", "unnamed forbidden", failed=True) for i in range(6)]
    some = [tried(f"s{i}", {0: "unnamed", 1: "forbidden"}.get(i % 10, "")) for i in range(30)]
    lessons = learn([*both, *some], TOOLS)
    assert {lesson.risk for lesson in lessons.lessons} == {"unnamed", "forbidden"}
    assert lessons.least == 2
    assert lessons.flags(tried("new", "unnamed", "unnamed forbidden"))
    assert not lessons.flags(tried("new", "unnamed", "forbidden"))


def test_one_task_teaches_nothing() -> None:
    """However often it was tried."""
    often = [replace(tried("f", "unnamed", failed=True), id=f"f{i}") for i in range(5)]
    assert learn([*often, *planted(0)], TOOLS).lessons == ()
    assert learn([*often, tried("g", "unnamed", failed=True), *planted(0)], TOOLS).lessons


def test_too_few_successes_flag_nothing() -> None:
    """Nine are needed for a tenth, four for a fifth."""
    failures, successes = planted(6, 0), [tried(f"s{i}", "") for i in range(9)]
    assert learn([*failures, *successes[:8]], TOOLS).least is None
    assert not learn([*failures, *successes[:8]], TOOLS).flags(tried("new", "unnamed"))
    assert learn([*failures, *successes], TOOLS).least == 1
    assert learn([*failures, *successes[:4]], TOOLS, false_flags=0.2).least == 1


@settings(max_examples=100, deadline=None)
@given(TRIALS, st.randoms(use_true_random=False))
def test_the_order_of_trials_teaches_nothing(trials: list[Trial], random: object) -> None:
    """Any other gives the same lessons."""
    shuffled = list(trials)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert learn(shuffled, TOOLS) == learn(trials, TOOLS)


@settings(max_examples=100, deadline=None)
@given(TRIALS, st.sampled_from([0.05, 0.1, 0.3, 0.5]))
def test_successes_are_flagged_within_the_bound(trials: Sequence[Trial], share: float) -> None:
    """Each tried by the lessons from other tasks, and one more than was seen allowed for."""
    lessons = learn(trials, TOOLS, false_flags=share)
    well = [each for each in trials if not each.failed]
    if lessons.least is not None:
        of_others = [replace(learn([one for one in trials if one.task != each.task], TOOLS), least=lessons.least) for each in well]
        assert sum(others.flags(each) for others, each in zip(of_others, well, strict=True)) + 1 <= share * (len(well) + 1)


def test_a_log_is_tried_up_to_its_wrong_call() -> None:
    """With it; a success to its end. What came after a call is no part of it."""
    log = talk("user: Cancel my order", looked_up(), CANCEL, "desk: It cannot be undone", CANCEL)
    first, second = frozenset({"unnamed", "unconfirmed", "unlimited"}), frozenset({"unnamed", "unconfirmed"})
    assert trial(ended(log, "failure"), TOOLS) == Trial("t", "t", failed=True, acts=(first,))
    assert trial(ended(log, "success"), TOOLS, "task") == Trial("t", "task", failed=False, acts=(first, second))
    assert trial(replace(log, verdict=Verdict("failure")), TOOLS) == Trial("t", "t", failed=True, acts=(first, second))


def test_a_failure_by_something_else_teaches_nothing() -> None:
    """Nor does a log without a verdict."""
    log = talk("user: Cancel my order", CANCEL)
    assert trial(log, TOOLS) is None
    assert trial(ended(log, "failure", CANCEL), TOOLS) is None
    assert learn([None, *planted()], TOOLS) == learn(planted(), TOOLS)


def test_a_call_is_wrong_that_nobody_expected() -> None:
    """By its name or its parameters, of the tools in question, also if the tool refused it."""
    refused = call("cancel_order", error="no such order", order_id="B2")
    log = TaskLog("t", "desk", "Cancel A17", turns=(Turn("desk", calls=(looked_up(), CANCEL, refused)),))
    assert unexpected(ended(log, "failure", CANCEL), TOOLS) == (0, 2)
    assert unexpected(ended(log, "failure", refused), TOOLS) == (0, 1)
    assert unexpected(ended(log, "failure", CANCEL, call("cancel_order", order_id="B2")), TOOLS) is None
    assert unexpected(replace(log, verdict=Verdict("failure")), TOOLS) is None


@pytest.fixture
def lessons() -> Lessons:
    both = [tried(f"f{i}", "unnamed forbidden", failed=True) for i in range(6)]
    some = [tried(f"s{i}", {0: "unnamed", 1: "forbidden"}.get(i % 10, "")) for i in range(30)]
    return learn([*both, *some], TOOLS)


def test_a_flag_says_why(lessons: Lessons) -> None:
    """The lesson, and what about this call bears it out."""
    log = talk("system: Final sale items cannot be cancelled.", "user: Cancel my order", looked_up())
    forbidden, unnamed = (flag.why for flag in lessons.check(log, CANCEL))
    assert forbidden.startswith(
        "A call that a sentence of the instructions speaks against: 6 tasks failed so, 3 went well. Here: Final sale"
    )
    assert unnamed == "A call about a thing that the user never named: 6 tasks failed so, 3 went well. Here: order_id A17"


def test_no_flag_is_raised_for_less(lessons: Lessons) -> None:
    """One lesson of two that are needed, another tool, or lessons that rest on too little."""
    log = talk("system: Final sale items cannot be cancelled.", "user: Cancel my order", looked_up())
    assert lessons.check(log, call("return_order", order_id="A17")) == []
    assert lessons.check(talk("user: Cancel my order", looked_up()), CANCEL) == []
    assert replace(lessons, least=None).check(log, CANCEL) == []


def test_a_lesson_is_an_experience(lessons: Lessons) -> None:
    """Of a failure, with the tasks behind it; it applies where the facts name the risk."""
    experience = lessons.lessons[1].experience
    assert (experience.outcome, experience.records) == ("failure", lessons.lessons[1].failed)
    assert meets(experience.when, Situation(facts={"unnamed": True}))
    assert not meets(experience.when, Situation(facts={"unnamed": False}))
    assert not meets(experience.when, Situation())
