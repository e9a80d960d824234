"""What pieces cost in a prompt.

Law: the tokens of a prompt are those of the prompt itself. What a piece costs alone is near enough to choose by, and no more.
"""

from collections.abc import Sequence

from blackboard.context.pieces import Message, Piece, shown_call
from blackboard.tokens import TokenCounter

FRAME = 4
"""The tokens of a chat message beside what it says: what begins and ends it, and its role."""


def cost(piece: Piece, counter: TokenCounter) -> int:
    """The tokens of a piece with a line break behind it, or of its messages, whichever is more."""
    return max(counter(piece.rendered + "\n"), counter(piece.text) + FRAME * len(piece.messages))


def cost_of_all(text: str, messages: Sequence[Message], counter: TokenCounter) -> int:
    """The tokens of a prompt: as a text or, where there are any, as messages, whichever is more."""
    framed = sum(FRAME + counter(shown_call(each)) + counter(str(each.get("name") or "")) for each in messages)
    return max(counter(text) if text else 0, framed)
