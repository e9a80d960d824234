"""How what was chosen stands in the prompt."""

from blackboard.context.assembling import messages_of, ordered, text_of
from blackboard.context.chunkers import turns
from blackboard.context.history import History
from blackboard.context.pieces import Entry, Piece
from blackboard.context.relevance import Lexical
from blackboard.context.statements import binds

CHATTER = "We walked along the river and looked at the boats. " * 10


def history(*entries: Entry) -> History:
    found = History(turns, Lexical(), len, binds)
    found.follow(entries)
    return found


def test_orders() -> None:
    """As it was said; the most important first; or at the beginning and the end."""
    important = [4, 1, 9, 2, 7]
    assert ordered(important, "chronological") == [1, 2, 4, 7, 9]
    assert ordered(important, "relevance") == important
    assert ordered(important, "edges") == [4, 9, 7, 2, 1]


def test_a_text() -> None:
    """With who says what."""
    assert text_of(history("a", Piece("b", speaker="ada"), {"role": "user", "content": "c"}), [2, 1, 0]) == "user: c\nada: b\na"


def test_messages_are_those_that_were_given() -> None:
    """The same objects; what was no message is said by the user."""
    said = {"role": "assistant", "content": "a", "extra": [1]}
    first, second = messages_of(history(said, "b"), [0, 1])
    assert first is said
    assert second == {"role": "user", "content": "b"}


def test_parts_of_a_message_are_one_message() -> None:
    """All of them are the message as it was given, some of them a copy with these."""
    said = {"role": "user", "content": f"{CHATTER}My name is Ada. {CHATTER}", "name": "ada"}
    found = history(said)
    assert messages_of(found, [0, 1, 2]) == [said]
    assert messages_of(found, [1]) == [{**said, "content": "My name is Ada."}]
    assert messages_of(found, [1, 2]) == [{**said, "content": f"My name is Ada.\n{CHATTER.strip()}"}]
