"""A board computed from its log alone, while the log grows: what all that a run has left is held to.

Laws:

- Nothing goes into it but the log, as the servers give it, and ``Board.apply``.
- It is no host, but beats as one that cannot lead, so that nothing is cut off the log before it has that.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable

from blackboard.board import Board
from blackboard.entry import Entry
from blackboard.intake import Intake
from blackboard.reopening import kept
from blackboard.store import DeadLetter
from bus.messages import Beat, Events, Unit, encode
from bus.nats import NatsBus
from bus.port import LogMessage

BEAT = 1.0


class Truth:
    """What a board's log gives."""

    def __init__(self, name: str, origin: str) -> None:
        self.board = Board(kept(origin, name))
        self.cursor = 0
        """The last entry taken."""
        self.journal: list[LogMessage] = []
        self.units: list[tuple[str, Unit]] = []
        """(agent, unit) of all that were applied."""
        self.events: defaultdict[str, list[Events]] = defaultdict(list)
        self.faults: list[str] = []
        """Refusals and dead letters."""
        self.again = 0
        """Posts that came once more, and were not applied again."""
        self._intake = Intake({}, {}, lambda: self.board.config.limits)

    def take(self, messages: Iterable[LogMessage]) -> None:
        """Apply what the log has next."""
        for message in messages:
            self.cursor = message.seq
            match self._intake.take(message):
                case Entry() as entry:
                    self._apply(entry)
                    self.journal.append(message)
                case DeadLetter() as letter:
                    self.faults.append(f"entry {letter.seq} of {letter.agent}: {letter.code}: {letter.error}")
                case None:
                    self.again += 1

    def _apply(self, entry: Entry) -> None:
        refused = set()
        for addressed in self.board.apply(entry):
            self.events[addressed.audience].append(addressed.events)
            for each in addressed.events.refusals:
                refused.add(each.unit)
                self.faults.append(f"entry {entry.seq} of {entry.agent}: {each.code}: {each.message} {entry.units[each.unit]}")
        self.units += [(entry.agent, unit) for number, unit in enumerate(entry.units) if number not in refused]


class Scribe:
    """Follows the log of the board ``name`` from its beginning."""

    def __init__(self, bus: NatsBus, name: str) -> None:
        self.truth: Truth
        self._bus = bus
        self._name = name
        self._read = asyncio.Event()

    async def run(self) -> None:
        """For ever."""
        async with asyncio.TaskGroup() as tasks:
            log = await self._bus.open_log(self._name, after=0)
            self.truth = Truth(self._name, log.origin)
            tasks.create_task(self._beat())
            while True:
                self.truth.take(await log.read())
                self._read.set()
                self._read = asyncio.Event()

    async def _beat(self) -> None:
        while True:
            beat = Beat(host="scribe", cursor=self.truth.cursor, trouble="it only looks on")
            await self._bus.beat(self._name, encode(beat))
            await asyncio.sleep(BEAT)

    async def reach(self, seq: int) -> Truth:
        """Wait until it has this entry."""
        while self.truth.cursor < seq:
            await self._read.wait()
        return self.truth
