import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agents.evolution.exact import fisher, sign_test

small = st.integers(0, 12)


@given(small, small)
def test_the_sign_test_is_the_binomial_test_of_scipy(better: int, worse: int) -> None:
    """One-sided, at one half."""
    expected = stats.binomtest(better, better + worse, 0.5, alternative="greater").pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(expected)


@given(small, small, small, small)
def test_fisher_is_the_exact_test_of_scipy(a: int, b: int, c: int, d: int) -> None:
    """One-sided: so few, or fewer."""
    expected = stats.fisher_exact([[a, b], [c, d]], alternative="less").pvalue
    assert fisher(a, a + b, c, c + d) == pytest.approx(expected)


def test_no_observation_tells_nothing() -> None:
    """Without tasks the chance is 1."""
    assert sign_test(0, 0) == fisher(0, 0, 3, 5) == fisher(0, 4, 0, 0) == 1.0
