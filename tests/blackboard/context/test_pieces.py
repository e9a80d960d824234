"""How a history becomes pieces."""

from typing import Any

import pytest

from blackboard.context.pieces import Piece, content_of, pieces_of, shown_call
from blackboard.errors import BadValue


def call(*names: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": n, "function": {"name": n, "arguments": "{}"}} for n in names]}


def result(name: str, content: str = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": content}


def said(content: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def test_each_entry_is_a_piece() -> None:
    """A text, a piece as it is, a message with its role; numbered where they have no name."""
    found = [piece for _, piece in pieces_of(["a", Piece("b", "x"), Piece("c"), said("d")])]
    assert [(piece.text, piece.id, piece.speaker) for piece in found] == [
        ("a", "0", ""),
        ("b", "x", ""),
        ("c", "2", ""),
        ("d", "3", "user"),
    ]


def test_a_tool_call_and_its_results_are_one_piece() -> None:
    """Also several calls at once; what comes after is the next piece."""
    history = [said("hi"), call("a", "b"), result("a", "one"), result("b", "two"), said("ok")]
    found = list(pieces_of(history))
    assert [end for end, _ in found] == [1, 4, 5]
    assert found[1][1].messages == tuple(history[1:4])
    assert found[1][1].text == "a({})\nb({})\ntool: one\ntool: two"


@pytest.mark.parametrize(
    ("history", "whole"),
    [
        ([call("a"), result("a")], True),
        ([call("a", "b"), result("a")], False),
        ([call("a")], False),
        ([result("a")], False),
        ([call("a"), {"role": "tool", "content": "of an older shape"}], True),
        (
            [
                {"role": "assistant", "function_call": {"name": "f", "arguments": {"x": "é"}}},
                {"role": "function", "name": "f", "content": "1"},
            ],
            True,
        ),
    ],
)
def test_only_what_is_answered_can_be_sent(history: list[dict[str, Any]], whole: bool) -> None:
    """A call without its results cannot, nor a result without its call."""
    [(_, piece)] = pieces_of(history)
    assert piece.whole is whole


def test_instructions_are_protected() -> None:
    """Whatever they say."""
    assert [piece.protected for _, piece in pieces_of([said("x", "system"), said("x", "developer"), said("x")])] == [True, True, None]


def test_content_in_parts() -> None:
    """Texts are read, and of the others it is said what they are."""
    assert content_of({"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url"}]}) == "look\n[image_url]"
    assert shown_call({"role": "assistant", "function_call": {"name": "f", "arguments": {"x": "é"}}}) == 'f({"x": "é"})'


@pytest.mark.parametrize("entry", [{"content": "no role"}, {}, Piece("a", weight=-1.0), Piece("a", weight=float("nan"))])
def test_what_is_no_entry_is_refused(entry: dict[str, Any] | Piece) -> None:
    """By its number."""
    with pytest.raises(BadValue, match="entry 1"):
        list(pieces_of(["a", entry]))


@pytest.mark.parametrize(
    "wrong",
    [
        None, 5, b"x", [], {}, said(5), said([{"type": "text"}]), said(["x"]),  # type: ignore[arg-type]
        {"role": "assistant", "tool_calls": 5}, {"role": "assistant", "tool_calls": [{"id": "1"}]},
    ],
)  # fmt: skip
def test_what_is_no_message_is_named(wrong: Any) -> None:
    """With its place in the history."""
    with pytest.raises(BadValue, match="entry 1 is"):
        list(pieces_of(["a", wrong]))
