"""What cannot be a strategy is refused, with the place, the value and the cure."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.strategies import Body, Parameters, PlanStep, Rule, Strategy, Template
from agents.evolution.validity import parsed_ref, valid_name, validated
from blackboard.errors import BadValue

DEEP: list[object] = []
for _ in range(20):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        (Strategy("a b", Rule(use="x")), "name: a strategy's name is"),
        (Strategy("", Rule(use="x")), "name: a strategy's name is"),
        (Strategy("a@2", Rule(use="x")), "name: a strategy's name is"),
        (Strategy("x" * 101, Rule(use="x")), "name: a strategy's name is"),
        (Strategy("u\u0308ber", Rule(use="x")), "name: a strategy's name is"),
        (Strategy("a", Rule(use="x"), version=0), "version: versions are counted from 1"),
        (Strategy("a", Rule(use="x"), version=10**9), "version: versions are counted from 1"),
        (Strategy("a", Rule(use="x"), priority=-(10**9)), "priority: give one from"),
        (Strategy("a", Rule(use="x"), when={"facts.x": {"<": 2**64}}), "when.facts.x.<: compare with a text, a finite number"),
        (Strategy("a", Rule(use="x"), types=("",)), "types: a type has a name"),
        (Strategy("a", Rule(use="x"), when={"requst": {"has": "x"}}), "when.requst: there is no such subject"),
        (Strategy("a", Rule()), "rule: it says nothing"),
        (Strategy("a", Template((PlanStep("x", ""),))), "template.steps[0].tool: a tool has a name"),
        (
            Strategy("a", Template((PlanStep("{a}" * 101), PlanStep("x", None, {"b": "{c}" * 100})))),
            "template.steps: they name variables 201",
        ),
        (Strategy("a", Rule(use="")), "rule.use: a tool has a name"),
        (Strategy("a", Rule(set={"x": {"y": float("inf")}})), "rule.set.x.y: inf is no finite number"),
        (Strategy("a", Rule(defaults={"x": [1, {2}]})), "rule.defaults.x[1]: set is nothing that JSON has"),
        (Strategy("a", Rule(set={"x": 2**64})), "rule.set.x: 18446744073709551616 does not fit"),
        (Strategy("a", Rule(set={"x": DEEP})), "rule.set.x[0]"),
        (Strategy("a", Template(())), "template.steps: a plan has at least one step"),
        (Strategy("a", Template((PlanStep("x", parameters={"a": {1: 2}}),))), "template.steps[0].parameters.a.1: the key 1"),
        (Strategy("a", Template((PlanStep("x"),), {"a b": 1})), "template.variables.a b: a variable's name"),
        (Strategy("a", Template((PlanStep("x"),)), when={"tool": {"==": "x"}}), "when.tool: only a rule is asked about calls"),
        (Strategy("a", Parameters({})), "parameters: it says nothing"),
        (Strategy("a", Parameters({"temperature": float("nan")})), "parameters.temperature: nan is no finite number"),
        (Strategy("a", Rule(advice="x\ud800")), "strategy a: '\\ud800' in it is half of a character"),
        (Strategy("a", Rule(advice="x" * 50_000)), "strategy a: it has more than 49,152 bytes"),
    ],
)
def test_faults(strategy: Strategy, told: str) -> None:
    """Each fault is named with its place."""
    with pytest.raises(BadValue) as error:
        validated(strategy)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    "body", [Rule(advice="不要用对数坐标"), Template((PlanStep("{表}", "q", {"a": [None, {"b": 1.5}]}),), {"表": 1}), Parameters({"t": 0})]
)
def test_what_can_be_one(body: Body) -> None:
    """A strategy that can be is given back as it is, in any script."""
    strategy = Strategy("按月_1.b-c", body, when={"request": {"matches": "月"}})
    assert validated(strategy) is strategy


def test_limits_are_within() -> None:
    """What is as deep, and names variables as often, as it may is a strategy; what goes one level deeper is none, and its place is told."""
    deep: Any = "x"
    for _ in range(16):
        deep = [deep]
    nested, naming = Strategy("a", Rule(set={"x": deep[0]})), Strategy("a", Template((PlanStep("{a}" * 200),), {"a": 1}))
    assert [validated(nested), validated(naming)] == [nested, naming]
    with pytest.raises(BadValue, match=r"rule\.set\.x(\[0\]){15}: it nests more than 16 levels"):
        validated(Strategy("a", Rule(set={"x": deep})))


@given(st.text("aZ09_.-月ü", min_size=1, max_size=100), st.integers(1, 999_999_999))
def test_refs(name: str, version: int) -> None:
    """What names a version is read back as it was written."""
    assert valid_name(name) == name
    assert parsed_ref(f"{name}@{version}") == (name, version)
    assert parsed_ref(name) == (name, None)


@pytest.mark.parametrize("ref", ["a@", "a@0", "a@-1", "a@x", "@1", "a@1@2", "a@9999999999"])
def test_what_names_no_version(ref: str) -> None:
    """What names no version is refused, with how one is named."""
    with pytest.raises(BadValue, match="give NAME@VERSION"):
        parsed_ref(ref)
