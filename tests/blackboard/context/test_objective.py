"""What a selection is worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.context.objective import Worth
from blackboard.context.presets import Weights
from tests.blackboard.context.worths import value, worth

WEIGHTS = st.sampled_from([Weights(1, 0, 0), Weights(0, 1, 0), Weights(0, 0, 1), Weights(0.5, 0.3, 0.2)])
SIZE = 8
SETS = st.lists(st.integers(0, SIZE - 1), unique=True)


@given(seed=st.integers(0, 999), weights=WEIGHTS, small=SETS, more=SETS, each=st.integers(0, SIZE - 1))
def test_gains_are_never_negative_and_only_shrink(seed: int, weights: Weights, small: list[int], more: list[int], each: int) -> None:
    """Each term is monotone and submodular, and so is F."""
    few, many = worth(seed, SIZE, weights), worth(seed, SIZE, weights)
    value(few, small)
    value(many, [*small, *(other for other in more if other not in small)])
    if each not in {*small, *more}:
        assert few.gain(each) >= many.gain(each) - 1e-6
        assert many.gain(each) >= -1e-9


@given(seed=st.integers(0, 999), weights=WEIGHTS, chosen=SETS)
def test_all_gains_at_once_are_those_of_each(seed: int, weights: Weights, chosen: list[int]) -> None:
    """Computed together, they are the same; and a value is the sum of the gains, whatever their order."""
    objective = worth(seed, SIZE, weights)
    value(objective, chosen)
    assert objective.gains() == pytest.approx([objective.gain(each) for each in range(SIZE)], abs=1e-6)
    assert objective.value == pytest.approx(value(worth(seed, SIZE, weights), chosen[::-1]), abs=1e-5)


@given(seed=st.integers(0, 999), weights=WEIGHTS)
def test_all_candidates_together_are_worth_one(seed: int, weights: Weights) -> None:
    """So λs say what each term counts."""
    assert value(worth(seed, SIZE, weights), range(SIZE)) == pytest.approx(sum(weights), abs=1e-5)


def test_a_second_piece_of_a_topic_adds_less() -> None:
    """Than the same piece of another topic; and one that says the same covers nothing more."""
    alike = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], np.float32)
    objective = Worth(Weights(0, 0.5, 0.5), [1.0, 0.5, 0.5], alike, [0, 0, 2])
    objective.take(0)
    assert objective.gain(1) < objective.gain(2) / 2


def test_nothing_to_choose_from_is_worth_nothing() -> None:
    """And raises nothing."""
    objective = Worth(Weights(1, 1, 1), [], np.zeros((0, 0), np.float32), [])
    assert objective.gains() == []
    assert objective.value == 0


def test_what_is_half_alike_stands_for_a_quarter() -> None:
    """Coverage counts the square of a cosine."""
    cosines = np.array([[1, 0.5], [0.5, 1]], np.float32)
    objective = Worth(Weights(0, 0, 1), [0.5, 0.5], cosines, [0, 1])
    assert objective.gain(0) == pytest.approx(0.5 + 0.5 * 0.25)
