"""What several faded items said together, in fewer words (chapter 2, "Forgetting is three things").

A summariser is whatever has the method ``summarise``. The default takes sentences as they stand: it needs no model, and says the same of
the same items every time.

Law of the default: a sentence that states a constraint or a number is always kept. Only of the rest does it drop what does not fit.
"""

import re
from collections.abc import Awaitable, Sequence
from typing import Protocol

from blackboard.identity import folded
from blackboard.items import ContextItem

BUDGET = 400
"""Characters of a summary, unless constraints and numbers alone are more."""


class Summariser(Protocol):
    """Says in one text what several items said; at once or, on a board, awaited. One that asks a model should be async."""

    def summarise(self, items: Sequence[ContextItem]) -> str | Awaitable[str]:
        """The text that stands for ``items``, which are related and in order of making. It goes into the log as it is."""
        ...


class Extractive:
    """The default: sentences as they stand, in order, each once. ``budget``: characters, beyond what must be kept."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget

    def summarise(self, items: Sequence[ContextItem]) -> str:
        """The sentences that state a constraint or a number, and of the others the first ones that still fit; a line for each item."""
        said = dict.fromkeys((n, folded(each)) for n, item in enumerate(items) for each in sentences(item.content))
        first = {text: n for n, text in reversed(said)}
        told = [(n, text) for n, text in said if first[text] == n]
        kept = {text for _, text in told if must_be_kept(text)}
        size = sum(map(len, kept))
        for _, text in told:
            if text not in kept and (size + len(text) <= self.budget or not kept):
                kept.add(text)
                size += len(text)
        lines: dict[int, list[str]] = {}
        for n, text in told:
            if text in kept:
                lines.setdefault(n, []).append(text)
        return "\n".join(" ".join(line) for line in lines.values())


DEFAULT: Summariser = Extractive()


def must_be_kept(sentence: str) -> bool:
    """Does it state a constraint, or a number? In doubt it does."""
    return bool(_CONSTRAINT.search(sentence.replace("’", "'"))) or any(each.isnumeric() for each in sentence)


_CONSTRAINT = re.compile(
    r"""\b(?: must | never | only | always | shall | should | not | cannot | \w+n't | no | none | nobody | nothing | neither | nor
          | without | unless | except | avoid(?:s|ed|ing)? | refrain(?:s|ed)? | refus(?:e|es|ed) | forbid(?:s|den)? | prohibit(?:s|ed)?
          | ban(?:s|ned)? | mandatory | ensure | make[ ]sure | instead[ ]of | rather[ ]than | require(?:s|d|ment|ments)?
          | needs?[ ]to | ha(?:s|ve)[ ]to | at[ ](?:most|least) | (?:more|less|fewer)[ ]than
          | up[ ]to | limit(?:s|ed)? | max(?:imum)? | min(?:imum)? | deadline | before | until | by[ ]then | allerg(?:y|ic|ies)
          | one | two | three | four | five | six | seven | eight | nine | ten | eleven | twelve | \w+teen | twenty | thirty | forty | fifty
          | sixty | seventy | eighty | ninety | hundreds? | thousands? | millions? | billions? | dozens? | half | quarter | twice | once
          | double | triple ) \b
        | [不别勿莫禁忌须只仅] | 避免 | 拒绝 | 必需 | 务必 | 应该 | 应当 | 确保 | 一定 | 严格 | 没有 | 除非 | 否则
        | 至少 | 至多 | 最多 | 最少 | 上限 | 下限 | 以内 | 之前 | 过敏 | 半""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that bind, and numbers in words (what Unicode knows as numeric is found without)."""

_END = re.compile(
    r"""(?<![.!?]) [.!?]++ ["'”’)\]]*+ \s++ (?=\S) | (?<![。！？]) [。！？]++ ["”’）」』]*+ \s*+ (?=\S)
      | (?<!\s) (?= [^\S\n]* \n ) \s++ (?=[-*•·]\s|\d+[.)、]) | (?<!\s) (?= [^\S\n]* \n [^\S\n]* \n ) \s++ (?=\S)""",
    re.VERBOSE,
)
"""Where a sentence may end: a full stop, a point of a list, an empty line. A line may be the middle of a sentence.

Each run of points or of white space is looked at once, from where it begins, so that no text takes longer than its length.
"""
_ABBREVIATION = 10
"""Characters, more than any has."""
_ABBREVIATED = re.compile(r"(?:\b[A-Za-z]|\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|approx|Inc|Ltd|Co|Jr|Sr|Fig|e\.g|i\.e))\.$", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """A text's sentences. Where it is doubtful whether one ends, it goes on: what is kept then is more, never less.

    A line that ends with a colon speaks for those below it, until one that is empty.
    """
    found: list[str] = []
    start, list_below = 0, False
    for end in _END.finditer(text):
        stop, here = end.group(), end.start()
        before = text[max(start, here - _ABBREVIATION) : here + 1]
        if stop.startswith(".") and (_ABBREVIATED.search(before) or text[end.end()].islower()):
            continue
        list_below = (list_below or text[max(start, here - 1) : here] in {":", "："}) and stop.count("\n") < 2
        if list_below:
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [each for each in found if each]
