"""What may be wrong with a turn of a task, as far as its form tells: what was called and came of it, general words, who spoke when.

A symptom is there or not. No symptom is about a subject: the words are those with which people everywhere say that something failed, is
assumed, or is done, in English and Chinese.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.memory.records import NOT_AGENTS, TaskLog, ToolCall, Turn

SYMPTOMS: Mapping[str, str] = {
    "leads": "it leads the others",
    "settles": "it leads the others, and took the request for satisfied",
    "opens": "it opened the work",
    "early": "it was among the first to act",
    "last": "it had the last word",
    "formal": "it says next to nothing",
    "calls": "it called a tool",
    "first call": "it was the first call of a tool",
    "fails": "its call failed",
    "first failure": "it was the first call that failed",
    "comes to nothing": "its call brought nothing",
    "after a failure": "it went on from a call that failed",
    "unsourced": "it states figures that nothing before it gives, without a call",
    "by hand": "it answers from memory, or leaves the work to be done by hand",
    "assumes": "it assumes, or works on made-up data",
    "complains": "it says that something failed or is missing",
    "concludes": "it declares the matter settled",
    "accepted": "the next agent took it as settled",
    "doubted": "the next agent says that something failed or is missing",
    "stuck": "the next agent sees no progress",
    "repeats": "it says nearly what it has said before",
    "asks": "it ends in a question",
}
"""Name → what it says of a turn."""

FORMAL = 60
"""Characters: a turn with fewer and no call is a formality."""
HEAD = 400
"""Characters in which a turn says what became of it; what follows may be a page that it read."""
ALIKE = 0.7
"""The share of words in common (Jaccard) from which on two turns say nearly the same."""
BACK = 8
"""So many of its own turns are looked at for that."""
LEADING = 0.7
"""The share of the turns from which on an agent that calls nothing itself leads the others."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_FAILS = _any(
    r"\bunable to\b|\bcan(?:no|')t\b|\b(?:could|did)(?: not|n't)\b|\bfail(?:s|ed|ure)?\b|\berrors?\b|\bunfortunately\b|\bmissing\b",
    r"\bno (?:results?|information|data)\b|\bnot (?:found|available|accessible)\b|\b404\b|\btimed? ?out\b",
    r"失败|错误|无法|不能|未能|找不到|没有(?:找到|结果|数据|信息)|缺少|超时|报错",
)
_ASSUMES = _any(
    r"\bassum\w+|\bsimulat\w+|\bplaceholders?\b|\bhypothetical\w*|\bmock\w*\b|\bdummy\b|\bexample\b|\bsample\b|\bapproximat\w+|\bestimat\w+",
    r"假设|假定|模拟|占位|示例|例如|估计|大概|大约",
)
_BY_HAND = _any(
    r"\bmanual\w*|\bfrom memory\b|\b(?:based|relying) on (?:my|general|common|prior|known|historical|standard)\b|\bas far as i know\b",
    r"手动|人工|凭记忆|据我所知|根据(?:常识|我的|一般|经验)",
)
_CONCLUDES = _any(
    r"\bterminate\b|\bfinal\b|\bverified\b|\bconfirm(?:ed|s)\b|\btherefore\b|\bconclu\w+|\bsatisfied\b",
    r"结束|最终|已(?:经)?(?:验证|确认|核实)|因此|所以|结论|综上|完成",
)
_STUCK = _any(r"\bin a loop\b|\bno progress\b|\bstalled\b|\bstuck\b|\bgoing in circles\b", r"没有进展|陷入循环|卡住|停滞")
_SETTLES = _any(
    r"\b(?:request|task|question) (?:is |was |has been |has )?(?:now |fully )?(?:satisfied|answered|fulfilled|completed?|done)\b",
    r"(?:请求|任务|问题)(?:已经?|得到)?(?:满足|完成|解决|回答)",
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_LISTED = re.compile(r"^[ \t]*(?:\d+[.)]|#+ .*)", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")


def agents_turns(log: TaskLog) -> list[int]:
    """The numbers of the turns that agents took."""
    return [number for number, turn in enumerate(log.turns) if turn.by not in NOT_AGENTS]


def symptoms(log: TaskLog) -> dict[int, frozenset[str]]:
    """Number of each agent's turn → the names of its symptoms."""
    numbers = agents_turns(log)
    turns = [log.turns[number] for number in numbers]
    lead = leader(turns)
    acts = [place for place, turn in enumerate(turns) if turn.by != lead and not _formal(turn)]
    before = _figures(log.request)
    settled = any(turn.by == lead and _SETTLES.search(turn.text) for turn in turns)
    said: dict[str, list[frozenset[str]]] = {}
    called = failed = failing = False
    found: dict[int, frozenset[str]] = {}
    passed = 0
    for place, (number, turn) in enumerate(zip(numbers, turns, strict=True)):
        for other in log.turns[passed:number]:
            before |= _given(other)
        passed = number
        after = turns[place + 1] if place + 1 < len(turns) else None
        words = frozenset(_WORD.findall(turn.text.lower()))
        errs = any(call.error is not None for call in turn.calls)
        opens, formal = place == 0, _formal(turn)
        signs = {
            "leads": turn.by == lead,
            "settles": turn.by == lead and settled,
            "opens": opens,
            "early": place in acts[1:3],
            "last": acts[-1:] == [place],
            "formal": formal,
            "calls": bool(turn.calls),
            "first call": bool(turn.calls) and not called,
            "fails": errs,
            "first failure": errs and not failed,
            "comes to nothing": bool(turn.calls) and not errs and all(_nothing(call) for call in turn.calls),
            "after a failure": failing,
            "unsourced": not turn.calls and not opens and not _figures(turn.text) <= before,
            "by hand": not opens and _BY_HAND.search(turn.text) is not None,
            "assumes": not opens and _ASSUMES.search(turn.text) is not None,
            "complains": not opens and _FAILS.search(turn.text[:HEAD]) is not None,
            "concludes": not opens and _CONCLUDES.search(turn.text) is not None,
            "accepted": after is not None and _CONCLUDES.search(after.text) is not None,
            "doubted": after is not None and _FAILS.search(after.text) is not None,
            "stuck": after is not None and _STUCK.search(after.text) is not None,
            "repeats": not formal and any(_alike(words, other) for other in said.get(turn.by, ())[-BACK:]),
            "asks": turn.text.rstrip().endswith(("?", "？")),
        }
        found[number] = frozenset(name for name, there in signs.items() if there)
        said.setdefault(turn.by, []).append(words)
        called |= bool(turn.calls)
        failed |= errs
        failing = errs
    return found


def leader(turns: Sequence[Turn]) -> str | None:
    """Who speaks between the others and calls nothing; None if nobody does, or there are no others."""
    counts = Counter(turn.by for turn in turns)
    if len(counts) < 2:
        return None
    (most, count), *_ = counts.most_common(1)
    return most if count >= LEADING * len(turns) and not any(turn.calls for turn in turns if turn.by == most) else None


def _formal(turn: Turn) -> bool:
    return len(turn.text) < FORMAL and not turn.calls


def _nothing(call: ToolCall) -> bool:
    result: Any = call.result
    return not result.strip() if isinstance(result, str) else result in (None, [], {})


def _figures(text: str) -> set[str]:
    return set(_NUMBER.findall(_LISTED.sub("", text)))


def _given(turn: Turn) -> set[str]:
    """The figures that a turn gives: what was said, asked of a tool and brought by it."""
    return _figures(" ".join((turn.text, *_parts(turn.calls))))


def _parts(calls: Iterable[ToolCall]) -> Iterable[str]:
    for call in calls:
        yield f"{call.parameters} {call.result} {call.error}"


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * max(len(one | other), 1)
