"""What goes into a prompt, under a budget, and the account of it (chapter 2, "Assembly under a budget"). How it reads is in ``section``.

Laws:

- It moves nothing. Who puts the section into a prompt says so by using what was chosen.
- The section as a whole, headings and all, is never over the budget by the counter that is given.
- Hard constraints go first, whatever the query: the reader's own, which no other can crowd out, then the others', in order of making. Then
  relevance admits: constraints and preferences, then the rest, the best first. Nothing is cut: what does not fit is left out, and the next
  is tried.
- What the prompt has besides, word for word, is not said again; hard constraints are.
- The work is bounded: so many candidates, and so many characters counted in vain.
"""

from collections.abc import Iterable
from heapq import nsmallest
from itertools import takewhile
from math import isfinite

from blackboard.errors import BadValue
from blackboard.holdings import Partitions
from blackboard.identity import folded
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT, PREFERENCE, RECORDS
from blackboard.recall import Hit, Recall
from blackboard.section import CLOSING, DATA, HEADINGS, OPENING, Line, Section, binds, line, render, written_by_another
from blackboard.tokens import TokenCounter, count_tokens
from blackboard.wire import to_wire
from bus.messages import Assemble, Assembled, HitView, Item, LeftOut, Reason, Why

MAX_TOKENS = 1_000_000_000
"""More than any model reads."""
CORE = 100
"""Of the strongest items, how many are looked at to fill a section, or to tell that they have nothing to do with the query."""
LISTED = 10
"""Items that are listed as left out for one reason, beside the hard constraints."""
MAX_LISTED = 100_000
"""Characters of all that are listed, about: a reply has to fit the transport."""
PROSE = 16
"""Characters to a token, at most, of what is worth counting. (In English there are about four, in Chinese one.)"""
MISSES = 64
"""Characters for each token of the budget that are counted in vain; after them only what is short is tried."""


def budget_of(asked: Assemble) -> int:
    """The tokens that there are for the section. Raises ``BadValue`` for what cannot be asked."""
    for what, value in (("max_tokens", asked.max_tokens), ("reserved_tokens", asked.reserved_tokens)):
        if type(value) is not int or not 0 <= value <= MAX_TOKENS:
            raise BadValue(f"{what} {value!r}: give a whole number of tokens, 0 to {MAX_TOKENS:,}")
    if asked.reserved_tokens > asked.max_tokens:
        raise BadValue(
            f"reserved_tokens {asked.reserved_tokens:,} are more than max_tokens {asked.max_tokens:,}: reserve less, or give more"
        )
    if type(asked.min_strength) not in {int, float} or not isfinite(asked.min_strength):
        raise BadValue(f"min_strength {asked.min_strength!r}: give a number, 0 to let in whatever there is")
    if type(asked.max_candidates) is not int or asked.max_candidates < 1:
        raise BadValue(f"max_candidates {asked.max_candidates!r}: give a whole number, 1 or more")
    return asked.max_tokens - asked.reserved_tokens


def assemble(
    holdings: Recall,
    asked: Assemble,
    *,
    reader: str,
    partitions: Partitions = None,
    at: float | None = None,
    count: TokenCounter = count_tokens,
) -> Assembled:
    """The section for ``reader``, who sees these partitions, as of ``at``. Raises ``BadValue``."""
    budget = budget_of(asked)
    return _Assembly(holdings, asked, reader, partitions, at).under(_Filling(budget, count))


