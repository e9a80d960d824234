"""Claims about all three tiers together: from what was said to what many tasks came to, and back."""

import pytest

from agents.memory.distiller import distil_board
from agents.memory.memory import Memory
from agents.memory.records import ToolCall
from blackboard.testing import running_board


@pytest.mark.parametrize("said", ["Do not use a log scale.", "千万别用对数坐标。"])
async def test_a_constraint_survives_all_tiers_and_all_that_was_folded_is_reachable(said: str) -> None:
    """To the letter; and it is asked for from the experience back to the turn that said it."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.compressing():
            for month in ("May", "June", "July"):
                async with memory.task(f"Plot the sales of {month}", type="plot") as task:
                    await task.step(f"Hello! Plot the sales of {month}. {said}", by="user")
                    for call in (ToolCall("query", {"month": month}, ["row"] * 200), ToolCall("plot", {"axis": "linear"}, "ok")):
                        await task.step("Let me see.", calls=[call])
                    task.succeed()
        await distil_board(running["ada"])
        [experience] = await memory.journal.experiences()
        assert said in experience.kept
        for id in experience.records:  # noqa: A001 - a task's
            record = await memory.journal.record(id)
            assert record is not None
            assert said in record.kept
            [step] = [step for step in await memory.journal.steps(id) if said in step.kept]
            turns = (await memory.journal.log(id)).turns[step.first : step.last + 1]
            assert any(said in turn.text for turn in turns)
            assert ToolCall("query", turns[1].calls[0].parameters, ["row"] * 200) in turns[1].calls
