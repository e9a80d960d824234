"""What is picked for a task, what it does to a call, and that each says why."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.conditions import Situation
from agents.evolution.matcher import Call, Choice, Picked, pick
from agents.evolution.strategies import Body, Parameters, PlanStep, Release, Rule, Status, Strategy, Template
from agents.memory.records import ToolCall

TASK = Situation(request="Report sales by month", type="report", tools=("plot", "query_all", "query_sales"), facts={"table": "sales"})
MONTHLY = {"request": {"matches": "by month"}}


def rule(name: str, *, when: dict[str, dict[str, Any]] | None = None, priority: int = 0, version: int = 1, **body: Any) -> Strategy:
    return Strategy(name, Rule(**body), version=version, when=when or {}, priority=priority)


def why(choices: tuple[Choice, ...]) -> dict[str, str]:
    return {choice.strategy.ref: choice.why for choice in choices}


def calls(tool: str) -> dict[str, dict[str, Any]]:
    return {"tool": {"==": tool}}


def test_none_passes_everything_through() -> None:
    """An agent without strategies works as before: calls, settings and plan are its own."""
    picked = pick([], TASK, task="1")
    assert picked.call("plot", {"kind": "bar"}) == Call("plot", {"kind": "bar"})
    assert (picked.refs, picked.plan(), picked.parameters, picked.advice) == ((), [], {}, [])


def test_picked_and_passed_over_say_why() -> None:
    """What applies is picked, with why; what does not is passed over, with why not."""
    picked = Picked.of(
        [
            Strategy("all", Rule(advice="look")),
            Strategy("monthly", Rule(advice="sum"), types=("report",), when=MONTHLY),
            Strategy("import", Rule(advice="check"), types=("import", "export")),
            Strategy("yearly", Rule(advice="sum"), when={"request": {"matches": "by year"}}),
            Strategy("mailing", Rule(use="mail")),
            Strategy("limited", Rule(set={"limit": 9}), when={"tool": {"==": "query_sales"}, "parameters.limit": {">": 9}}),
            Strategy("planned", Template((PlanStep("Look into {region} of {table}"),))),
        ],
        TASK,
    )
    assert why(picked.applied) == {
        "all@1": "it is for every task",
        "limited@1": "asked at each call: tool, parameters.limit",
        "monthly@1": "the type is 'report'; request matches 'by month'",
    }
    assert why(picked.passed) == {
        "import@1": "the type is 'report', and this is for import, export",
        "yearly@1": "request does not match 'by year'",
        "mailing@1": "the task has no tool mail: it has plot, query_all, query_sales",
        "planned@1": "its plan names {region}, and the task has no such fact",
    }
    assert picked.refs == ("all@1", "limited@1", "monthly@1")


def test_a_rule_gives_parameters() -> None:
    """Defaults are for what a call does not give, what is set is set whatever it gives, and the call says which rule did what."""
    picked = Picked.of([rule("sql", when=calls("query_sales"), defaults={"limit": 100, "order": "date"}, set={"by": "month"})], TASK)
    made = picked.call("query_sales", {"limit": 5, "by": "day"})
    assert (made.tool, made.parameters) == ("query_sales", {"limit": 5, "by": "month", "order": "date"})
    assert made.why == ("sql@1: order='date', by='month', since tool == 'query_sales'",)
    assert picked.call("plot", {"limit": 5}) == Call("plot", {"limit": 5})
    assert picked.call("query_sales", {"by": "month", "order": "", "limit": 1}).why == ()


def test_a_rule_takes_another_tool() -> None:
    """Another tool is called instead, and the rules about that one speak; those about the first do not any more."""
    picked = Picked.of(
        [
            rule("narrow", when=calls("query_all"), use="query_sales", defaults={"table": "sales"}),
            rule("sales", when=calls("query_sales"), set={"limit": 100}),
            rule("all", when=calls("query_all"), set={"limit": 1}),
        ],
        TASK,
    )
    made = picked.call("query_all", {})
    assert (made.tool, made.parameters) == ("query_sales", {"table": "sales", "limit": 100})
    assert made.why[0] == "narrow@1: query_sales in place of query_all, table='sales', since tool == 'query_all'"


def test_priority_decides_about_the_same_thing() -> None:
    """Of rules about one parameter, and about the tool, the highest priority has its way; then the higher version; then the name."""
    low = rule("low", use="plot", set={"limit": 1, "x": 1})
    high = rule("high", use="query_sales", defaults={"limit": 2}, priority=5)
    made = Picked.of([low, high], TASK).call("query_all", {})
    assert (made.tool, made.parameters) == ("query_sales", {"limit": 2})
    a, b = rule("a", set={"limit": 1}), rule("b", set={"limit": 2}, version=2)
    assert Picked.of([a, b], TASK).call("plot", {}).parameters == {"limit": 2}
    assert Picked.of([replace(b, version=1), a], TASK).call("plot", {}).parameters == {"limit": 1}
    assert (
        Picked.of([low, rule("default", defaults={"limit": 2}, priority=1)], TASK).call("query_all", {"limit": 7}).parameters["limit"] == 1
    )


RULES = st.builds(
    lambda name, priority, use, defaults, set_, tool: rule(
        name, when=calls(tool) if tool else {}, priority=priority, use=use, defaults=defaults, set=set_
    ),
    st.sampled_from("abcdef"),
    st.integers(0, 2),
    st.none() | st.sampled_from(TASK.tools),
    st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3)),
    st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3)),
    st.none() | st.sampled_from(TASK.tools),
)


@given(
    st.lists(RULES, max_size=6, unique_by=lambda each: each.name), st.randoms(), st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3))
)
def test_the_order_tells_nothing(rules: list[Strategy], random: Any, given_: dict[str, int]) -> None:
    """However the strategies come, a call becomes the same, goes to a tool of the task's, and is as it was where none says why."""
    mixed = list(rules)
    random.shuffle(mixed)
    made = Picked.of(rules, TASK).call("plot", given_)
    assert Picked.of(mixed, TASK).call("plot", given_) == made
    assert made.tool in TASK.tools
    assert bool(made.why) == (made != Call("plot", given_, made.why))


