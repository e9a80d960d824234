"""What texts come to is kept in a file that may be lost."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from blackboard.archive import Unwritten
from blackboard.clock import ManualClock
from blackboard.service import Service
from blackboard.sqlite import SqliteStore, back_up, discard, restore
from blackboard.sqlite.terms import terms_of
from blackboard.store import Batch
from bus.memory import MemoryBus

ROWS = Unwritten({n: b"row %d" % n for n in range(10_000)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "board.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    await store.aclose()


async def kept(store: SqliteStore, analyses: Unwritten = ROWS) -> None:
    """A board at entry 5, with analyses, closed."""
    await store.open()
    await store.commit(Batch(5))
    await store.keep_analyses(5, analyses)
    await store.aclose()


async def test_there_is_no_file_before_there_is_something_to_keep(store: SqliteStore, path: Path) -> None:
    """A board that nobody searches has none, whatever leaves it; once there is one it has many."""
    await store.open()
    await store.keep_analyses(0, Unwritten(left=[1, 2, 3]))
    assert await store.scrub(0)
    assert not terms_of(path).exists()
    await store.keep_analyses(0, ROWS)
    assert terms_of(path).exists()
    assert len(store.analysed(range(20_000))) == 10_000


async def test_of_another_board_it_is_dropped(store: SqliteStore, path: Path) -> None:
    """What stands beside a journal that was replaced is not its."""
    await kept(store)
    path.unlink()  # noqa: ASYNC240
    await store.open()
    await store.commit(Batch(5))
    assert store.analysed([1]) == {}
    assert not terms_of(path).exists()


@pytest.mark.parametrize(
    "damage",
    [lambda whole: b"nonsense" + whole[8:], lambda whole: whole[:5000], lambda whole: whole[:5000] + b"\x07" * (len(whole) - 5000)],
    ids=["foreign", "truncated", "overwritten"],
)
async def test_what_is_damaged_is_made_anew(store: SqliteStore, path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Whether that shows on opening, on reading or on writing; the board does not stop for it."""
    await kept(store)
    terms_of(path).write_bytes(damage(terms_of(path).read_bytes()))
    await store.open()
    store.analysed(range(10_000))
    await store.keep_analyses(5, ROWS)
    assert await store.scrub(5)
    await store.keep_analyses(5, Unwritten({1: b"1"}))
    assert store.analysed([1]) == {1: b"1"}


async def test_of_a_later_schema_it_is_dropped(store: SqliteStore, path: Path) -> None:
    """It is a cache: there is nothing in it to upgrade for."""
    await kept(store)
    with closing(sqlite3.connect(terms_of(path))) as db:
        db.execute("PRAGMA user_version = 99")
    await store.open()
    assert store.analysed([1]) == {}


async def test_what_left_leaves_no_byte_once_it_is_scrubbed(store: SqliteStore, path: Path) -> None:
    """Neither in the file nor in its log."""
    await store.open()
    await store.keep_analyses(0, Unwritten({**ROWS.came, 5: b"a secret"}))
    await store.keep_analyses(0, Unwritten(left=[5]))
    assert await store.scrub(0)
    assert not [each for each in path.parent.iterdir() if b"a secret" in each.read_bytes()]
    assert len(store.analysed(range(10_000))) == 9_999


async def test_no_copy_has_it_and_it_goes_with_its_board(path: Path, tmp_path: Path) -> None:
    """A backup is none the larger; a board that is made of one begins without; one that is discarded leaves nothing."""
    bus = MemoryBus(ManualClock().now)
    async with Service("board", bus, store := SqliteStore(path), ManualClock()):
        await store.keep_analyses(0, Unwritten({1: b"a row"}))
    assert b"a row" in terms_of(path).read_bytes()
    back_up(path, tmp_path / "backup")
    assert b"a row" not in (tmp_path / "backup").read_bytes()
    discard(path)
    assert {each.name for each in tmp_path.iterdir()} == {"backup", "board.db.lock"}  # noqa: ASYNC240
    restore(tmp_path / "backup", path)
    assert not terms_of(path).exists()
