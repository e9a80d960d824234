"""How much of the evidence for a question is recalled from a long conversation: ``python -m tests.benchmarks locomo PATH``.

Each turn is an item that says who said it and when, linked with the turn before it in its session. A question ranks the turns; its recall
at a budget is the share of its evidence among those that fit, from the best on. Beside it stand, in the same run, the last turns, BM25 over
plain words, and MMR on it. The settings are also chosen by leaving one conversation out: *fitted* is the best setting's figure on all,
*left out* that of each conversation under the setting which is best on the others.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import NamedTuple

from blackboard.embedding import Cached, Embedder
from blackboard.items import ContextItem
from blackboard.minilm import MiniLM
from blackboard.network import PheromoneNetwork
from blackboard.text import WEIGHTS, Weights
from tests.benchmarks.conversations import ASKED, CATEGORIES, Conversation, Question, Turn, load
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

BUDGETS = (500, 1000, 2000)
MUST = {500: 76.0, 1000: 82.0, 2000: 87.0}
AIM = {500: 82.0, 1000: 88.0, 2000: 92.0}
MUST_WITH_MODEL = {500: 80.0, 1000: 86.0, 2000: 91.0}
AIM_WITH_MODEL = {500: 85.0, 1000: 90.0, 2000: 94.0}
GRID = [Weights(*each) for each in product((0.5, 0.6, 0.75), (0.3, 0.4, 0.6), (1.3, 1.6, 2.0))]
"""Settings that are tried."""

RANKED = 200
"""Turns that a question ranks: more than the largest budget holds."""

Ranker = Callable[[str], Sequence[int]]
"""Question → the numbers of the turns, the best first."""
System = Callable[[Conversation], Ranker]


class Scores(NamedTuple):
    """How well one question was met."""

    category: int
    recall: dict[int, float]
    """Budget → share of the evidence within it."""
    recall10: float
    ndcg10: float


# ---- systems ----------------------------------------------------------------------------------------------------------------------------


def network_of(turns: Iterable[Turn], embedder: Embedder | None = None) -> PheromoneNetwork:
    """A conversation as a network keeps it: a turn's neighbours are edges."""
    network = PheromoneNetwork(embedder=embedder)
    turns = list(turns)
    items = [network.deposit(ContextItem(turn.said, meta=_told(turn), target=turn.id)) for turn in turns]
    for (one, before), (other, after) in pairwise(zip(turns, items, strict=True)):
        if one.session == other.session:
            network.connect(before, after, relation="next")
    return network


def _told(turn: Turn) -> dict[str, str]:
    return {"speaker": turn.speaker, "time": turn.time.isoformat()}


def recall(conversation: Conversation, embedder: Embedder | None = None) -> Callable[[Weights], Ranker]:
    """This network, with these settings."""
    network = network_of(conversation.turns, embedder)
    numbers = {item.id: number for number, item in enumerate(network.all_items())}
    return lambda weights: lambda question: [numbers[hit.item.id] for hit in network.hits(question, RANKED, weights=weights)]


def last(conversation: Conversation) -> Ranker:
    """The window: what was said last."""
    newest = range(len(conversation.turns) - 1, -1, -1)
    return lambda _: newest


def bm25(conversation: Conversation) -> Ranker:
    """BM25 over plain words, as it stands in textbooks (k₁ 1.2, b 0.75)."""
    score = _bm25([_words(turn.said) for turn in conversation.turns])

    def rank(question: str) -> list[int]:
        scores = score(_words(question))
        return sorted(scores, key=lambda each: (-scores[each], each))

    return rank


def mmr(conversation: Conversation, relevance: float = 0.7) -> Ranker:
    """Maximal marginal relevance on BM25: what is like what was chosen counts less (Carbonell and Goldstein 1998)."""
    said = [_words(turn.said) for turn in conversation.turns]
    score, sets = _bm25(said), [frozenset(words) for words in said]

    def rank(question: str) -> list[int]:
        scores = score(_words(question))
        left = sorted(scores, key=lambda each: (-scores[each], each))[:100]
        most, alike, chosen = max(scores.values(), default=1.0), dict.fromkeys(left, 0.0), list[int]()
        while left:
            best = max(left, key=lambda each: relevance * scores[each] / most - (1 - relevance) * alike[each])
            left.remove(best)
            chosen.append(best)
            for each in left:
                both = len(sets[each] & sets[best])
                alike[each] = max(alike[each], both / max(len(sets[each] | sets[best]), 1))
        return chosen

    return rank


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _bm25(texts: list[list[str]], k: float = 1.2, b: float = 0.75) -> Callable[[list[str]], dict[int, float]]:
    mean = fmean(map(len, texts))
    postings: dict[str, dict[int, int]] = {}
    for number, words in enumerate(texts):
        for word, count in Counter(words).items():
            postings.setdefault(word, {})[number] = count

    def score(asked: list[str]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for word in asked:
            having = postings.get(word, {})
            idf = math.log1p((len(texts) - len(having) + 0.5) / (len(having) + 0.5))
            for number, count in having.items():
                scores[number] = scores.get(number, 0.0) + idf * count * (k + 1) / (count + k * (1 - b + b * len(texts[number]) / mean))
        return scores

    return score


# ---- figures ----------------------------------------------------------------------------------------------------------------------------


def scores(rank: Ranker, conversation: Conversation) -> list[Scores]:
    """Every question of a conversation."""
    costs = [turn.tokens for turn in conversation.turns]
    return [_scored(question, rank(question.text), costs) for question in conversation.questions]


def _scored(question: Question, ranked: Sequence[int], costs: Sequence[int]) -> Scores:
    evidence = question.evidence
    first = ranked[:10]
    gain = sum(1 / math.log2(place + 2) for place, turn in enumerate(first) if turn in evidence)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(evidence))))
    within = {budget: len(evidence & within_budget(ranked, costs, budget)) / len(evidence) for budget in BUDGETS}
    return Scores(question.category, within, len(evidence & set(first)) / len(evidence), gain / ideal)


