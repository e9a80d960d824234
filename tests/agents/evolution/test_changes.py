from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.changes import GONE, changed, changes, identity, in_force, told
from agents.evolution.strategies import Body, Lineage, Parameters, PlanStep, Rule, Strategy, Template

names = st.sampled_from(["limit", "kind", "日期"])
values = st.one_of(st.integers(-9, 9), st.booleans(), st.sampled_from(["a", "b", ""]))
given_values = st.dictionaries(names, values, max_size=3)
bodies: st.SearchStrategy[Body] = st.one_of(
    st.builds(Rule, use=st.none() | st.just("book"), defaults=given_values, set=given_values, advice=st.sampled_from(["", "mind"])),
    st.builds(Parameters, values=given_values),
    st.builds(
        Template, steps=st.lists(st.builds(PlanStep, st.just("do"), st.none() | st.just("book"), given_values), max_size=3).map(tuple)
    ),
)
conditions = st.dictionaries(
    st.sampled_from(["request", "facts.ward"]), st.dictionaries(st.sampled_from(["==", "has"]), values, min_size=1)
)


def versions(name: str = "one") -> st.SearchStrategy[Strategy]:
    """Strategies of a name."""
    types = st.sampled_from([(), ("appointment",), ("appointment", "referral")])
    return st.builds(Strategy, st.just(name), bodies, types=types, when=conditions, priority=st.integers(0, 2))


def content(strategy: Strategy) -> tuple[Any, ...]:
    """What it does, as strict as JSON: true is not 1."""
    return tuple(map(msgspec.json.encode, (strategy.body, strategy.types, strategy.when, strategy.priority)))


@given(versions(), versions())
def test_a_parent_with_the_changes_is_the_child(parent: Strategy, child: Strategy) -> None:
    """Whatever they are; and there are none if both do the same."""
    by = changes(parent, child)
    assert identity(changed(parent, by)) == identity(child)
    assert (not by) == (identity(parent) == identity(child))


@given(versions())
def test_the_identity_is_what_it_does(strategy: Strategy) -> None:
    """Number, note and lineage are none of it; the name is."""
    later = msgspec.structs.replace(strategy, version=7, note="better", lineage=Lineage(cycle="c3"))
    assert identity(later) == identity(strategy)
    assert identity(msgspec.structs.replace(strategy, name="other")) != identity(strategy)


@given(st.lists(versions(), max_size=4), st.randoms(use_true_random=False))
def test_in_whatever_order_strategies_are_in_force_they_are_the_same(strategies: list[Strategy], random: Any) -> None:
    """And with one more they are not."""
    assert in_force(sorted(strategies, key=lambda _: random.random())) == in_force(strategies)
    assert in_force([*strategies, Strategy("more", Rule())]) != in_force(strategies)


def test_changes_are_told_field_by_field() -> None:
    """By their paths, without what every strategy has around them."""
    parent = Strategy("slots", Rule(defaults={"limit": 5}, advice="be quick"), when={"tool": {"==": "find_slots"}})
    child = Strategy("slots", Rule(defaults={"limit": 50}), when={"tool": {"==": "find_slots"}, "facts.ward": {"!=": "eye"}})
    by = changes(parent, child)
    assert by == {("body", "defaults", "limit"): 50, ("body", "advice"): GONE, ("when", "facts.ward", "!="): "eye"}
    assert told(by) == "advice gone, defaults.limit = 50, when.facts.ward.!= = 'eye'"
