"""Claims about looking after canaries."""

from collections.abc import Iterable

import blackboard
from agents.evolution.library import Library
from agents.evolution.release import Test
from agents.evolution.strategies import Rule, Strategy
from agents.evolution.watching import watch
from agents.memory.journal import Journal
from agents.memory.records import TaskLog
from blackboard.client import Board
from tests.agents.evolution.world import TOOL, lay, logged

LIMIT = Strategy("limit", Rule(set={"limit": 100}), types=("report",), when={"tool": {"==": TOOL}})
TEST = Test(tasks=40, looks=2)
LATER = 4e9
"""Unix seconds, after whatever was decided now."""


def ran(*, helps: bool, at: float = LATER) -> Iterable[TaskLog]:
    for number in range(40):
        has = number % 2 == 1
        yield logged(number, "success" if has == helps else "failure", strategies=[LIMIT.ref] if has else [], at=at + number)


async def canary(board: Board) -> None:
    await Library(board).add(LIMIT)
    await Library(board).approve(LIMIT.ref, by="Ada", share=0.5)


async def test_one_that_does_harm_is_rejected() -> None:
    """With the figures, in the name of whoever approved it; and what was in force before stays so."""
    async with blackboard.open(":memory:", agent="op") as board:
        await canary(board)
        await lay(Journal(board), ran(helps=False))
        [decision] = await watch(board, TEST)
        assert decision.ruling == "roll back"
        release = await Library(board).get(LIMIT.ref)
        assert (release.status, release.by, release.why) == ("rejected", "Ada", decision.why)
        assert await watch(board, TEST) == []


async def test_what_went_before_tells_nothing() -> None:
    """Tasks from before it was approved, as of an earlier time that it was tried, do not count."""
    async with blackboard.open(":memory:", agent="op") as board:
        await canary(board)
        await lay(Journal(board), ran(helps=True, at=1000.0))
        [decision] = await watch(board, TEST)
        assert (decision.ruling, decision.having.tasks) == ("go on", 0)
        assert (await Library(board).get(LIMIT.ref)).status == "canary"


async def test_a_board_without_canaries() -> None:
    """Has nothing to decide."""
    async with blackboard.open(":memory:", agent="op") as board:
        await Library(board).add(LIMIT, status="active", by="Ada")
        assert await watch(board) == []
