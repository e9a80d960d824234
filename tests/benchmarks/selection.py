"""How well, and how fast, pieces are chosen for a prompt: ``python -m tests.benchmarks selection``, and on real conversations
``python -m tests.benchmarks ablations PATH`` (of LoCoMo, as in ``conversations``).

A budget counts ⌈characters/4⌉ of the rendered turns on real conversations, as published baselines do, and real tokens elsewhere. Questions
are asked from outside of the conversation, so there its newest turn is not in for being the newest.
"""

import gc
from collections.abc import Sequence
from math import ceil, e, inf
from pathlib import Path
from random import Random
from statistics import fmean, quantiles
from time import process_time

from blackboard.context import ContextSelector, Lexical, Piece, Weights
from blackboard.context.candidates import CANDIDATES, candidates
from blackboard.context.chunkers import turns
from blackboard.context.greedy import Terms, best_of_two, by_gain
from blackboard.context.history import History
from blackboard.context.objective import Worth
from blackboard.context.presets import PRESETS
from blackboard.context.similarity import topics
from blackboard.context.statements import binds
from blackboard.tokens import count_tokens
from tests.benchmarks.conversations import ASKED, Conversation, load
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row
from tests.blackboard.context import worths

BUDGETS = (500, 1000, 2000)
SHORT, LONG = 1_000, 10_000
"""Turns of a history."""
SMALL = 9
"""Pieces of a case of which all selections can be tried."""
WORDS = 4_000
"""Different ones that a history says, the common ones more often (by Zipf's law)."""


