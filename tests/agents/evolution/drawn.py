"""Strategies as hypothesis draws them."""

from typing import Any

from hypothesis import strategies as st

from agents.conditions import OPERATORS, SUBJECTS
from agents.evolution.strategies import Lineage, Parameters, PlanStep, Rule, Strategy, Template

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    [
        "no",
        "1e5",
        "12:30",
        "2024-01-01",
        "0x1F",
        "~",
        "<<",
        "=",
        "a: b",
        "- x",
        "  x\n\n y \n",
        "# x",
        "'",
        '"',
        "!x",
        "&a",
        "*a",
        "%",
        "@",
        "月",
    ]
)
NAMES = st.text("aZ09_.-月ü", min_size=1, max_size=10)
SETTINGS = TEXTS | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | SETTINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
VALUED = st.dictionaries(TEXTS, VALUES, max_size=3)


@st.composite
def whens(draw: st.DrawFn, *, calls: bool) -> dict[str, dict[str, Any]]:
    """Conditions on texts, and on what there is none of."""
    subjects = [each for each in SUBJECTS if calls or each.partition(".")[0] not in {"tool", "parameters"}]
    when: dict[str, dict[str, Any]] = {}
    for subject in draw(st.lists(st.sampled_from(subjects), max_size=2, unique=True)):
        op = draw(st.sampled_from([each for each in OPERATORS if each != "matches"] if subject.partition(".")[1] else ["has", "lacks"]))
        bound = draw(st.lists(TEXTS, max_size=2) if op in {"in", "not_in"} else TEXTS)
        when[subject.replace("NAME", draw(TEXTS.filter(bool)))] = {op: bound}
    return when


@st.composite
def strategies(draw: st.DrawFn) -> Strategy:
    """Any strategy that can be one."""
    body = draw(
        st.builds(Rule, use=st.none() | TEXTS.filter(bool), defaults=VALUED, set=VALUED, advice=TEXTS).filter(lambda rule: rule != Rule())
        | st.builds(
            Template,
            steps=st.lists(
                st.builds(PlanStep, say=TEXTS, tool=st.none() | TEXTS.filter(bool), parameters=VALUED), min_size=1, max_size=3
            ).map(tuple),
            variables=st.dictionaries(st.sampled_from(["a", "表"]), VALUES),
        )
        | st.builds(Parameters, values=st.dictionaries(TEXTS, SETTINGS, min_size=1, max_size=3))
    )  # fmt: skip
    return Strategy(
        draw(NAMES),
        body,
        version=draw(st.integers(1, 999_999_999)),
        types=tuple(draw(st.lists(TEXTS.filter(bool), max_size=2))),
        when=draw(whens(calls=isinstance(body, Rule))),
        priority=draw(st.integers(-5, 5)),
        note=draw(TEXTS),
        lineage=Lineage(
            tuple(draw(st.lists(TEXTS, max_size=2))), tuple(draw(st.lists(TEXTS, max_size=2))), cycle=draw(TEXTS), reason=draw(TEXTS)
        ),
    )
