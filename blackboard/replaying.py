"""A board as it stood: rebuilt from its journal, beside the board itself, which is not touched and may be in use.

Law: what is rebuilt is what the board was, to the bit. ``verify`` holds the whole journal to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from blackboard.archive import Archive
from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.errors import BadValue
from blackboard.intake import entry_of
from blackboard.sqlite import Recorded, recorded
from blackboard.trends import Detector
from bus.messages import EndRound, decode_post


class At(Struct, frozen=True):
    """A point in a board's past: the first of these that is given; none: now."""

    seq: int | None = None
    """After this entry of the log."""
    time: float | None = None
    """Unix seconds."""
    round: int | None = None
    """As this round ended (or as it stands, if it has not ended)."""


class Past(Struct, frozen=True):
    """A board as it stood after ``entries`` of its journal were applied, which begins behind entry ``begins``."""

    board: Board
    at: float | None
    """As of when questions are answered, on a wall-clock board."""
    begins: int
    entries: int


class Verified(Struct, frozen=True):
    """Whether the journal, applied anew, gives the board as it was kept."""

    begins: int
    """The replay begins behind this entry."""
    entries: int
    checkpoint: int
    """The entry that the checkpoint stands for."""
    differ: tuple[str, ...]
    """The pages that differ; none, if all is well."""


@contextmanager
def replay(path: Path, at: At, detectors: tuple[Detector, ...] | None = None) -> Iterator[Past]:
    """The board in ``path`` as it stood, while the context lasts (it looks into the board's archive).

    Raises ``BadValue`` for a time before its journal begins, ``StoreError``.
    """
    with recorded(path) as record:
        board = _begun(record, detectors)
        if at.seq is not None and at.seq < record.begins:
            raise _too_early(record, f"entry {at.seq}")
        if at.seq is None and at.time is None and at.round is not None:
            if board.config.time == "wall":
                raise BadValue(f"round {at.round}: this board runs on wall-clock time and has no rounds; give a time, or an entry")
            if at.round < board.now:
                raise _too_early(record, f"round {at.round}")
        if at.seq is None and at.time is not None and record.begins and at.time < board.stamp:
            raise _too_early(record, "that time")
        count = 0
        for entry in _entries(record):
            if (at.seq is not None and entry.seq > at.seq) or (at.seq is None and at.time is not None and entry.stamp > at.time):
                break
            before = _before(board, entry) if at.seq is None and at.time is None and at.round == board.now else None
            board.apply(entry)
            if before is not None and board.now != at.round:
                board = Board.restore(board.config, before, detectors, Archive(record))
                break
            count += 1
        yield Past(board, at.time if at.seq is None else None, record.begins, count)


def verify(path: Path, detectors: tuple[Detector, ...] | None = None) -> Verified:
    """Apply the journal from its origin up to the checkpoint, and compare. Raises ``StoreError``."""
    with recorded(path) as record:
        board, count = _begun(record, detectors), 0
        for entry in _entries(record):
            if entry.seq > record.checkpoint:
                break
            board.apply(entry)
            count += 1
        if not record.state:
            raise BadValue(f"{path} has no checkpoint to compare with yet: one is written when the board is closed")
        kept = Board.restore(board.config, record.state, detectors, Archive(record)).spelt_out()
        replayed = board.spelt_out()
        differ = sorted(name for name in kept.keys() | replayed.keys() if kept.get(name) != replayed.get(name))
        return Verified(record.begins, count, record.checkpoint, tuple(differ))


def _begun(record: Recorded, detectors: tuple[Detector, ...] | None) -> Board:
    config = msgspec.json.decode(record.origin, type=BoardConfig)
    archive = Archive(record)
    return Board.restore(config, record.pages, detectors, archive) if record.pages else Board(config, detectors, archive)


def _entries(record: Recorded) -> Iterator[Entry]:
    return (entry_of(message, decode_post(message.data)) for message in record.entries())


def _before(board: Board, entry: Entry) -> dict[str, bytes] | None:
    """The state before an entry that may end the present round."""
    ends = any(isinstance(each, EndRound) and each.round == board.now for unit in entry.units for each in unit)
    return board.snapshot(full=True) if ends else None


def _too_early(record: Recorded, what: str) -> BadValue:
    return BadValue(f"{what} is before entry {record.begins}, behind which the journal begins: what came before was cut off")
