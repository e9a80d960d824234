"""Tokens, counted."""

import subprocess
import sys

import pytest

from blackboard.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tiktoken is great!", 6), ("antidisestablishmentarianism", 6), ("2 + 2 = 4", 7), ("お誕生日おめでとう", 9)],
)
def test_tokens_are_those_of_the_published_encoding(text: str, tokens: int) -> None:
    """The figures are OpenAI's own, of its page on counting with tiktoken."""
    assert count_tokens(text) == tokens


def test_what_looks_like_a_special_token_is_text() -> None:
    """Nobody's content makes counting fail, or costs less than it does."""
    assert count_tokens("<|endoftext|>") == 7


def test_a_lone_surrogate_counts_as_what_stands_for_it() -> None:
    """And a pair of them as the character that it is."""
    assert count_tokens("a\ud800b") == count_tokens("a\ufffdb")
    assert count_tokens("\ud83d\ude00") == count_tokens("😀")


def test_nothing_is_loaded_before_the_first_count() -> None:
    """Importing the room costs nothing."""
    code = "import sys, blackboard.tokens as t; print('quicktok' in sys.modules); t.count_tokens('a'); print('quicktok' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
