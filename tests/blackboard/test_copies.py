"""Backups are whole and as of one moment, and become boards again."""

import shutil
from pathlib import Path

import msgspec
import pytest

from blackboard.board import Board as Board_
from blackboard.client import Board
from blackboard.clock import ManualClock, SystemClock
from blackboard.errors import BadValue, BoardInUse, Damaged, StoreError
from blackboard.replaying import verify
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.sqlite import SqliteStore, back_up, make, restore
from bus.errors import LogMismatch
from bus.memory import MemoryBus
from bus.nats import NatsBus
from bus.server import running_server
from tests.blackboard.driver import Driver
from tests.blackboard.hosting import some_life, state


def put_away(folder: Path) -> None:
    for file in folder.glob("board.*"):
        file.unlink()


def hidden(folder: Path) -> list[Path]:
    """What a copy may have left behind."""
    return list(folder.glob(".*"))


@pytest.mark.parametrize("retention", [None, Retention(journal_entries=4)], ids=["whole", "cut"])
async def test_of_a_board_in_use(tmp_path: Path, retention: Retention | None) -> None:
    """A backup that is taken while the board is in use is the board as it was then; the board goes on."""
    path, other = tmp_path / "board.db", tmp_path / "other" / "board.db"
    clock = ManualClock()
    bus = MemoryBus(clock.now)
    async with Service("board", bus, SqliteStore(path), clock, retention=retention) as service, Board(bus, "board", "finance") as finance:
        await some_life([finance])
        await finance.stats()
        was = state(service)
        copied = back_up(path, tmp_path / "backup")
        assert (copied.board, copied.cursor) == ("board", service._progress.cursor)
        await finance.deposit("after it")
    assert restore(tmp_path / "backup", other) == copied
    async with Service("board", MemoryBus(clock.now), SqliteStore(other), clock) as service:
        assert state(service) == was
    assert hidden(tmp_path) == []


async def test_refusals(tmp_path: Path) -> None:
    """What is there is not written over; another board's name, and what is no backup, are said to be so, and nothing is left behind."""
    path, bus = tmp_path / "board.db", MemoryBus(ManualClock().now)
    async with Service("board", bus, SqliteStore(path), ManualClock()):
        pass
    back_up(path, tmp_path / "backup")
    with pytest.raises(StoreError, match="there already"):
        back_up(path, tmp_path / "backup")
    with pytest.raises(StoreError, match="there already"):
        restore(tmp_path / "backup", path)
    held = SqliteStore(tmp_path / "held" / "board.db")
    await held.open()
    for file in (tmp_path / "held").glob("*.db"):
        file.unlink()
    with pytest.raises(BoardInUse):
        restore(tmp_path / "backup", tmp_path / "held" / "board.db")
    await held.aclose()
    with pytest.raises(BadValue, match="this is board 'board', not 'budget'"):
        restore(tmp_path / "backup", tmp_path / "budget.db")
    (tmp_path / "nonsense").write_bytes(b"nonsense" * 1000)
    for backup in ("nonsense", "nowhere"):
        with pytest.raises(StoreError, match="is no backup"):
            restore(tmp_path / backup, tmp_path / "budget.db")
    with pytest.raises(StoreError, match="there is no database"):
        back_up(tmp_path / "budget.db", tmp_path / "another")
    torn = bytearray((tmp_path / "backup").read_bytes())
    torn[600:60_000] = bytes(59_400)
    (tmp_path / "torn").write_bytes(torn)
    with pytest.raises((Damaged, StoreError)):
        restore(tmp_path / "torn", tmp_path / "budget.db")
    assert not (tmp_path / "budget.db").exists()
    assert hidden(tmp_path) == []


async def test_the_log_goes_on(tmp_path: Path) -> None:
    """A restored board reads from its server's log what came after the backup. On another server it is refused, unless it is to begin a
    new log there; its numbers then follow."""
    path = tmp_path / "board.db"
    async with running_server(tmp_path / "nats") as server:
        bus = await NatsBus.connect(server.url)
        async with Service("board", bus, SqliteStore(path), SystemClock()), Board(bus, "board", "finance") as finance:
            item = await finance.deposit("a", scope="shared")
            await finance.stats()
            back_up(path, tmp_path / "backup")
            await finance.reinforce(item, 2.0)
            await finance.stats()
        put_away(tmp_path)
        restore(tmp_path / "backup", path)
        async with Service("board", bus, SqliteStore(path), SystemClock()), Board(bus, "board", "finance") as finance:
            assert (await finance.get(item)).strength == 6.0
        await bus.aclose()
    shutil.rmtree(tmp_path / "nats")
    put_away(tmp_path)
    async with running_server(tmp_path / "nats") as server:
        bus = await NatsBus.connect(server.url)
        restore(tmp_path / "backup", path)
        with pytest.raises(LogMismatch, match="there is no stream"):
            async with Service("board", bus, SqliteStore(path), SystemClock()):
                pass
        put_away(tmp_path)
        restore(tmp_path / "backup", path, new_log=True)
        for _ in range(2):
            async with Service("board", bus, SqliteStore(path), SystemClock()) as service, Board(bus, "board", "finance") as finance:
                before = (await finance.get(item)).strength
                async with finance.changes() as feed:
                    await finance.reinforce(item, 1.0)
                    assert (await anext(feed)).new == before + 1
                assert service._progress.cursor >= 2
        put_away(tmp_path)
        restore(tmp_path / "backup", path, new_log=True)
        with pytest.raises(LogMismatch, match="begins a new log"):
            async with Service("board", bus, SqliteStore(path), SystemClock()):
                pass
        await bus.aclose()


async def test_made_of_a_state(tmp_path: Path) -> None:
    """A board that came from elsewhere stands as it did, at entry 1 of a log that follows; its journal gives its checkpoint."""
    driver = Driver()
    item = driver.deposit("finance", "kept", scope="shared", strength=7.0)
    made = Board_.of_document(driver.board.document(), "board")
    path, pages = tmp_path / "new" / "board.db", made.snapshot(full=True)
    await make(path, msgspec.json.encode(made.config), pages)
    with pytest.raises(StoreError, match="there already"):
        await make(path, b"", {})
    assert hidden(path.parent) == []
    for bus in (MemoryBus(ManualClock().now), MemoryBus(ManualClock().now)):
        async with Service("board", bus, SqliteStore(path), ManualClock()) as service, Board(bus, "board", "finance") as finance:
            assert service._progress.cursor >= 1
            [kept] = await finance.top()
            await finance.confirm(kept)
            assert (await finance.explain(kept)).opening == 7.0
    assert verify(path).differ == ()
    assert item != kept.id
