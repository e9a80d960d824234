"""An agent of a run, in a process of its own: ``python -m tests.chaos.agent ADDRESS BOARD AGENT SEED TIME RECORD [OUTBOX]``.

It reads on its standard input up to which number it may say units, one number after the other, and ends at the input's end. Of itself it
prints how many it has said, and how many of them were accepted. Killed and started anew, it goes on where its record stands: a unit that
was under way is not said again. With an outbox it seldom waits for the board, so that it says on while that is away.
"""

import asyncio
import sys
from pathlib import Path
from random import Random
from typing import Any, cast

import blackboard
from blackboard.client import Board
from bus.errors import NoAnswer, Unreachable
from bus.messages import Time
from tests.chaos.acts import Acts
from tests.chaos.control import Allowance
from tests.chaos.records import Accepted, AnyLine, Failed, Record, Said

AT_ONCE = 64
"""Units under way together, at most."""
AGAIN = 0.1
"""Seconds between two tries to open the board, or to have an answer."""
ASKS = 0.2
"""How often one with an outbox asks the board something, after what it has said at once."""


class Worker:
    """Says what the acts give, and writes down what comes of it."""

    def __init__(self, acts: Acts, agent: str, record: Record[Any], asks: float) -> None:
        self._acts = acts
        self._agent = agent
        self._record = record
        self._asks = asks
        self._now = 0
        self._dice = Random()
        self.n = self.accepted = 0
        units = {}
        for line in record.lines:
            match line:
                case Said(n, unit):
                    units[n] = unit
                    self.n = n + 1
                    acts.said(unit)
                case Accepted(n):
                    acts.accepted(units[n])
                    self.accepted += 1

    async def work(self, board: Board, allowance: Allowance) -> None:
        """Until nothing more is allowed and nothing more will be. Raises what a question raises."""
        while await allowance.beyond(self.n):
            if asks := self._dice.random() < self._asks:
                self._now = int((await board.stats()).now)
            said = []
            for n in range(self.n, min(self.n + self._dice.randint(1, AT_ONCE), allowance.upto)):
                unit = self._acts.unit(n, self._now)
                self._acts.said(unit)
                said.append(Said(n, unit))
            self._record.write(*said)
            self.n += len(said)
            self.tell()
            async with asyncio.TaskGroup() as tasks:
                for each in said:
                    tasks.create_task(self._say(board, each))
            self.tell()
            if asks:
                await self._check(board)

    def tell(self) -> None:
        """Tell whoever started us."""
        print(f"{self.n} {self.accepted}", flush=True)  # noqa: T201 - the way in which it hears us; whole, whenever we are killed

    async def _say(self, board: Board, said: Said) -> None:
        try:
            await board.say(*said.unit)
        except Exception as error:  # noqa: BLE001 - whatever it was, a run wants to know
            self._record.write(Failed(said.n, f"{type(error).__name__}: {error}"))
        else:
            self._record.write(Accepted(said.n))
            self._acts.accepted(said.unit)
            self.accepted += 1

    async def _check(self, board: Board) -> None:
        """An agent reads its own writes, whoever leads the board by now."""
        item, least = self._dice.choice(list(self._acts.reinforced.items()))
        share = (await board.get(item)).contributions.get((self._agent, "reinforce"))
        count = share.count if share else 0
        if count < least:
            raise AssertionError(f"{self._agent} has reinforced {item} {least} times, and reads {count}")


async def main(address: str, acts: Acts, agent: str, record: Path, outbox: str | None = None) -> None:
    allowance = Allowance()
    with Record(record, AnyLine) as kept:
        worker = Worker(acts, agent, kept, ASKS if outbox else 1.0)
        worker.tell()
        while True:
            try:
                async with blackboard.open(address, agent=agent, outbox=outbox) as board:
                    await worker.work(board, allowance)
                    await board.refusals()
                    return
            except (NoAnswer, Unreachable):
                await asyncio.sleep(AGAIN)


if __name__ == "__main__":
    address, board, agent, seed, time, record, *outbox = sys.argv[1:]
    asyncio.run(main(address, Acts(board, agent, int(seed), cast(Time, time)), agent, Path(record), *outbox))
