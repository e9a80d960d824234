"""Does a sentence of the instructions speak against a call? By its words alone: no model is asked. English and Chinese.

    Final sale items cannot be returned.         against return_order, of an order whose record says final_sale
    Loans can be extended only if paid.          against extend_loan, of a loan whose record says paid: no

Law: a sentence counts only if it names what the tool does *and* a value of the thing's record, so that a rule about other things never
does. What needs reckoning (at most five, within a day) is not understood, and speaks against nothing.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from blackboard.text.words import terms

_ACTS = (
    "change modify update edit alter adjust amend extend 修改 更改 变更 更新 改签",
    "cancel delete remove drop revoke terminate 取消 删除 撤销 退订",
    "create add book make place order reserve buy purchase 创建 新增 添加 预订 预定 下单 购买",
    "return refund exchange 退货 退款 换货",
    "send transfer ship give pay issue 发送 转账 寄送 支付 发放",
)
"""Words for what tools do, each line for one act."""
_SAME = {term: frozenset(terms(line)) for line in _ACTS for term in terms(line)}

_NOT = (
    r"(?: cannot | can't | can [ ] not | (?:must|may|shall|should) [ ] not | mustn't | never | (?:is|are) [ ] not [ ] (?:allowed|permitted)"
)
_NOT += r" | do [ ] not | don't | 不能 | 不得 | 不可 | 不允许 | 禁止 | 无法 )"
_ONLY = r"(?: only [ ] (?: if | when | after | with ) | unless | 只有 | 仅当 | 除非 )"
_PROHIBITS = re.compile(_NOT, re.IGNORECASE | re.VERBOSE)
_CONDITION = re.compile(_ONLY, re.IGNORECASE | re.VERBOSE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？\n]+")
_CLAUSE = re.compile(r"[;；，]|,\s+(?:and|but|or)\s+|\s+but\s+", re.IGNORECASE)
_UNMET = frozenset({"", "no", "none", "false", "0", "n", "not", "否", "无", "没有"})
LONGEST = 4
"""Words of a value that a sentence may name."""


class Subject(Struct, frozen=True):
    """What a sentence may speak against."""

    tool: str
    record: Mapping[str, Any]
    """What is known of the thing that the call is about."""
    parameters: Collection[str] = ()
    """Those of the call, without what it is about."""
    changed: frozenset[str] = frozenset()
    """The fields of the record that the call says otherwise."""


def forbidding(text: str, subject: Subject, phrases: Collection[str] = ()) -> list[str]:
    """The sentences of ``text`` that speak against ``subject``, in order.

    ``phrases``: other names and values of the trade, so that *basic economy* is not taken for *economy*.
    """
    act = _act(subject.tool)
    values = {tuple(terms(str(value))): name for name, value in subject.record.items() if isinstance(value, str)}
    lexicon = {tuple(terms(each)) for each in phrases if len(each) < 40} | values.keys()
    fields = {term: name for name in subject.record for term in terms(name.replace("_", " "))}
    return [
        sentence.strip()
        for sentence in _SENTENCE.split(text)
        if any(_forbids(clause, subject, act, values, lexicon, fields) for clause in _CLAUSE.split(sentence))
    ]


def _act(tool: str) -> frozenset[str]:
    """The words for what a tool does: those that its name has, and others for the same."""
    words = terms(re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-.]", " ", tool))
    act = next((word for word in words if word in _SAME), words[0])
    return _SAME.get(act, frozenset({act}))


def _forbids(
    clause: str,
    subject: Subject,
    act: frozenset[str],
    values: Mapping[tuple[str, ...], str],
    lexicon: set[tuple[str, ...]],
    fields: Mapping[str, str],
) -> bool:
    only = _CONDITION.search(clause)
    if not only and not _PROHIBITS.search(clause):
        return False
    said, condition = (clause[: only.start()], clause[only.end() :]) if only else (clause, "")
    words = terms(said.replace("_", " "))
    if not act.intersection(words):
        return False
    named = _phrases(words, lexicon)
    if not any(phrase in values for phrase in named):
        return False
    about = {fields[word] for word in words if word in fields}
    if about and subject.parameters and not about & subject.changed:
        return False
    if not only:
        return True
    needed = {fields[word] for word in terms(condition) if word in fields}
    return any(str(subject.record[name]).casefold() in _UNMET for name in needed)


def _phrases(words: list[str], lexicon: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The phrases that words are made of, the longest first: what is part of a longer one is not meant."""
    found, at = set(), 0
    while at < len(words):
        for length in range(min(LONGEST, len(words) - at), 0, -1):
            phrase = tuple(words[at : at + length])
            if phrase in lexicon:
                found.add(phrase)
                break
        else:
            length = 1
        at += length
    return found
