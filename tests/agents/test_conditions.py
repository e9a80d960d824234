"""Conditions are data that a task, or a call, meets or does not, and say so in words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.conditions import OPERATORS, Situation, explain, meets, of_calls, of_task, validated
from agents.memory.records import TaskLog
from blackboard.errors import BadValue

TASK = Situation(
    request="Report sales by month",
    type="report",
    tools=("plot", "query_sales"),
    facts={"rows": 5, "region": "华东", "tags": ["a", 2], "draft": True},
)
CALL = Situation(request="Report", tools=("query_sales",), tool="query_sales", parameters={"limit": 100, "table": "sales"})


@pytest.mark.parametrize(
    ("subject", "op", "bound", "situation", "holds"),
    [
        ("request", "matches", r"by (month|week)", TASK, True),
        ("request", "matches", "^sales", TASK, False),
        ("request", "has", "sales", TASK, True),
        ("request", "lacks", "sales", TASK, False),
        ("type", "==", "report", TASK, True),
        ("type", "in", ["import", "report"], TASK, True),
        ("type", "not_in", ["import", "report"], TASK, False),
        ("tools", "has", "plot", TASK, True),
        ("tools", "lacks", "plot", TASK, False),
        ("facts.rows", "<", 6, TASK, True),
        ("facts.rows", "==", 5.0, TASK, True),
        ("facts.rows", "!=", 5, TASK, False),
        ("facts.tags", "has", 2, TASK, True),
        ("facts.tags", "lacks", "b", TASK, True),
        ("facts.draft", "==", 1, TASK, False),
        ("facts.region", "matches", "华.", TASK, True),
        ("facts", "has", "rows", TASK, True),
        ("parameters.limit", ">=", 100, CALL, True),
        ("parameters.limit", ">", 100, CALL, False),
        ("parameters", "lacks", "limit", CALL, False),
        ("parameters", "lacks", "order", CALL, True),
        ("tool", "==", "query_sales", CALL, True),
    ],
)
def test_an_operator(subject: str, op: str, bound: object, situation: Situation, holds: bool) -> None:
    """Each operator asks what it says, and its explanation names the condition."""
    when = validated({subject: {op: bound}})
    assert meets(when, situation) is holds
    assert subject in explain(when, situation)


@given(
    st.sampled_from(["facts.gone", "parameters.limit", "parameters.gone", "tool", "parameters"]), st.sampled_from(OPERATORS), st.just("x")
)
def test_what_is_not_there_meets_nothing(subject: str, op: str, bound: str) -> None:
    """A subject that a situation has not meets no condition, whatever the operator, and that is said."""
    when = {subject: {op: [bound] if op in {"in", "not_in"} else bound}}
    assert not meets(when, TASK)
    assert f"there is no {subject}" in explain(when, TASK)


@pytest.mark.parametrize(("op", "bound"), [("<", "6"), (">=", "6"), ("matches", "5"), ("has", "5"), ("lacks", "5")])
def test_unlike_types(op: str, bound: str) -> None:
    """What cannot be compared meets neither a condition nor its contrary, and the explanation says so."""
    when = validated({"facts.rows": {op: bound}})
    assert not meets(when, TASK)
    assert explain(when, TASK) == f"facts.rows is 5, of which {op} '{bound}' cannot be asked"


def test_all_must_hold() -> None:
    """All conditions must hold; no conditions always do."""
    assert meets({}, Situation())
    assert explain({}, Situation()) == ""
    when = validated({"request": {"matches": "by month", "has": "Report"}, "facts.rows": {">": 1, "<": 9}})
    assert meets(when, TASK)
    assert explain(when, TASK) == "request matches 'by month'; request has 'Report'; facts.rows > 1; facts.rows < 9"
    assert not meets({**when, "type": {"==": "import"}}, TASK)


def test_an_explanation_names_what_fails() -> None:
    """Where a condition fails, the explanation names those that do, and what was found."""
    when = validated({"request": {"matches": "by year"}, "facts.rows": {">": 1, "<": 3}, "tools": {"has": "mail"}, "facts.gone": {"==": 1}})
    assert (
        explain(when, TASK) == "request does not match 'by year'; facts.rows not < 3: it is 5; tools lacks 'mail'; there is no facts.gone"
    )
    assert len(explain({"facts.rows": {"in": list(range(1000))}}, TASK)) < 150


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ([], "when: give a mapping"),
        ({"reqest": {"has": "x"}}, "when.reqest: there is no such subject: there are request"),
        ({"facts.": {"==": 1}}, "when.facts.: there is no such subject"),
        ({5: {"==": 1}}, "when.5: there is no such subject"),
        ({"type": "report"}, "when.type: give a mapping of operators"),
        ({"type": {}}, "when.type: give a mapping of operators"),
        ({"type": {"is": "report"}}, "when.type.is: there is no such operator: there are =="),
        ({"facts.a": {"==": None}}, "when.facts.a.==: compare with"),
        ({"facts.a": {"<": float("nan")}}, "when.facts.a.<: compare with"),
        ({"facts.a": {"in": [[1]]}}, "when.facts.a.in: compare with"),
        ({"facts.a": {"in": 3}}, "when.facts.a.in: 'in' takes a list"),
        ({"facts.a": {"<": True}}, "when.facts.a.<: '<' compares numbers or texts"),
        ({"facts.a": {"has": [1]}}, "when.facts.a.has: give one"),
        ({"request": {"matches": "(a"}}, "when.request.matches: regular expression '(a'"),
        ({"request": {"<": 5}}, "when.request.<: request is a text"),
        ({"type": {"in": ["a", 1]}}, "when.type.in: type is a text"),
        ({"tools": {"==": "plot"}}, "when.tools.==: tools is a list of names"),
        ({"tools": {"has": 1}}, "when.tools.has: tools has texts"),
    ],
)
def test_errors(when: object, told: str) -> None:
    """What is no condition is refused, with its place and what there is."""
    with pytest.raises(BadValue) as error:
        validated(when)
    assert str(error.value).startswith(told)


def test_they_part_into_those_of_the_task_and_of_its_calls() -> None:
    """What is asked of the task and what of its calls are together all, and hold together where all do."""
    when = validated({"request": {"has": "Report"}, "tool": {"==": "query_sales"}, "parameters.limit": {">": 10}})
    assert of_task(when) == {"request": {"has": "Report"}}
    assert {**of_task(when), **of_calls(when)} == when
    assert meets(when, CALL)
    assert meets(of_task(when), CALL)
    assert meets(of_calls(when), CALL)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
ASKED = st.sampled_from(["request", "type", "tool", "tools", "facts", "parameters", "facts.a", "facts.b", "parameters.a"])


@given(
    st.dictionaries(ASKED, st.dictionaries(st.sampled_from(OPERATORS), JSON, min_size=1, max_size=2), max_size=2),
    st.builds(
        Situation,
        request=st.text(max_size=5),
        tools=st.just(("a", "b")),
        facts=st.dictionaries(st.sampled_from("ab"), JSON),
        tool=st.sampled_from([None, "a"]),
        parameters=st.dictionaries(st.sampled_from("ab"), JSON),
    ),
)
def test_what_is_valid_can_be_asked_of_anything(when: dict[str, Any], situation: Situation) -> None:
    """Conditions are refused at once, or can be asked of every situation: they hold if each of them does, and what is said tells which."""
    try:
        valid = validated(when)
    except BadValue:
        return
    each = [{subject: {op: bound}} for subject, asked in valid.items() for op, bound in asked.items()]
    assert meets(valid, situation) == all(meets(one, situation) for one in each)
    told = [explain(one, situation) for one in each if meets(one, situation) == meets(valid, situation)]
    assert explain(valid, situation) == "; ".join(told)


def test_an_evil_expression_takes_linear_time() -> None:
    """A pattern that would stall a backtracking engine is asked of a long request, and answers."""
    assert not meets(validated({"request": {"matches": "(a+)+$"}}), Situation(request="a" * 100_000 + "b"))


def test_half_a_character_stops_nobody() -> None:
    """An agent may be given any text, also with half of a character in it, and facts that are no JSON: all are asked about."""
    assert meets({"request": {"matches": "sales"}}, Situation("\ud800 sales"))
    ring: list[Any] = []
    ring.append(ring)
    for fact in ("\ud800", ["\ud800"], {"\ud800": 1}, ring, {1, 2}):
        explain({"facts.x": {"matches": "a"}}, Situation(facts={"x": fact})).encode()
    with pytest.raises(BadValue, match=r"when\.request\.matches: compare with a text"):
        validated({"request": {"matches": "\ud800"}})


@pytest.mark.parametrize(
    "when", ["x" * 10_000, {"request": "x" * 10_000}, {"request": {"has": ["x"] * 10_000}}, {"request": {"in": [1] * 10_000}}]
)
def test_errors_are_short(when: Any) -> None:
    """An error shows enough of a long value to know it by."""
    with pytest.raises(BadValue) as error:
        validated(when)
    assert len(str(error.value)) < 300


def test_the_situation_of_a_logged_task() -> None:
    """A task's log has the situation in which it was begun, without a call; a call may be about to be made in it."""
    log = TaskLog("1", "ana", "Report", type="report", tools=("plot",), facts={"rows": 5})
    assert Situation.of(log) == Situation("Report", "report", ("plot",), {"rows": 5})
    assert Situation.of(log).calling("plot", {"kind": "bar"}) == Situation(
        "Report", "report", ("plot",), {"rows": 5}, "plot", {"kind": "bar"}
    )
