"""Retries in a process of their own, at the lowest priority, so that what agents do meanwhile takes as long as ever.

    async with apart("examples/learning_crew", within=30) as retry:
        await evolve(board, retry, rest=200)

What is named (a file, a folder, a module) offers ``async def retry(task, strategies)``. It is imported there, and asked over a pipe, a line
of JSON each way. One that takes longer than ``within`` is ended, with its process, and the next begins in a new one; so is one that dies.
"""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
import msgspec
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec import Struct

from agents.errors import RetryFailed
from agents.evolution.analyst import Retry
from agents.evolution.strategies import Strategy
from agents.memory.records import TaskLog
from agents.memory.telling import told_error

LONGEST = 64 * 1024 * 1024
"""Bytes of an answer."""
BEGIN = "import os, sys; hasattr(os, 'nice') and os.nice(19); from agents.evolution.apart import serve; serve(sys.argv[1])"
"""What the process does: it has the lowest priority before it imports anything that takes a while."""


class Asked(Struct, frozen=True):
    """What goes there."""

    task: TaskLog
    strategies: tuple[Strategy, ...]


class Answer(Struct, frozen=True, omit_defaults=True):
    """What comes back."""

    log: TaskLog | None = None
    error: str = ""


@asynccontextmanager
async def apart(target: str, *, within: float = 60.0) -> AsyncIterator[Retry]:
    """A ``Retry`` that is done in a process of its own while the context is open. Raises ``RetryFailed``. ``within``: seconds for one."""
    worker = _Worker(target, within)
    try:
        yield worker
    finally:
        with anyio.CancelScope(shield=True):
            await worker.aclose()


class _Worker:
    """Asks the process, and begins another where it has ended."""

    def __init__(self, target: str, within: float) -> None:
        self._target, self._within = target, within
        self._process: Process | None = None
        self._answers: BufferedByteReceiveStream
        self._turn = anyio.Lock()

    async def __call__(self, task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        """One retry at a time."""
        async with self._turn:
            try:
                with anyio.fail_after(self._within):
                    answer = await self._asked(Asked(task, tuple(strategies)))
            except BaseException as error:
                await self.aclose()  # what is half read is of no use
                if isinstance(error, TimeoutError):
                    raise RetryFailed(f"the retry of {task.id} took longer than {self._within:g} s, and was ended") from None
                if isinstance(error, anyio.EndOfStream | anyio.IncompleteRead | anyio.BrokenResourceError):
                    raise RetryFailed(f"the process that retried {task.id} has ended: its stderr says why") from None
                raise
        if answer.log is None:
            raise RetryFailed(answer.error)
        return answer.log

    async def _asked(self, asked: Asked) -> Answer:
        if self._process is None:
            command = [sys.executable, "-c", BEGIN, self._target]
            self._process = await anyio.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None)
            assert self._process.stdout is not None
            self._answers = BufferedByteReceiveStream(self._process.stdout)
        assert self._process.stdin is not None
        await self._process.stdin.send(msgspec.json.encode(asked) + b"\n")
        return msgspec.json.decode(await self._answers.receive_until(b"\n", LONGEST), type=Answer)

    async def aclose(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        with anyio.CancelScope(shield=True), suppress(ProcessLookupError):
            process.kill()
            await process.aclose()


def serve(target: str) -> None:
    """Answer until nobody asks any more. It ends with whoever asks, since its standard input then does."""
    from agents.cli.run import load

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the target prints is no answer
    retry = load(target).retry

    async def answer(asked: Asked) -> Answer:
        try:
            return Answer(await retry(asked.task, list(asked.strategies)))
        except Exception as error:  # noqa: BLE001 - whatever it raises is no verdict
            return Answer(error=told_error(error))

    for line in sys.stdin.buffer:
        answers.write(msgspec.json.encode(anyio.run(answer, msgspec.json.decode(line, type=Asked))) + b"\n")
        answers.flush()
