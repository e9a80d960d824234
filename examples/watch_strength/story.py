"""Two agents confirm what they measure, while a watcher in another process is killed and comes back."""

import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec import Struct

from agents import Agent, Crew, every, on_change, on_signal
from bus.messages import Change, Signal
from examples.children import kill

CHECKOUT = Path(__file__).parents[2]
ROUNDS = 12
LEAVES, RETURNS = 4, 8
"""The rounds before which the watcher is killed, and started again."""
PATIENCE = 10.0
"""Seconds that the watcher may take to tell what is said."""


class Probe(Agent):
    """Measures a service, and says each time that it is slow."""

    @every(rounds=2)
    async def measure(self, _round: int) -> None:
        """The first time is a deposit, every later one confirms it."""
        await self.board.deposit("The payment service answers slowly", key="payment", scope="shared")


class Pilot(Agent):
    """Tries it in the rounds between, and is surer when it does."""

    @every(rounds=1)
    async def fly(self, round_: int) -> None:
        """Strengthen what stands."""
        for item in await self.board.history("payment"):
            if round_ % 2:
                await self.board.reinforce(item, 0.8)


class Witness(Agent):
    """Is never away: it keeps what there is to see."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Change | Signal] = []

    @on_change()
    @on_signal()
    async def see(self, event: Change | Signal) -> None:
        """One more."""
        self.seen.append(event)


class Line(Struct):
    """What the watcher prints."""

    event: Change | Signal
    position: str


class Watcher:
    """The watching process, seen from here."""

    def __init__(self, address: str) -> None:
        self.seen: list[Change | Signal] = []
        self._address = address
        self.position: str | None = None

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[BufferedByteReceiveStream]:
        """It runs, from where it was, while the context is open; then it is killed. Gives what it prints once it listens.

        Ctrl-C is for this process alone.
        """
        command = [sys.executable, "-m", "examples.watch_strength.subscriber", self._address, *filter(None, [self.position])]
        async with await anyio.open_process(command, stdout=subprocess.PIPE, stderr=None, cwd=CHECKOUT, start_new_session=True) as process:
            try:
                assert process.stdout is not None
                lines = BufferedByteReceiveStream(process.stdout)
                assert await lines.receive_until(b"\n", 64) == b"listening"
                yield lines
            finally:
                kill(process)

    async def see(self, lines: BufferedByteReceiveStream, count: int) -> list[Change | Signal]:
        """Read until it has seen ``count`` events in all, over all its lives; give those that are new."""
        before = len(self.seen)
        with anyio.fail_after(PATIENCE):
            while len(self.seen) < count:
                line = msgspec.json.decode(await lines.receive_until(b"\n", 65536), type=Line)
                self.seen.append(line.event)
                self.position = line.position
        return self.seen[before:]


async def main(address: str) -> int:
    """Play the rounds on the board at ``address``, and check that the watcher has seen what the witness has."""
    print(f"Two agents, {ROUNDS} rounds, one board at {address}; a watcher in another process\n", flush=True)
    witness, watcher = Witness(), Watcher(address)
    crew = Crew([witness, Probe(), Pilot()], address)

    async def play(first: int, last: int) -> None:
        for number in range(first, last):
            await crew.play(number)
            await crew.end_round(number)
        await crew.settled()

    async with crew.working():
        async with watcher.watching() as lines:
            await play(0, LEAVES)
            live = await watcher.see(lines, len(witness.seen))
            tell(f"rounds 0 to {LEAVES - 1}, live", live)
        print(f"\nthe watcher is killed; it has seen all up to {watcher.position}")
        await play(LEAVES, RETURNS)
        print(f"rounds {LEAVES} to {RETURNS - 1} pass without it\n")
        async with watcher.watching() as lines:
            missed = await watcher.see(lines, len(witness.seen))
            tell("back, and told what it has missed", missed)
            await play(RETURNS, ROUNDS)
            live = await watcher.see(lines, len(witness.seen))
            tell(f"\nrounds {RETURNS} to {ROUNDS - 1}, live again", live)
    complete = watcher.seen == witness.seen
    print(f"\n{len(watcher.seen)} events seen of {len(witness.seen)}, each once and in order: {'yes' if complete else 'NO'}")
    return 0 if complete else 1


def tell(when: str, events: Sequence[Change | Signal]) -> None:
    """Print what was seen."""
    print(f"{when}:")
    for event in events:
        match event:
            case Change():
                print(f"    {event.by:<6} {event.cause:<10} {event.key}  {event.old:.2f} → {event.new:.2f}")
            case Signal():
                why = f"{event.reason}, " if event.reason else ""
                print(f"  ▲ {event.signal} {event.key}  ({why}strength {event.strength:.2f})")
