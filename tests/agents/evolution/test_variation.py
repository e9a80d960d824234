from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.changes import changes, identity
from agents.evolution.strategies import Diagnosis, Lineage, Mend, Parameters, PlanStep, Rule, Strategy, Template
from agents.evolution.variation import MOST_CHANGED, OF_A_NAME, too_large, vary
from tests.agents.evolution.cases import call, task, went_well

ABOUT = {"tool": {"==": "find_slots"}}
MORE = Mend(None, Rule(defaults={"limit": 50}), ABOUT, ("appointment",), "so do 2 tasks that went well")
FEW = Strategy("few", Rule(defaults={"limit": 5}), 3, when=ABOUT, priority=2)


def diagnosed(*mends: Mend, of: str = "t1", reason: str = "too few") -> Diagnosis:
    """What an analyst says of a failure."""
    return Diagnosis(of, "tool", "desk", 0, reason, 0.9, mends)


def test_a_mend_becomes_a_new_strategy_that_knows_where_it_comes_from() -> None:
    """Its failures, the cycle and the reason."""
    (candidate,) = vary([diagnosed(MORE, of="t2"), diagnosed(MORE)], [], cycle="c7").candidates
    assert candidate == Strategy(
        "find_slots-limit",
        MORE.body,
        1,
        ("appointment",),
        ABOUT,
        note=MORE.note,
        lineage=Lineage((), ("t1", "t2"), "c7", MORE.note),
    )


def test_a_candidate_gives_the_reason_of_the_mend_that_it_is_made_of() -> None:
    """Not the diagnosis', which may be about another call; nor that of another type. One without a note has the diagnosis'."""
    view = Mend(None, Rule(defaults={"view": "full"}), ABOUT, note="the view was expected")
    bare = Mend(None, Rule(defaults={"ward": "eye"}), ABOUT)
    made = vary([diagnosed(MORE, view, bare, reason="too few")], []).candidates
    assert {each.name: (each.note, each.lineage.reason) for each in made} == {
        "find_slots-limit": (MORE.note, MORE.note),
        "find_slots-view": (view.note, view.note),
        "find_slots-ward": ("", "too few"),
    }
    other = msgspec.structs.replace(MORE, types=("referral",), note="so do referrals")
    made = vary([diagnosed(MORE), diagnosed(other, of="t2")], []).candidates
    assert [each.lineage.reason for each in made if each.types == ("referral",)] == ["so do referrals"]


def test_a_change_of_a_strategy_is_its_next_version() -> None:
    """With its priority, and its parent in the lineage."""
    (candidate,) = vary([diagnosed(Mend("few", Rule(defaults={"limit": 50}), ABOUT))], [FEW]).candidates
    assert (candidate.ref, candidate.priority, candidate.lineage.parents) == ("few@4", 2, ("few@3",))


def test_what_most_failures_ask_for_comes_first_and_advice_last() -> None:
    """Whichever was said first."""
    advice = Mend(None, Rule(advice="mind the limit"))
    view = Mend(None, Rule(defaults={"view": "full"}), ABOUT)
    found = vary([diagnosed(advice, view), diagnosed(advice, MORE, of="t2"), diagnosed(advice, MORE, of="t3")], [])
    assert [each.name for each in found.candidates] == ["find_slots-limit", "find_slots-view", "all-advice"]


def test_of_limits_the_greatest_is_tried_first_and_few_are_tried() -> None:
    """It serves all that the smaller ones serve; what is left out is told."""
    found = vary([diagnosed(msgspec.structs.replace(MORE, body=Rule(defaults={"limit": n})), of=f"t{n}") for n in range(10, 60, 10)], [])
    assert [each.body for each in found.candidates] == [Rule(defaults={"limit": n}) for n in (50, 40, 30)]
    assert [each.why for each in found.passed_over] == [f"{OF_A_NAME} others of its name come first"] * 2
    assert {each.name for each in found.candidates} == {"find_slots-limit"}, "they are alternatives"


def test_what_several_types_ask_for_is_tried_for_all_of_them_and_then_for_each() -> None:
    """The evidence is theirs together."""
    other = msgspec.structs.replace(MORE, types=("referral",))
    found = vary([diagnosed(MORE), diagnosed(other, of="t2")], [])
    assert [each.types for each in found.candidates] == [("appointment", "referral"), ("appointment",), ("referral",)]
    assert found.candidates[0].lineage.failures == ("t1", "t2")