def selection(sizes: Sizes) -> list[Row]:
    """Against the best selection there is, against plain greedy, and against the clock."""
    long = LONG if sizes.few >= LONG // 10 else sizes.few
    return [*_guarantees(20 * sizes.pairs), *_lazy(long, sizes), _turn(SHORT * long // LONG, sizes), _turn(long, sizes)]


def _guarantees(cases: int) -> list[Row]:
    """The least share of the best value that was found."""
    counted, budgeted = [], []
    for seed in range(cases):
        price, ones, count, budget = worths.costs(seed, SMALL), [1] * SMALL, 1 + seed % 4, 10 + 7 * (seed % 11)
        best = worths.best(seed, SMALL, ones, inf, count)
        counted.append(by_gain(worths.worth(seed, SMALL), Terms(ones, pieces=count)).value / best)
        best = worths.best(seed, SMALL, price, budget, SMALL)
        if best:
            budgeted.append(best_of_two(lambda seed=seed: worths.worth(seed, SMALL), Terms(price, budget)).value / best)  # type: ignore[misc]
    note = f"the worst of {cases} small cases, against all selections there are"
    return [
        Row("greedy for a count", "of the best", (min(counted),), 1 - 1 / e, least=True, note=note),
        Row("best of two under a budget", "of the best", (min(budgeted),), 0.5 * (1 - 1 / e), least=True, note=note),
    ]


def _lazy(size: int, sizes: Sizes) -> list[Row]:
    """Lazy greedy against the plain one, on the candidates of one query over a long history."""
    history = History(turns, Lexical(), count_tokens, binds)
    history.follow(_said(size, 0))
    differences, ratios, computed, taken = [], [], [], []
    for run in range(sizes.pairs):
        among = candidates(history, history.relevance.scores(_query(run), CANDIDATES), 2000, inf, newest=True)
        cosines = history.relevance.cosines(among.numbers)
        of_topic = topics(cosines, among.ranking, among.topics)
        price = [history.tokens[number] for number in among.numbers]
        objectives = [_Counted(PRESETS["default"], among.worth, cosines, of_topic) for _ in range(2)]
        start = process_time()
        walk = by_gain(objectives[0], Terms(price, 2000))
        middle = process_time()
        plain, _ = worths.plain(objectives[1], price, 2000, inf)
        ratios.append((process_time() - middle) / (middle - start))
        differences.append(abs(walk.value - objectives[1].value) / objectives[1].value * 100)
        computed.append(objectives[1].computed / objectives[0].computed)
        taken.append(len(plain))
    note = f"{CANDIDATES} candidates of {size:,} turns, 2,000 tokens: {fmean(taken):.0f} chosen"
    return [
        Row("lazy greedy against plain, value", "% apart", (max(differences),), 0.001, note=note),
        Row("… faster", "×", tuple(ratios), 20, least=True, note="one computes the gains that it needs, the other all, each step"),
        Row("… gains computed one by one", "× fewer", tuple(computed), least=True),
    ]


class _Counted(Worth):
    """Counts how many gains are computed one by one."""

    computed = 1  # that of all at once

    def gain(self, candidate: int) -> float:
        self.computed += 1
        return super().gain(candidate)


def _turn(size: int, sizes: Sizes) -> Row:
    """A selection of 2,000 tokens after each two turns that have come to a history, which was looked at before."""
    said = _said(size + 2 * sizes.reads, 1)
    selector = ContextSelector()
    selector.prepare(said[:size])
    selector.select(_query(0), said[:size], max_tokens=2000)
    gc.collect()
    took = []
    for n in range(sizes.reads):
        now = said[: size + 2 * n + 2]
        start = process_time()
        selector.select(_query(n), now, max_tokens=2000)
        took.append((process_time() - start) * 1e3)
    high = quantiles(took, n=20)[-1]
    return Row(f"select, {size:,} turns and growing", "ms", tuple(took), 30, note=f"p95 {high:.3g}; 2,000 tokens, two new turns each time")


def _said(size: int, seed: int) -> list[Piece]:
    """A conversation of words without a meaning, 5 to 30 a turn."""
    draw = Random(seed)
    words = draw.choices(range(WORDS), [1 / (n + 3) for n in range(WORDS)], k=30 * size)
    return [Piece(" ".join(f"w{word}" for word in words[30 * n : 30 * n + draw.randint(5, 30)]), speaker="ab"[n % 2]) for n in range(size)]


def _query(seed: int) -> str:
    """Of five words, common and rare."""
    draw = Random(seed)
    return " ".join(f"w{draw.randrange(10 ** (1 + n % 3))}" for n in range(5))


# ---- on real conversations --------------------------------------------------------------------------------------------------------------

WAYS: dict[str, tuple[Weights, bool]] = {
    "default": (PRESETS["default"], False),
    "without diversity, λ₂ = 0": (PRESETS["default"]._replace(diversity=0), False),
    "without coverage, λ₃ = 0": (PRESETS["default"]._replace(coverage=0), False),
    "relevance alone": (Weights(1, 0, 0), False),
    "best of two": (PRESETS["default"], True),
}


def ablations(path: Path, sizes: Sizes) -> list[Row]:
    """The share of a question's evidence that is chosen, under budgets, and what of the conversation is saved."""
    conversations = load(path)
    if sizes.name != "full":
        conversations = conversations[:1]
    rows = []
    for budget in BUDGETS:
        for name, (weights, both) in WAYS.items():
            runs = [_asked(conversation, weights, both, budget) for conversation in conversations]
            recall = fmean(share for shares, _ in runs for share in shares) * 100
            saved = fmean(each for _, rates in runs for each in rates) * 100
            rows.append(Row(f"evidence chosen at {budget}: {name}", "%", (recall,), least=True, note=f"{saved:.0f} % of the tokens saved"))
    return rows


def _asked(conversation: Conversation, weights: Weights, both: bool, budget: int) -> tuple[Sequence[float], Sequence[float]]:
    """Of each question the share of its evidence that is chosen, and the share of tokens saved."""
    pieces = [Piece(turn.said, str(n), turn.speaker, turn.time.date()) for n, turn in enumerate(conversation.turns)]
    selector = ContextSelector(
        weights,
        method="best of two" if both else "gain",
        newest=False,
        chunker=lambda piece: [piece],
        counter=lambda text: ceil(len(text.rstrip("\n")) / 4),
    )
    shares, rates = [], []
    for question in conversation.questions:
        if question.category in ASKED:
            selection = selector.select(question.text, pieces, max_tokens=budget)
            found = {int(each.piece.id) for each in selection.chosen}
            shares.append(len(found & question.evidence) / len(question.evidence))
            rates.append(selection.compression)
    return shares, rates