class _Assembly:
    """What is asked, and of what."""

    def __init__(self, holdings: Recall, asked: Assemble, reader: str, partitions: Partitions, at: float | None) -> None:
        self._holdings = holdings
        self._asked = asked
        self._reader = reader
        self._partitions = partitions
        self._at = at
        self._beside = folded(asked.beside)

    def under(self, filling: "_Filling") -> Assembled:
        """What comes of it under the budget of an empty section."""
        asked, holdings = self._asked, self._holdings
        left: list[tuple[ContextItem, Reason]] = []
        recalled = self._recalled()
        core = self._core(recalled) if asked.fill or asked.account else []
        candidates = recalled + [Hit(item, 0.0, Why(0.0)) for item in core] if asked.fill else recalled
        said = holdings.said(hit.item for hit in candidates)
        for hit in candidates:
            item = hit.item
            if asked.min_strength > 0 and not binds(item) and item.strength_at(self._at) < asked.min_strength:
                left.append((item, "too weak"))
            elif self._beside and not binds(item) and has(self._beside, folded(said[item.ordinal][0])):
                left.append((item, "in the prompt"))
            elif filling.has_no_room(item.length) or not filling.take(hit, line(item, said[item.ordinal], self._reader)):
                left.append((item, "over budget"))
        section, given_back = filling.settled()
        left += ((item, "over budget") for item in given_back)
        chosen = [hit for hit, _ in filling.taken]
        if asked.account:
            slots = dict.fromkeys(each for hit in chosen for each in holdings.superseded(hit.item))
            left += ((item, "superseded") for item in slots)
            if not asked.fill:
                left += ((item, "not relevant") for item in core)
        listed, unlisted = _listed(left, LISTED if asked.account else 0)
        told = chosen if asked.account else []
        return Assembled(
            text=section.text,
            tokens=filling.count(section.text),
            budget=filling.budget,
            prefix=section.prefix,
            items=tuple(hit.item.id for hit in chosen),
            edges=tuple(dict.fromkeys(edge for hit in chosen for edge in hit.edges)),
            chosen=tuple(HitView(item=self._shown(item), why=why, score=score, edges=edges) for item, score, why, edges in told),
            left_out=tuple(LeftOut(item=self._shown(item), reason=reason) for item, reason in listed),
            unlisted=unlisted,
            why_empty="" if chosen else self._why_empty(filling, left, bool(candidates)),
        )

    def _recalled(self) -> list[Hit]:
        """What may go in for the query's sake, or whatever that is, in the order in which it is tried."""
        asked = self._asked
        hits = self._holdings.hits(asked.text, asked.max_candidates, partitions=self._partitions, at=self._at, today=asked.today)
        found = {hit.item.ordinal: hit for hit in hits}
        own_first = sorted(self._holdings.binding(self._partitions), key=lambda item: written_by_another(item, self._reader))
        binding = [found.get(item.ordinal) or Hit(item, 0.0, Why(0.0)) for item in own_first]
        rest = [hit for hit in hits if not binds(hit.item) and self._may_enter(hit.item)]
        return binding + sorted(rest, key=lambda hit: hit.item.kind not in {CONSTRAINT, PREFERENCE})

    def _core(self, recalled: list[Hit]) -> list[ContextItem]:
        """Of the strongest items, those of the core that were not recalled, the strongest first."""
        known = {hit.item.ordinal for hit in recalled}
        top = self._holdings.top(CORE, partitions=self._partitions, at=self._at)
        strong = takewhile(lambda item: item.strength_at(self._at) >= self._holdings.core, top)
        return [item for item in strong if item.ordinal not in known and self._may_enter(item)]

    def _may_enter(self, item: ContextItem) -> bool:
        return self._asked.traces or item.kind not in RECORDS

    def _shown(self, item: ContextItem) -> Item:
        return to_wire(item, item.strength_at(self._at))

    def _why_empty(self, filling: "_Filling", left: list[tuple[ContextItem, Reason]], some: bool) -> str:
        asked = self._asked
        unfit = [item for item, reason in left if reason == "over budget"]
        if not filling.budget:
            return f"the budget is 0 tokens (max_tokens {asked.max_tokens:,}, of which {asked.reserved_tokens:,} are reserved): give more"
        if unfit:
            said = self._holdings.said(nsmallest(LISTED, unfit, key=lambda item: item.length))
            lines = (line(item, said[item.ordinal], self._reader) for item in unfit if item.ordinal in said)
            least = min(filling.count(render([each]).text) for each in lines)
            return f"the budget of {filling.budget:,} tokens is too small: with the shortest item alone a section has {least:,}"
        if any(reason == "in the prompt" for _, reason in left):
            return "what has to do with the query stands in the prompt already"
        if some:
            return f"what has to do with the query is weaker than min_strength {asked.min_strength:g}: let weaker ones in"
        if not any(self._holdings.stats(self._partitions)["tiers"].values()):
            return "there is nothing in view yet: deposit something"
        if not asked.text.strip():
            return (
                "the query is empty, and no hard constraint is in view: say what the prompt is about, or let the strongest in (fill=True)"
            )
        return "nothing that is in view has to do with the query"


