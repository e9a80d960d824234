"""The engine that chooses what goes into a prompt (chapter 4). It needs no board.

Laws: the budget wins, in tokens counted of what is handed over. The same calls give the same selections. What was overturned is never in
without what overturned it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import NamedTuple, get_args

from blackboard.context.assembling import ORDERS, Order
from blackboard.context.choosing import Choice, Limits, Method, Ways, choose, prompt
from blackboard.context.chunkers import Chunker, turns
from blackboard.context.expanding import Expander, as_asked
from blackboard.context.history import History
from blackboard.context.meaning import Meaning
from blackboard.context.pieces import Entry
from blackboard.context.presets import Weights, weights_of
from blackboard.context.relevance import Lexical, Relevance
from blackboard.context.selection import Chosen, Selection, WhyNot
from blackboard.context.statements import binds
from blackboard.embedding import Embedder
from blackboard.errors import BadValue
from blackboard.text import terms
from blackboard.tokens import TokenCounter, count_tokens

BASE = 10
"""Pieces, where neither a budget nor a count is given: so many, or fewer once one adds too little."""
STOP = 0.02
"""A piece adds too little below this share of what the first adds."""


class _Standing(NamedTuple):
    """A choice that stands until the topic has moved."""

    asked: frozenset[str]
    limits: Limits
    choice: Choice


class ContextSelector:
    """Chooses from a history what a prompt about something needs.

    A selector follows one history: of it, only what has come since the last call is looked at. Another one may be given at any time, and
    is looked at from its beginning.

    - ``preset``: default, precise (tool calls), creative or decision; or λs of one's own
    - ``chunker``: how entries are cut
    - ``embedder``: makes vectors of texts, so that what is near in meaning counts, too; without one words alone do
    - ``relevance``: makes what scores the pieces of a new history, in the place of both
    - ``counter``: the tokens of a text
    - ``order``: of the prompt
    - ``method``: "gain" takes whatever adds most; "best of two" also tries what adds most per token, which has a guarantee under a budget
      and lets a summary win by its density
    - ``stop``: below this share of what the first adds, a piece adds too little
    - ``newest``: is the last entry in, if it fits?
    - ``protects``: does a text say what must not be lost?
    - ``expander``: widens queries
    - ``moved``: the share of a query's terms that must be new for the topic to have moved, so that pieces are chosen anew; ``None``: they
      are every time

    :raises BadValue: a preset, an order or a method that there is not, or a share outside 0 … 1
    """

    def __init__(
        self,
        preset: str | Weights = "default",
        *,
        chunker: Chunker = turns,
        embedder: Embedder | None = None,
        relevance: Callable[[], Relevance] | None = None,
        counter: TokenCounter = count_tokens,
        order: Order = "chronological",
        method: Method = "gain",
        stop: float = STOP,
        newest: bool = True,
        protects: Callable[[str], bool] = binds,
        expander: Expander = as_asked,
        moved: float | None = None,
    ) -> None:
        for name, value, known in (("order", order, ORDERS), ("method", method, get_args(Method))):
            if value not in known:
                raise BadValue(f"there is no {name} {value!r}: choose from {', '.join(known)}")
        for name, share in (("stop", stop), ("moved", moved or 0.0)):
            if not 0 <= share <= 1:
                raise BadValue(f"{name} is {share}: give a share, 0 … 1")
        self._ways = Ways(weights_of(preset), method, stop, newest, order, counter)
        scoring = relevance or (Lexical if embedder is None else partial(Meaning, embedder))
        self._begin: Callable[[], History] = lambda: History(chunker, scoring(), counter, protects)
        self._expander = expander
        self._moved = moved
        self._history = self._begin()
        self._standing: _Standing | None = None

    def prepare(self, pieces: Sequence[Entry]) -> None:
        """Look at a history ahead of time, while the agent is idle.

        :raises BadValue: no list, or an entry that is no text, no piece and no message
        """
        if isinstance(pieces, (str, Mapping)) or not isinstance(pieces, Sequence):
            raise BadValue(f"a history is a list of texts, pieces or messages, not {type(pieces).__name__}: {pieces!r:.80}")
        if not self._history.is_continued_by(pieces):
            self._history, self._standing = self._begin(), None
        try:
            self._history.follow(pieces)
        except BaseException:  # what was looked at by half is forgotten
            self._history, self._standing = self._begin(), None
            raise

    def select(self, query: str, pieces: Sequence[Entry], *, max_tokens: int | None = None, k: int | None = None) -> Selection:
        """Choose what a prompt about ``query`` needs from ``pieces``: texts, pieces or chat messages, in the order in which they were said.

        ``max_tokens``: of what is handed over, at most. ``k``: pieces, at most. Without either, up to ``BASE`` pieces.

        :raises BadValue: a query that is no text, a negative limit, or an entry that is no text, no piece and no message
        """
        if not isinstance(query, str):
            raise BadValue(f"a query is a text, not {type(query).__name__}: {query!r:.80}")
        for name, limit in (("max_tokens", max_tokens), ("k", k)):
            if limit is not None and (type(limit) is not int or limit < 0):
                raise BadValue(f"{name} is {limit!r}: give a whole number, 0 or more")
        self.prepare(pieces)
        limits = Limits(inf if max_tokens is None else max_tokens, k if k is not None else BASE if max_tokens is None else inf)
        history = self._history
        if note := self._nothing(limits):
            return self._empty(note, dict.fromkeys(range(len(history.pieces)), "over budget"))
        searches = {text: weight for text, weight in self._expander(query, history.pieces).items() if terms(text)}
        if not searches:
            return self._empty(f"the query {query!r:.40} has no word to look for", {})
        asked = frozenset(terms(query))
        if kept := self._kept(asked, limits):
            return self._selection(kept, kept=True)
        choice = choose(history, searches, self._ways, limits)
        self._standing = _Standing(asked, limits, choice)
        return self._selection(choice)

    def _nothing(self, limits: Limits) -> str:
        """Why nothing can be chosen, if so."""
        if not self._history.pieces:
            return "there is nothing to choose from"
        if 0 in limits:
            return f"the budget is 0 {'pieces' if limits.pieces == 0 else 'tokens'}"
        least = min(self._history.tokens)  # with a line break, which is a token or none
        if least - 1 > limits.tokens:
            return f"the smallest piece takes about {least} tokens, and the budget is {limits.tokens}"
        return ""

    def _kept(self, asked: frozenset[str], limits: Limits) -> Choice | None:
        """What was chosen last, with what was said last, if the topic has not moved and it fits."""
        standing, history = self._standing, self._history
        if self._moved is None or standing is None or standing.limits != limits:
            return None
        if len(asked - standing.asked) > self._moved * len(asked):
            return None
        fresh = history.newest() if self._ways.newest else []
        taken = {number: Chosen(history.pieces[number], "newest", 0.0, 0.0) for number in fresh} | standing.choice.taken
        made = prompt(history, taken, self._ways)
        if len(taken) > limits.pieces or made.tokens > limits.tokens:
            return None
        return standing.choice._replace(taken=taken, reasons=standing.choice.reasons | dict.fromkeys(fresh), prompt=made)

    def _selection(self, choice: Choice, *, kept: bool = False) -> Selection:
        history, made = self._history, choice.prompt
        return Selection(
            chosen=tuple(choice.taken[number] for number in made.numbers),
            text=made.text,
            messages=tuple(made.messages),
            tokens=made.tokens,
            total=sum(history.tokens),
            value=choice.value,
            kept=kept,
            note="" if choice.taken else "nothing that fits has to do with the query",
            pieces=history.shown(),
            reasons=choice.reasons | history.unanswered(),
        )

    def _empty(self, note: str, reasons: dict[int, WhyNot | None]) -> Selection:
        history = self._history
        return Selection(total=sum(history.tokens), note=note, pieces=history.shown(), reasons=reasons | history.unanswered())
