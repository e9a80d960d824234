"""The default summariser: what binds and what counts is always kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.identity import folded
from blackboard.items import ContextItem
from blackboard.summaries import Extractive, must_be_kept, sentences


def summary_of(*contents: str, budget: int = 0) -> str:
    return Extractive(budget).summarise([ContextItem(content) for content in contents])


def test_constraints_and_numbers_are_kept_whatever_they_take() -> None:
    """Of what is neither, the first sentences that fit; each once, a line for each item."""
    one = "We met at noon in the hall. Never call the payment API. It was a nice day. The price is 47.50 a piece."
    other = "It was a nice day. 预算最多五万。天气很好。不要香菜。"
    assert summary_of(one, other) == "Never call the payment API. The price is 47.50 a piece.\n预算最多五万。 不要香菜。"
    assert summary_of(one, other, budget=len(one) + len(other)) == f"{one}\n预算最多五万。 天气很好。 不要香菜。"
    assert summary_of(one, budget=80) == "Never call the payment API. It was a nice day. The price is 47.50 a piece."


@pytest.mark.parametrize(
    "binding",
    [
        "You must sign", "Don’t ask", "He can't come", "only on weekdays", "do not disturb", "It is forbidden", "she is allergic to nuts",
        "at least a day", "必须签字", "禁止吸烟", "不要香菜", "只在周末", "请勿打扰", "别吃巧克力", "对花生过敏", "下午三点开会", "五十块",
        "seven people", "½ a cup",
        "第２次", "a dozen eggs", "Make sure that it is legible", "a line rather than bars", "Refrain from colours",
        "避免使用红色", "应当签字",
    ],
)  # fmt: skip
def test_what_binds_and_what_counts(binding: str) -> None:
    """Words of either, in English and in Chinese, and numbers in figures or in words."""
    assert must_be_kept(binding)


@pytest.mark.parametrize("idle", ["The sun shines", "a nice note", "天气很好", "Knowing nobles"])
def test_what_neither_binds_nor_counts(idle: str) -> None:
    """May be dropped."""
    assert not must_be_kept(idle)


def test_a_sentence_is_not_cut_where_it_may_go_on() -> None:
    """Not at an abbreviation, a decimal point or a small letter; a line that ends with a colon speaks for those below it."""
    assert sentences("Never pay, e.g. by card, Mr. Wang. All is well! 3.5 is it") == [
        "Never pay, e.g. by card, Mr. Wang.", "All is well!", "3.5 is it",
    ]  # fmt: skip
    assert sentences("Never:\n- call Ann\n- pay Bob\n\nThe rest\nis free") == ["Never:\n- call Ann\n- pay Bob", "The rest\nis free"]
    assert sentences("- red\n- blue\n不要\n香菜") == ["- red", "- blue\n不要\n香菜"]
    assert sentences("他说：“不要。”然后走了。") == ["他说：“不要。”", "然后走了。"]


def test_something_is_always_said() -> None:
    """Where nothing must be kept and nothing fits, the first sentence stands."""
    assert summary_of("A long idle sentence. Another") == "A long idle sentence."


@given(st.lists(st.text(st.sampled_from("ab 1三不。.!\n:Né"), min_size=1).filter(str.strip), min_size=1), st.integers(0, 60))
def test_no_number_is_lost(contents: list[str], budget: int) -> None:
    """Every sentence that must be kept is in the summary, and cutting loses no character; twice gives the same."""
    said = summary_of(*contents, budget=budget)
    assert said.strip()
    assert said == summary_of(*contents, budget=budget)
    for content in contents:
        assert "".join("".join(sentences(content)).split()) == "".join(content.split())
        for sentence in sentences(content):
            assert not must_be_kept(sentence) or folded(sentence) in said


@pytest.mark.parametrize("filler", ["\n", " ", ". ", "! ", "\n ", "A. b. ", "。”", "- a\n", "1)\n"])
def test_no_text_takes_longer_than_its_length(filler: str) -> None:
    """Not one of a hundred thousand line breaks, nor one that seems to end everywhere: the time is that of this test."""
    text = f"Never:\n- pay{filler * (100_000 // len(filler))}"
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
