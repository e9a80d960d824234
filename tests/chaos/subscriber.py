"""A subscriber of a run, in a process of its own: ``python -m tests.chaos.subscriber ADDRESS AGENT RECORD``.

It hears all that its agent may hear, from the board's first event on, and writes it down with the places where it stood. Killed and
started anew, it goes on from the last of them. When its standard input ends, it hears what there is by then, and ends.
"""

import asyncio
import sys
from pathlib import Path

import blackboard
from blackboard.client import Board
from blackboard.feed import Feed
from bus.errors import NoAnswer, Unreachable
from bus.messages import Change, Signal
from tests.chaos.control import Allowance
from tests.chaos.records import Heard, Record

BEGINNING = "shared=0 private=0"
AGAIN = 0.1
"""Seconds between two tries to open the board."""


class Subscriber:
    """Writes down what it is given."""

    def __init__(self, record: Record[Heard]) -> None:
        self._record = record
        self.position = record.lines[-1].position if record.lines else BEGINNING

    async def until_the_end(self, board: Board, allowance: Allowance) -> None:
        """Hear until nothing more will come. Raises what the feed raises."""
        async with board.feed(own=True, since=self.position) as feed:
            hearing, ending = asyncio.create_task(self._hear(feed)), asyncio.create_task(self._end(board, feed, allowance))
            try:
                await asyncio.wait({hearing, ending}, return_when=asyncio.FIRST_COMPLETED)
                if hearing.done():
                    await hearing
                await ending
                self._note(feed, [])
            finally:
                hearing.cancel()
                ending.cancel()

    async def _hear(self, feed: Feed[Change | Signal]) -> None:
        things: list[Change | Signal] = []
        async for thing in feed:
            things.append(thing)
            if feed.position != self.position:
                self._note(feed, things)
                things.clear()

    async def _end(self, board: Board, feed: Feed[Change | Signal], allowance: Allowance) -> None:
        await allowance.ended()
        await feed.reach(await board.newest())

    def _note(self, feed: Feed[Change | Signal], things: list[Change | Signal]) -> None:
        self.position = feed.position
        self._record.write(Heard(self.position, tuple(things)))


async def main(address: str, agent: str, path: Path) -> None:
    allowance = Allowance()
    with Record(path, Heard) as record:
        subscriber = Subscriber(record)
        while True:
            try:
                async with blackboard.open(address, agent=agent) as board:
                    return await subscriber.until_the_end(board, allowance)
            except (NoAnswer, Unreachable):
                await asyncio.sleep(AGAIN)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
