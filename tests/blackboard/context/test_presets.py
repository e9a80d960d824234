"""What counts how much."""

import pytest

from blackboard.context.presets import PRESETS, Weights, weights_of
from blackboard.errors import BadValue


def test_presets_are_those_of_the_chapter() -> None:
    """And each sums to 1."""
    assert PRESETS == {"default": (0.5, 0.3, 0.2), "precise": (0.7, 0.2, 0.1), "creative": (0.25, 0.5, 0.25), "decision": (0.4, 0.3, 0.3)}
    assert all(sum(weights) == pytest.approx(1) for weights in PRESETS.values())


def test_weights_of_ones_own() -> None:
    """Are taken as they are."""
    assert weights_of(Weights(1, 0, 0)) == (1, 0, 0)
    assert weights_of("precise") == PRESETS["precise"]


@pytest.mark.parametrize("preset", ["precice", Weights(1, -0.1, 0), Weights(float("nan"), 0, 0), Weights(1, float("inf"), 0)])
def test_others_are_refused(preset: str | Weights) -> None:
    """With what there is."""
    with pytest.raises(BadValue):
        weights_of(preset)