def within_budget(ranked: Iterable[int], costs: Sequence[int], budget: int) -> set[int]:
    """The turns that fit, from the best on; one that does not is skipped."""
    fitting: set[int] = set()
    for turn in ranked:
        if costs[turn] <= budget:
            budget -= costs[turn]
            fitting.add(turn)
    return fitting


def recalls(found: Iterable[Scores], categories: Iterable[int] = ASKED) -> dict[int, float]:
    """Budget → mean recall over the questions of these categories, in percent."""
    some = [each for each in found if each.category in set(categories)]
    return {budget: 100 * fmean(each.recall[budget] for each in some) for budget in BUDGETS}


def by_category(found: Sequence[Scores], figure: Callable[[Scores], float]) -> float:
    """The mean of the categories' means, all five, in percent: as MTEB's task has it."""
    present = {each.category for each in found}
    return 100 * fmean(fmean(figure(each) for each in found if each.category == category) for category in present)


def left_out(grid: Sequence[list[list[Scores]]]) -> tuple[dict[int, float], dict[int, float], int]:
    """Of settings × conversations × questions: what is fitted, what is left out, and the number of the best setting on all."""

    def worth(setting: int, conversations: Iterable[int]) -> float:
        return sum(recalls(each for number in conversations for each in grid[setting][number]).values())

    everything = range(len(grid[0]))
    best = max(range(len(grid)), key=lambda setting: worth(setting, everything))
    held: list[Scores] = []
    for number in everything:
        others = [other for other in everything if other != number]
        held += grid[max(range(len(grid)), key=lambda setting: worth(setting, others or everything))][number]
    return recalls(each for some in grid[best] for each in some), recalls(held), best


def rows(path: Path, sizes: Sizes) -> list[Row]:
    """Without a model, beside the baselines."""
    conversations = load(path)
    found = []
    for name, system in {"the last turns": last, "BM25, plain words": bm25, "MMR on BM25": mmr}.items():
        for budget, value in recalls(each for conversation in conversations for each in scores(system(conversation), conversation)).items():
            found.append(Row(f"recall at {budget}: {name}", "%", (value,), least=True))
    tried = GRID if sizes.pairs > 1 else GRID[:2]
    return found + _ours(conversations, [(each, recall(each)) for each in conversations], tried, Limits(MUST, AIM))


def rows_with_model(path: Path, sizes: Sizes) -> list[Row]:
    """With MiniLM, which is in the extra ``embed``. It reads some 8,000 texts, for minutes."""
    conversations, embedder = load(path), Cached(MiniLM())
    ranked = [(each, recall(each, embedder)) for each in conversations]
    tried = [WEIGHTS._replace(meaning=each) for each in ((0.1, 0.15, 0.2) if sizes.pairs > 1 else (0.1, 0.15))]
    return _ours(conversations, ranked, tried, Limits(MUST_WITH_MODEL, AIM_WITH_MODEL), "with MiniLM, ")


class Limits(NamedTuple):
    """What must be reached at each budget, and what is hoped for."""

    must: dict[int, float]
    aim: dict[int, float]


def _ours(
    conversations: Sequence[Conversation],
    ranked: Sequence[tuple[Conversation, Callable[[Weights], Ranker]]],
    tried: Sequence[Weights],
    limits: Limits,
    how: str = "",
) -> list[Row]:
    """The rows of this network."""
    rankers = [(conversation, rank(WEIGHTS)) for conversation, rank in ranked]
    for conversation, rank_one in rankers:
        rank_one(conversation.questions[0].text)  # indexes
    began = perf_counter()
    ours = [each for conversation, rank_one in rankers for each in scores(rank_one, conversation)]
    seconds = perf_counter() - began
    found = [
        Row(f"recall at {budget}: {how}as shipped", "%", (value,), limits.must[budget], limits.aim[budget], least=True)
        for budget, value in recalls(ours).items()
    ]
    for category in sorted({each.category for each in ours} & {*ASKED}):
        note = ", ".join(f"{value:.1f} at {budget}" for budget, value in recalls(ours, [category]).items())
        found.append(Row(f"recall at 1000: {how}{CATEGORIES[category]}", "%", (recalls(ours, [category])[1000],), least=True, note=note))
    grid = [[scores(rank(weights), conversation) for conversation, rank in ranked] for weights in tried]
    fitted, held, best = left_out(grid)
    for budget in BUDGETS:
        note = f"fitted {fitted[budget]:.1f}, with {tried[best]}"
        name = f"recall at {budget}: {how}left out"
        found.append(Row(name, "%", (held[budget],), limits.must[budget], limits.aim[budget], least=True, note=note))
    note = "five categories' mean; published: e5-base 47.7 / 61.6, best 8B embedder 56.5 / 70.8, which saw isolated turns"
    found.append(
        Row(f"nDCG@10, {how}MTEB's protocol", "%", (by_category(ours, lambda each: each.ndcg10),), 52.0, 56.5, least=True, note=note)
    )
    found.append(
        Row(f"R@10, {how}MTEB's protocol", "%", (by_category(ours, lambda each: each.recall10),), 68.0, 70.8, least=True, note=note)
    )
    found.append(Row(f"a question, {how}indexed", "ms", (1000 * seconds / max(len(ours), 1),)))
    return found
