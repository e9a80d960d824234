"""What counts how much in a selection (chapter 4, "Objective")."""

from math import inf
from typing import NamedTuple

from blackboard.errors import BadValue


class Weights(NamedTuple):
    """λ₁, λ₂, λ₃ of ``F(S) = λ₁·Relevance + λ₂·Diversity + λ₃·Coverage``; all ≥ 0."""

    relevance: float
    diversity: float
    coverage: float


PRESETS = {
    "default": Weights(0.5, 0.3, 0.2),
    "precise": Weights(0.7, 0.2, 0.1),  # tool calls
    "creative": Weights(0.25, 0.5, 0.25),
    "decision": Weights(0.4, 0.3, 0.3),
}


def weights_of(preset: str | Weights) -> Weights:
    """The λs of a preset, or one's own.

    :raises BadValue: a preset that there is not, or a λ below 0 or infinite
    """
    if isinstance(preset, str):
        if preset not in PRESETS:
            raise BadValue(
                f"there is no preset {preset!r}: choose from {', '.join(PRESETS)}, or give Weights(relevance, diversity, coverage)"
            )
        return PRESETS[preset]
    if not all(0 <= weight < inf for weight in preset):
        raise BadValue(f"{preset} has a weight that is below 0 or infinite: the objective would not be monotone, or no number")
    return preset
