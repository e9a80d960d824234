"""Distillation on a board: its task records become experiences, in the background.

Laws:

- The work is done in another process, since clustering would hold up whatever runs in this one.
- A kill at any point leaves what was there, or part of what is new; to distil again completes it. What did not change is not said again.
"""

from collections.abc import Sequence
from typing import Literal

import anyio.to_process
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agents.memory.distilling import LEAST, by_fingerprint, distil
from agents.memory.journal import Journal
from agents.memory.likeness import by_likeness
from agents.memory.records import Experience, TaskRecord
from agents.memory.summarising import Extractive, Guarded, Summariser
from blackboard.client import Board
from blackboard.errors import BadValue

By = Literal["fingerprint", "likeness"]
"""Which tasks go together: those that went the same way, or alike; the latter needs the extra ``learn``."""

_GROUPINGS = {"fingerprint": by_fingerprint, "likeness": by_likeness}


class Distilled(Struct, frozen=True):
    """What came of a distillation: ids of experiences."""

    new: tuple[str, ...]
    renewed: tuple[str, ...]
    gone: tuple[str, ...]
    """Those whose tasks are with others now."""
    unchanged: int
    records: int
    """How many tasks were looked at."""
    worded: int = 0
    """How many lessons stand in the summariser's words."""
    fallen_back: dict[str, int] = {}
    """Why a lesson stands as it was extracted, though a summariser was asked → how many do."""


async def distil_board(board: Board, *, by: By = "fingerprint", least: int = LEAST, summariser: Summariser | None = None) -> Distilled:
    """Distil all task records in view into experiences of at least ``least`` tasks each, which ``summariser`` may word.

    A script that calls it needs ``if __name__ == "__main__":``, as all that start processes do. Raises ``NotInstalled``, ``BadValue``.
    """
    if least < 1:
        raise BadValue(f"least {least!r}: an experience is made of at least 1 task")
    journal = Journal(board)
    records = await journal.tasks()
    known = {each.id: each for each in await journal.experiences()}
    of_id = {record.id: record for record in records}
    worker = Guarded(summariser or Extractive())
    made = await _distilled(records, list(known.values()), by, least)
    new: list[str] = []
    renewed: list[str] = []
    for each in made:
        before = known.get(each.id)
        if before is not None and _same(each, before, worded=summariser is not None):
            continue
        behind = [of_id[task] for task in each.records if task in of_id]
        await journal.put_experience(await worker.experience(behind, each))
        (new if before is None else renewed).append(each.id)
    gone = sorted(known.keys() - {each.id for each in made})
    for name in gone:
        await journal.put_experience(replace(known[name], records=()))
    unchanged = len(made) - len(new) - len(renewed)
    return Distilled(tuple(new), tuple(renewed), tuple(gone), unchanged, len(records), worker.worded, dict(worker.fallen_back))


def _same(made: Experience, before: Experience, *, worded: bool) -> bool:
    """Is there nothing to say? If a summariser words lessons, one that stands is not asked for again."""
    return made == (replace(before, lesson=made.lesson) if worded else before)


async def _distilled(records: Sequence[TaskRecord], known: Sequence[Experience], by: By, least: int) -> list[Experience]:
    given = msgspec.msgpack.encode((records, known))
    return msgspec.msgpack.decode(await anyio.to_process.run_sync(_work, given, by, least, cancellable=True), type=list[Experience])


def _work(given: bytes, by: By, least: int) -> bytes:
    records, known = msgspec.msgpack.decode(given, type=tuple[list[TaskRecord], list[Experience]])
    return msgspec.msgpack.encode(distil(records, known, least=least, grouping=_GROUPINGS[by]))
