"""Objectives to try greedy selection on, and selections to hold it against: the plain greedy, and the best there is."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import numpy as np

from blackboard.context.objective import Worth
from blackboard.context.presets import Weights
from blackboard.context.similarity import by_vectors, topics


def worth(seed: int, size: int, weights: Weights | None = None) -> Worth:
    """Of random pieces: the same for the same seed."""
    draw = Random(seed)
    vectors = np.array([[draw.gauss(0, 1) for _ in range(4)] for _ in range(size)], np.float32).reshape(size, 4)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = by_vectors(vectors)
    relevance = [draw.random() ** 2 for _ in range(size)]
    ranking = sorted(range(size), key=lambda each: -relevance[each])
    return Worth(weights or Weights(0.4, 0.3, 0.3), relevance, cosines, topics(cosines, ranking, [""] * size))


def costs(seed: int, size: int) -> list[int]:
    """Of these pieces, in tokens."""
    draw = Random(seed + 1)
    return [draw.randint(1, 30) for _ in range(size)]


def value(objective: Worth, chosen: Sequence[int]) -> float:
    """F of a set; ``objective`` with nothing taken."""
    for each in chosen:
        objective.take(each)
    return objective.value


def plain(objective: Worth, costs: Sequence[int], budget: float, pieces: float) -> tuple[list[int], int]:
    """The textbook's greedy, which computes every gain anew at each step: what it takes, and how many gains it computed."""
    taken: list[int] = []
    computed = 0
    while len(taken) < pieces:
        spent = sum(costs[each] for each in taken)
        fitting = [each for each in range(len(costs)) if each not in taken and spent + costs[each] <= budget]
        gains = [objective.gain(each) for each in fitting]
        computed += len(gains)
        if not gains or max(gains) <= 0:
            break
        best = fitting[gains.index(max(gains))]
        objective.take(best)
        taken.append(best)
    return taken, computed


def best(seed: int, size: int, costs: Sequence[int], budget: float, pieces: int) -> float:
    """The best value of all sets there are."""
    sets = (chosen for count in range(pieces + 1) for chosen in combinations(range(size), count))
    return max(value(worth(seed, size), chosen) for chosen in sets if sum(costs[each] for each in chosen) <= budget)
