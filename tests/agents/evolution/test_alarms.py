"""Claims about what is said so that the board raises a signal."""

from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.alarms import cluster, rate
from agents.memory.records import Outcome
from tests.agents.evolution.world import logged, recorded


def outcomes(said: str) -> list[Outcome]:
    return ["success" if each == "s" else "failure" for each in said]


def test_the_limit_is_what_chance_leaves() -> None:
    """p − 3·√(p·(1 − p)/n), of the time before: for p = 0.8 and 25 tasks 0.56."""
    found = rate(outcomes("sssss" * 4 + "sfsfs" * 2 + "f" + "s" * 24), 25)
    assert found
    assert found.value == 0.96
    assert found.floor is not None
    p = 26 / 30
    assert found.floor == round(p - 3 * (p * (1 - p) / 25) ** 0.5, 3)


def test_too_little_is_known() -> None:
    """Before a window is full nothing is said, and no limit before there was one before it."""
    assert rate(outcomes("s" * 9), 10) is None
    found = rate(outcomes("s" * 19), 10)
    assert found
    assert found.floor is None


@given(st.text("sf", min_size=1, max_size=80), st.integers(1, 20))
def test_the_limit_is_a_rate(said: str, of: int) -> None:
    """Between 0 and the rate before."""
    found = rate(outcomes(said), of)
    if found and found.floor is not None:
        assert 0.0 <= found.floor <= said[:-of].count("s") / len(said[:-of]) + 0.001


def test_failures_that_go_the_same_way_are_said_the_same() -> None:
    """So that the second confirms the first; another way is something else."""
    one, other, third = recorded(logged(1)), recorded(logged(3)), recorded(logged(5, "success"))
    assert cluster(one) == cluster(other) != cluster(third)