def test_what_helps_one_type_is_widened_to_another() -> None:
    """A strategy that does the same already is for that type, too, in its next version."""
    there = Strategy("limits", MORE.body, 1, ("referral",), ABOUT)
    (candidate,) = vary([diagnosed(MORE)], [there]).candidates
    assert (candidate.ref, candidate.types, candidate.lineage.parents) == ("limits@2", ("appointment", "referral"), ("limits@1",))


def test_a_name_that_is_taken_gets_a_number() -> None:
    """It is another strategy."""
    (candidate,) = vary([diagnosed(MORE)], [Strategy("find_slots-limit", Rule(advice="mind"))]).candidates
    assert candidate.name == "find_slots-limit-2"


def test_what_was_rejected_or_is_there_is_not_proposed_again() -> None:
    """And that is told."""
    first = vary([diagnosed(MORE)], [])
    again = vary([diagnosed(MORE)], [], rejected={identity(first.candidates[0])})
    assert (again.candidates, [each.why for each in again.passed_over]) == ((), ["it was proposed before"])
    assert vary([diagnosed(Mend("few", FEW.body, ABOUT | {"type": {"==": "x"}}))], [FEW]).candidates != ()
    same = Mend("few", FEW.body, FEW.when)
    assert vary([diagnosed(same)], [FEW]).candidates == ()


def test_a_mend_that_is_too_large_is_told_by_how_much() -> None:
    """Of a version, of a new strategy, and of a plan."""
    large = Mend("few", Rule(use="book", defaults={"limit": 50, "view": "full"}), ABOUT)
    new = Mend(None, Rule(defaults=dict.fromkeys("abcd", 1)), ABOUT)
    step = PlanStep("look", "find_slots")
    plan = Strategy("plan", Template((step, step)))
    longer = Mend("plan", Template((step, PlanStep("greet"), step, PlanStep("thank"))))
    found = vary([diagnosed(large, new, longer)], [FEW, plan])
    assert found.candidates == ()
    told = " / ".join(each.why for each in found.passed_over)
    assert "it differs from few@3 in 3 fields, of 2: defaults.limit = 50" in told
    assert "it does 4 things, of 3" in told
    assert "it changes 2 steps of plan@1, of 1" in told
    assert not too_large(Mend("plan", Template((step, PlanStep("greet"), step))), plan)


def test_what_an_analyst_says_is_checked() -> None:
    """A strategy that is not there, and conditions that are none, make no candidate."""
    nonsense = Mend(None, Rule(advice="mind"), {"weather": {"==": "fine"}})
    found = vary([diagnosed(Mend("nobody", Rule(advice="mind")), nonsense)], [])
    assert found.candidates == ()
    assert {each.why.split(":")[0] for each in found.passed_over} == {"there is no strategy 'nobody'", "when.weather"}


def test_where_tasks_went_well_without_it_a_mend_is_first_tried_where_it_is_needed() -> None:
    """Under one condition more, which tells the failures from them; then everywhere."""
    failures = [task(f"t{n}", call("find_slots"), slots=60 + n) for n in range(4)]
    successes = [went_well(f"w{n}", call("find_slots"), slots=5 + n) for n in range(4)]
    diagnoses = [diagnosed(MORE, of=each.id) for each in failures]
    narrow, broad = vary(diagnoses, [], failures=failures, successes=successes).candidates
    assert (narrow.when, broad.when) == (ABOUT | {"facts.slots": {">": 34}}, ABOUT)
    assert narrow.name == broad.name
    elsewhere = [went_well(f"w{n}", call("book"), slots=5 + n) for n in range(4)]
    assert [each.when for each in vary(diagnoses, [], failures=failures, successes=elsewhere).candidates] == [ABOUT]


def test_what_failures_were_told_not_to_do_is_a_condition_though_nothing_speaks_against_the_mend() -> None:
    """If the mend is about that: who has not asked for it may want it as it was."""
    quiet = Mend(None, Rule(defaults={"reminder_by": "letter"}), {"tool": {"==": "send"}})
    requests = ["Book Dr. Wang, but do not send a reminder.", "Cancel it. Please do not send a reminder!"]
    failures = [task(f"t{n}", call("send"), request=each) for n, each in enumerate(requests)]
    narrow, broad = vary([diagnosed(quiet, of=each.id) for each in failures], [], failures=failures).candidates
    assert narrow.when == {"tool": {"==": "send"}, "request": {"matches": r"(?i)\bdo not send a reminder\b"}}
    assert broad.when == {"tool": {"==": "send"}}
    (only,) = vary([diagnosed(MORE, of=each.id) for each in failures], [], failures=failures).candidates
    assert only.when == ABOUT


