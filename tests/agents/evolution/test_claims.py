"""Claims about who has a board's cycle."""

from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.claims import cycles, under_way
from agents.evolution.entries import Began, Claim, Ended, TakenUp

CLAIMS = st.one_of(
    st.builds(Began, cycle=st.sampled_from("ab"), hold=st.sampled_from("123"), by=st.just("x"), at=st.just(0.0)),
    st.builds(
        TakenUp, cycle=st.sampled_from("ab"), hold=st.sampled_from("123"), former=st.sampled_from("123"), by=st.just("y"), at=st.just(1.0)
    ),
    st.builds(Ended, cycle=st.sampled_from("ab"), hold=st.sampled_from("123"), at=st.just(2.0), why=st.just("over")),
)


def test_the_second_that_begins_never_was() -> None:
    """The order of the log decides; it may begin another once the first is over."""
    first, second = Began("a", "1", "x", 0.0), Began("b", "2", "y", 0.0)
    over = Ended("a", "1", 1.0, "over")
    assert [each.id for each in cycles([first, second])] == ["a"]
    assert [each.id for each in cycles([first, second, over])] == ["a"]
    assert [each.id for each in cycles([first, over, second])] == ["a", "b"]


def test_of_two_that_take_over_one_has_it() -> None:
    """The second takes it from somebody who has it no more."""
    claims: list[Claim] = [Began("a", "1", "x", 0.0), TakenUp("a", "2", "1", "y", 1.0), TakenUp("a", "3", "1", "z", 1.0)]
    has = under_way(claims)
    assert has
    assert (has.hold, has.by, has.since) == ("2", "y", 1.0)
    assert under_way([*claims, Ended("a", "1", 2.0, "over")]) == has
    assert under_way([*claims, Ended("a", "2", 2.0, "over")]) is None


@given(st.lists(CLAIMS, max_size=12))
def test_at_most_one_is_under_way(claims: list[Claim]) -> None:
    """Whatever is claimed, in whatever order, and what was once decided stays."""
    found = cycles(claims)
    assert all(each.ended for each in found[:-1])
    for end in range(len(claims)):
        over = [each for each in cycles(claims[:end]) if each.ended]
        assert found[: len(over)] == over
