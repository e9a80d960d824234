"""The processes of a run: each can be killed, frozen, and started again."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

ENDS_WITHIN = 60.0
"""Seconds that a process may take to end when it is asked to."""


class Process:
    """A command that runs until it is killed. What it says as errors goes to ``log``; each line that it prints to ``heard``."""

    def __init__(
        self, name: str, command: Sequence[str], *, log: Path, environment: dict[str, str], heard: Callable[[str], None] = lambda _: None
    ) -> None:
        self.name = name
        self.log = log
        self.starts = 0
        self.expected = False
        """Is its end, when it comes, somebody's wish?"""
        self.frozen = False
        self._told = ""
        self._command = command
        self._environment = environment
        self._heard = heard
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start it (again)."""
        self.expected = False
        self.starts += 1
        with self.log.open("ab") as log:
            log.write(f"--- start {self.starts}\n".encode())
            log.flush()
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log, env=self._environment, process_group=0,
            )  # fmt: skip
        self._reading = asyncio.create_task(self._read(self._process))
        if self._told:
            self.tell(self._told)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            self._heard(line.decode().strip())

    def tell(self, line: str) -> None:
        """Write a line to its standard input; it stands until the next, and is told again to one that was started anew."""
        self._told = line
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(f"{line}\n".encode())

    def close_input(self) -> None:
        """End its standard input, which asks it to end."""
        self.expected = True
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def freeze(self) -> None:
        self.frozen = True
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        self.frozen = False
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.expected = True
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self.gone()
        self.frozen = False

    def terminate(self) -> None:
        """Ask it to end."""
        self.expected = True
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.terminate()

    async def ended(self) -> int:
        """Wait for its end; its exit code. Raises ``TimeoutError``."""
        self.expected = True
        async with asyncio.timeout(ENDS_WITHIN):
            return await self.gone()

    async def gone(self) -> int:
        """Wait until it is gone, in whichever way, and has been heard out; its exit code."""
        assert self._process is not None
        assert self._reading is not None
        code = await self._process.wait()
        await self._reading
        return code

    def last_words(self) -> str:
        """The end of what it said as errors."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if not line.startswith("--- start")]
        return " | ".join(lines[-3:])[-600:]
