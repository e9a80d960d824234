"""What goes into a prompt, under a budget, and the account of it (chapter 2, "Assembly under a budget"). How it reads is in ``section``.

Laws:

- It moves nothing. Who puts the section into a prompt says so by using what was chosen.
- The section as a whole, headings and all, is never over the budget by the counter that is given.
- Hard constraints go first, in order of making, whatever the query. Then relevance admits: constraints and preferences, then the rest, the
  best first. Nothing is cut: what does not fit is left out, and the next is tried.
- The work is bounded: so many candidates, and so many characters counted for each token of the budget.
"""

from collections.abc import Iterable

from blackboard.errors import BadValue
from blackboard.holdings import Holdings, Partitions
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT, PREFERENCE, TRACE
from blackboard.recall import Hit
from blackboard.section import CLOSING, DATA, HEADINGS, OPENING, Line, Section, binds, line, render
from blackboard.tokens import TokenCounter, count_tokens
from blackboard.wire import to_wire
from bus.messages import Assemble, Assembled, HitView, LeftOut, Reason, Why

CORE = 100
"""Of the strongest items, how many are looked at to fill a section, or to tell that they have nothing to do with the query."""
LISTED = 20
"""Items that are listed as left out for one reason, beside the hard constraints."""
MAX_LISTED = 100_000
"""Characters of all that are listed, about: a reply has to fit the transport."""
COUNTED = 64
"""Characters that are counted for each token of the budget, before nothing more is tried. Prose has about four in a token."""


def budget_of(max_tokens: int, reserved_tokens: int) -> int:
    """The tokens that there are for the section. Raises ``BadValue``."""
    for what, value in (("max_tokens", max_tokens), ("reserved_tokens", reserved_tokens)):
        if type(value) is not int or value < 0:
            raise BadValue(f"{what} {value!r}: give a whole number of tokens, 0 or more")
    if reserved_tokens > max_tokens:
        raise BadValue(f"reserved_tokens {reserved_tokens:,} are more than max_tokens {max_tokens:,}: reserve less, or give more")
    return max_tokens - reserved_tokens


def assemble(
    holdings: Holdings,
    asked: Assemble,
    *,
    reader: str,
    partitions: Partitions = None,
    at: float | None = None,
    count: TokenCounter = count_tokens,
) -> Assembled:
    """The section for ``reader``, who sees these partitions, as of ``at``. Raises ``BadValue``."""
    budget = budget_of(asked.max_tokens, asked.reserved_tokens)
    filling = _Filling(budget, count)
    left: list[tuple[ContextItem, Reason]] = []
    recalled = _recalled(holdings, asked, partitions, at)
    core = _core(holdings, asked, recalled, partitions, at)
    candidates = recalled + [Hit(item, 0.0, Why(0.0)) for item in core] if asked.fill else recalled
    contents = holdings.contents(hit.item for hit in candidates)
    for hit in candidates:
        item = hit.item
        if not binds(item) and holdings.strength(item, at) < asked.min_strength:
            left.append((item, "too weak"))
        elif not filling.take(hit, line(item, contents[item.ordinal], reader)):
            left.append((item, "over budget"))
    section, given_back = filling.settled()
    left += ((item, "over budget") for item in given_back)
    chosen = [hit for hit, _ in filling.taken]
    slots = dict.fromkeys(each for hit in chosen for each in holdings.superseded(hit.item))
    left += ((item, "superseded") for item in slots)
    if not asked.fill:
        left += ((item, "not relevant") for item in core)
    listed, unlisted = _listed(left)
    return Assembled(
        text=section.text,
        tokens=count(section.text),
        budget=budget,
        prefix=section.prefix,
        chosen=tuple(
            HitView(item=to_wire(hit.item, holdings.strength(hit.item, at)), why=hit.why, score=hit.score, edges=hit.edges)
            for hit in chosen
        ),
        left_out=tuple(LeftOut(item=to_wire(item, holdings.strength(item, at)), reason=reason) for item, reason in listed),
        unlisted=unlisted,
        why_empty="" if chosen else _why_empty(holdings, asked, partitions, budget, filling.least, candidates),
    )


