"""Strategies as YAML: what is written is read as what it was, and what is wrong is told with file, line and key."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.evolution.files import difference, parse, read_strategies, written
from agents.evolution.strategies import Lineage, Parameters, PlanStep, Rule, Strategy, Template
from agents.evolution.validity import validated
from agents.evolution.yaml_text import written as yaml
from blackboard.errors import BadValue
from tests.agents.evolution.drawn import VALUES, strategies

MONTHLY = """\
name: monthly-sales
note: "不要用对数坐标"
types: [report]
when:
  request:
    matches: by month
  parameters.limit:
    '>=': 5
priority: 3
rule:
  use: query_sales
  set:
    limit: 100
"""


@given(st.lists(strategies(), min_size=1, max_size=3))
def test_round_trip(drawn: list[Strategy]) -> None:
    """What is written is read as what it was, and written the same again."""
    for each in drawn:
        validated(each)
    text = written(*drawn)
    assert parse(text) == drawn
    assert written(*parse(text)) == text


INSIDE = [
    "use",
    "set",
    "defaults",
    "advice",
    "steps",
    "variables",
    "say",
    "tool",
    "parameters",
    "parents",
    "request",
    "facts.x",
    "has",
    "<",
]
SAID = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(INSIDE), inner, max_size=3), max_leaves=6
)


@given(
    st.dictionaries(st.sampled_from(["version", "note", "types", "when", "priority", "lineage"]), SAID, max_size=2),
    st.sampled_from(["rule", "template", "parameters"]),
    SAID,
)
def test_whatever_a_file_says(data: dict[str, Any], body: str, said: Any) -> None:
    """Whatever a file says, it is a strategy that can be kept, or the error names the file and the line."""
    try:
        [strategy] = parse(yaml({"name": "a", **data, body: said}), "a.yaml")
    except BadValue as error:
        told = str(error)
    else:
        told = "" if validated(strategy) is strategy else "not kept"
    assert not told or told.startswith("a.yaml, line ")


def test_it_is_readable() -> None:
    """A file says what a strategy is in few lines, in a fixed order, and leaves out what goes without saying."""
    [strategy] = parse(MONTHLY)
    assert strategy == Strategy(
        "monthly-sales",
        Rule(use="query_sales", set={"limit": 100}),
        types=("report",),
        when={"request": {"matches": "by month"}, "parameters.limit": {">=": 5}},
        priority=3,
        note="不要用对数坐标",
    )
    assert written(strategy) == MONTHLY.replace('"', "")


def test_bodies() -> None:
    """The body's key says what kind of strategy it is."""
    template, parameters = parse(
        "name: a\ntemplate:\n  steps:\n  - say: Query {table}\n    tool: q\n  variables: {table: sales}\n---\n"
        "name: b\nparameters: {temperature: 0.1, strict: yes, on: true}\n"
    )
    assert template.body == Template((PlanStep("Query {table}", "q"),), {"table": "sales"})
    assert parameters.body == Parameters({"temperature": 0.1, "strict": "yes", "on": True})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: a\nrule:\n  use: x\n  run: y", "line 4, rule.run: there is no such key here: there is use, defaults, set, advice"),
        ("name: a\nscript: x", "line 2, script: there is no such key here: there is name"),
        ("name: a\nrule:\n  use: 5", "line 3, rule.use: expected `str | null`, got `int`"),
        ("name: a\n\ntemplate:\n  steps:\n  - say: a\n  - say: 5", "line 6, template.steps[1].say: expected `str`, got `int`"),
        ("name: a\ntemplate:\n  steps:\n  - tool: x", "line 4, template.steps[0]: object missing required field `say`"),
        ("name: a\ntemplate:\n  steps:\n  - say: a\n    do: b", "line 5, template.steps[0].do: there is no such key"),
        ("name: a\nwhen:\n  request:\n    matches: (a\nrule: {use: x}", "line 4, when.request.matches: regular expression '(a'"),
        ("name: a\nwhen:\n  request:\n    like: a\nrule: {use: x}", "line 4, when.request.like: there is no such operator"),
        ("rule: {use: x}\nname: a b", "line 2, name: a strategy's name is"),
        ("name: a\nrule: {use: x}\npriority: high", "line 3, priority: expected `int`, got `str`"),
        ("name: a\nrule: {use: x}\ntypes: [a,\n 5]", "line 4, types[1]: expected `str`, got `int`"),
        ("name: a\nrule: {use: x}\nlineage:\n  parents: b", "line 4, lineage.parents: expected `array`"),
        ("name: a\nparameters:\n  a: [1]", "line 3, parameters.a: a setting is a text"),
        ("name: a\nparameters:\n  a: .nan", "line 3, parameters.a: nan is no finite number"),
        ("name: a\nrule:\n  set:\n    x:\n    - y: .inf", "line 5, rule.set.x[0].y: inf is no finite number"),
        ("name: a\nrule:", "line 2, rule: give a mapping"),
        ("name: a", "line 1: a strategy has a name, and one of rule, template, parameters; here is name"),
        ("\nname: a\nrule: {use: x}\nparameters: {a: 1}", "line 2: a strategy has a name, and one of"),
        ("- a", "line 1: give a mapping, as in name: …, not ['a']"),
        ("name: a\nrule: {use: x}\n---\nname: b\nrule: {}", "line 5, rule: it says nothing"),
    ],
)
def test_errors(text: str, told: str) -> None:
    """What is wrong is told with file, line and key."""
    with pytest.raises(BadValue) as error:
        parse(text, "sales.yaml")
    assert str(error.value).startswith(f"sales.yaml, {told}")


