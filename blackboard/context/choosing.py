"""A choice from a history, for one query (chapter 4): what is in, what is not, and why."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from blackboard.context.assembling import Order, messages_of, ordered, text_of
from blackboard.context.candidates import CANDIDATES, candidates
from blackboard.context.costs import cost_of_all
from blackboard.context.greedy import Terms, best_of_two, by_gain
from blackboard.context.history import History
from blackboard.context.objective import Worth
from blackboard.context.pieces import Message
from blackboard.context.presets import Weights
from blackboard.context.selection import Chosen, WhyNot
from blackboard.context.similarity import topics
from blackboard.tokens import TokenCounter

Method: TypeAlias = Literal["gain", "best of two"]


class Ways(NamedTuple):
    """How a selector chooses."""

    weights: Weights
    method: Method
    stop: float
    newest: bool
    order: Order
    counter: TokenCounter


class Limits(NamedTuple):
    """Within which it chooses; either may be infinite."""

    tokens: float
    pieces: float


class Prompt(NamedTuple):
    """What is handed over."""

    numbers: list[int]
    text: str
    messages: list[Message]
    tokens: int


class Choice(NamedTuple):
    """What was chosen: numbers of pieces, in the order in which they were taken."""

    taken: dict[int, Chosen]
    reasons: dict[int, WhyNot | None]
    value: float
    prompt: Prompt


def choose(history: History, searches: Mapping[str, float], ways: Ways, limits: Limits) -> Choice:
    """Choose what has to do with ``searches``: texts, each with its weight."""
    scores = _merged([(history.relevance.scores(text, CANDIDATES), weight) for text, weight in searches.items()])
    among = candidates(history, scores, limits.tokens, limits.pieces, newest=ways.newest)
    cosines = history.relevance.cosines(among.numbers)
    of_topic = topics(cosines, among.ranking, among.topics)

    def make() -> Worth:
        return Worth(ways.weights, among.worth, cosines, of_topic)

    first = list(among.first)
    costs = [history.tokens[number] for number in among.numbers]
    room = limits.tokens + 1  # the last piece has no line break behind it
    while True:
        terms = Terms(costs, room, limits.pieces, ways.stop, among.after)
        walk = by_gain(make(), terms, first) if ways.method == "gain" else best_of_two(make, terms, first)
        taken: dict[int, Chosen] = {}
        for place, gain in walk.taken.items():
            number = among.numbers[place]
            taken[number] = Chosen(history.pieces[number], among.first.get(place, "relevant"), scores.get(number, 0.0), gain)
        made = prompt(history, taken, ways)
        if made.tokens <= limits.tokens:
            reasons = {among.numbers[place]: why for place, why in walk.left.items()}
            return Choice(taken, reasons | dict.fromkeys(taken), walk.value, made)
        room -= made.tokens - limits.tokens  # the whole is more than its parts


def prompt(history: History, taken: Mapping[int, Chosen], ways: Ways) -> Prompt:
    """The prompt that is made of these, and its tokens."""
    important = sorted(taken, key=lambda number: -taken[number].relevance)
    numbers = ordered(important, ways.order)
    text, messages = text_of(history, numbers), messages_of(history, numbers)
    framed = messages if any(history.pieces[number].messages for number in numbers) else ()
    return Prompt(numbers, text, messages, cost_of_all(text, framed, ways.counter))


def _merged(found: Sequence[tuple[Mapping[int, float], float]]) -> Mapping[int, float]:
    """What several searches found: scores add up, at most to 1."""
    if len(found) == 1:
        return found[0][0]
    merged: dict[int, float] = {}
    for scores, weight in found:
        for number, score in scores.items():
            merged[number] = min(1.0, merged.get(number, 0.0) + weight * score)
    return merged
