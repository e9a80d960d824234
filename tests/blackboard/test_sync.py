"""The board without an event loop."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from blackboard.client import Board
from blackboard.errors import BoardClosed, NotInView, UnknownKind
from blackboard.sync import SyncBatch, SyncBoard, open_sync
from blackboard.verbs import Batch
from bus.messages import Change, Confirm, Reinforce


def test_the_same_verbs(tmp_path: Path) -> None:
    """Two agents of one script share a board, and read what the other wrote."""
    with open_sync(tmp_path / "board", agent="finance") as finance, open_sync(tmp_path / "board", agent="procurement") as procurement:
        basis = finance.deposit("the basis", key="price", scope="shared")
        note = procurement.deposit("a note")
        procurement.reinforce(basis, 1.0)
        assert finance.get(basis).strength == 5.0
        with pytest.raises(NotInView):
            finance.get(note)
        with procurement.batch() as batch:
            batch.confirm(basis)
            batch.confirm(note)
        assert finance.use(basis).strength > 5.5
        finance.constrain("budget", "<=", 50_000, unit="CNY")
        assert len(procurement.check(budget=52_000)) == 1
        finance.end_round()
        assert (procurement.stats().now, procurement.name, procurement.agent) == (1.0, "board", "procurement")
        procurement.deposit("x", kind="nonsense")
        with pytest.raises(UnknownKind):
            procurement.wait_applied()


def test_it_has_every_verb() -> None:
    """Whatever an agent may do with an event loop it may do without one; a batch, too."""
    for ours, blocking in ((Board, SyncBoard), (Batch, SyncBatch)):
        verbs = {name for name in dir(ours) if not name.startswith("_")}
        assert verbs - set(dir(blocking)) <= {"aclose", "newest"}


def test_a_batch_that_fails_is_not_sent() -> None:
    """An error in a batch's body sends nothing."""
    with open_sync(":memory:", agent="finance") as board:
        with pytest.raises(RuntimeError), board.batch() as batch:  # noqa: PT012 - the body is what matters
            batch.deposit("x")
            raise RuntimeError
        assert board.stats().items == 0


def test_signals_and_changes() -> None:
    """A feed is iterated until nothing came for so long; its position resumes."""
    with open_sync(":memory:", agent="finance") as board:
        signals = board.signals("rising", own=True, timeout=5.0)
        changes = board.changes(timeout=0.05)
        item = board.deposit("the basis", scope="shared")
        board.reinforce(item, 1.0)
        assert next(signals).reason == "jump"
        signals.close()
        assert list(signals) == []
        assert [change.cause for change in changes] == ["deposit", "reinforce"]
        board.confirm(item)
        assert [change.cause for change in board.changes(since=changes.position, timeout=0.05)] == ["confirm"]


def test_all_that_happens() -> None:
    """What is said as one unit, and the rise that it was, in one feed."""
    with open_sync(":memory:", agent="finance") as board:
        item = board.deposit("the basis", scope="shared")
        feed = board.feed(own=True, timeout=0.05)
        board.say(Confirm(item.id), Reinforce(item.id, 1.0))
        assert [each.cause if isinstance(each, Change) else each.signal for each in feed] == ["confirm", "reinforce", "rising"]


def test_closing() -> None:
    """A closed board says so; closing twice is harmless."""
    board = open_sync(":memory:", agent="finance")
    board.close()
    board.close()
    with pytest.raises(BoardClosed):
        board.deposit("x")


def test_many_threads() -> None:
    """One board object may be used from many threads."""
    with open_sync(":memory:", agent="finance") as board:
        item = board.deposit("counted", strength=1.0)

        def write() -> None:
            for _ in range(20):
                board.reinforce(item, 1.0)

        threads = [threading.Thread(target=write) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert board.get(item).strength == 101.0


def test_a_script_that_does_not_close(tmp_path: Path) -> None:
    """A script that ends without closing its board loses nothing, and ends."""
    path = str(tmp_path / "board")
    code = f"""
from blackboard.sync import open_sync
board = open_sync({path!r}, agent="finance")
board.deposit("kept", scope="shared")
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=30)
    with open_sync(path, agent="finance") as board:
        assert [item.content for item in board.top()] == ["kept"]
