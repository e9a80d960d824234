"""Claims about how cycles lie on a board."""

import pytest

import blackboard
from agents.evolution.entries import Analysed, Began, Ended, Settings, Spent, Stopped, Work
from agents.evolution.logbook import Logbook
from blackboard.errors import BadValue


async def test_what_is_put_is_read() -> None:
    """Claims by themselves, and the work of each cycle, in the order of the log; whoever looks."""
    began, ended = (
        Began("c1", "h", "op", 1.0, Settings(retries=5)),
        Ended("c1", "h", 2.0, "over", spent=Spent(1, 2, 3.0), library={"active": 1}),
    )
    work: list[Work] = [Analysed("t1", None, "why"), Stopped("so")]
    async with blackboard.open(":memory:", agent="op") as board:
        book = Logbook(board)
        await book.claim(began)
        for number, entry in enumerate(work):
            await book.put("c1", "h", number, entry)
        await book.put("c2", "h", 0, Stopped("another"))
        await book.claim(ended)
        assert await book.claims() == [began, ended]
        assert await book.work("c1") == work
        assert await book.work("none") == []


async def test_nothing_of_it_enters_a_prompt() -> None:
    """Whatever the prompt is about."""
    async with blackboard.open(":memory:", agent="op") as board:
        await Logbook(board).claim(Began("c1", "h", "op", 1.0))
        assert not (await board.assemble("cycle c1 is begun by op", use=False)).chosen


async def test_what_is_no_entry_is_named() -> None:
    """With its item and its owner, who may retract it; what is of another kind is nobody's entry."""
    async with blackboard.open(":memory:", agent="op") as board:
        await board.deposit("a note about cycles", key="cycle", scope="shared")
        assert await Logbook(board).claims() == []
        item = await board.deposit("nonsense", kind="cycle", key="cycle", scope="shared", meta={"record": {"type": "began"}})
        with pytest.raises(BadValue, match=f"{item.id} .* is no entry of a cycle .*its owner, op"):
            await Logbook(board).claims()
