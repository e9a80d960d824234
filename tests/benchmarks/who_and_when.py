"""Whose mistake decided a failure, and at which turn: ``python -m tests.benchmarks who_and_when PATH``.

All of it is *left out*: in each of ten folds the weights, and how strongly they are held near 0, are chosen on the runs of other questions.
Beside it stand, on the same runs, the trivial answers.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from agents.evolution.attribution import WEIGHTS, Weights, attribute
from agents.evolution.symptoms import agents_turns
from tests.benchmarks.failures import Failure, load
from tests.benchmarks.fitting import Fitting
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

FOLDS, REPEATS = 10, 5
AIM = {"agent": 53.5, "turn": 14.2}
"""Published for language models, over both kinds of run."""
Kind = Callable[[Failure], bool]
KINDS: dict[str, Kind] = {
    "hand-crafted": lambda failure: failure.crafted,
    "algorithm-generated": lambda failure: not failure.crafted,
    "both": lambda _: True,
}

Answer = tuple[str, int]
"""An agent, and the number of a turn."""
Answering = Callable[[Failure], Answer]


class Right(NamedTuple):
    """Shares of the runs for which an answer is right, in percent."""

    agent: float
    turn: float


def left_out(fitting: Fitting, seed: int, learn: Callable[[list[int]], Answering]) -> list[Answer]:
    """For each run the answer of what was learned from the runs of other folds."""
    found: dict[int, Answer] = {}
    for rest, held in fitting.folds(range(len(fitting.failures)), FOLDS, seed):
        answer = learn(rest)
        found |= {row: answer(fitting.failures[row]) for row in held}
    return [found[row] for row in range(len(fitting.failures))]


def right(failures: Iterable[Failure], answers: Iterable[Answer], kind: Kind) -> Right:
    """How often these answers are right among the runs of a kind."""
    some = [(failure, answer) for failure, answer in zip(failures, answers, strict=True) if kind(failure)]
    if not some:
        return Right(0, 0)
    return Right(
        100 * fmean(agent == failure.agent for failure, (agent, _) in some),
        100 * fmean(turn == failure.turn for failure, (_, turn) in some),
    )


def by_symptoms(weights: Weights) -> Answering:
    """What ``attribute`` says."""

    def answer(failure: Failure) -> Answer:
        found = attribute(failure.log, weights)
        return ("", -1) if found is None else (found.agent, found.turn)

    return answer


def _agents(failure: Failure) -> list[str]:
    return [failure.log.turns[number].by for number in agents_turns(failure.log)]


def first(failure: Failure) -> Answer:
    """The first agent, as a person's turn is none; turn 0."""
    return _agents(failure)[0], 0


def first_turn(failure: Failure) -> Answer:
    """The last agent that spoke, and the first turn of an agent: 1 where a person began."""
    return _agents(failure)[-1], agents_turns(failure.log)[0]


def talkative(failure: Failure) -> Answer:
    """The agent with the most turns in the run, and its first."""
    most = Counter(_agents(failure)).most_common(1)[0][0]
    return most, next(number for number in agents_turns(failure.log) if failure.log.turns[number].by == most)


TRIVIAL: dict[str, Answering] = {
    "first agent; turn 0": first,
    "last agent; first turn of an agent": first_turn,
    "agent with the most turns; its first": talkative,
}


def commonest(rest: Iterable[Failure]) -> Answering:
    """The agent and the turn that most often decided the other runs of the kind."""
    agents: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    turns: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    for failure in rest:
        agents[failure.crafted][failure.agent] += 1
        turns[failure.crafted][failure.turn] += 1
    most = {
        kind: (max(agents[kind], key=agents[kind].__getitem__, default=""), max(turns[kind], key=turns[kind].__getitem__, default=0))
        for kind in agents
    }
    return lambda failure: most[failure.crafted]


def chance(failures: Iterable[Failure], kind: Kind) -> Right:
    """What guessing is right in, on average: among the agents that spoke, and among the turns of agents."""
    some = [_agents(failure) for failure in failures if kind(failure)]
    return Right(100 * fmean(1 / len({*each}) for each in some), 100 * fmean(1 / len(each) for each in some)) if some else Right(0, 0)


def interval(percent: float, count: int) -> str:
    """Wilson's 95 % interval of a share of so many."""
    share, z = percent / 100, 1.96
    middle, half = share + z * z / (2 * count), z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return f"{100 * (middle - half) / (1 + z * z / count):.0f} – {100 * (middle + half) / (1 + z * z / count):.0f}"


def rows(path: Path, sizes: Sizes) -> list[Row]:
    """Each kind of run apart and both together: what is left out must be above the best of the trivial answers."""
    failures = load(path)
    fitting, seeds = Fitting(failures), range(REPEATS if sizes.pairs > 1 else 1)
    answers = {what: [list(map(answer, failures))] for what, answer in TRIVIAL.items()}
    answers["most frequent in the other runs"] = [
        left_out(fitting, seed, lambda rest: commonest(failures[row] for row in rest)) for seed in seeds
    ]
    trivial = len(answers)
    answers["by symptoms, as shipped"] = [list(map(by_symptoms(WEIGHTS), failures))]
    answers["by symptoms, left out"] = [
        left_out(fitting, seed, lambda rest, seed=seed: by_symptoms(fitting.fit(rest, seed)))  # type: ignore[misc]
        for seed in seeds
    ]
    found = []
    for name, kind in KINDS.items():
        if not (count := sum(map(kind, failures))):
            continue
        shares = {what: [right(failures, each, kind) for each in some] for what, some in answers.items()}
        shares = {"at random, on average": [chance(failures, kind)], **shares}
        for asked in Right._fields:
            some = [Row(f"{name}: {asked}, {what}", "%", tuple(getattr(one, asked) for one in each)) for what, each in shares.items()]
            best, ours = max(row.value for row in some[: trivial + 1]), some.pop()
            note = f"the best trivial answer; {count} runs, 95 % interval {interval(ours.value, count)}"
            found += [*some, Row(ours.name, ours.unit, ours.runs, best, AIM[asked] if name == "both" else None, least=True, note=note)]
    return found
