"""What a batch of the log's messages does to a board, and what becomes of one that breaks it.

Laws:

- A board that has failed on an entry may have done half of it: it is not to be used any more, nor stored.
- What fails once may have failed by chance, and is tried on a board that was put up anew. What fails there too is poison: it is set aside,
  and what comes behind it is applied. The fold is deterministic, so whoever follows the log decides alike.
- Where nothing but poison comes any more, the fault is the board's: it stops, before all that agents say is set aside.
"""

import logging
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from blackboard.board import Board
from blackboard.entry import Entry
from blackboard.errors import Poison, StoreError
from blackboard.intake import Intake, dead_letter
from blackboard.outcome import Addressed
from blackboard.store import MAX_HEAD, Batch, DeadLetter, Outgoing
from blackboard.trying import Work
from bus import names
from bus.messages import encode, weight
from bus.port import LogMessage
from bus.telemetry import Batch as Watched

POISON_IN_A_ROW = 8
"""Entries that are set aside, with none applied between them, before the fault is taken to be the board's."""

_logger = logging.getLogger(__name__)


class Done(Struct, frozen=True):
    """What is to be stored."""

    batch: Batch
    moved: int
    """Entries and changes."""


class Applying:
    """Applies the log of the board ``name``, through all its lives in this process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._failed: set[int] = set()
        """Entries that a board has failed on."""
        self._poison: dict[int, Poison] = {}
        """Those that another has failed on, too."""
        self._in_a_row = 0
        """As many as were set aside since one was applied, of what is stored."""

    async def apply(self, board: Board, messages: Sequence[LogMessage], intake: Intake, watched: Watched | None = None) -> Done | None:
        """Apply these; between two of them, questions are answered. None: the board has failed on one, so put it up anew, and try again.

        ``watched`` is told of each. Raises ``StoreError`` for what is no entry's fault.
        """
        journal: list[LogMessage] = []
        events: list[Outgoing] = []
        dead: list[DeadLetter] = []
        erases, bereft = False, set[str]()
        work, moved, in_a_row = Work(), 0, self._in_a_row
        self._failed = {seq for seq in self._failed if seq >= messages[0].seq}  # what came before is stored, and comes no more
        self._poison = {seq: why for seq, why in self._poison.items() if seq >= messages[0].seq}
        for message in messages:
            await work.breathe()
            match intake.take(message):
                case Entry() as entry if entry.seq in self._poison:
                    in_a_row += 1
                    dead.append(dead_letter(message, self._poison[entry.seq], entry.epoch, entry.post))
                case Entry() as entry:
                    journal.append(message)
                    moved += 1
                    try:
                        did = board.apply(entry)
                    except (StoreError, MemoryError):
                        raise
                    except Exception as error:  # noqa: BLE001 - whatever it is
                        self._fails(entry, error, in_a_row + 1)
                        return None
                    in_a_row = 0
                    if watched is not None:
                        _watch(watched, entry, did)
                    for addressed in did:
                        events.append(_outgoing(addressed, entry.seq))
                        dead += _refused(entry, addressed, message)
                        moved += len(addressed.events.changes)
                    if board.bereft:
                        bereft.update(board.bereft)
                        dead = [letter for letter in dead if letter.agent not in bereft]
                    erases = erases or bool(board.erased or board.bereft)
                case DeadLetter() as letter:
                    dead.append(letter)
                    if watched is not None:
                        watched.entry(0, (), (letter.code,))
        self._in_a_row = in_a_row
        last, (marks, forgotten, debts) = messages[-1], intake.moved()
        batch = Batch(
            last.seq, last.stamp, tuple(journal), marks, forgotten, debts, tuple(events), tuple(dead), board.archive.unwritten(),
            erases=erases, bereft=frozenset(bereft),
        )  # fmt: skip
        return Done(batch, moved)

    def _fails(self, entry: Entry, error: Exception, in_a_row: int) -> None:
        again = entry.seq in self._failed
        _logger.error(
            "board %s has failed on entry %d, of %s: it begins anew with what is stored, and %s", self._name, entry.seq, entry.agent,
            "sets it aside" if again else "tries it once more", exc_info=error,
        )  # fmt: skip
        self._failed.add(entry.seq)
        if not again:
            return
        if in_a_row >= POISON_IN_A_ROW:
            raise StoreError(
                f"board {self._name!r} has failed on {in_a_row} entries in a row, up to {entry.seq}: that is the board's fault, not "
                "theirs. The log of this process says where; open the board with the version that served it before, or a later one"
            ) from error
        # Not the error's text, which may speak of what the sender must not see.
        self._poison[entry.seq] = Poison(
            f"the board failed on this ({type(error).__name__}) and has set it aside: that is the board's fault, its host's log says more"
        )


def _watch(watched: Watched, entry: Entry, did: Sequence[Addressed]) -> None:
    """Say what an entry did. What the host says is no observation."""
    refused = {refusal.unit: refusal.code for addressed in did for refusal in addressed.events.refusals}
    applied = (weight(unit) for number, unit in enumerate(entry.units) if number not in refused and entry.agent != names.HOST)
    signals = (signal.signal for addressed in did for signal in addressed.events.signals)
    watched.entry(sum(applied), signals, refused.values())


def _outgoing(addressed: Addressed, seq: int) -> Outgoing:
    events = addressed.events
    return Outgoing(addressed.audience, events.n, seq, encode(events), msgspec.msgpack.encode(addressed.threads))


def _refused(entry: Entry, addressed: Addressed, message: LogMessage) -> Iterable[DeadLetter]:
    """The units that the board refused, as a person can read them."""
    for refusal in addressed.events.refusals:
        try:
            head = msgspec.json.encode(entry.units[refusal.unit])[:MAX_HEAD]
        except (TypeError, ValueError, RecursionError):  # MessagePack carries what JSON does not; most likely it was refused for that
            head = message.data[:MAX_HEAD]
        yield DeadLetter(
            entry.seq, entry.stamp, entry.agent, refusal.code, refusal.message, head, entry.epoch, entry.post, refusal.unit
        )  # fmt: skip
