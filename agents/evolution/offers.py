"""What a tool says to give it: *NAME=VALUE* in an error or a remark, as in *only 50 rows shown; pass limit=900 for all*.

Laws: only what is said to be given counts, not what is told about what happened (*got limit=5*, *status=500*), nor what is advised against
(*do not use page=0*). Nothing here knows what a tool is about.
"""

import re
from collections.abc import Collection

_PAIR = re.compile(
    r"""(?P<name> (?<![A-Za-z0-9_./?&-]) (?:--)? [A-Za-z_][A-Za-z0-9_]* | [\u4e00-\u9fff]{1,20} ) ["'`”’]? \s*[=＝]\s*
        (?: (?P<number> [-+]? (?: \d{1,3}(?:,\d{3})+ | \d{1,15} ) (?:\.\d{1,15})? ) (?! [A-Za-z0-9_:/%十百千万亿-] | [.,]\d )
          | "(?P<double>[^"]{1,80})" | '(?P<single>[^']{1,80})' | `(?P<back>[^`]{1,80})` | “(?P<curled>[^”]{1,80})”
          | (?P<word> [A-Za-z0-9_][A-Za-z0-9_./:+-]{0,79} | [\u4e00-\u9fff]{1,8} (?=[\s，。；：！？,.;:!?)）]|$) ) )""",
    re.VERBOSE,
)
_TO_GIVE = re.compile(
    r"""\b(?: pass | set | use | try | give | specify | add | provide | supply | send | include | needs? | requires? | please | raise
          | increase | lower | (?:passing|setting|using|giving|specifying|adding) | (?:retry|again|call|call[ ]it|run|run[ ]it)[ ]with
          | mean | for[ ](?:example|instance) | such[ ]as ) \b
        | 请 | 设置 | 设定 | 指定 | 传入 | 使用 | 改用 | 改为 | 提供 | 加上 | 例如 | 比如 | 试试""",
    re.IGNORECASE | re.VERBOSE,
)
_GOOD_FOR = re.compile(r"""["'`”’]?\s*(?:(?:for|to|gives?|shows?|returns?|would|will)\b|可以?|即可|以|能)""", re.IGNORECASE)
"""What follows a value that would be better: *limit=900 for all*."""
_NOT_TO_GIVE = re.compile(
    r"""\b(?: not | never | no | without | avoid | cannot | instead[ ]of | rather[ ]than | got | given | gave | received | was | were | had
          | current(?:ly)? | default )\b | n't\b | 不 | 勿 | 别 | 无需 | 当前 | 默认""",
    re.IGNORECASE | re.VERBOSE,
)
_REFUSED = re.compile(r"""["'`”’]?\s*(?:(?:is|are|was)\b|not\b|too\b|不|无效|过)""", re.IGNORECASE)
_CLAUSE = re.compile(r"[;:!?()\[\]，；：！？（）。\n]|[.,](?=\s)")
_ALSO = re.compile(r"\s*(?:[,、，&]|and|和|与|及)?\s*(?:and\b)?\s*", re.IGNORECASE)
_VERB_BEFORE = re.compile(r"^.*(?:设置|设定|指定|传入|使用|改用|改为|提供|加上|例如|比如|试试|参数|请[用传设给]?|[将把])")
_PLACEHOLDER = re.compile(r"[A-Z]|\.+|value|VALUE|xxx?|null|None", re.ASCII)


def offers(text: str, known: Collection[str] = ()) -> dict[str, str | int | float | bool]:
    """Parameter → the value that a tool says to give it; of several the first.

    A name counts where the words before it say to give it, or if it is ``known`` as a parameter and the words after it say what it is good
    for. What stands beside one that counts (*use page=2 and size=100*) counts as well.
    """
    text = re.sub(r"\S+://\S+", " ", re.sub(r"\be\.\s?g\.,?", "such as", text, flags=re.IGNORECASE))
    found: dict[str, str | int | float | bool] = {}
    end, goes_on = 0, False
    for pair in _PAIR.finditer(text):
        between = text[end : pair.start()]
        name, before = _named(pair["name"], known)
        before = _CLAUSE.split(between)[-1] + before
        is_offered = bool(_TO_GIVE.search(before)) or (goes_on and bool(_ALSO.fullmatch(between)))
        is_offered = is_offered or (name in known and bool(_GOOD_FOR.match(text, pair.end())))
        goes_on = is_offered and not _NOT_TO_GIVE.search(before) and not _REFUSED.match(text, pair.end())
        end = pair.end()
        if goes_on and (value := _value(pair)) is not None:
            found.setdefault(name, value)
    return found


def _named(said: str, known: Collection[str]) -> tuple[str, str]:
    """The name in what stands before the sign, and the words before it: in Chinese nothing is between them."""
    if said.isascii():
        return said.removeprefix("--"), ""
    ends = [name for name in known if said.endswith(name)]
    name = max(ends, key=len) if ends else _VERB_BEFORE.sub("", said) or said
    return name, said[: len(said) - len(name)]


def _value(pair: re.Match[str]) -> str | int | float | bool | None:
    """None: it stands for a value."""
    if number := pair["number"]:
        digits = number.replace(",", "")
        return float(digits) if "." in digits else int(digits)
    if quoted := pair["double"] or pair["single"] or pair["back"] or pair["curled"]:
        return quoted
    word = pair["word"].rstrip("./:+-")
    if word.casefold() in {"true", "false"}:
        return word.casefold() == "true"
    return None if not word or _PLACEHOLDER.fullmatch(word) else word
