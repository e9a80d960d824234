"""Vectors in a file (blackboard.sqlite.vectors) keep to the contract, and outlive their process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from blackboard.embedding import Cached, Keeper
from blackboard.errors import Damaged, NotWritable
from blackboard.sqlite import SqliteVectors
from tests.blackboard.keeper_contract import A, B, KeeperContract
from tests.blackboard.test_embedding import Hashing


class TestSqliteVectors(KeeperContract):
    @pytest.fixture
    def keeper(self, tmp_path: Path) -> Iterator[Keeper]:
        keeper = SqliteVectors(tmp_path / "vectors.db")
        yield keeper
        keeper.close()


def test_nothing_is_embedded_again_after_a_restart(tmp_path: Path) -> None:
    """What one process embedded, the next one finds."""
    for asked in ([["one", "two"]], []):
        inner, keeper = Hashing(), SqliteVectors(str(tmp_path / "made" / "vectors.db"))
        Cached(inner, keeper).embed(["one", "two"])
        assert inner.asked == asked
        keeper.close()


def test_several_may_share_it(tmp_path: Path) -> None:
    """Each finds what the other kept."""
    one, other = SqliteVectors(tmp_path / "vectors.db"), SqliteVectors(tmp_path / "vectors.db")
    one.keep({A: b"1"})
    other.keep({A: b"1", B: b"2"})
    assert one.kept([A, B]) == other.kept([A, B]) == {A: b"1", B: b"2"}
    one.close()
    other.close()


def test_a_write_that_was_torn_leaves_what_was_whole(tmp_path: Path) -> None:
    """A crash leaves the beginning of a transaction in the log; what was committed before it is there."""
    path, log = tmp_path / "vectors.db", tmp_path / "vectors.db-wal"
    keeper = SqliteVectors(path)
    keeper.keep({A: b"first" * 100})
    whole = log.stat().st_size
    keeper.keep({B: b"second" * 100})
    files = {each.name: each.read_bytes() for each in (path, log)}
    keeper.close()
    for size in (whole, whole + 1, len(files[log.name]) - 1):
        crashed = tmp_path / str(size)
        crashed.mkdir()
        (crashed / path.name).write_bytes(files[path.name])
        (crashed / log.name).write_bytes(files[log.name][:size])
        again = SqliteVectors(crashed / path.name)
        assert again.kept([A, B]) == {A: b"first" * 100}
        again.keep({B: b"2"})
        again.close()


def test_what_is_forgotten_leaves_no_byte(tmp_path: Path) -> None:
    """In the file or beside it."""
    keeper = SqliteVectors(tmp_path / "vectors.db")
    keeper.keep({A: b"a vector that tells much", B: b"another"})
    keeper.forget([A])
    found = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    keeper.close()
    assert b"another" in found
    assert b"tells much" not in found
    assert A.hex().encode() not in found


def test_what_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    """And the error names the cure."""
    path = tmp_path / "vectors.db"
    path.write_bytes(b"not a database, but somebody's letter" * 100)
    with pytest.raises(Damaged, match="delete it"):
        SqliteVectors(path)
    assert path.read_bytes().startswith(b"not a database")


def test_where_nothing_can_be_made(tmp_path: Path) -> None:
    """It says so at once."""
    (tmp_path / "file").touch()
    with pytest.raises(NotWritable):
        SqliteVectors(tmp_path / "file" / "vectors.db")
    with pytest.raises(NotWritable):
        SqliteVectors(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
