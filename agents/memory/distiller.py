"""Distillation on a board: its task records become experiences, in the background.

Laws:

- The work is done in another process, of the lowest priority, since clustering would hold up whatever runs in this one.
- A kill at any point leaves what was there, or part of what is new; to distil again completes it. What did not change is not said again.
"""

import os
import sys
from collections.abc import Sequence
from typing import Literal

import anyio
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agents.errors import DistillingFailed
from agents.memory.distilling import LEAST, by_fingerprint, distil
from agents.memory.journal import Journal
from agents.memory.likeness import by_likeness, ready
from agents.memory.records import Experience, TaskRecord
from agents.memory.summarising import Extractive, Guarded, Summariser
from blackboard.client import Board
from blackboard.errors import BadValue

By = Literal["fingerprint", "likeness"]
"""Which tasks go together: those that went the same way, or alike; the latter needs the extra ``learn``."""

LOWEST = 19
"""The priority of the work, as ``nice`` counts."""
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

    Raises ``NotInstalled``, ``BadValue``, ``DistillingFailed``.
    """
    if least < 1:
        raise BadValue(f"least {least!r}: an experience is made of at least 1 task")
    if by == "likeness":
        ready()
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
    given = msgspec.msgpack.encode((records, known, by, least))
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    failed = DistillingFailed(f"{len(records)} records were not distilled: the process ended before; its stderr says why")
    try:
        done = await anyio.run_process([sys.executable, "-m", __spec__.name], input=given, check=False, stderr=None, env=here)
    except ExceptionGroup:  # it ended before it had read all
        raise failed from None
    if done.returncode:
        raise failed
    return msgspec.msgpack.decode(done.stdout, type=list[Experience])


def _work() -> None:
    """Distil what comes in, in the process that is made for it."""
    if hasattr(os, "nice"):
        os.nice(LOWEST)
    records, known, by, least = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[list[TaskRecord], list[Experience], By, int])
    sys.stdout.buffer.write(msgspec.msgpack.encode(distil(records, known, least=least, grouping=_GROUPINGS[by])))


if __name__ == "__main__":
    _work()
