"""A board as it was left: its checkpoint, with the journal's tail applied again on top of it.

Law: what is applied again gives the same events. They were stored when it was first applied, and those stand; others refuse the board.
"""

import gc
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from blackboard.archive import Archive, Unwritten
from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.errors import BadValue, Damaged, StoreError
from blackboard.intake import entry_of
from blackboard.outcome import Addressed
from blackboard.store import Batch, Standing, Store
from blackboard.text import AnalysisCache
from blackboard.trends import Detector
from bus.errors import BadMessage
from bus.messages import decode_post
from bus.port import LogMessage

_logger = logging.getLogger(__name__)


class Reopened(Struct):
    """A board that stands again."""

    board: Board
    origin: BoardConfig
    """The settings that it was made with."""
    again: int
    """Entries and changes that were applied again."""


def made(name: str, settings: Mapping[str, Any]) -> BoardConfig:
    """The settings of a new board, from fields of ``BoardConfig``. Raises ``BadValue``."""
    tables = settings.get("kinds", {})
    try:
        config = msgspec.convert({**settings, "name": name, "kinds": {}}, BoardConfig)
        return config.with_kinds(tables) if tables else config
    except msgspec.ValidationError as error:
        raise BadValue(f"settings of board {name!r}: {error}") from error


def kept(origin: bytes | str, name: str) -> BoardConfig:
    """The settings of a board that was kept, as JSON. Raises ``StoreError``; ``BadValue`` if it is another board's."""
    try:
        config = msgspec.json.decode(origin, type=BoardConfig)
    except msgspec.DecodeError as error:
        raise StoreError(f"board {name!r}: its settings cannot be read ({error}): upgrade pheroboard if a later one wrote them") from error
    if config.name != name:
        raise BadValue(
            f"this is board {config.name!r}, not {name!r}: give the file its old name back, since ids are computed from the name"
        )
    return config


async def reopened(config: BoardConfig, store: Store, standing: Standing, detectors: tuple[Detector, ...] | None) -> Reopened:
    """The board of these settings as the store has it. Raises ``StoreError``, ``Damaged``."""
    board = Board(config, detectors, Archive(store), AnalysisCache(store))
    origin = board.config
    with _uncollected():
        if standing.pages:
            try:
                board = Board.restore(config, standing.pages, detectors, Archive(store), AnalysisCache(store))
            except Exception:
                _logger.warning("board %s: its checkpoint cannot be read, the journal rebuilds the state", config.name, exc_info=True)
                standing.checkpoint, pages = await store.revert()
                if pages:
                    board = Board.restore(config, pages, detectors, Archive(store), AnalysisCache(store))
        count = await _applied_again(board, store, standing.checkpoint)
    if standing.pages or count:
        gc.freeze()  # no part of a board is garbage
    archive = board.archive.unwritten()
    if archive != Unwritten():  # of the tail, which was written then, but also what a checkpoint of schema 2 held
        await store.commit(Batch(standing.cursor, archive=archive))
        board.archive.written()
    return Reopened(board, origin, count)


async def _applied_again(board: Board, store: Store, checkpoint: int) -> int:
    name, count, after = board.config.name, 0, checkpoint
    again: Counter[str] = Counter()
    while messages := await store.journal(after):
        for message in messages:
            count += 1
            for addressed in _done_again(board, _journaled(message, name)):
                again[addressed.audience] += 1
                count += len(addressed.events.changes)
        after = messages[-1].seq
    stored = await store.tally(checkpoint)
    if again != stored:
        raise StoreError(
            f"board {name!r}: its journal, applied again from entry {checkpoint} on, gives other events than are stored "
            f"({dict(again)}, not {stored}): another version decided otherwise. Open it with the version that wrote it"
        )
    return count


def _done_again(board: Board, entry: Entry) -> list[Addressed]:
    try:
        return board.apply(entry)
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(
            f"board {board.config.name!r}: entry {entry.seq} of its journal cannot be applied again ({error!r}): another version has "
            "applied it. Open it with the version that wrote it"
        ) from error


def _journaled(message: LogMessage, name: str) -> Entry:
    try:
        return entry_of(message, decode_post(message.data))
    except BadMessage as error:
        raise Damaged(f"board {name!r}: entry {message.seq} of its journal cannot be read ({error}): restore a backup") from error


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the garbage collector rest while a board is built up."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