def _recalled(holdings: Holdings, asked: Assemble, partitions: Partitions, at: float | None) -> list[Hit]:
    """What may go in for the query's sake, or whatever it is, in the order in which it is tried."""
    hits = holdings.hits(asked.text, asked.max_candidates, partitions=partitions, at=at)
    found = {hit.item.ordinal: hit for hit in hits}
    binding = [found.get(item.ordinal) or Hit(item, 0.0, Why(0.0)) for item in holdings.binding(partitions)]
    rest = [hit for hit in hits if not binds(hit.item) and (asked.traces or hit.item.kind != TRACE)]
    return binding + sorted(rest, key=lambda hit: hit.item.kind not in {CONSTRAINT, PREFERENCE})


def _core(holdings: Holdings, asked: Assemble, recalled: list[Hit], partitions: Partitions, at: float | None) -> list[ContextItem]:
    """Of the strongest items, those of the core that were not recalled, the strongest first."""
    known = {hit.item.ordinal for hit in recalled}
    return [
        item
        for item in holdings.top(CORE, partitions=partitions, at=at)
        if item.ordinal not in known and holdings.strength(item, at) >= holdings.core and (asked.traces or item.kind != TRACE)
    ]


class _Filling:
    """The lines of a section that is to stay within ``budget`` tokens, as ``count`` counts them."""

    def __init__(self, budget: int, count: TokenCounter) -> None:
        self.taken: list[tuple[Hit, Line]] = []
        self.least: int | None = None
        """The tokens of the smallest section that did not fit, while there was nothing in it."""
        self._budget = budget
        self._count = count
        self._tokens = count(OPENING + CLOSING)
        self._patience = COUNTED * budget
        self._said: set[str] = set()
        self._told: set[str] = set()
        """The headings, and the sentence about data, that are in already."""

    def take(self, hit: Hit, line: Line) -> bool:
        """Take a line in if it fits; what says the same as one that is in already is in."""
        if line.says in self._said:
            return True
        self._patience -= (size := len(line.text))
        if self._patience < 0:
            self._patience += size  # a smaller one may do
            return False
        new = {each for each in (HEADINGS[line.group], DATA if line.data else "") if each not in self._told}
        tokens = self._tokens + self._count(line.text) + sum(map(self._count, new))
        if tokens > self._budget:
            if not self.taken:
                self.least = min(tokens, self.least or tokens)
            return False
        self._tokens = tokens
        self._told |= new
        self._said.add(line.says)
        self.taken.append((hit, line))
        return True

    def settled(self) -> tuple[Section, list[ContextItem]]:
        """The section, and what was taken last and is given back: a counter may find more in the whole than in its lines."""
        given_back: list[ContextItem] = []
        while self.taken:
            section = render(line for _, line in self.taken)
            if self._count(section.text) <= self._budget:
                return section, given_back
            given_back.append(self.taken.pop()[0].item)
        return Section("", 0), given_back


def _listed(left: Iterable[tuple[ContextItem, Reason]]) -> tuple[list[tuple[ContextItem, Reason]], int]:
    """As much of what was left out as a reply has room for, hard constraints first; and how many more did not fit, or were too weak."""
    listed: list[tuple[ContextItem, Reason]] = []
    told: dict[Reason, int] = {}
    size = unlisted = 0
    for item, reason in sorted(left, key=lambda each: not binds(each[0])):
        told[reason] = told.get(reason, 0) + (not binds(item))
        if told[reason] <= LISTED and (not listed or size + item.length <= MAX_LISTED):
            listed.append((item, reason))
            size += item.length + 500  # with what it says beside
        elif reason in {"over budget", "too weak"}:
            unlisted += 1
    return listed, unlisted


def _why_empty(holdings: Holdings, asked: Assemble, partitions: Partitions, budget: int, least: int | None, candidates: list[Hit]) -> str:
    if not budget:
        return f"the budget is 0 tokens (max_tokens {asked.max_tokens:,}, of which {asked.reserved_tokens:,} are reserved): give more"
    if least is not None:
        return f"the budget of {budget:,} tokens is smaller than the smallest item, with which a section has {least:,}: give more"
    if candidates:
        return f"what there is does not fit into {budget:,} tokens, or is weaker than min_strength {asked.min_strength:g}: allow more"
    if not any(holdings.stats(partitions)["tiers"].values()):
        return "there is nothing in view yet: deposit something"
    if not asked.text.strip():
        return "the query is empty, and no hard constraint is in view: say what the prompt is about, or let the strongest in (fill=True)"
    return "nothing that is in view has to do with the query"