class _Filling:
    """The lines of a section that is to stay within ``budget`` tokens, as ``count`` counts them."""

    def __init__(self, budget: int, count: TokenCounter) -> None:
        self.budget = budget
        self.count = count
        self.taken: list[tuple[Hit, Line]] = []
        self._tokens = count(OPENING + CLOSING)
        self._misses = MISSES * budget
        self._said: set[str] = set()
        self._told: set[str] = set()
        """The headings, and the sentence about data, that are in already."""

    def has_no_room(self, size: int) -> bool:
        """Is what has so many characters not worth counting?"""
        room = self.budget - self._tokens
        return size > 2 * room and size > min(PROSE * room, self._misses)

    def take(self, hit: Hit, line: Line) -> bool:
        """Take a line in if it fits; what says the same as one that is in already is in."""
        if line.says in self._said:
            return True
        if self.has_no_room(len(line.text)):
            return False
        new = [each for each in (HEADINGS[line.group], DATA) if each not in self._told and (line.data or each is not DATA)]
        tokens = self._tokens + self.count(line.text) + sum(map(self.count, new))
        if tokens > self.budget:
            self._misses -= len(line.text)
            return False
        self._tokens = tokens
        self._told.update(new)
        self._said.add(line.says)
        self._said.update(line.parts)
        self.taken.append((hit, line))
        return True

    def settled(self) -> tuple[Section, list[ContextItem]]:
        """The section, and what was taken last and is given back: a counter may find more in the whole than in its lines."""
        given_back: list[ContextItem] = []
        while self.taken:
            section = render(line for _, line in self.taken)
            if self.count(section.text) <= self.budget:
                return section, given_back
            given_back.append(self.taken.pop()[0].item)
        return Section("", 0), given_back


def has(text: str, said: str) -> bool:
    """Does a text say this, word for word: from where a word begins to where one ends? (50 is not in 500.)"""
    start = text.find(said) if said else -1
    while start >= 0:
        end = start + len(said)
        if not (text[start - 1 : start].isalnum() and said[0].isalnum()) and not (text[end : end + 1].isalnum() and said[-1].isalnum()):
            return True
        start = text.find(said, start + 1)
    return False


def _listed(left: Iterable[tuple[ContextItem, Reason]], most: int) -> tuple[list[tuple[ContextItem, Reason]], int]:
    """Of what was left out as much as a reply has room for; and how many more did not fit, or were too weak.

    Hard constraints come first; of others ``most`` for one reason.
    """
    listed: list[tuple[ContextItem, Reason]] = []
    told: dict[Reason, int] = {}
    size = unlisted = 0
    for item, reason in sorted(left, key=lambda each: not binds(each[0])):
        told[reason] = told.get(reason, 0) + (not binds(item))
        if told[reason] <= most and (not listed or size + item.length <= MAX_LISTED):
            listed.append((item, reason))
            size += item.length + 500  # with what it says beside
        elif reason in {"over budget", "too weak", "in the prompt"}:
            unlisted += 1
    return listed, unlisted
