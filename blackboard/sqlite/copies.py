"""Backups: one file that holds a board's files as of one moment, made while the board is in use; and boards made of them again, or of a
state that came from elsewhere.
"""

import shutil
import sqlite3
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from blackboard.errors import BadValue, Damaged, StoreError
from blackboard.sqlite.file import not_writable, replace, translated
from blackboard.sqlite.looking import TRIES, reading
from blackboard.sqlite.schema import JOURNAL, STATE, upgrade
from blackboard.sqlite.store import SqliteStore, lock, origin_of, state_of
from blackboard.sqlite.terms import terms_of
from blackboard.store import Batch, Cut

_JOURNAL, _STATE, _ORIGIN = "journal.db", "state.db", "origin.db"


class Copied(Struct, frozen=True):
    """What a backup holds."""

    board: str
    cursor: int
    """The last entry of the log that it has read."""
    log: str | None
    """The identity of that log."""


class _Settings(Struct):
    name: str


def back_up(path: Path, to: Path) -> Copied:
    """Copy the board in ``path`` into the file ``to``, which must not be there yet. The board may be in use. Raises ``StoreError``."""
    if to.exists():
        raise StoreError(f"{to} is there already: name another file, or put it away")
    try:
        with TemporaryDirectory(dir=to.parent, prefix=f".{to.name}.") as folder:
            for _ in range(TRIES):
                copied = _copy(path, Path(folder))
                if copied is not None:
                    break
            else:
                raise Damaged(f"{path} and its companions do not belong together: open the board to see")
            whole = Path(folder, "whole")
            with tarfile.open(whole, "w") as archive:
                for part in (_JOURNAL, _STATE, _ORIGIN):
                    if Path(folder, part).exists():
                        archive.add(Path(folder, part), part)
            replace(whole, to)
    except OSError as error:
        raise not_writable(to, error) from error
    return copied


def restore(backup: Path, path: Path, *, new_log: bool = False) -> Copied:
    """Make the board in ``path`` of a backup; it must not be there. ``new_log``: let it go on in a new log, since the one it read is gone.

    Raises ``BadValue`` for another board's name, ``StoreError``.
    """
    with _new(path) as folder:
        try:
            with tarfile.open(backup) as archive:
                for part in (_JOURNAL, _STATE, _ORIGIN):
                    if part in archive.getnames() and (member := archive.extractfile(part)) is not None:
                        with Path(folder, part).open("wb") as file:
                            shutil.copyfileobj(member, file)
        except (tarfile.TarError, FileNotFoundError) as error:
            raise StoreError(f"{backup} is no backup of a board ({error}): name a file that `pheroboard backup` wrote") from error
        _upgrade(folder)
        copied = _look(folder / _JOURNAL)
        if copied.board != path.stem:
            raise BadValue(f"this is board {copied.board!r}, not {path.stem!r}: restore it under its name, since ids are computed from it")
        if new_log:
            _forget_log(folder / _JOURNAL)
    return copied


def discard(path: Path) -> None:
    """Remove the files of the board in ``path``, which is not in use. Raises ``StoreError``."""
    with lock(path):
        for file in (path, state_of(path), origin_of(path), terms_of(path)):
            for each in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
                each.unlink(missing_ok=True)


async def make(path: Path, config: bytes, pages: Mapping[str, bytes]) -> None:
    """Make a board in ``path``, which must not be there, of its encoded configuration and the pages of its state as of entry 1.

    It has no past, and no log yet: one whose numbers follow. Raises ``StoreError``.
    """
    with _new(path) as folder:
        inside = folder / path.name
        store = SqliteStore(inside)
        await store.open()
        try:
            await store.begin(config, "")
            await store.commit(Batch(1))
            await store.checkpoint(1, pages)
            await store.cut(Cut(1, 0.0))
        finally:
            await store.aclose()
        _forget_log(inside)
        for file, part in ((inside, _JOURNAL), (state_of(inside), _STATE), (origin_of(inside), _ORIGIN)):
            file.rename(folder / part)


@contextmanager
def _new(path: Path) -> Iterator[Path]:
    """A folder for the parts of a board that is not there yet: they become its files when the context ends well. Raises ``StoreError``."""
    there = [each for each in (path, state_of(path), origin_of(path)) if each.exists()]
    if there:
        raise StoreError(f"{', '.join(map(str, there))}: there already; put them away first, with what -wal and -shm is beside them")
    held = lock(path)
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as name:
            folder = Path(name)
            yield folder
            for part, place in ((_ORIGIN, origin_of(path)), (_STATE, state_of(path)), (_JOURNAL, path)):
                if (folder / part).exists():
                    replace(folder / part, place)
    finally:
        held.close()


def _copy(path: Path, folder: Path) -> Copied | None:
    """The files, the journal after the state; None where a cut came between them."""
    # What is copied later is newer, so a checkpoint is never ahead of its journal.
    for source, part in ((state_of(path), _STATE), (path, _JOURNAL), (origin_of(path), _ORIGIN)):
        Path(folder, part).unlink(missing_ok=True)
        if source.exists() or part == _JOURNAL:
            with reading(source) as db, closing(sqlite3.connect(folder / part)) as copy:
                db.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # a file by itself
    with reading(folder / _JOURNAL) as db:
        meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    base, cursor = meta.get("base", 0), meta.get("cursor", 0)
    fits = [base <= _seq(folder / part) <= cursor for part in (_STATE, _ORIGIN) if base and Path(folder, part).exists()]
    return _look(folder / _JOURNAL) if all(fits) and (not base or Path(folder, _ORIGIN).exists()) else None


def _seq(path: Path) -> int:
    with reading(path) as db:
        [(seq,)] = db.execute("SELECT TOTAL(value) FROM meta WHERE name = 'seq'").fetchall()
    return int(seq)


def _upgrade(folder: Path) -> None:
    """Bring a backup's files up to today's schema."""
    for part, kind in ((_JOURNAL, JOURNAL), (_STATE, STATE), (_ORIGIN, STATE)):
        path = Path(folder, part)
        if path.exists():
            try:
                upgrade(path, kind)
            except sqlite3.Error as error:
                raise translated(error, path) from error


def _look(path: Path) -> Copied:
    with reading(path) as db:
        [(sound,)] = db.execute("PRAGMA quick_check(1)").fetchall()
        if sound != "ok":
            raise Damaged(f"{path.name} of the backup is damaged ({sound}): take another backup")
        meta = dict(db.execute("SELECT name, value FROM meta").fetchall())
    if not meta.get("origin"):
        raise StoreError("there is no board in it yet: open it first")
    return Copied(msgspec.json.decode(meta["origin"], type=_Settings).name, meta.get("cursor", 0), meta.get("log"))


def _forget_log(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("DELETE FROM meta WHERE name = 'log'")
    except sqlite3.Error as error:
        raise translated(error, path) from error
