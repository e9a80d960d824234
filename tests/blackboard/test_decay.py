"""Decay is a function of elapsed time alone (chapter 2, "The three updates")."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.decay import DecayClass, half_life_to_rate, rate_to_half_life
from blackboard.errors import BadValue


@pytest.mark.parametrize(("half_life", "rate"), [(15, 0.045158), (200, 0.003460), (1, 0.5), (math.inf, 0.0)])
def test_half_lives_become_rates(half_life: float, rate: float) -> None:
    """A half-life of 15 rounds is a rate of 0.045158, one of 200 a rate of 0.003460."""
    assert half_life_to_rate(half_life) == pytest.approx(rate, abs=5e-7)
    assert rate_to_half_life(half_life_to_rate(half_life)) == pytest.approx(half_life)


@pytest.mark.parametrize("half_life", [0, -1, math.nan])
def test_impossible_half_lives_are_refused(half_life: float) -> None:
    """A half-life is above 0; the error names the value."""
    with pytest.raises(BadValue, match=repr(half_life)):
        half_life_to_rate(half_life)


@pytest.mark.parametrize("rate", [1, -0.1, math.nan])
def test_impossible_rates_are_refused(rate: float) -> None:
    """A rate is at least 0 and below 1; the error names the value."""
    with pytest.raises(BadValue, match=repr(rate)):
        rate_to_half_life(rate)
    with pytest.raises(BadValue):
        DecayClass("x", rate, 0.0)


def test_steps_leave_no_trace() -> None:
    """A hundred thousand steps end at the very bits of one."""
    stepped, leapt = DecayClass("x", 0.1, 0.0), DecayClass("x", 0.1, 0.0)
    for t in range(1, 100_001):
        stepped.advance(t)
    leapt.advance(100_000)
    assert stepped.level == leapt.level == leapt.level_at(100_000)


def test_a_round_at_another_rate_takes_the_place_of_the_policy() -> None:
    """``evaporate(rate)`` counts for its round alone, before and after it the policy does."""
    decay = DecayClass("x", 0.02, 0.0)
    decay.advance(1)
    decay.evaporate(0.5, 2)
    decay.advance(3)
    assert math.exp(-decay.level) == pytest.approx(0.98 * 0.5 * 0.98)


def test_before_its_origin_a_level_is_what_it_was_at_the_origin() -> None:
    """A time within a round that was evaporated at another rate is as good as the round's end."""
    decay = DecayClass("x", 0.02, 0.0)
    decay.evaporate(0.5, 1)
    assert decay.level_at(0.5) == decay.level_at(1) == decay.level


@given(
    rate=st.floats(1e-9, 0.999),
    origin=st.sampled_from([0.0, 1.75e9]),
    level=st.floats(0, 1e4),
    base=st.floats(0, 1e4),
)
def test_reaches_is_when_the_level_is_there(rate: float, origin: float, level: float, base: float) -> None:
    """At the time that ``reaches`` tells, a waiter finds the level reached, rounding or not; and no more than that."""
    decay = DecayClass("x", rate, origin)
    decay.base = base
    t = decay.reaches(level)
    assert decay.level_at(t) >= level
    assert decay.level_at(t) == pytest.approx(max(level, base), rel=1e-6, abs=decay.slope * 1e-5 + 1e-9)


def test_what_does_not_decay_reaches_nothing() -> None:
    """At a rate of 0 no higher level is ever reached."""
    assert DecayClass("x", 0.0, 0.0).reaches(1.0) == math.inf


def test_another_rate() -> None:
    """The level is continuous, and grows at the new rate from then on; what was before, it does not look at."""
    decay = DecayClass("x", 0.1, 0.0)
    decay.advance(5)
    level = decay.level
    decay.change(0.5, 5)
    assert decay.level == decay.level_at(5) == decay.level_at(0) == level
    decay.advance(7)
    assert decay.level == pytest.approx(level + 2 * math.log(2))
    assert decay.reaches(decay.level) == pytest.approx(7)


def test_the_same_rate_again_changes_nothing() -> None:
    """What waits for a level is due when it was, to the last bit: rounding would show, since it depends on where one counts from."""
    decay = DecayClass("x", 0.02, 0.0)
    levels = [level / 7 for level in range(2, 100)]
    due = [decay.reaches(level) for level in levels]
    decay.advance(11)
    decay.change(0.02, 11)
    assert [decay.reaches(level) for level in levels] == due
