"""What is known of a history."""

from collections.abc import Sequence
from typing import Any

from blackboard.context.chunkers import turns
from blackboard.context.history import History
from blackboard.context.pieces import Entry, Piece
from blackboard.context.relevance import Lexical
from blackboard.context.statements import binds

CALL: dict[str, Any] = {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": "{}"}}]}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "done"}


class Counting:
    """A counter that notes what it counted."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> int:
        self.texts.append(text)
        return len(text)


def followed(*entries: Entry, counter: Counting | None = None) -> History:
    history = History(turns, Lexical(), counter or Counting(), binds)
    history.follow(entries)
    return history


def test_each_entry_is_looked_at_once() -> None:
    """However often the history is given, and however long it is."""
    counter = Counting()
    entries: list[Entry] = ["one", "two"]
    history = followed(*entries, counter=counter)
    assert history.is_continued_by([*entries, "three"])
    counter.texts.clear()
    history.follow([*entries, "three"])
    assert all("three" in text for text in counter.texts)
    assert [piece.text for piece in history.pieces] == ["one", "two", "three"]


def test_another_history_is_another() -> None:
    """Also one that is shorter, or differs in the middle."""
    history = followed("one", "two")
    assert not any(map(history.is_continued_by, [["one"], ["one", "three"], []]))


def test_a_tool_call_waits_for_its_results() -> None:
    """It is shown meanwhile as what it is, and is a piece once they are there, or once something else was said."""
    history = followed("one", CALL)
    assert [piece.text for piece in history.shown()] == ["one", "read({})"]
    assert history.unanswered() == {1: "a tool call without its result"}
    assert len(history.pieces) == 1
    history.follow(["one", CALL, RESULT])
    assert history.unanswered() == {}
    assert history.pieces[1].text == "read({})\ntool: done"
    left = followed(CALL, "two")
    assert left.unanswered() == {0: "a tool call without its result"}
    assert left.newest() == [1]


def test_what_overturns_may_come_before_what_it_overturns() -> None:
    """Names are looked up when they are asked for; an id that nobody has overturns nothing."""
    history = followed(Piece("new", "b", supersedes=("a", "gone", "b")), Piece("old", "a"))
    assert history.overturned() == {1: 0}


def test_what_is_protected() -> None:
    """What is said to be, or instructs the model; apart from that, what binds, unless it is said not to be, or a tool says so."""
    entries: Sequence[Entry] = [
        Piece("x", protected=True),
        {"role": "system", "content": "Be kind."},
        "Never call me.",
        Piece("Never call me.", protected=False),
        CALL,
        {**RESULT, "content": "It must not be."},
    ]
    history = followed(*entries)
    assert (history.sacred, history.protected) == ([0, 1], [2])


def test_the_newest_entry_may_be_several_pieces() -> None:
    """All of them are the newest."""
    chatter = "We walked along the river and looked at the boats. " * 10
    history = followed("one", f"{chatter}My name is Ada. {chatter}")
    assert history.newest() == [1, 2, 3]
    assert history.parts == {0: 1, 1: 3}
    assert history.numbers("1") == [1, 2, 3]


def test_what_is_protected_is_not_cut() -> None:
    """Instructions are sent as they are, or not at all."""
    chatter = "We walked along the river and looked at the boats. " * 10
    assert len(followed({"role": "system", "content": f"{chatter}You must be polite to Ada. My name is Bob. {chatter}"}).pieces) == 1
