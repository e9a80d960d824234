"""Ending before one's time: asked to by a signal, or because nobody reads any more what is printed.

Law: there is one way out, that of Ctrl-C. The command's task is cancelled, so that agents are stopped, servers ended and folders removed;
only the exit code tells why. It is gone once: a second Ctrl-C would cut the cleaning up in the middle, which takes its bounded time.
"""

import os
import signal
import sys
from collections.abc import Awaitable
from types import FrameType
from typing import Any, TextIO, TypeVar, cast

T = TypeVar("T")


class Ending:
    """Arranged for, it takes every early end of this process that way; ``code`` is then the exit code."""

    def __init__(self) -> None:
        self.code = 128 + signal.SIGINT

    def arrange(self) -> None:
        """Take over the signals that ask a process to end, and stdout."""
        # Also where it was ignored, as a shell has it for what a script starts in the background: every other end is told by it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no terminal that hangs up
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_signal)
        sys.stdout = cast(TextIO, _Outlet(sys.stdout, self))

    def end(self, code: int) -> None:
        """End, as by Ctrl-C, but with this exit code."""
        self.code = code
        signal.raise_signal(signal.SIGINT)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.end(128 + number)


async def interrupted_once(work: Awaitable[T]) -> T:
    """Do a command's work. What interrupts it first (the event loop's own handler cancels it) is the last that does."""
    interrupt = signal.getsignal(signal.SIGINT)

    def once(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if callable(interrupt):
            interrupt(number, frame)

    signal.signal(signal.SIGINT, once)
    return await work


class _Outlet:
    """A stream whose reader may leave: what is printed then goes nowhere, and the command ends, having done well.

    Whoever prints is not told. An agent would take it for its own failure, and be started again to fail again.
    """

    def __init__(self, stream: TextIO, ending: Ending) -> None:
        self._stream = stream
        self._ending = ending

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._reader_has_left()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._reader_has_left()

    def _reader_has_left(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        self._ending.end(0)