def test_priority_is_before_age() -> None:
    """A version of a higher number has its way among equals alone."""
    old = rule("old", priority=1, version=1, set={"limit": 10})
    new, newer = (rule(f"v{version}", version=version, set={"limit": version * 100}) for version in (2, 3))
    assert Picked.of([new, newer], TASK).call("query_sales", {}).parameters == {"limit": 300}
    assert Picked.of([new, newer, old], TASK).call("query_sales", {}).parameters == {"limit": 10}


def test_one_template_has_the_plan() -> None:
    """The applying template of the highest priority is the plan; the others are passed over, and not in force."""
    plain = Strategy("plain", Template((PlanStep("Query {table}", "query_sales", {"table": "{table}"}),), {"table": "orders"}))
    better = Strategy("better", Template((PlanStep("Check {table}"), PlanStep("Query it", "query_sales"))), priority=1, when=MONTHLY)
    picked = Picked.of([plain, better], TASK)
    assert picked.refs == ("better@1",)
    assert why(picked.passed) == {"plain@1": "better@1 has the plan: its priority is 1, and this one's 0"}
    assert [step.say for step in picked.plan()] == ["Check sales", "Query it"]
    assert picked.plan({"table": "stock"})[0].say == "Check stock"
    assert Picked.of([plain, better], replace(TASK, request="Report")).plan() == [
        PlanStep("Query sales", "query_sales", {"table": "sales"})
    ]


def test_settings_and_advice_come_together() -> None:
    """Settings are merged, the highest priority last word; advice comes once, the highest first."""
    bodies: list[tuple[str, Body, int]] = [
        ("a", Parameters({"temperature": 0.7, "retries": 2}), 0),
        ("b", Parameters({"temperature": 0.1}), 1),
        ("c", Rule(advice="state the unit"), 0),
        ("d", Rule(advice="不要用对数坐标"), 2),
        ("e", Rule(advice="state the unit"), 3),
    ]
    picked = Picked.of([Strategy(name, body, priority=priority) for name, body, priority in bodies], TASK)
    assert picked.parameters == {"temperature": 0.1, "retries": 2}
    assert picked.advice == ["state the unit", "不要用对数坐标"]


@pytest.mark.parametrize(
    ("status", "told"), [("candidate", "it is a candidate"), ("retired", "it is retired"), ("rejected", "it is rejected")]
)
def test_only_what_is_released_is_in_force(status: Status, told: str) -> None:
    """What nobody approved, or what is no longer in force, is not picked."""
    picked = pick([Release(rule("a", set={"x": 1}), status)], TASK, task="1")
    assert (picked.refs, why(picked.passed)) == ((), {"a@1": told})


def test_a_canary_has_its_share_of_tasks() -> None:
    """A canary is in force in place of the active version for its share of tasks: by their ids, and at every asking the same."""
    releases = [
        Release(rule("a", set={"x": 1}), "active"),
        Release(rule("a", set={"x": 2}, version=2), "canary", share=0.2),
        Release(rule("a", set={"x": 3}, version=3), "canary", share=0.1),
    ]
    refs = [pick(releases, TASK, task=f"task {number}").refs for number in range(2000)]
    assert refs == [pick(reversed(releases), TASK, task=f"task {number}").refs for number in range(2000)]
    assert {len(each) for each in refs} == {1}
    assert 0.17 < refs.count(("a@2",)) / 2000 < 0.23
    assert 0.08 < refs.count(("a@3",)) / 2000 < 0.12
    tried = pick(releases, TASK, task=f"task {refs.index(('a@2',))}")
    assert why(tried.applied) == {"a@2": "canary: 20% of tasks, and this one; it is for every task"}
    assert why(tried.passed) == {"a@1": "a@2 is tried in its place", "a@3": "canary: 10% of tasks, and not this one"}


def test_canaries_of_two_names_fall_on_tasks_apart() -> None:
    """Which tasks a canary is tried on depends on its name: so two are not tried on the same ones."""
    two = [Release(rule(name, set={"x": 1}), "canary", share=0.5) for name in "ab"]
    both = sum(len(pick(two, TASK, task=str(number)).refs) == 2 for number in range(1000))
    assert 200 < both < 300


def test_chinese() -> None:
    """Names, conditions, types and variables may be of any script."""
    task = Situation("按月汇报销售额", "报表", ("查询",), {"表": "销售"})
    picked = Picked.of(
        [
            Strategy(
                "按月", Rule(set={"粒度": "月"}), types=("报表",), when={"request": {"matches": "按(月|季度)"}, "tool": {"==": "查询"}}
            ),
            Strategy("计划", Template((PlanStep("查询{表}表", "查询", {"表": "{表}"}),))),
        ],
        task,
    )
    assert picked.call("查询", {}).parameters == {"粒度": "月"}
    assert picked.plan() == [PlanStep("查询销售表", "查询", {"表": "销售"})]


def test_what_is_picked_does_not_change_what_it_was_given() -> None:
    """A call's parameters are the caller's own, and stay as they were."""
    given_ = {"limit": 5}
    step = ToolCall("plot", given_)
    assert Picked.of([rule("a", set={"limit": 1})], TASK).call(step.name, step.parameters).parameters == {"limit": 1}
    assert given_ == {"limit": 5}
