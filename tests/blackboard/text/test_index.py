"""Which items have which terms."""

from collections.abc import Sequence
from typing import Any

import pytest

from blackboard.text import Query, Text, TextIndex, meet


def new_index() -> TextIndex[str]:
    """An index of items that are texts."""
    return TextIndex(lambda texts: map(Text, texts))


def relevant(indices: Sequence[TextIndex[Any]], text: str) -> dict[int, float]:
    """What a text meets, and how well."""
    return {met.ordinal: met.relevance for met in meet(indices, Query.of(text), 100)}


def index_of(*texts: str) -> TextIndex[str]:
    index = new_index()
    for ordinal, text in enumerate(texts):
        index.add(ordinal, text)
    return index


def test_what_shares_a_word_is_relevant() -> None:
    """Nothing else is; and the rarer the word, and the more of them, the more relevant."""
    index = index_of("a red cat", "a dog", "a red dog", "nothing")
    scores = relevant([index], "red cat or a dog")
    assert set(scores) == {0, 1, 2}
    assert scores[0] > scores[2] > scores[1]


def test_an_index_follows_what_comes_and_goes() -> None:
    """Between searches, before the first one, and back again."""
    index = index_of("cat", "cat", "cat")
    index.remove(0, "cat")
    assert set(relevant([index], "cat")) == {1, 2}
    index.remove(1, "cat")
    index.add(1, "cat")
    index.remove(2, "cat")
    assert set(relevant([index], "cat")) == {1}
    assert len(index) == 1
    index.remove(1, "cat")
    assert relevant([index], "cat") == {}


def test_what_has_gone_leaves_no_trace_in_the_figures() -> None:
    """As if it had never been there; nor does what went and came back count twice."""
    fresh = index_of("cat", "dog and bird")
    index = index_of("cat", "dog and bird", "a much longer text of a cat", "cat")
    relevant([index], "cat")
    index.remove(2, "a much longer text of a cat")
    index.remove(3, "cat")
    index.remove(1, "dog and bird")
    index.add(1, "dog and bird")
    assert relevant([index], "cat dog") == relevant([fresh], "cat dog")


def test_a_word_may_be_said_very_often() -> None:
    """More often than is counted, which makes the text no shorter."""
    index = index_of(*("cat " * times + "dog " * (1000 - times) for times in (250, 300, 999)))
    scores = relevant([index], "cat")
    assert scores[0] < scores[1] == scores[2]


def test_an_index_catches_up_in_slices() -> None:
    """So many texts at a time, in whatever order they came and went meanwhile; a search does the rest."""
    index = index_of(*(f"cat {n}" for n in range(5)))
    assert index.catch_up(2)
    index.remove(0, "cat 0")
    index.remove(4, "cat 4")
    assert index.catch_up(2)
    assert not index.catch_up(2)
    assert set(relevant([index], "cat")) == {1, 2, 3}


@pytest.mark.parametrize("searched", [False, True])
def test_a_text_may_change(searched: bool) -> None:
    """It is found by its new words, and no longer by the old ones, whether it was indexed before or not."""
    words = {0: "cat", 1: "cat"}
    index: TextIndex[int] = TextIndex(lambda items: [Text(words[item]) for item in items])
    index.add(0, 0)
    index.add(1, 1)
    if searched:
        relevant([index], "cat")
    index.reword(0, 0)
    index.remove(0, 0)
    words[0] = "dog"
    index.add(0, 0)
    assert (set(relevant([index], "cat")), set(relevant([index], "dog"))) == ({1}, {0})


def test_many_indices_are_searched_as_one() -> None:
    """How rare a word is, is judged by what is searched, and by nothing else."""
    one, other = new_index(), new_index()
    one.add(0, "cat")
    other.add(1, "cat")
    other.add(2, "dog")
    assert set(relevant([one, other], "cat")) == {0, 1}
    assert relevant([one], "cat") == relevant([index_of("cat")], "cat")


@pytest.mark.parametrize(
    ("text", "asked"), [("cafe\u0301", "café"), ("会议在１５：００", "15:00"), ("ＡＢＣ", "abc"), ("我的猫叫豆豆", "猫")]
)
def test_a_text_is_found_however_it_was_typed(text: str, asked: str) -> None:
    """Composed or not, in full or half width; and one Chinese character finds the texts that it is in."""
    assert set(relevant([index_of("nothing", text)], asked)) == {1}


def test_long_texts_are_caught_up_with_in_smaller_slices() -> None:
    """So that who waits for one to be read does not wait for many pages."""
    index = index_of(*("a page " * 1_000 for _ in range(3)), "cat")
    assert index.catch_up(4)
    assert len(index.having("page")) == 1
    assert index.catch_up(10)
    assert len(index.having("page")) == 3
    assert not index.catch_up()
    assert index.having("cat")
