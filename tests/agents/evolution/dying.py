"""Goes through a cycle on a board, and dies like a process that is killed once it has written so much:

python -m tests.agents.evolution.dying ADDRESS [ENTRIES]
"""

import asyncio
import os
import signal
import sys

import blackboard
from agents.evolution.cycle import evolve
from agents.evolution.entries import Claim, Ended, Work
from agents.evolution.logbook import Logbook
from tests.agents.evolution.world import Guesses, retry

put, say = Logbook.put, Logbook.claim


async def main(address: str, entries: int) -> None:
    written = 0

    def count() -> None:
        nonlocal written
        if written == entries:
            os.kill(os.getpid(), signal.SIGKILL)
        written += 1

    async def dying_put(self: Logbook, cycle: str, hold: str, number: int, entry: Work) -> None:
        count()
        await put(self, cycle, hold, number, entry)

    async def dying_claim(self: Logbook, claim: Claim) -> None:
        if isinstance(claim, Ended):
            count()
        await say(self, claim)

    Logbook.put, Logbook.claim = dying_put, dying_claim  # type: ignore[method-assign]
    async with blackboard.open(address, agent="evolver") as board:
        await evolve(board, retry, analyst=Guesses())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
