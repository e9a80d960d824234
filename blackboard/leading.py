"""Whether this host leads its board: the lease, claimed again and again.

Laws:

- A host leads from a claim that was granted until that claim runs out, counted from before it was made: never longer than others believe.
- What goes wrong with a claim gains nothing and ends nothing: the claim before runs out by itself.
"""

import asyncio
import logging
from contextlib import suppress

import anyio

from bus.errors import BusError
from bus.port import LEASE, Bus

CLAIM_EVERY = LEASE / 4
"""Seconds between two claims, of the host that leads and of those that would."""

_logger = logging.getLogger(__name__)


class Leadership:
    """The lease of the board ``board``, for ``host``."""

    def __init__(self, bus: Bus, board: str, host: str) -> None:
        self.leader = ""
        """Who leads, as far as it is known."""
        self._bus = bus
        self._board = board
        self._host = host
        self._until = self._resigned = 0.0
        self._others = False
        """Has another ever led? Before, there is nothing to say."""
        self._claimed = asyncio.Event()
        self._clock = asyncio.get_running_loop().time

    @property
    def ours(self) -> bool:
        """Does this host lead now?"""
        return self._clock() < self._until

    async def run(self) -> None:
        """Claim it, for ever."""
        while True:
            begun = self._clock()
            try:
                with anyio.fail_after(LEASE):
                    leader, seconds = await self._bus.claim(self._board, self._host)
            except (BusError, TimeoutError) as error:
                _logger.info("board %s: who leads is not known: %s", self._board, error)
                self.leader = self._host if self.ours else ""
            else:
                if leader == self._host and begun < self._resigned:  # granted before it was given up
                    continue
                self._until = begun + seconds if leader == self._host else 0.0
                if leader != self.leader and (leader != self._host or self._others):
                    _logger.info("board %s is led by %s", self._board, leader)
                    self._others = True
                self.leader = leader
            self._stir()
            await anyio.sleep(CLAIM_EVERY)

    async def won(self) -> None:
        """Return once this host leads."""
        while not self.ours:
            await self._claimed.wait()

    async def lost(self) -> None:
        """Return once it leads no longer."""
        while (left := self._until - self._clock()) > 0:
            with anyio.move_on_after(left):
                await self._claimed.wait()

    async def resign(self, to: str = "") -> None:
        """Lead no longer, in favour of ``to``, or of who comes first."""
        self._until, self._resigned = 0.0, self._clock()
        self.leader = to
        self._stir()
        with anyio.move_on_after(LEASE, shield=True), suppress(BusError):  # who waits for it to be lost goes on; else it runs out by itself
            await self._bus.resign(self._board, self._host, to)

    def _stir(self) -> None:
        self._claimed.set()
        self._claimed = asyncio.Event()
