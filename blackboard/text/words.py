"""The terms of a text: what it is found by.

Laws: how a text is encoded makes no difference (NFC or NFD, full or half width, capitals). Names and numbers stay whole. What has no spaces
between its words (Chinese, Japanese, Korean) is found by pairs of characters, and a pictogram by itself. A text may be in several
languages.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

import Stemmer

from blackboard.identity import composed
from blackboard.text.english import BASE, STOP

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Chinese, Japanese and Korean characters, as they stand between the brackets of a pattern."""
_SIGNS = "\u2600-\u27bf\U0001f000-\U0001faff"
_WORD = re.compile(rf"[{CJK}]+|[{_SIGNS}]|\d+(?:[.,:]\d+)+|[^\W_{CJK}]+")
_POINTS = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
"""Of Hebrew and Arabic, what is written or not."""
_IS_CJK = re.compile(f"[{CJK}]")
_HAS_DIGIT = re.compile(r"\d")

RULES = f"{Stemmer.version()}/{unicodedata.unidata_version}"
"""Whose rules these are, beside our own: Snowball's and Unicode's."""

LONGEST = 64
"""Characters; what is longer is no word that has a stem, and would only fill the cache of them."""

_stem = Stemmer.Stemmer("english").stemWord


def plain(text: str) -> str:
    """The text as it is compared."""
    return _POINTS.sub("", composed(text, "NFKC").casefold()).replace("\u2019", "'")


def terms(text: str) -> list[str]:
    """The terms of a text, in order, as often as it has them: stems, numbers and times (50,000; 15:00), CJK runs as pairs of characters.

    Words that say nothing ("the", "of") are left out, unless it has no others.
    """
    words = _WORD.findall(plain(text))
    found = [term for word in words if word not in STOP for term in _terms(word)]
    return found or [term for word in words for term in _terms(word)]


def characters(text: str) -> set[str]:
    """Its CJK characters, each by itself, for who asks with a single one."""
    return set(_IS_CJK.findall(plain(text)))


def _terms(word: str) -> tuple[str, ...]:
    if _IS_CJK.match(word):
        return tuple(map("".join, pairwise(word))) if len(word) > 1 else (word,)
    return (stem(word) if len(word) <= LONGEST else word,)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word of a Western language (Snowball's English stemmer; an irregular form gives that of its base)."""
    if _HAS_DIGIT.search(word):
        return word
    return str(_stem(BASE.get(word, word)))


def name(said: str) -> str:
    """A name as ``ngrams`` finds it in a text."""
    return " ".join(_WORD.findall(plain(said)))


def ngrams(text: str, longest: int) -> frozenset[str]:
    """Its words, and up to ``longest`` of them in a row, with a space between them."""
    words = _WORD.findall(plain(text))
    return frozenset(" ".join(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1))
