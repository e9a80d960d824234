"""Fits the weights of symptoms to failed runs whose decisive mistake is known: a conditional logit with a ridge penalty.

``python -m tests.benchmarks.fitting PATH`` fits those that are shipped (``agents.evolution.attribution.WEIGHTS``) on all runs of a file of
Who&When, and prints them.
"""

import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from agents.evolution.attribution import Weights
from agents.evolution.symptoms import SYMPTOMS, agents_turns, leader, symptoms
from tests.benchmarks.failures import Failure, load

INNER = 5
"""Folds in which the penalty is chosen."""
PENALTIES = (1.0, 3.0, 10.0)
"""Of the squares of the weights, halved."""
NAMES = tuple(SYMPTOMS)


class Runs(NamedTuple):
    """Runs as arrays, runs × turns; a shorter run is filled up with turns that cannot be."""

    signs: Any
    """… × symptoms: 1 where there."""
    there: Any
    """0 where there is a turn, else very small."""
    turn: Any
    """1 at the turn that decided it; nowhere, if that is no turn of the agent who is said to have."""
    agent: Any
    """1 at each turn of the agent who decided it."""

    def of(self, rows: Sequence[int]) -> "Runs":
        """These alone, as wide as the longest."""
        rows = list(rows)
        width = int((self.there[rows] == 0).sum(1).max(initial=0))
        return Runs(*(each[rows, :width] for each in self))


def arrays(failures: Sequence[Failure]) -> Runs:
    """What is known of these."""
    found = [symptoms(failure.log) for failure in failures]
    shape = len(failures), max(map(len, found), default=0)
    runs = Runs(np.zeros((*shape, len(NAMES))), np.full(shape, -1e9), np.zeros(shape), np.zeros(shape))
    for row, (failure, turns) in enumerate(zip(failures, found, strict=True)):
        for column, (number, signs) in enumerate(turns.items()):
            runs.signs[row, column] = [name in signs for name in NAMES]
            runs.there[row, column] = 0
            runs.agent[row, column] = failure.log.turns[number].by == failure.agent
            runs.turn[row, column] = number == failure.turn and runs.agent[row, column]
    return runs


def likelihood(runs: Runs, weights: Any) -> tuple[float, Any]:
    """The logarithm of how likely the right turns and the right agents are with these weights, added; and its gradient."""
    score = runs.signs @ weights + runs.there
    power = np.exp(score - score.max(1, keepdims=True))
    turn = power / power.sum(1, keepdims=True)
    agent = (runs.agent * turn).sum(1, keepdims=True)
    among = np.divide(runs.agent * turn, agent, out=turn.copy(), where=agent > 0)
    value = (runs.turn * np.log(np.maximum(turn, 1e-300))).sum() + np.log(agent[agent > 0]).sum()
    pull = runs.turn - runs.turn.sum(1, keepdims=True) * turn + among - turn
    return float(value), np.einsum("rt,rts->s", pull, runs.signs)


def fitted(runs: Runs, penalty: float) -> Any:
    """The weights under which the right answers are most likely, for this penalty."""

    def loss(weights: Any) -> tuple[float, Any]:
        value, gradient = likelihood(runs, weights)
        return penalty * (weights @ weights) / 2 - value, penalty * weights - gradient

    return minimize(loss, np.zeros(len(NAMES)), jac=True, method="BFGS").x


class Fitting:
    """Runs to fit weights on. A row is a run's number among ``failures``."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        self.failures = failures
        self._runs = arrays(failures)
        self._led = [leader([failure.log.turns[number] for number in agents_turns(failure.log)]) is not None for failure in failures]

    def fit(self, rows: Iterable[int], seed: int) -> Weights:
        """Weights for either way to work together, from these rows, with the penalty that does best where it is left out."""
        rows = list(rows)
        peers, led = ([row for row in rows if self._led[row] == led] for led in (False, True))
        return Weights(peers=self._fit(peers, seed), led=self._fit(led, seed))

    def _fit(self, rows: Sequence[int], seed: int) -> dict[str, float]:
        def worth(penalty: float) -> float:
            return sum(
                likelihood(self._runs.of(held), fitted(self._runs.of(rest), penalty))[0] for rest, held in self.folds(rows, INNER, seed)
            )

        if not rows:
            return {}
        weights = fitted(self._runs.of(rows), max(PENALTIES, key=worth))
        return {name: rounded for name, weight in zip(NAMES, weights, strict=True) if (rounded := round(float(weight), 2))}

    def folds(self, rows: Iterable[int], count: int, seed: int) -> Iterable[tuple[list[int], list[int]]]:
        """The rest and what is held out, ``count`` times; runs of one question stay together."""
        rows = list(rows)
        questions = sorted({self.failures[row].question for row in rows})
        random.Random(seed).shuffle(questions)
        fold = {question: number % count for number, question in enumerate(questions)}
        for number in range(min(count, len(questions))):
            held = [row for row in rows if fold[self.failures[row].question] == number]
            yield [row for row in rows if fold[self.failures[row].question] != number], held


if __name__ == "__main__":
    fitting = Fitting(load(Path(sys.argv[1])))
    for kind, weights in fitting.fit(range(len(fitting.failures)), 0)._asdict().items():
        print(kind, weights)  # noqa: T201 - its purpose
