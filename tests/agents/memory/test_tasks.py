"""Claims about task records."""

from typing import Any

import pytest
from msgspec.structs import replace

from agents.memory.condensing import condense
from agents.memory.records import StepRecord, TaskLog, ToolCall, Turn, Verdict
from agents.memory.tasks import checked, consecutive, summarised, supposed_cause
from blackboard.errors import BadValue


def call(name: str, error: str | None = None, /, **parameters: Any) -> Turn:
    return Turn("ada", calls=(ToolCall(name, parameters, error=error),), tokens=10, seconds=1.0)


TURNS = (
    Turn("user", "Do not use a log scale.", tokens=5),
    call("query", by="month"),
    call("query", by="week"),
    call("plot", "Timeout after 30 s", kind="bars"),
    call("query", "no such column: revenu", by="revenu"),
    Turn("ada", "It cannot be drawn."),
)
LOG = TaskLog(
    "t1", "ada", "Sales by month, but never in dollars", type="report", turns=TURNS, critical=True, began=100.0, ended=160.0,
    verdict=Verdict("failure", "I see no chart", by="user"), tools=("plot", "query", "send"), facts={"table": "sales"},
    strategies=("limit@2",), recalled=("e1",),
)  # fmt: skip


def test_a_task_record_sums_a_task_up() -> None:
    """What was asked, how it went and ended, what it cost, what must be kept, where it is supposed to have failed, and the lesson."""
    record = checked(summarised(LOG))
    assert (record.id, record.agent, record.request, record.outcome, record.type) == ("t1", "ada", LOG.request, "failure", "report")
    assert (record.path, record.tools) == (("query", "plot", "query"), ("plot", "query"))
    assert (record.failed_at, record.cause, record.feedback) == (4, "tool", "I see no chart")
    assert record.lesson == "query failed: no such column: revenu; user: I see no chart"
    assert record.kept == ("Sales by month, but never in dollars", "Do not use a log scale.", "It cannot be drawn.")
    assert (record.turns, record.tokens, record.seconds, record.began, record.ended) == (6, 45, 60.0, 100.0, 160.0)
    assert (record.critical, record.facts, record.strategies, record.recalled) == (True, {"table": "sales"}, ("limit@2",), ("e1",))
    assert [(step.first, step.last) for step in record.steps] == [(0, 3), (4, 5)]


def test_a_success_tells_the_way_that_led_there() -> None:
    """And supposes no failure, whatever errors there were."""
    record = summarised(replace(LOG, verdict=Verdict("success")))
    assert (record.lesson, record.failed_at, record.cause) == ("query → plot → query led there", None, None)


def test_a_failure_without_an_error_supposes_nothing() -> None:
    """But what was said about it is the lesson."""
    record = summarised(replace(LOG, turns=(TURNS[1],)))
    assert (record.lesson, record.failed_at, record.cause) == ("user: I see no chart", None, None)


def test_an_exception_that_ended_a_task_is_where_it_failed() -> None:
    """At its last turn, if no tool had an error."""
    record = summarised(replace(LOG, turns=TURNS[:2], verdict=Verdict("failure", "ConnectionError: refused", by="ada")))
    assert (record.lesson, record.failed_at, record.cause) == ("ada failed: ConnectionError: refused", 1, "environment")


def test_a_task_without_turns_is_summed_up() -> None:
    """There may be a verdict and nothing else."""
    record = checked(summarised(replace(LOG, turns=(), verdict=Verdict("failure", "ValueError: x"))))
    assert (record.steps, record.path, record.failed_at, record.turns) == ((), (), None, 0)


def test_a_task_under_way_is_not() -> None:
    """It has come to nothing yet."""
    with pytest.raises(BadValue, match="task 't1' has no verdict yet"):
        summarised(replace(LOG, verdict=None))


def test_tasks_that_went_the_same_way_have_the_same_fingerprint() -> None:
    """Whatever was asked, and whatever the parameters were; not if type, outcome, path or what failed is another."""
    one = summarised(LOG).fingerprint
    assert len(one) == 16
    same = [
        replace(LOG, id="t2", request="Costs by week", facts={}),
        replace(LOG, turns=(TURNS[1], call("query", by="day"), *TURNS[1:])),
        replace(LOG, turns=(*TURNS[:4], call("query", "another error", by="x"))),
    ]
    other = [
        replace(LOG, type="import"),
        replace(LOG, verdict=Verdict("success")),
        replace(LOG, turns=TURNS[:4]),
        replace(LOG, turns=(*TURNS[:4], call("query"))),
    ]
    assert {summarised(log).fingerprint for log in same} == {one}
    assert one not in {summarised(log).fingerprint for log in other}


def test_step_records_that_there_are_stand() -> None:
    """As far as they follow on one another; those of the other turns are made."""
    there = replace(condense(TURNS[:4]), intent="in a model's words")
    record = checked(summarised(LOG, [there]))
    assert record.steps == (there, condense(TURNS[4:], 4))
    gap = condense(TURNS[5:], 5)
    assert consecutive([there, gap], TURNS) == (there,)
    assert consecutive([gap], TURNS) == consecutive([condense(TURNS)], TURNS[:3]) == ()
    assert summarised(LOG, [gap]).steps == summarised(LOG).steps


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("Timeout after 30 s", "environment"), ("connection refused", "environment"), ("HTTP 503", "environment"),
        ("请求超时", "environment"),
        ("no such column: revenu", "tool"), ("limit must be below 100", "tool"), ("sometimes outside", "tool"),
    ],
)  # fmt: skip
def test_what_an_error_points_to(error: str, cause: str) -> None:
    """Something that did not answer, or else a tool that was misused."""
    assert supposed_cause(error) == cause


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"request": " "}, "it needs an id, a request and a fingerprint"),
        ({"outcome": "maybe"}, r"Invalid enum value 'maybe' - at `\$\.outcome`"),
        ({"turns": 9}, "its steps stand for 6 turns, and it had 9"),
        ({"failed_at": 6}, "it failed at turn 6, and it had 6 turns"),
        ({"path": ("plot",)}, "its path plot is not that of its steps: query → plot → query"),
        ({"kept": ()}, "a sentence that a step keeps is not kept: 'Do not use a log scale.'"),
        ({"steps": (StepRecord(1, 5, "x"),)}, "a step stands for the turns 1 to 5, and turn 0 comes next"),
        ({"facts": {"a": float("inf")}}, r"TaskRecord\.facts\.a is inf"),
    ],
)
def test_a_record_that_cannot_be_is_named(changes: dict[str, Any], why: str) -> None:
    """With what is wrong about it, before it is put anywhere."""
    with pytest.raises(BadValue, match=why):
        checked(replace(summarised(LOG), **changes))
