"""Time as the shells see it: an argument, so that a test can turn it by hand.

The pure rooms know no clock at all; time reaches them with the entries of the log.
"""

import time
from typing import Protocol

import anyio

_LONGEST_NAP = 60.0
"""Seconds. The wall clock may be set while one sleeps: look again now and then."""


class Clock(Protocol):
    """What tells the time, in Unix seconds."""

    def now(self) -> float:
        """The time."""
        ...

    async def sleep_until(self, when: float) -> None:
        """Return once ``now() >= when``."""
        ...


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> float:
        """The time."""
        return time.time()

    async def sleep_until(self, when: float) -> None:
        """Return once ``now() >= when``."""
        while (left := when - time.time()) > 0:  # noqa: ASYNC110 - nothing but time is waited for
            await anyio.sleep(min(left, _LONGEST_NAP))


class ManualClock:
    """A clock that stands still until it is advanced. It belongs to one event loop."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._moved = anyio.Event()

    def now(self) -> float:
        """The time."""
        return self._now

    async def sleep_until(self, when: float) -> None:
        """Return once the clock was advanced to ``when`` or beyond."""
        while self._now < when:
            await self._moved.wait()

    def advance(self, seconds: float) -> None:
        """Move on by ``seconds``, and wake those whose time has come. Raises ``ValueError`` for a step back."""
        if not seconds >= 0:
            raise ValueError(f"advance by {seconds!r} seconds: time only moves on")
        self._now += seconds
        self._moved.set()
        self._moved = anyio.Event()
