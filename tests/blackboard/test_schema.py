"""Files of every earlier version become today's, and the board in them is what it was."""

import shutil
from pathlib import Path

import pytest

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.service import Service
from blackboard.sqlite import SqliteStore, inspect
from blackboard.sqlite.schema import JOURNAL, SCHEMA, STATE
from bus.memory import MemoryBus

DATA = Path(__file__).parent / "data"
"""A folder a version: ``some_life`` of ``hosting``, lived by finance, procurement and finance again, as that version kept it."""


@pytest.mark.parametrize("version", range(1, SCHEMA))
@pytest.mark.parametrize("checkpoint", [True, False], ids=["checkpoint", "journal"])
async def test_an_earlier_version_opens(version: int, checkpoint: bool, tmp_path: Path) -> None:
    """Items, strengths, accounts and senders' epochs are there, whether from the checkpoint or from the journal; and the board goes on."""
    for file in (DATA / str(version)).iterdir():
        shutil.copy(file, tmp_path)
    path, bus = tmp_path / "board.db", MemoryBus(ManualClock().now)
    if not checkpoint:
        path.with_name("board.state.db").unlink()
    async with Service("board", bus, SqliteStore(path), ManualClock()) as service, Board(bus, "board", "finance") as finance:
        budget, price, state, note = await finance.top()
        strengths = [each.strength for each in (budget, price, state, note)]
        assert strengths == pytest.approx([8.821345505624999, 8.0219123448, 2.875, 0.98415], abs=1e-12)
        assert len((await finance.explain(price)).acts) >= 6
        assert len(service._progress.marks) == 2
        await finance.reinforce(price, 1.0)
        assert (await finance.get(price)).strength == pytest.approx(9.0219123448)
    assert inspect(path).cursor == 34


def test_every_step_has_its_version() -> None:
    """There is a step from each version to the next, for each kind of file, and a database of each."""
    assert len(JOURNAL.steps) == len(STATE.steps) == SCHEMA - 1
    assert sorted(folder.name for folder in DATA.iterdir()) == [str(version) for version in range(1, SCHEMA)]
