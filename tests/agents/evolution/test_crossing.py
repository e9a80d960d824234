import msgspec
from hypothesis import given

from agents.evolution.changes import changes, identity
from agents.evolution.crossing import cross, crossings
from agents.evolution.strategies import Lineage, Parameters, Rule, Strategy
from tests.agents.evolution.cases import call, task
from tests.agents.evolution.test_changes import versions

ABOUT = {"tool": {"==": "find_slots"}}
FEW = Strategy("few", Rule(defaults={"limit": 5}), 3, when=ABOUT, priority=2)


def test_versions_of_one_parent_are_crossed_by_what_they_change() -> None:
    """Both changes, and both in the lineage."""
    one = msgspec.structs.replace(FEW, body=Rule(defaults={"limit": 50}), version=4, lineage=Lineage(failures=("t1",)))
    other = msgspec.structs.replace(FEW, when=ABOUT | {"facts.ward": {"!=": "eye"}}, version=5, lineage=Lineage(failures=("t2",)))
    child = cross(one, other, FEW, cycle="c1")
    assert child
    assert (child.ref, child.body, child.when) == ("few@6", one.body, other.when)
    assert (child.lineage.parents, child.lineage.failures, child.lineage.cycle) == (("few@4", "few@5"), ("t1", "t2"), "c1")


def test_versions_that_contradict_each_other_are_not_crossed() -> None:
    """Nor one with its parent, in which it differs in nothing."""
    one = msgspec.structs.replace(FEW, body=Rule(defaults={"limit": 50}))
    assert cross(one, msgspec.structs.replace(FEW, body=Rule(defaults={"limit": 99})), FEW) is None
    assert cross(one, FEW, FEW) is None
    assert cross(one, one, FEW) is None


def test_strategies_for_neighbouring_types_become_one_for_both() -> None:
    """If they speak about the same calls, and do not contradict each other."""
    one = Strategy("limits", Rule(defaults={"limit": 50}), types=("appointment",), when=ABOUT)
    other = Strategy("views", Rule(defaults={"view": "full"}), types=("referral",), when=ABOUT)
    child = cross(one, other)
    assert child
    assert (child.name, child.body) == ("limits", Rule(defaults={"limit": 50, "view": "full"}))
    assert child.types == ("appointment", "referral")
    assert cross(one, msgspec.structs.replace(other, body=Rule(defaults={"limit": 9}))) is None
    assert cross(one, msgspec.structs.replace(other, when={})) is None
    assert cross(one, msgspec.structs.replace(other, body=Parameters({"limit": 50}))) is None


@given(versions(), versions(), versions())
def test_a_crossing_does_what_both_do(parent: Strategy, one: Strategy, other: Strategy) -> None:
    """It differs from the parent in the union of their changes, whichever is named first; and contradictions give none."""
    child, turned = cross(one, other, parent), cross(other, one, parent)
    assert (child and identity(child)) == (turned and identity(turned))
    if child:
        both = {*map(repr, changes(parent, one).items()), *map(repr, changes(parent, other).items())}
        assert {*map(repr, changes(parent, child).items())} == both


def test_only_what_is_for_other_types_is_crossed_and_only_for_tasks_that_fail() -> None:
    """Two for the same type stand beside each other already."""
    one = Strategy("limits", Rule(defaults={"limit": 50}), types=("appointment",), when=ABOUT)
    other = Strategy("views", Rule(defaults={"view": "full"}), types=("referral",), when=ABOUT)
    failed = [task("t1", call("find_slots")), task("t2", call("find_slots"), kind="report")]
    ((parent, child),) = crossings([one, other], failed)
    assert (parent, child.name, child.lineage.failures) == (one, "limits", ("t1",))
    assert list(crossings([one, msgspec.structs.replace(other, types=one.types)], failed)) == []
    assert list(crossings([one, other], failed[1:])) == []
