"""What has become of the versions is a fold of what was decided about them."""

from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.decisions import LIVE, Decision, earlier, standing
from agents.evolution.strategies import Status

DECISIONS = st.lists(
    st.builds(
        Decision,
        version=st.integers(1, 4),
        status=st.sampled_from(("candidate", "canary", "active", "retired", "rejected")),
        by=st.sampled_from(("", "Wang")),
    ),
    max_size=12,
)


def decided(*what: tuple[int, Status]) -> list[Decision]:
    return [Decision(version, status, by="Wang") for version, status in what]


@given(DECISIONS)
def test_laws(decisions: list[Decision]) -> None:
    """Whatever was decided, and whoever wrote it: at most one version is active, and none is live by nobody's word."""
    state = standing(decisions)
    assert sum(said.status == "active" for said in state.values()) <= 1
    assert all(said.by for said in state.values() if said.status in LIVE)
    assert list(state) == sorted(state)
    assert all(said.version == version for version, said in state.items())


def test_a_version_takes_the_place_of_the_one_before() -> None:
    """What becomes active retires the one before it, with who did it and what took its place; a canary beside it goes on."""
    state = standing(decided((1, "active"), (3, "canary"), (2, "active")))
    assert {version: said.status for version, said in state.items()} == {1: "retired", 2: "active", 3: "canary"}
    assert (state[1].by, state[1].why) == ("Wang", "version 2 took its place")


def test_a_canary_ends_once_a_newer_version_is_active() -> None:
    """A share of tasks would go by what was left behind; a newer canary is still to be found out about."""
    state = standing(decided((1, "active"), (2, "canary"), (3, "active"), (4, "canary")))
    assert {version: said.status for version, said in state.items()} == {1: "retired", 2: "retired", 3: "active", 4: "canary"}
    assert state[2].why == "version 3 took its place"


def test_scores_stay_until_there_are_others() -> None:
    """What was measured once is told until something is measured again."""
    measured = Decision(1, "candidate", by="Wang", scores={"mended": 4.0})
    state = standing([measured, Decision(1, "active", by="Li")])
    assert (state[1].scores, state[1].by) == ({"mended": 4.0}, "Li")
    assert standing([measured, Decision(1, "active", by="Li", scores={"mended": 5.0})])[1].scores == {"mended": 5.0}


def test_the_version_before() -> None:
    """The one to go back to is the last before it that was active and was not rejected since; going back twice goes further back."""
    told = decided((1, "active"), (2, "active"), (3, "candidate"), (4, "active"))
    assert earlier(told, 4) == 2
    assert earlier(told + decided((2, "active")), 2) == 1
    assert earlier(told + decided((2, "rejected")), 4) == 1
    assert earlier(told, 1) is None


def test_who_goes_back_does_not_go_to_what_was_gone_back_from() -> None:
    """A version that was rolled back, retired or rejected is not the one before any that came later."""
    told = decided((1, "active"), (2, "active"), (1, "active"), (3, "active"))
    assert earlier(told, 3) == 1
    assert earlier(decided((1, "active"), (2, "active"), (2, "retired"), (3, "active")), 3) == 1
    assert earlier(decided((1, "active"), (1, "retired"), (2, "active")), 2) is None
    assert earlier([*told, Decision(4, "active"), *decided((5, "active"))], 5) == 3