def test_a_version_for_some_tasks_stands_beside_its_parent_which_goes_on_for_the_others() -> None:
    """It comes before it where both apply; then the parent itself is changed."""
    failures = [task(f"t{n}", call("find_slots", limit=5), slots=60 + n) for n in range(4)]
    successes = [went_well(f"w{n}", call("find_slots", limit=5), slots=2 + n) for n in range(4)]
    more = Mend("few", Rule(defaults={"limit": 50}), ABOUT)
    beside, instead = vary([diagnosed(more, of=each.id) for each in failures], [FEW], failures=failures, successes=successes).candidates
    assert (beside.ref, beside.priority, beside.when) == ("find_slots-limit@1", 3, ABOUT | {"facts.slots": {">": 32.5}})
    assert (instead.ref, instead.priority, instead.when) == ("few@4", 2, ABOUT)
    assert beside.lineage.parents == instead.lineage.parents == ("few@3",)


def test_a_strategy_that_fails_some_of_those_it_is_applied_to_is_narrowed() -> None:
    """By what tells those that it serves from the failures; if nothing does, there is no candidate."""
    failures = [task(f"t{n}", call("find_slots", limit=5), slots=60 + n) for n in range(4)]
    successes = [went_well(f"w{n}", call("find_slots", limit=5), slots=2 + n) for n in range(4)]
    not_here = Mend("few", FEW.body, FEW.when)
    (candidate,) = vary([diagnosed(not_here, of=each.id) for each in failures], [FEW], failures=failures, successes=successes).candidates
    assert (candidate.ref, candidate.body, candidate.when) == ("few@4", FEW.body, ABOUT | {"facts.slots": {"<": 32.5}})
    found = vary([diagnosed(not_here)], [FEW], failures=failures[:1], successes=successes[:1])
    assert [each.why for each in found.passed_over] == ["nothing tells the tasks that it fails from those that it serves"]


def test_strategies_in_force_for_neighbouring_types_are_crossed_where_tasks_of_them_fail() -> None:
    """After what the analyst suggests; the child is made for those failures."""
    one = Strategy("limits", Rule(defaults={"limit": 50}), types=("appointment",), when=ABOUT)
    other = Strategy("views", Rule(defaults={"view": "full"}), types=("referral",), when=ABOUT)
    mended, crossed = vary([diagnosed(Mend(None, Rule(advice="mind")))], [other, one], failures=[task("t1", call("find_slots"))]).candidates
    assert mended.name == "all-advice"
    assert (crossed.ref, crossed.lineage.parents, crossed.lineage.failures) == ("limits@2", ("limits@1", "views@1"), ("t1",))
    assert vary([], [one, other]).candidates == ()


mends = st.builds(
    Mend,
    st.sampled_from([None, "few", "nobody"]),
    st.one_of(
        st.builds(
            Rule,
            st.none() | st.just("book"),
            st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
            advice=st.sampled_from(["", "mind"]),
        ),
        st.builds(Parameters, st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))),
        st.builds(Template, st.lists(st.just(PlanStep("look")), max_size=5).map(tuple)),
    ),
    st.sampled_from([{}, ABOUT, {"facts.ward": {"==": "eye"}}, {"weather": {"==": "fine"}}]),
    st.sampled_from([(), ("appointment",), ("referral",)]),
)


@given(st.lists(st.lists(mends, max_size=3), max_size=5), st.data())
def test_whatever_analysts_suggest_candidates_are_small_new_and_different(suggested: list[Sequence[Mend]], data: st.DataObject) -> None:
    """And those that were rejected do not come again."""
    diagnoses = [diagnosed(*each, of=f"t{n}") for n, each in enumerate(suggested)]
    found = vary(diagnoses, [FEW])
    ids = [identity(each) for each in found.candidates]
    assert len(ids) == len(set(ids))
    assert identity(FEW) not in ids
    for each in found.candidates:
        assert each.lineage.failures
        if each.name == "few":
            assert 0 < len(changes(FEW, each)) <= MOST_CHANGED
            assert each.lineage.parents == ("few@3",)
    rejected = set(data.draw(st.lists(st.sampled_from(ids)))) if ids else set()
    assert not rejected & {identity(each) for each in vary(diagnoses, [FEW], rejected=rejected).candidates}
