"""What a host has to do with the other hosts of its board: who leads, where they stand, what they have told, snapshots.

Laws:

- Every host applies the same log and stores the same events. One leads: it tells them, answers, ticks and folds.
- What the leader has told, the others learn from the bus, not from the leader.
- The log is cut behind every host that was heard of lately, and behind what was told.
- Of two hosts that bear one name, as machines of one name with folders of one path do, the later one ends: both would lead, and neither be
  waited for.
"""

import asyncio
import logging
import secrets

import anyio

from blackboard.errors import BoardInUse, StoreError
from blackboard.leading import Leadership
from blackboard.progress import Progress
from blackboard.roster import SETTLED, Roster
from blackboard.snapshots import Snapshots
from blackboard.store import Store
from blackboard.trying import persistently
from blackboard.writing import written
from bus.errors import BadMessage, BusError
from bus.messages import Beat, HostState, decode_beat, encode
from bus.port import EMBEDDED, Bus

BEAT = 1.0
"""Seconds between two beats."""
LOOKS_AT_ONCE = 32

_logger = logging.getLogger(__name__)


class Company:
    """The hosts of the board ``name``, as ``host`` knows them. Without ``snapshots`` nobody can join who has not followed the log."""

    def __init__(self, bus: Bus, name: str, host: str, store: Store, progress: Progress, snapshots: Snapshots | None) -> None:
        self.lease = Leadership(bus, name, host)
        self._bus = bus
        self._name = name
        self._host = host
        self._store = store
        self._progress = progress
        self._snapshots = snapshots
        self._giving = asyncio.Lock()
        self._misunderstood = False
        """Was a host heard that cannot be understood? That is told once."""
        self._life = secrets.token_hex(4)
        self._roster = Roster(name, host, self._life)
        self._now = asyncio.get_running_loop().time
        self._born = self._now()

    async def beat(self) -> None:
        """Let the others hear that this host is there, for ever."""
        while True:
            progress = self._progress
            beat = Beat(
                host=self._host,
                cursor=progress.cursor,
                leads=self.lease.ours,
                trouble=progress.trouble,
                clean=progress.clean,
                life=self._life,
                age=self._now() - self._born,
            )
            await self._bus.beat(self._name, encode(beat))
            await anyio.sleep(BEAT)

    async def hear(self) -> None:
        """Hear the others, for ever. Raises ``BoardInUse`` where one of them bears this host's name, and did so before."""
        async with self._bus.beats(self._name) as beats:
            async for data in beats:
                try:
                    beat, now = decode_beat(data), self._now()
                    if self._roster.doubled(beat, now - self._born, now):
                        raise BoardInUse(
                            f"board {self._name!r} has a host already that calls itself {self._host}, and each would take the other for "
                            "itself: serve from a folder of another path, or give this machine another name"
                        )
                    self._roster.hear(beat, self._progress.cursor, now)
                except BadMessage as error:
                    if not self._misunderstood:
                        _logger.warning("board %s: a host of another version: %s", self._name, error)
                    self._misunderstood = True
                self._progress.wake()

    def states(self) -> tuple[HostState, ...]:
        """Every host that was heard of lately, this one first."""
        progress = self._progress
        own = HostState(host=self._host, leads=self.lease.ours, trouble=progress.trouble)
        return (own, *self._roster.states(progress.cursor, self._now()))

    async def give_way(self) -> None:
        """While this host leads: return once it has handed the board over to the host that it falls to."""
        await anyio.sleep(SETTLED)  # after a takeover there is more to do than to hand the board on
        favourite = self._host
        while favourite == self._host:
            await self._progress.step_or(BEAT)
            favourite = self._roster.favourite(self._now(), well=not self._progress.trouble)
        _logger.info("board %s goes to %s", self._name, favourite)
        await self.lease.resign(favourite)

    # ---- what was told ------------------------------------------------------------------------------------------------------------------

    async def learn_told(self) -> None:
        """Note what was told by whichever host."""
        looks = anyio.CapacityLimiter(LOOKS_AT_ONCE)
        told: dict[str, int] = {}

        async def look(audience: str) -> None:
            async with looks:
                told[audience] = await persistently(lambda: self._bus.told(self._name, audience))

        async with anyio.create_task_group() as tasks:
            for audience in await self._store.untold_from():
                tasks.start_soon(look, audience)
        await written("what was told", lambda: self._store.note_told(told), self._progress)

    async def told(self, seq: int) -> bool:
        """Is all told that came of the entries up to ``seq``, as far as can be learnt?"""
        await self.learn_told()
        if await self._all_told(seq):
            return True
        log = await persistently(lambda: self._bus.stretch(self._name))
        if log is not None and log.identity != EMBEDDED:
            await self._store.note_told_before(log.first)  # the stream of what was told may have been cut since
        return await self._all_told(seq)

    async def _all_told(self, seq: int) -> bool:
        return all(first > seq for first in (await self._store.untold_from()).values())

    # ---- the others' copies -------------------------------------------------------------------------------------------------------------

    async def cleaned(self, seq: int) -> None:
        """Return once another host has rid the bus of what was erased up to entry ``seq``, or this one leads and has to."""
        while not self.lease.ours and self._roster.clean(self._now()) < seq:
            await self._progress.step_or(BEAT)

    def least(self) -> int:
        """The entry that all hosts have."""
        return self._roster.least(self._progress.cursor, self._now())

    async def give_snapshots(self) -> None:
        """While this host leads: put a snapshot on the bus whenever one is waited for and missing, for ever."""
        while True:
            await self._progress.until(lambda: self._roster.joining(self._now()))
            if self._snapshots is not None and await persistently(self._snapshots.missing):
                _ = await self.give_snapshot()
            await anyio.sleep(BEAT)

    async def give_snapshot(self) -> bool:
        """Put a snapshot on the bus. False: it could not be made, and the log must stay as it is."""
        assert self._snapshots is not None
        async with self._giving:
            try:
                await persistently(self._snapshots.give)
            except (StoreError, BusError, OSError):
                _logger.exception("board %s: no snapshot can be given", self._name)
                return False
        return True

    async def keeps_snapshot(self) -> bool:
        """Is there anybody for whom a snapshot is kept?"""
        return self._snapshots is not None and (self._roster.accompanied(self._now()) or await persistently(self._snapshots.kept))

    async def drop_snapshot(self) -> None:
        """Leave no byte of the snapshot that is there."""
        if self._snapshots is not None:
            await persistently(self._snapshots.drop)
