"""What an agent has said and the log has not acknowledged yet: the port, and its twin in memory. ``sqlite`` keeps to it too, in the file
that users call an agent's *outbox*; one contract suite runs on both.

Laws:

- Units leave in the order in which they were said.
- A post is settled before it is first sent: which units it has, under which number of which epoch. Until it is acknowledged ``next`` gives
  that one again, so that sending it again changes nothing.
- What was acknowledged is gone.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple, Protocol


class Said(NamedTuple):
    """A unit, encoded, and how many observations it has."""

    data: bytes
    observations: int
    aside: bool = False
    """Need no question of its agent's wait for it? (A file does not keep this, so that questions wait for all that goes through it.)"""


class Room(NamedTuple):
    """What one post may hold; a unit that is larger has a post of its own."""

    size: int
    """Bytes of units."""
    observations: int

    def taken(self, units: Iterable[Said]) -> tuple[Said, ...]:
        """Those that go into one post, in order: one at least, if there is one."""
        size, observations = self
        taken: list[Said] = []
        for unit in units:
            size -= len(unit.data)
            observations -= unit.observations
            if taken and (size < 0 or observations < 0):
                break
            taken.append(unit)
        return tuple(taken)


class Parcel(NamedTuple):
    """A post as it is settled."""

    epoch: str
    number: int
    units: tuple[Said, ...]
    last: int
    """The place of its last unit."""

    @property
    def observations(self) -> int:
        """How many it has."""
        return sum(unit.observations for unit in self.units)


class Pending(Protocol):
    """Keeps one agent's units. Its methods may be called from many tasks of one event loop."""

    durable: bool
    """Does what is kept survive this process?"""
    name: str
    """What an error calls it."""
    reopened: bool
    """Was it begun before it was opened, so that the board may know its epoch?"""
    epoch: str
    number: int
    """Of the post that was settled last; 0: of this epoch none was."""
    acknowledged: int
    """Of the last post that is known to be acknowledged, when this was opened."""
    last: int
    """The place of the unit that was kept last: units are counted from 1."""
    left: int
    """The place of the last one that had left when this was opened."""
    news: asyncio.Event
    """Set when there is a unit more."""

    async def begin(self) -> None:
        """The board has answered: from now on this is that board's. Raises ``StoreError``."""
        ...

    async def keep(self, unit: Said) -> None:
        """Keep a unit; return once it is as safe here as it gets. A caller that is cancelled has kept it all the same.

        Raises ``StoreError``; then it is not kept.
        """
        ...

    async def next(self, room: Room, *, acknowledged: int) -> Parcel | None:
        """The post to be sent: the one behind number ``acknowledged``, which is settled if it was not yet. None: there is nothing to send.

        What went under numbers up to ``acknowledged`` leaves. Raises ``StoreError``; then nothing has changed.
        """
        ...

    async def renew(self, *, without: int = 0) -> None:
        """Begin a new epoch, in which what waits is settled anew; units up to place ``without`` leave. Raises ``StoreError``."""
        ...

    async def aclose(self) -> None:
        """Let go of it. Harmless when done twice."""
        ...


def new_epoch() -> str:
    """A name that no sender had before."""
    return secrets.token_hex(8)


class MemoryPending:
    """The twin in memory, which ends with the process: a unit in it is not safe until it is acknowledged."""

    durable = False
    name = "memory"
    reopened = False
    acknowledged = 0
    left = 0

    def __init__(self) -> None:
        self.epoch, self.number, self.last = new_epoch(), 0, 0
        self.news = asyncio.Event()
        self._units: deque[Said] = deque()
        self._settled = 0

    async def begin(self) -> None:
        """Nothing to note."""

    async def keep(self, unit: Said) -> None:
        """Keep a unit."""
        self._units.append(unit)
        self.last += 1
        self.news.set()

    async def next(self, room: Room, *, acknowledged: int) -> Parcel | None:
        """The post to be sent."""
        if acknowledged >= self.number:
            self._leave(self._settled)
            if not self._units:
                return None
            self._settled = len(room.taken(self._units))
            self.number += 1
        last = self.last - len(self._units) + self._settled
        return Parcel(self.epoch, self.number, tuple(islice(self._units, self._settled)), last)

    async def renew(self, *, without: int = 0) -> None:
        """Begin a new epoch."""
        self._leave(max(without - (self.last - len(self._units)), 0))
        self.epoch, self.number = new_epoch(), 0

    def _leave(self, count: int) -> None:
        for _ in range(count):
            self._units.popleft()
        self._settled = 0

    async def aclose(self) -> None:
        """Nothing to let go of."""