def test_a_file_and_a_folder(tmp_path: Path) -> None:
    """A folder is all its YAML files, by their names; a name stands once in it, unless its versions differ."""
    (tmp_path / "b.yaml").write_text("name: b\nrule: {use: x}\n---\nname: b\nversion: 2\nrule: {use: y}\n")
    (tmp_path / "a.yml").write_text("name: 甲\nrule: {use: x}\n", encoding="utf-8-sig")
    (tmp_path / "notes.txt").write_text("name: [")
    assert [each.ref for each in read_strategies(tmp_path)] == ["甲@1", "b@1", "b@2"]
    assert [each.ref for each in read_strategies(tmp_path / "b.yaml")] == ["b@1", "b@2"]
    (tmp_path / "c.yaml").write_text("# again\nname: b\nrule: {use: z}\n")
    with pytest.raises(BadValue, match=r"c\.yaml, line 2, name: b@1 is in .*b\.yaml, line 1, too"):
        read_strategies(tmp_path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    """What is not there, too large, empty or of another encoding is told with the file."""
    with pytest.raises(BadValue, match=r"gone\.yaml cannot be read: No such file"):
        read_strategies(tmp_path / "gone.yaml")
    with pytest.raises(BadValue, match=r"has no file that ends in \.yaml"):
        read_strategies(tmp_path)
    for content, told in {
        b"": "has no strategy",
        b"a" * 1_000_001: "more than 1,000,000 bytes",
        b"a: 1\nb: \xff": "line 2: it is no UTF-8",
    }.items():
        (tmp_path / "a.yaml").write_bytes(content)
        with pytest.raises(BadValue, match=rf"a\.yaml.* {told}"):
            read_strategies(tmp_path / "a.yaml")


def test_difference() -> None:
    """Two versions differ in the lines of their files, in which their lineage is, too."""
    [old] = parse(MONTHLY)
    new = replace(old, version=2, body=Rule(use="query_sales", set={"limit": 50}), lineage=Lineage(("monthly-sales@1",), ("t1",)))
    assert difference(old, old) == ""
    told = difference(old, new).splitlines()
    assert told[:2] == ["--- monthly-sales@1", "+++ monthly-sales@2"]
    assert {line for line in told[2:] if line[0] in "+-"} == {
        "+version: 2",
        "-    limit: 100",
        "+    limit: 50",
        "+lineage:",
        "+  parents: [monthly-sales@1]",
        "+  failures: [t1]",
    }


@pytest.mark.parametrize("text", [f"name: a\nrule: [{'1, ' * 500}1]", f"name: a\nrule:\n  {'k' * 900}: 1", f"{'k' * 900}: 1"])
def test_errors_are_short(text: str) -> None:
    """An error shows enough of a long value, or key, to know it by."""
    with pytest.raises(BadValue) as error:
        parse(text)
    assert len(str(error.value)) < 400
