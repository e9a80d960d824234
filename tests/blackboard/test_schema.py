"""Files of every earlier version become today's, and the board in them is what it was."""

import shutil
import tarfile
from pathlib import Path

import pytest

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.replaying import verify
from blackboard.service import Service
from blackboard.sqlite import SqliteStore, inspect, recorded, restore
from blackboard.sqlite.schema import JOURNAL, SCHEMA, STATE
from blackboard.sqlite.store import state_of
from bus.memory import MemoryBus

DATA = Path(__file__).parent / "data"
"""A folder a version: ``some_life`` of ``hosting``, lived by finance, procurement and finance again, as that version kept it; in that of
version 2 procurement had said three things more before, and the journal is cut."""


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
    assert inspect(path).cursor >= 34
    assert inspect(path).dead == {"NotInView": 3}


@pytest.mark.parametrize("way", ["checkpoint", "origin", "backup"])
async def test_the_archive_of_version_2_is_filled(way: str, tmp_path: Path) -> None:
    """It held copies of what was archived: all that does not stand goes there, off the checkpoint, and says what it said."""
    for file in (DATA / "2").iterdir():
        shutil.copy(file, tmp_path)
    path, bus = tmp_path / "board.db", MemoryBus(ManualClock().now)
    if way == "origin":
        state_of(path).unlink()
    elif way == "backup":
        with tarfile.open(tmp_path / "backup", "w") as backup:
            for part in ("journal", "state", "origin"):
                file = path if part == "journal" else path.with_name(f"board.{part}.db")
                backup.add(file, f"{part}.db")
                file.unlink()
        restore(tmp_path / "backup", path)
    for _ in range(2):
        async with Service("board", bus, SqliteStore(path), ManualClock()), Board(bus, "board", "procurement") as procurement:
            (faded,) = [item for item in await procurement.search("said once") if item.status == "archived"]
            assert (faded.content, faded.meta) == ("said once, and  faded", {"source": ["desk", 7]})
            older, newer = await procurement.history("quote")
            assert [(each.status, each.content) for each in (older, newer)] == [("superseded", "at most 40"), ("standing", "at most 47")]
            with recorded(path) as record:
                assert sorted(record.said(range(10))) == [0, 1]
    assert verify(path).differ == ()
    with recorded(path) as record:
        assert not any(b"said once" in page or b"at most 40" in page for page in record.state.values())
        assert any(b"said once" in page for page in record.pages.values())


def test_every_step_has_its_version() -> None:
    """There is a step from each version to the next, for each kind of file, and a database of each."""
    assert len(JOURNAL.steps) == len(STATE.steps) == SCHEMA - 1
    assert sorted(folder.name for folder in DATA.iterdir()) == [str(version) for version in range(1, SCHEMA)]
