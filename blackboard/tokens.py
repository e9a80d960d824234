"""How many tokens a text has, for whoever must stay within a budget of them.

Law: what is counted is the text itself, never an estimate of it. The tokens of a whole are not the sum of those of its parts, so who
promises a budget counts at the end what he hands over.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

TokenCounter: TypeAlias = Callable[[str], int]
"""The number of tokens of a text: 0 for an empty one."""

ENCODING = "cl100k_base"
"""What the default counts in: near to what models use now, in any language (of Chinese, characters / 4 is a quarter of the tokens)."""


def count_tokens(text: str) -> int:
    """The tokens of ``text`` in cl100k, in well below a millisecond a page. What looks like a special token is text, as it is to a model.

    A lone surrogate, which cannot be sent, counts as the U+FFFD that stands for it once it is.
    """
    count = _counter()
    try:
        return count(text)
    except TypeError:
        return count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@cache
def _counter() -> TokenCounter:
    """The encoding, which comes inside the wheel, is read on the first count (0.2 s): nobody pays for it who counts nothing."""
    import quicktok

    count: TokenCounter = quicktok.get_encoding(ENCODING).count
    return count
