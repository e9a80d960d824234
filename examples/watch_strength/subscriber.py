"""A process that only watches: it prints what happens on a board, a line each, with the position from which to go on after it."""

import sys
from functools import partial

import anyio
import msgspec

import blackboard


async def watch(address: str, since: str | None = None) -> None:
    """Print events from now on, or from where ``since`` stands."""
    async with blackboard.open(address, agent="watcher") as board, board.feed(since=since) as feed:
        print("listening", flush=True)
        async for event in feed:
            print(msgspec.json.encode({"event": event, "position": feed.position}).decode(), flush=True)


if __name__ == "__main__":
    anyio.run(partial(watch, *sys.argv[1:]))
