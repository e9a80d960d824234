"""The same three agents, each in a process of its own, on one board over NATS.

An agent needs nothing but the board's address; what stands here is only the beat. The parent ends the rounds, so it must know that nobody
has anything left to do: asked to settle, each child finishes what it has, and says up to which entry of the log. Once all say the same
number, nobody has spoken in between, and the round may end.
"""

import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from agents import Crew
from examples.children import kill
from examples.procurement.crew import ROUNDS, agents
from examples.timeline import Timeline

CHECKOUT = Path(__file__).parents[2]


class Child:
    """An agent's process, seen from the parent: a line is said to it, and it answers with a number."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._said = process.stdin
        self._heard = BufferedByteReceiveStream(process.stdout)

    async def say(self, line: str) -> None:
        """Tell it to do something."""
        await self._said.send(f"{line}\n".encode())

    async def hear(self) -> int:
        """Wait for its answer: the entry of the log up to which it has settled."""
        return int(await self._heard.receive_until(b"\n", 32))


async def conduct(address: str) -> None:
    """Start the children, and play the rounds with them."""
    crew = Crew([Timeline()], address)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(crew.working())
        children = [await stack.enter_async_context(_started(address, agent.name)) for agent in agents()]
        for child in children:
            await child.hear()  # it listens, and its start() is done
        await _settle(crew, children)
        for number in range(ROUNDS):
            await crew.play(number)
            await _all(children, f"play {number}")
            await _settle(crew, children)
            await crew.end_round(number)
        await _settle(crew, children)


async def _all(children: Sequence[Child], line: str) -> set[int]:
    for child in children:
        await child.say(line)
    return {await child.hear() for child in children}


async def _settle(crew: Crew, children: Sequence[Child]) -> None:
    while len({await crew.settled()} | await _all(children, "settle")) > 1:
        pass


@asynccontextmanager
async def _started(address: str, name: str) -> AsyncIterator[Child]:
    """A child in its own process; it ends when its input does. Ctrl-C is for the parent alone: it kills what it leaves early."""
    command = [sys.executable, "-m", "examples.procurement.processes", address, name]
    async with await anyio.open_process(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, cwd=CHECKOUT, start_new_session=True
    ) as process:
        try:
            yield Child(process)
            assert process.stdin is not None
            await process.stdin.aclose()
            await process.wait()
        finally:
            kill(process)


async def _be(address: str, name: str) -> None:
    """In the child: run one agent to the parent's beat."""
    crew = Crew([agent for agent in agents() if agent.name == name], address)
    async with crew.working():
        print(await crew.settled(), flush=True)
        while line := await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True):
            match line.split():
                case ["play", number]:
                    await crew.play(int(number))
            print(await crew.settled(), flush=True)


if __name__ == "__main__":
    anyio.run(partial(_be, *sys.argv[1:]))
