"""Relevance by meaning."""

import pytest

from blackboard.context import ContextSelector
from blackboard.context.meaning import Meaning
from blackboard.context.pieces import Piece
from tests.blackboard.dictionary import Dictionary


def test_what_means_the_same_is_relevant() -> None:
    """Without a word in common; what has the word, too, is more so."""
    model = Dictionary()
    relevance = Meaning(model)
    relevance.add([Piece("a kitten"), Piece("a cat"), Piece("a boat"), *[Piece("rain")] * 14])
    scores = relevance.scores("cat", 9)
    assert list(scores) == [1, 0]
    assert list(relevance.scores("cat", 1)) == [1]
    assert relevance.cosines([0, 1, 2]).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    relevance.add([Piece("feline")])
    assert set(relevance.scores("cat", 9)) == {0, 1, 17}
    assert model.seen.count("a kitten") == 2  # alone and among its neighbours, once each


@pytest.mark.parametrize(("query", "found"), [("nothing known", []), ("cat", [0])])
def test_where_all_are_equally_near_words_decide(query: str, found: list[int]) -> None:
    """As where the model does not know the query, or there is nothing yet."""
    relevance = Meaning(Dictionary())
    assert relevance.scores(query, 9) == {}
    assert relevance.cosines([]).shape == (0, 0)
    relevance.add([Piece("cat"), Piece("kitten")])
    assert list(relevance.scores(query, 9)) == found


def test_a_selector_takes_an_embedder() -> None:
    """And chooses by it."""
    history = ["a kitten", "a boat", *["rain again"] * 6]
    selection = ContextSelector(embedder=Dictionary(), newest=False).select("my cat", history)
    assert selection.text == "a kitten"


def test_a_turn_means_what_it_says_behind_those_before_it() -> None:
    """In a dialogue; texts that nobody says stand alone."""
    for speaker, found in (("ada", [0, 1]), ("", [0])):
        relevance = Meaning(Dictionary())
        relevance.add([Piece(text, speaker=speaker) for text in ("my kitten", "so what", "hm", "yes", *["rain"] * 16)])
        assert [number for number in relevance.scores("cat", 9) if number < 2] == found
