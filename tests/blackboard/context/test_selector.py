"""The engine, as its users call it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blackboard.context import ContextSelector, Piece, Selection, Widened
from blackboard.context.costs import FRAME
from blackboard.context.presets import PRESETS
from blackboard.errors import BadValue
from blackboard.tokens import count_tokens

CAT = "My cat is called Doudou; never give it chocolate."
HISTORY = [CAT, "The weather is nice.", "Let us find a place for dinner.", "No coriander in my dinner.", "Football was fun.", "ok"]


def texts(selection: Selection) -> list[str]:
    return [each.piece.text for each in selection.chosen]


def test_what_has_to_do_with_the_query_is_in() -> None:
    """With what binds, and the newest; and it is told why, and why the others are not."""
    selection = ContextSelector().select("recommend a dinner", HISTORY, max_tokens=60)
    assert [(each.piece.id, each.why) for each in selection.chosen] == [
        ("0", "protected"), ("2", "relevant"), ("3", "relevant"), ("5", "newest"),
    ]  # fmt: skip
    assert selection.text == "\n".join(HISTORY[n] for n in (0, 2, 3, 5))
    assert [(each.piece.id, each.why) for each in selection.left_out] == [("1", "not relevant"), ("4", "not relevant")]
    assert selection.tokens == count_tokens(selection.text)
    assert selection.value == pytest.approx(1)  # that of all that have to do with the query
    assert 0 < selection.compression < 1


@pytest.mark.parametrize(
    ("query", "history", "limits", "note"),
    [
        ("cat", [], {}, "there is nothing to choose from"),
        ("", HISTORY, {"max_tokens": 99}, "the query '' has no word to look for"),
        (" … ", HISTORY, {"k": 5}, "has no word"),
        ("cat", HISTORY, {"max_tokens": 0}, "the budget is 0 tokens"),
        ("cat", HISTORY, {"k": 0}, "the budget is 0 pieces"),
        ("cat", [CAT, "The weather is nice."], {"max_tokens": 3}, "the smallest piece takes about 5 tokens, and the budget is 3"),
        ("zebra", ["The weather is nice."], {"max_tokens": 99}, "nothing that fits has to do with the query"),
    ],
)
def test_where_nothing_can_be_chosen_it_says_why(query: str, history: list[str], limits: dict[str, int], note: str) -> None:
    """An empty selection, and no error; what was there is told to be left out."""
    selection = ContextSelector(newest=False).select(query, history, **limits)
    assert note in selection.note
    assert (selection.chosen, selection.text, selection.messages, selection.tokens) == ((), "", (), 0)
    assert len(selection.left_out) == len(history)


def test_the_newest_is_in_if_it_fits() -> None:
    """Whatever it says; the budget wins, and it is told."""
    selection = ContextSelector().select("cat", [CAT, "ok then"], max_tokens=4)
    assert texts(selection) == ["ok then"]
    selection = ContextSelector().select("dog", ["A dog", CAT * 9], max_tokens=10)
    assert texts(selection) == ["A dog"]
    assert [each.why for each in selection.left_out] == ["over budget"]


def test_what_fits_to_the_token_is_in() -> None:
    """Though with a line break behind it, it would not."""
    assert count_tokens("cat") < count_tokens("cat\n")
    assert texts(ContextSelector().select("cat", ["cat"], max_tokens=count_tokens("cat"))) == ["cat"]


def test_without_limits_about_ten_and_fewer_once_one_adds_too_little() -> None:
    """A dynamic count."""
    history = [f"cat {n} {'and other things that were said ' * 9}" for n in range(30)]
    assert len(ContextSelector().select("cat", history).chosen) == 10
    assert texts(ContextSelector(newest=False).select("cat dog", ["cat", "cat dog", "boat"])) == ["cat", "cat dog"]
    strict = ContextSelector(newest=False, stop=1.0).select("cat dog", ["cat", "cat dog", "boat"])
    assert texts(strict) == ["cat dog"]
    assert [each.why for each in strict.left_out] == ["adds too little", "not relevant"]


def test_protected_pieces_do_not_give_way_for_diversity() -> None:
    """However many say nearly the same, and however much else is of another topic."""
    binding = [f"You must never ship order {n} to the old address." for n in range(4)]
    others = [f"Ship {thing} by {way}." for thing in ("tea", "rice", "silk") for way in ("rail", "sea", "air")]
    selection = ContextSelector("creative").select("where to ship", binding + others, k=8)
    assert [each.piece.text for each in selection.chosen if each.why == "protected"] == binding


def test_what_was_overturned_is_not_in_without_what_overturned_it() -> None:
    """The newer is found by what the older says."""
    history: list[Any] = [Piece("Ship it to Shanghai.", "a"), Piece("No, Beijing.", "b", supersedes=("a",)), "Fine."]
    selector = ContextSelector(newest=False)
    assert texts(selector.select("where to ship it", history, k=1)) == ["No, Beijing."]
    left = selector.select("where to ship it", history, max_tokens=2).left_out
    assert {each.piece.id: each.why for each in left}["a"] == "superseded"


def test_messages_come_back_as_they_were_given() -> None:
    """A tool call with its result, instructions first; and one that is not answered is not sent."""
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a shop."},
        {"role": "user", "content": "Where is my order A789?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "order", "arguments": '{"id": "A789"}'}}]},
        {"role": "tool", "tool_call_id": "1", "content": "In Shanghai"},
        {"role": "assistant", "content": "In Shanghai."},
        {"role": "user", "content": "Thanks"},
        {"role": "assistant", "tool_calls": [{"id": "2", "function": {"name": "close", "arguments": "{}"}}]},
    ]
    selection = ContextSelector().select("order A789", history, max_tokens=200)
    assert selection.messages == tuple(history[:6])
    assert [(each.piece.text, each.why) for each in selection.left_out] == [("close({})", "a tool call without its result")]
    history.append({"role": "tool", "tool_call_id": "2", "content": "closed"})
    assert ContextSelector().select("order A789", history, max_tokens=25).messages == (history[0], *history[6:])


def test_orders() -> None:
    """Chronological unless said otherwise."""
    history = ["red", "red cat", "a red cat called Doudou", "cat"]
    selector = ContextSelector(newest=False, order="relevance")
    assert texts(selector.select("red cat Doudou", history))[0] == "a red cat called Doudou"
    at_edges = texts(ContextSelector(newest=False, order="edges").select("red cat Doudou", history))
    assert (at_edges[0], at_edges[-1]) == ("a red cat called Doudou", "red cat")


def test_a_vague_query_is_widened() -> None:
    """By the goal, and by what was said last."""
    assert "No coriander in my dinner." in texts(ContextSelector(expander=Widened("plan a dinner")).select("and now?", HISTORY, k=6))
    assert "No coriander in my dinner." not in texts(ContextSelector().select("and now?", HISTORY, k=6))


def test_what_was_chosen_stands_until_the_topic_has_moved() -> None:
    """With what was said since; a larger change of query, of limits or of history chooses anew."""
    selector = ContextSelector(moved=0.5)
    first = selector.select("recommend a dinner place", HISTORY, max_tokens=60)
    same = selector.select("a dinner place please", [*HISTORY, "sure"], max_tokens=60)
    assert same.kept
    assert texts(same) == [*texts(first), "sure"]
    assert not selector.select("how was football", [*HISTORY, "sure"], max_tokens=60).kept
    assert not selector.select("how was football", [*HISTORY, "sure"], max_tokens=50).kept
    assert not selector.select("how was football", HISTORY, max_tokens=50).kept
    assert selector.select("how was football", HISTORY, max_tokens=50).kept
    assert not selector.select("how was football", [*HISTORY, "much was said " * 20], max_tokens=50).kept


def test_a_growing_history_gives_what_a_new_one_gives() -> None:
    """What is known of it makes it faster, and nothing else."""
    grown = ContextSelector()
    for end in range(1, len(HISTORY) + 1):
        ahead = ContextSelector()
        ahead.prepare(HISTORY[:end])
        assert grown.select("cat dinner", HISTORY[:end], k=3) == ahead.select("cat dinner", HISTORY[:end], k=3)


@pytest.mark.parametrize(
    "wrong",
    [{"preset": "none"}, {"order": "random"}, {"method": "best"}, {"stop": 1.5}, {"moved": -0.1}],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    """With what there is to choose from."""
    with pytest.raises(BadValue):
        ContextSelector(**wrong)


@pytest.mark.parametrize("limits", [{"max_tokens": -1}, {"k": -1}])
def test_a_limit_below_0_is_refused(limits: dict[str, int]) -> None:
    """By its name."""
    with pytest.raises(BadValue, match=next(iter(limits))):
        ContextSelector().select("cat", HISTORY, **limits)


SAYINGS = st.sampled_from(
    [
        "The ferry to Elba leaves at 15:00.", "我的猫叫豆豆，绝不要给它巧克力。", "👩‍👩‍👧‍👦🎉🇫🇷",
        "def ferry(n: int) -> int:\n\treturn n  # 渡轮\n",
        "フェリー", "<|endoftext|>", "\ud800", "  \n\n", "", "عبّارة إلى إلبا", "ferry\r", "x" * 300, "페리",
    ]
)  # fmt: skip
PARTS = st.lists(st.lists(SAYINGS, min_size=1, max_size=4).map("".join), max_size=12)


@settings(max_examples=200, deadline=None)
@given(
    said=PARTS,
    preset=st.sampled_from(sorted(PRESETS)),
    budget=st.integers(0, 150),
    method=st.sampled_from(["gain", "best of two"]),
    chat=st.booleans(),
)
def test_never_over_budget(said: list[str], preset: str, budget: int, method: Any, chat: bool) -> None:
    """In real tokens of the text that is handed over, and of the messages in their frames; each piece comes back as it stands."""
    history: list[Any] = [{"role": "user", "content": text} for text in said] if chat else said
    selection = ContextSelector(preset, method=method).select("ferry 豆豆 🎉 페리", history, max_tokens=budget)
    assert count_tokens(selection.text) <= selection.tokens <= budget
    if chat:
        assert sum(FRAME + count_tokens(each["content"]) for each in selection.messages) <= budget
    assert all(any(each.piece.text in text for text in said) for each in selection.chosen)
    assert len(selection.chosen) + len(selection.left_out) == len(selection.pieces)


def test_a_history_that_cannot_be_read_is_looked_at_anew() -> None:
    """What was read of it before the entry that is wrong does not stand between the two."""
    selector = ContextSelector()
    with pytest.raises(BadValue, match="entry 2 is 5"):
        selector.select("cat", [CAT, "The dog is called Rex.", 5], k=1)  # type: ignore[list-item]
    history = [CAT, "The dog is called Rex.", "ok"]
    assert texts(selector.select("dog", history, k=2)) == texts(ContextSelector().select("dog", history, k=2))


@pytest.mark.parametrize("history", ["cats eat fish", {"role": "user", "content": "hi"}, None, 5])
def test_a_history_is_a_list(history: Any) -> None:
    """Of a text the characters would be the pieces."""
    with pytest.raises(BadValue, match=f"a history is a list of texts, pieces or messages, not {type(history).__name__}"):
        ContextSelector().select("fish", history)


@pytest.mark.parametrize("limit", [-1, 2.5, float("nan"), "5", True])
def test_a_limit_is_a_whole_number(limit: Any) -> None:
    """Below what is no number nothing would ever fit."""
    for limits in ({"max_tokens": limit}, {"k": limit}):
        with pytest.raises(BadValue, match="give a whole number"):
            ContextSelector().select("cat", HISTORY, **limits)


def test_a_query_is_a_text() -> None:
    """What is none is named."""
    with pytest.raises(BadValue, match="a query is a text, not NoneType: None"):
        ContextSelector().select(None, HISTORY)  # type: ignore[arg-type]
