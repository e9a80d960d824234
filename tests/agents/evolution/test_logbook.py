"""Claims about how cycles lie on a board."""

import blackboard
from agents.evolution.entries import Analysed, Began, Ended, Settings, Spent, Stopped, Work
from agents.evolution.logbook import Logbook


async def test_what_is_put_is_read() -> None:
    """Claims by themselves, and the work of each cycle, in the order of the log; whoever looks."""
    began, ended = (
        Began("c1", "h", "op", 1.0, Settings(retries=5)),
        Ended("c1", "h", 2.0, "over", spent=Spent(1, 2, 3.0)),
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


async def test_what_is_no_entry_is_passed_over() -> None:
    """Whoever put it there: it stops nobody's work."""
    began = Began("c1", "h", "op", 1.0)
    async with blackboard.open(":memory:", agent="op") as board:
        await board.deposit("a note about cycles", key="cycle", scope="shared")
        await board.deposit("nonsense", kind="cycle", key="cycle", scope="shared", meta={"record": {"type": "began"}})
        await Logbook(board).claim(began)
        assert await Logbook(board).claims() == [began]
