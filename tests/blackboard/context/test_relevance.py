"""How relevant pieces are to a query."""

from datetime import date

from blackboard.context.pieces import Piece
from blackboard.context.relevance import Lexical


def lexical(*pieces: Piece) -> Lexical:
    relevance = Lexical()
    relevance.add(pieces)
    return relevance


def test_what_shares_terms_is_relevant() -> None:
    """The more the better; of those only as many as are asked for."""
    relevance = lexical(Piece("a red cat"), Piece("a dog"), Piece("a red dog"), Piece("a boat"))
    assert list(relevance.scores("red dogs", 9)) == [2, 1, 0]
    assert list(relevance.scores("red dogs", 1)) == [2]
    assert relevance.scores("nothing", 9) == {}


def test_turns_of_a_dialogue_leave_traces() -> None:
    """On the three before and after, the nearer the more; texts that nobody says stand alone."""
    texts = ["Which city?", "Well", "Hmm", "Lisbon was the best city", "So", "Yes", "No", "Far"]
    assert sorted(lexical(*(Piece(text, speaker="ada") for text in texts)).scores("Lisbon", 9)) == [0, 1, 2, 3, 4, 5, 6]
    assert sorted(lexical(*(Piece(text) for text in texts)).scores("Lisbon", 9)) == [3]


def test_a_day_is_a_conversation_of_its_own() -> None:
    """What was said the day before is no neighbour; and the day is found by whoever asks for it."""
    may, june = date(2026, 5, 8), date(2026, 6, 9)
    relevance = lexical(
        Piece("Lisbon", speaker="ada", day=may), Piece("So", speaker="bob", day=june), Piece("Yes", speaker="ada", day=june)
    )
    assert set(relevance.scores("Lisbon?", 9)) == {0}
    assert set(relevance.scores("on 8 May", 9)) == {0}
    assert set(lexical(*(Piece("So", day=day) for day in (may, date(2026, 5, 9)))).scores("yesterday", 9)) == {0}


def test_a_history_is_added_to() -> None:
    """What comes later is found at once, and numbered on."""
    relevance = lexical(Piece("cat"))
    relevance.scores("cat", 9)
    relevance.cosines([0])
    relevance.add([Piece("cat and dog")])
    assert set(relevance.scores("cat", 9)) == {0, 1}
    assert 0 < relevance.cosines([0, 1])[0, 1] < 1


def test_a_query_that_was_said_leaves_no_trace() -> None:
    """Whoever asks about the last message, does not mean what stands beside it."""
    relevance = lexical(*(Piece(text, speaker="ada") for text in ("Lisbon", "So", "Yes", "Hm", "Was it nice?", "And where is Lisbon?")))
    assert 4 not in relevance.scores("And where is Lisbon?", 9)
    assert {0, 1, 5} <= relevance.scores("And where is Lisbon?", 9).keys()
