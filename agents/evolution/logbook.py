"""How cycles lie on a board. No other file knows.

All are items of the kind *cycle*, shared: a line for people, and the entry in ``meta["record"]``. Under the key *cycle* lies who had which
cycle and how it ended, under *cycle:ID* the work of one.

Laws: an entry is durable once ``put`` has returned. What has another shape is no entry, whoever put it there, and is passed over: what one
agent wrote badly stops no other's work.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from agents.evolution.entries import (
    Alive,
    Analysed,
    Began,
    Chosen,
    Claim,
    Ended,
    Judged,
    Proposed,
    Retried,
    Stopped,
    TakenUp,
    Varied,
    Work,
)  # fmt: skip
from agents.evolution.strategies import Diagnosis
from blackboard.client import Board
from blackboard.items import ContextItem
from blackboard.kinds import CYCLE

KEY = "cycle"


class Logbook:
    """The cycles that lie on ``board``."""

    def __init__(self, board: Board) -> None:
        self._board = board

    async def claims(self) -> list[Claim]:
        """Who began, took over and ended cycles, in the order of the board's log."""
        return _read(await self._items(KEY), Claim)

    async def claim(self, claim: Claim) -> None:
        """Say so. Whether it counts, ``claims`` tells. Raises what the board refuses."""
        await self._put(KEY, _claimed(claim), claim)

    async def work(self, cycle: str) -> list[Work]:
        """What was done in a cycle, in the order of the board's log."""
        return _read(await self._items(f"{KEY}:{cycle}"), Work)

    async def put(self, cycle: str, hold: str, number: int, entry: Work) -> None:
        """A unit of work is done: the ``number``-th that ``hold`` says. Raises what the board refuses."""
        await self._put(f"{KEY}:{cycle}", f"{_done(entry)} ({hold} {number})", entry)

    async def _put(self, key: str, line: str, entry: Claim | Work) -> None:
        await self._board.deposit(line, kind=CYCLE, key=key, scope="shared", meta={"record": msgspec.to_builtins(entry)})
        await self._board.wait_applied()

    async def _items(self, key: str) -> list[ContextItem]:
        return [item for item in await self._board.history(key) if item.kind == CYCLE]


def _read(items: Iterable[ContextItem], form: Any) -> list[Any]:
    found: list[Any] = []
    for item in items:
        with suppress(msgspec.ValidationError):
            found.append(msgspec.convert(item.meta.get("record"), form))
    return found


def _claimed(claim: Claim) -> str:
    match claim:
        case Began():
            return f"cycle {claim.cycle} is begun by {claim.by} ({claim.hold})"
        case TakenUp():
            return f"cycle {claim.cycle} is gone on with by {claim.by} ({claim.hold}, after {claim.former})"
        case Ended():
            return f"cycle {claim.cycle} is over: {claim.why} ({claim.hold})"


def _done(entry: Work) -> str:
    match entry:
        case Chosen():
            return f"{len(entry.failures)} failures are to be learned from"
        case Analysed(diagnosis=Diagnosis() as found):
            return f"task {entry.task} failed: {found.cause}: {found.reason}"
        case Analysed():
            return f"why task {entry.task} failed cannot be told{_because(entry.trouble)}"
        case Varied():
            return f"{len(entry.candidates)} candidates are to be tried"
        case Retried():
            return f"{len(entry.tried)} tasks were done once more"
        case Judged():
            return f"a candidate: {entry.evaluation.verdict}: {entry.evaluation.why}"
        case Proposed():
            return f"{entry.ref} awaits review"
        case Stopped():
            return f"nothing more is tried: {entry.why}"
        case Alive():
            return "at work"


def _because(why: str) -> str:
    return f": {why}" if why else ""
