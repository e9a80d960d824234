"""What was chosen, and what was not."""

from blackboard.context.pieces import Piece
from blackboard.context.selection import LeftOut, Selection


def test_says_of_all_that_is_not_in_why() -> None:
    """What was not even considered has nothing to do with the query."""
    pieces = [Piece("a"), Piece("b"), Piece("c")]
    selection = Selection(total=9, pieces=pieces, reasons={0: None, 2: "over budget"})
    assert selection.left_out == [LeftOut(pieces[1], "not relevant"), LeftOut(pieces[2], "over budget")]


def test_compression() -> None:
    """The share that was saved; never negative, and of nothing nothing."""
    assert Selection(total=10, tokens=4, pieces=[], reasons={}).compression == 0.6
    assert Selection(total=10, tokens=14, pieces=[], reasons={}).compression == 0
    assert Selection(total=0, pieces=[], reasons={}).compression == 0
