"""A file that one process holds at a time."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bus.lock import Held, hold, take


def test_one_holder(tmp_path: Path) -> None:
    """While a file is held nobody else gets it, and the holder is named; afterwards anyone does."""
    path = tmp_path / "lock"
    with hold(path), pytest.raises(Held, match=f"process {os.getpid()}"):
        hold(path)
    hold(path).close()


@pytest.mark.skipif(sys.platform == "win32", reason="files are not inherited there")
def test_an_heir_holds_on(tmp_path: Path) -> None:
    """A process that inherited the file holds it for as long as it lives."""
    path = tmp_path / "lock"
    with hold(path) as lock:
        heir = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock.fileno(),))
    with pytest.raises(Held):
        hold(path)
    heir.communicate(b"\n")
    hold(path).close()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A file that cannot be made is the system's own error."""
    with pytest.raises(OSError, match="No such file"):
        hold(tmp_path / "missing" / "lock")


async def test_waiting_for_it(tmp_path: Path) -> None:
    """Whoever can wait has the file once its holder lets go, and is told who holds it if that takes too long."""
    path = tmp_path / "lock"
    with hold(path) as held:
        with pytest.raises(Held, match=f"process {os.getpid()}"):
            await take(path, 0.01)
        waiting = asyncio.create_task(take(path, 10))
        await asyncio.sleep(0)
        assert not waiting.done()
        held.close()
        (await waiting).close()
