"""A plan's variables are filled as text, and nothing else is ever read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.plans import filled, unknown
from agents.evolution.strategies import PlanStep, Template
from blackboard.errors import BadValue


def plan(say: str, **parameters: object) -> Template:
    return Template(steps=(PlanStep(say, "query", dict(parameters)),), variables={"table": "sales"})


def test_variables_are_filled() -> None:
    """A variable is what the task says, or else the template; in texts at any depth."""
    template = plan("Look into {table} of {region}", where=["{region}", {"of": "year {年}"}])
    assert unknown(template, {"region": "north"}) == ["年"]
    [step] = filled(template, {"region": "north", "年": 2024})
    assert step.say == "Look into sales of north"
    assert step.parameters == {"where": ["north", {"of": "year 2024"}]}
    assert filled(template, {"region": "n", "年": 1, "table": "orders"})[0].say == "Look into orders of n"


def test_a_parameter_that_is_a_variable_keeps_its_type() -> None:
    """A parameter that is a variable and no more becomes its value, not its text."""
    [step] = filled(plan("", limit="{n}", text="{n} rows", on="{yes}"), {"n": 5, "yes": True})
    assert step.parameters == {"limit": 5, "text": "5 rows", "on": True}


@pytest.mark.parametrize(
    "text", ["{table.__class__}", "{table!r}", "{table:>9999999999}", "{0}", "{}", '{"a": 1}', "{{", "%(table)s", "${a b}"]
)
def test_nothing_else_is_read(text: str) -> None:
    """No attribute, index, conversion or format is read: such braces stand for themselves."""
    assert filled(plan(text, p=text), {})[0] == PlanStep(text, "query", {"p": text})


@given(st.text())
def test_values_are_not_read_again(value: str) -> None:
    """What a variable says is not searched for variables, so it may say anything."""
    assert filled(plan("<{x}>"), {"x": value, "table": "t"})[0].say == f"<{value}>"
    assert filled(plan("<{x}>"), {"x": "{table}" + value})[0].say == "<{table}" + value + ">"


def test_a_variable_without_a_value_is_named() -> None:
    """A plan with a hole is none: the error names the variable."""
    with pytest.raises(BadValue, match=r"no value for \{region\}"):
        filled(plan("{table} of {region}"), {})
