"""Whose mistake decided that a task failed, and at which turn: by rules, without a model (chapter 5, "The evolution cycle", analyse).

Each turn of an agent weighs as much as its symptoms do together; the weights of a log's turns make probabilities (softmax), as in a
conditional logit (McFadden 1974). What comes first is what is most likely right about both: the turn, and the agent, whose probability
is that of all its turns.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from agents.evolution.symptoms import SYMPTOMS, agents_turns, leader, symptoms
from agents.memory.records import TaskLog

REASONS = 3
"""As many symptoms are named as a reason."""


class Weights(NamedTuple):
    """Symptom → what it adds; one that is not named adds nothing."""

    peers: Mapping[str, float]
    """For agents that talk as equals, and for one alone."""
    led: Mapping[str, float]
    """For agents of whom one leads the others."""


WEIGHTS = Weights(
    peers={
        "opens": 0.5,
        "early": 0.14,
        "last": -0.15,
        "formal": -0.55,
        "calls": 0.19,
        "first call": 0.73,
        "fails": 0.7,
        "first failure": 0.36,
        "comes to nothing": 0.66,
        "after a failure": -0.3,
        "unsourced": 1.1,
        "by hand": 1.46,
        "assumes": 0.44,
        "complains": -0.6,
        "concludes": -0.24,
        "accepted": 0.65,
        "doubted": -0.15,
        "repeats": 0.08,
        "asks": 0.39,
    },
    led={
        "leads": -0.68,
        "settles": 1.43,
        "opens": -0.2,
        "early": 1.35,
        "last": 0.52,
        "formal": -1.1,
        "calls": 1.28,
        "first call": 0.17,
        "unsourced": 0.7,
        "by hand": 0.52,
        "assumes": 0.32,
        "complains": 1.11,
        "concludes": 1.18,
        "accepted": 0.67,
        "doubted": 0.71,
        "stuck": 0.58,
        "repeats": -0.29,
        "asks": -0.12,
    },
)
"""Fitted on 2026-11-30 by ``python -m tests.benchmarks.fitting`` on 92 of the 184 failed runs of Who&When (ICML 2025), ridge penalty
chosen by five-fold cross-validation; what they reach on runs left out is in docs/benchmarks.md."""


class Attribution(Struct, frozen=True):
    """A mistake that may have decided it."""

    agent: str
    turn: int
    """Its number in the log."""
    reason: str
    """What speaks for it, in words."""
    confidence: float
    """0…1: how probable it is, among the turns of this log, that it was this one."""


def attribute(log: TaskLog, weights: Weights = WEIGHTS) -> Attribution | None:
    """The most probable of ``suspects``; None if no agent said anything."""
    return next(iter(suspects(log, weights)), None)


def suspects(log: TaskLog, weights: Weights = WEIGHTS) -> tuple[Attribution, ...]:
    """Every turn of an agent, the most probable first; of two that are alike the earlier."""
    found = symptoms(log)
    if not found:
        return ()
    by = {number: log.turns[number].by for number in found}
    added = weights.peers if leader([log.turns[number] for number in agents_turns(log)]) is None else weights.led
    probable = _softmax({number: math.fsum(added.get(sign, 0.0) for sign in signs) for number, signs in found.items()})
    agents = dict.fromkeys(by.values(), 0.0)
    for number, probability in probable.items():
        agents[by[number]] += probability
    ranked = sorted(found, key=lambda number: (-probable[number] - agents[by[number]], number))
    return tuple(Attribution(by[number], number, _reason(found[number], added), probable[number]) for number in ranked)


def _softmax(weights: Mapping[int, float]) -> dict[int, float]:
    most = max(weights.values())
    powers = {number: math.exp(weight - most) for number, weight in weights.items()}
    total = math.fsum(powers.values())
    return {number: power / total for number, power in powers.items()}


def _reason(signs: frozenset[str], added: Mapping[str, float]) -> str:
    """What speaks for it most, the heaviest first."""
    telling = sorted((sign for sign in signs if added.get(sign, 0.0) > 0), key=lambda sign: (-added[sign], sign))
    return "; ".join(SYMPTOMS[sign] for sign in telling[:REASONS]) or "nothing speaks for another turn"
