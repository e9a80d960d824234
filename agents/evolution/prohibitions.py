"""Does a sentence of the instructions speak against a call? By its words alone: no model is asked. English and Chinese.

    Final sale items cannot be returned.               against return_order, where the order's record says final_sale
    Rare books may be lent only if insurance is paid.  against lend_book, where the book's says rare, and insurance: no

Law: a sentence counts only if it names what the tool does *and* a text in the record of what it would do that to, and not if it names
fields of that record that the call leaves as they are. What needs reckoning (at most five, within a day) is not understood, and speaks
against nothing.
"""

import re

from agents.evolution.proposals import Proposal
from blackboard.text.words import terms

_ACTS = (
    "change modify update edit alter adjust amend extend 修改 更改 变更 更新 改签 改期",
    "cancel delete remove drop revoke terminate 取消 删除 撤销 退订",
    "create add make buy purchase 创建 新增 添加 预订 预定 下单 购买",
    "return refund exchange 退货 退款 换货",
    "send transfer give lend pay 发送 转账 寄送 借出 支付 发放",
)
"""Words for what tools do, a line for each act."""
_SAME = {term: frozenset(terms(line)) for line in _ACTS for term in terms(line)}

_NOT = re.compile(
    r"\b (?: cannot | can't | mustn't | don't | never | (?: can | must | may | shall | should | do ) [ ] not"
    r" | (?: is | are ) [ ] not [ ] (?: allowed | permitted ) ) \b | 不能 | 不得 | 不可 | 不允许 | 禁止 | 无法",
    re.IGNORECASE | re.VERBOSE,
)
_ONLY_IF = re.compile(
    r"\b only \b (?P<act> .*?) \b (?: if | when | after ) \b (?P<needs> .*) | 只有 (?P<zh> .+?) 才 (?: 能 | 可 | 允许 )",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？\n]+")
_CLAUSE = re.compile(r"[;；，]|,\s+(?:and|but|or)\s+|\s+but\s+", re.IGNORECASE)
_LACKING = frozenset({"", "no", "none", "false", "0", "not", "否", "无", "没有"})
LONGEST = 4
"""Terms of a phrase that a sentence may name."""


def forbidding(text: str, proposal: Proposal) -> list[str]:
    """The sentences of ``text`` that speak against a call, in order."""
    reader = _Reader(proposal)
    return [sentence.strip() for sentence in _SENTENCE.split(text) if any(map(reader.forbids, _CLAUSE.split(sentence)))]


class _Reader:
    """What the words of a sentence may mean to a call."""

    def __init__(self, it: Proposal) -> None:
        self.record = it.record
        self.act = _act(it.call.name)
        # With all that things are called here, "basic economy" is not taken for "economy".
        self.phrases = {phrase for name in it.vocabulary if len(phrase := tuple(terms(name.replace("_", " ")))) <= LONGEST}
        self.values = {tuple(terms(value.replace("_", " "))) for value in it.record.values() if isinstance(value, str)}
        self.fields = [(frozenset(terms(name.replace("_", " "))), name) for name in it.record]
        self.changed = frozenset(it.changed) if it.call.parameters.keys() - it.keys else None
        """None: the call says nothing of any field, and so is about the whole."""

    def forbids(self, clause: str) -> bool:
        only = _ONLY_IF.search(clause)
        if not only and not _NOT.search(clause):
            return False
        needs = (only["needs"] or only["zh"]) if only else ""
        words = terms(f"{clause[: only.start()]} {only['act'] or clause}" if only else clause)
        if not self.act.intersection(words) or not self.values & _phrases(words, self.phrases | self.values):
            return False
        about = self._named(words)
        if about and self.changed is not None and not about & self.changed:
            return False
        return not only or any(str(self.record[name]).casefold() in _LACKING for name in self._named(terms(needs)))

    def _named(self, words: list[str]) -> set[str]:
        return {name for of_name, name in self.fields if of_name.intersection(words)}


def _act(tool: str) -> frozenset[str]:
    """The words for what a tool does, by its name: *cancelOrder* and *delete_order* do the same."""
    words = terms(re.sub(r"(?<=[a-z])(?=[A-Z])|[_.-]", " ", tool))
    return next((_SAME[word] for word in words if word in _SAME), frozenset(words[:1]))


def _phrases(words: list[str], known: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The phrases that words are made of, the longest first: what is part of a longer one is not meant."""
    found, at = set(), 0
    while at < len(words):
        phrases = (tuple(words[at : at + length]) for length in range(LONGEST, 0, -1))
        phrase = next((phrase for phrase in phrases if phrase in known), None)
        found |= {phrase} if phrase else set()
        at += len(phrase or "1")
    return found
