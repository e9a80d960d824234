"""How a query is widened."""

from blackboard.context.expanding import Widened, as_asked
from blackboard.context.pieces import Piece

SAID = [Piece("old"), Piece("the ferry to Elba"), Piece("")]


def test_a_query_that_says_enough_stays_as_it_is() -> None:
    """Whatever the goal."""
    query = "which ferry goes from Piombino to Elba tomorrow"
    assert Widened("book a trip")(query, SAID) == {query: 1.0} == as_asked(query, SAID)


def test_a_short_one_is_searched_for_with_goal_and_what_was_said_last() -> None:
    """At less weight; of what was said the last few pieces, where there are any."""
    assert Widened("book a trip")("and then?", SAID) == {"book a trip": 0.3, "the ferry to Elba": 0.3, "and then?": 1.0}
    assert Widened()("and then?", []) == {"and then?": 1.0}
    assert Widened("goal", last=0)("", SAID) == {"goal": 0.3, "": 1.0}
