"""A text with full-width signs made ASCII, character for character, so that places in it stay places in what was said."""

import re

_FULL_WIDTH = 0xFEE0  # U+FF01…U+FF5E are ! … ~ of ASCII, this far behind
_ALPHANUMERIC = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))

_LETTERS: dict[int, int] = {code: code - _FULL_WIDTH for code in _ALPHANUMERIC}
_LETTERS |= {0x3000: ord(" "), 0xA0: ord(" "), 0xFF03: ord("#")}
_LETTERS |= dict.fromkeys((code for code in (*range(32), *range(0x7F, 0xA0)) if code != ord("\n")), ord(" "))  # control characters
_LETTERS |= dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)  # lone surrogates, which UTF-8 has no bytes for

_SIGNS = {code: code - _FULL_WIDTH for code in range(0xFF01, 0xFF5F)} | {0x2019: ord("'"), 0x2212: ord("-")}


def clean(text: str) -> str:
    """Letters and digits of full width are ASCII; each control character but a line's end is a blank."""
    return text.translate(_LETTERS)


def folded(text: str) -> str:
    """The same for punctuation: as patterns and words see it."""
    return text.translate(_SIGNS)


HAN = "[\u3400-\u4dbf\u4e00-\u9fff]"
"""A pattern of one Chinese character."""
_CHINESE = re.compile(HAN)


def is_chinese(text: str) -> bool:
    """Has it Chinese characters?"""
    return not text.isascii() and _CHINESE.search(text) is not None
