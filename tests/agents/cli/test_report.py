"""Claims about ``pheroboard tasks report``."""

import asyncio
from math import isnan
from pathlib import Path

import pytest
from msgspec.structs import replace

import blackboard
from agents.cli.report import COUNTS, SHARES, curves
from agents.evolution.library import Library
from agents.evolution.report import report
from agents.memory.journal import Journal
from tests.agents.cli.commands import pheroboard
from tests.agents.evolution.world import ACTIVE, logged, recorded


@pytest.fixture
def board(tmp_path: Path) -> str:
    """Twenty tasks, of which the later ones go well, and had memory."""

    async def make() -> None:
        async with blackboard.open(tmp_path / "sales.db", agent="analyst") as opened:
            journal = Journal(opened)
            for number in range(20):
                log = logged(number, "success" if number >= 8 else "failure")
                await journal.put_log(log)
                await journal.put_record(replace(recorded(log), recalled=("e1",) if number >= 10 else ()))
            await Library(opened).add(ACTIVE, status="active", by="Ada")

    asyncio.run(make())
    return str(tmp_path / "sales.db")


def test_four_figures_over_time(tmp_path: Path, board: str) -> None:
    """A row for each window, then what is said of all."""
    ran = pheroboard(tmp_path, "tasks", "report", board, "--window", "10")
    assert ran.code == 0, ran.err
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[1].startswith("1–10 ")
    assert lines[1].endswith(" 20% 1.0 0% – 20% 0 0")
    assert lines[2].startswith("11–20 ")
    assert lines[2].endswith(" 100% 1.0 100% 100% – 0 0")
    assert "all 20 tasks: success 60%, 1.0 turns, memory found 50%" in lines
    assert "with memory success was +80 points, among tasks of one type" in lines
    assert "report 10 of 10 2 of 10" in lines
    assert "strategies: 1 all, 0 candidate, 0 canary, 1 active, 0 retired, 0 rejected" in lines


def test_json_and_a_picture(tmp_path: Path, board: str) -> None:
    """Both at once; what is not known is null."""
    ran = pheroboard(tmp_path, "tasks", "report", board, "--json", "--plot", str(tmp_path / "report.png"))
    assert ran.code == 0, ran.err
    assert ran.json["success"] == 0.6
    assert len(ran.json["windows"]) == 10
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")


def test_the_pictures_have_names_of_their_axes() -> None:
    """Each that is of shares, or of counts, is one that is drawn, and its values are such."""
    drawn = curves(report([recorded(logged(number, "success")) for number in range(3)]))
    assert {*SHARES, *COUNTS} <= drawn.keys()
    assert all(0 <= value <= 1 or isnan(value) for name in SHARES for curve in drawn[name].values() for value in curve.values())
    assert all(value.is_integer() for name in COUNTS for curve in drawn[name].values() for value in curve.values())


def test_nothing_yet(tmp_path: Path) -> None:
    """A board on which nobody has done anything."""

    async def make() -> None:
        async with blackboard.open(tmp_path / "empty.db", agent="analyst"):
            pass

    asyncio.run(make())
    ran = pheroboard(tmp_path, "tasks", "report", str(tmp_path / "empty.db"))
    assert (ran.code, ran.out.strip()) == (0, "No task has ended.")


def test_windows_that_cannot_be(tmp_path: Path, board: str) -> None:
    """They are named."""
    ran = pheroboard(tmp_path, "tasks", "report", board, "--window", "0")
    assert ran.code == 1
    assert "windows of 0" in ran.err
