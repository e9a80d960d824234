"""What pieces cost."""

from typing import Any

from blackboard.context.costs import FRAME, cost, cost_of_all
from blackboard.context.pieces import Piece, pieces_of


def test_a_text_costs_its_tokens_and_a_line_break() -> None:
    """With who says it."""
    assert cost(Piece("four words of text"), len) == len("four words of text\n")
    assert cost(Piece("four", speaker="ada"), len) == len("ada: four\n")


def test_messages_cost_their_frames_too() -> None:
    """Each of an exchange; or what they cost as a text, if that is more."""
    call: dict[str, Any] = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}
    history: list[dict[str, Any]] = [call, {"role": "tool", "tool_call_id": "a", "content": "12"}]
    [(_, piece)] = pieces_of(history)
    assert cost(piece, len) == len("assistant: f({})\ntool: 12\n") == 26
    assert cost(piece, lambda text: len(text) // 13) == 1 + 2 * FRAME
    assert cost_of_all("", history, len) == len("f({})12") + 2 * FRAME
    assert cost_of_all("x" * 99, history, len) == 99
    assert cost_of_all("", [{"role": "user", "name": "ada", "content": "hi"}], len) == len("adahi") + FRAME
