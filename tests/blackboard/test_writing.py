"""blackboard.writing: what cannot be written for a while."""

import asyncio
import logging

import pytest

from blackboard import writing
from blackboard.errors import Damaged, NotWritable
from blackboard.progress import Progress
from blackboard.writing import written


class Disk:
    """Is full ``times`` times."""

    def __init__(self, times: float) -> None:
        self.left, self.tried = times, asyncio.Event()

    async def write(self) -> str:
        self.tried.set()
        if self.left > 0:
            self.left -= 1
            raise NotWritable("/data/board.db", "the disk is full", "make room")
        return "done"


async def test_it_is_done_once_it_can_be(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """It is tried again until it works, which is said once; the trouble is over then."""
    monkeypatch.setattr(writing, "TRY_AGAIN", (0.0, 0.0))
    progress = Progress(0, {}, lambda: 0.0)
    assert await written("the journal", Disk(3).write, progress) == "done"
    assert progress.trouble == ""
    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]


async def test_meanwhile_the_board_is_in_trouble() -> None:
    """What is wrong is said with the cure, and without the place; and it is given up when the host is to end, with the place."""
    progress, disk = Progress(0, {}, lambda: 0.0), Disk(2)
    writing = asyncio.create_task(written("the journal", disk.write, progress))
    await disk.tried.wait()
    assert progress.trouble == (
        "since 1970-01-01 00:00:00+00:00: the journal cannot be written (the disk is full): make room; nothing is lost, and it goes on by "
        "itself"
    )
    progress.end()
    with pytest.raises(NotWritable, match=r"^/data/board\.db cannot be written \(the disk is full\): make room$"):
        await writing


async def test_what_is_broken_is_not_tried_again() -> None:
    """Only what may pass is waited for."""
    progress = Progress(0, {})

    async def broken() -> None:
        raise Damaged("broken")

    with pytest.raises(Damaged, match="broken"):
        await written("the journal", broken, progress)
    assert progress.trouble == ""
