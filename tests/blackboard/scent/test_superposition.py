"""Claims about ``superpose``."""

from itertools import pairwise
from math import inf, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.errors import BadValue
from blackboard.scent import superpose

concentrations = st.lists(st.floats(0, 1), max_size=40)
sharpness = st.floats(0.01, 1000)


@pytest.mark.parametrize(
    ("values", "beta", "together"),
    [
        ([], 1.0, 0.0),
        ([0.0, 0.0], 1.0, 0.0),
        ([0.9], 1.0, 0.9),
        ([0.1] * 10, 1.0, 0.7187),
        ([0.9, *[0.1] * 10], 1.0, 1.2560),
        ([0.1] * 10, 3.0, 0.5013),
    ],
)
def test_the_figures_of_the_chapter(values: list[float], beta: float, together: float) -> None:
    """Chapter 3, "Superpose"."""
    assert superpose(values, beta) == pytest.approx(together, abs=5e-5)


@pytest.mark.parametrize("weak", range(1, 14))
def test_up_to_thirteen_weak_ones_stay_below_one_strong(weak: int) -> None:
    """At β = 1, so at any larger one."""
    assert superpose([0.1] * weak) < 0.9
    assert superpose([0.1] * 14) > 0.9


@given(st.floats(0, 1e300), sharpness)
def test_one_alone_is_itself(value: float, beta: float) -> None:
    """To the last bit."""
    assert superpose([value], beta) == value


@given(concentrations, sharpness)
def test_nothing_adds_nothing(values: list[float], beta: float) -> None:
    """Scents of 0 are none."""
    assert superpose([*values, 0.0, 0.0], beta) == pytest.approx(superpose(values, beta), rel=1e-9, abs=1e-12)


def test_a_hundred_thousand_times_nothing_adds_nothing() -> None:
    """Also where what is strong is taken out of the sum."""
    assert superpose([1.0, *[0.0] * 100_000], 31.0) == pytest.approx(1.0, abs=1e-13)


@given(concentrations, sharpness, st.floats(0, 1))
def test_more_is_never_less(values: list[float], beta: float, more: float) -> None:
    """Monotone in what is added, and never below the strongest or above the plain sum."""
    together = superpose([*values, more], beta)
    assert together >= superpose(values, beta) - 1e-9
    assert max([*values, more]) - 1e-9 <= together <= sum(values) + more + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), sharpness, st.floats(0, 1), st.data())
def test_stronger_is_never_weaker(values: list[float], beta: float, by: float, data: st.DataObject) -> None:
    """Monotone in each of them."""
    place = data.draw(st.integers(0, len(values) - 1))
    stronger = [each + by * (n == place) for n, each in enumerate(values)]
    assert superpose(stronger, beta) >= superpose(values, beta) - 1e-9


@given(concentrations, sharpness, st.randoms(use_true_random=False))
def test_the_order_is_nothing(values: list[float], beta: float, dice: object) -> None:
    """To the last bit."""
    shuffled = list(values)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert superpose(shuffled, beta) == superpose(values, beta)


@given(st.floats(1e-200, 1e300), st.integers(2, 50), st.floats(1e-3, 1e300))
def test_it_stays_a_number_whatever_is_large(value: float, many: int, beta: float) -> None:
    """Of n alike it is at most ln(n)/β more than one, and at most n times one."""
    together = superpose([value] * many, beta)
    assert value * (1 - 1e-12) <= together <= min(value + log(many) / beta, value * many) * (1 + 1e-9)


def test_the_two_ways_to_compute_it_meet() -> None:
    """Where the one takes over from the other nothing jumps."""
    found = [superpose([beta / 1000] * 3, 1000) for beta in (29.999, 30.0, 30.001)]
    assert all(0 < after - before < 2e-6 for before, after in pairwise(found))


@pytest.mark.parametrize("beta", [0, -1.0, nan, inf])
def test_a_sharpness_that_cannot_be(beta: float) -> None:
    """It is named, with the cure."""
    with pytest.raises(BadValue, match=rf"sharpness {beta!r} is not a number above 0: 1\.0"):
        superpose([0.5], beta)


@pytest.mark.parametrize("value", [-0.1, nan, inf])
def test_a_concentration_that_cannot_be(value: float) -> None:
    """It is named, wherever it stands."""
    with pytest.raises(BadValue, match=f"concentration {value!r} is not"):
        superpose([0.5, value])
