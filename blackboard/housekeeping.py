"""What a host does beside the hot path: checkpoints, keeping what texts come to, cutting the journal, and removing what was erased from
all that is kept.

Laws:

- The state is taken, mostly, and written while batches are taken in; between two of them, what has changed meanwhile.
- A cut changes nothing about the board: the checkpoint that becomes the origin stands for what it drops, and what was not told stays.
- The log is cut by the host that leads, behind every host; who comes later begins with a snapshot. Each host cuts its own files.
- What was erased is owed a cut from the transaction on that recorded the erasure, through any crash, until no byte of it is left: neither
  in the files nor on the bus. Every host owes both, so that whichever leads next pays. (Who says it again after that has said it again.)
"""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf

import anyio

from blackboard.board import Board
from blackboard.clock import Clock
from blackboard.company import BEAT, Company
from blackboard.progress import Progress
from blackboard.retention import Retention
from blackboard.store import Batch, Cut, Extent, Standing, Store
from blackboard.trying import Work, persistently
from blackboard.writing import written
from bus.errors import BusError
from bus.port import FILE_BYTES, Bus
from bus.port import Cut as Dropped

CHECKPOINT_EVERY = 100_000
"""Entries and changes between two checkpoints: what a reopening has to apply again, in a second or two, is bounded by it."""
AHEAD = 2
"""So often is what has changed taken before entries have to wait for the rest: it is less each time."""
AGAIN = 0.2
"""Seconds until what could not be removed wholly is tried again."""

_logger = logging.getLogger(__name__)


class Housekeeping:
    """Keeps the house of one board.

    ``told`` waits until all that came of the entries up to one is told.
    ``alone``: nothing else of account is in this process, so that what stands may be kept out of the garbage collector's sight.
    """

    def __init__(
        self,
        board: Board,
        store: Store,
        bus: Bus,
        progress: Progress,
        clock: Clock,
        retention: Retention,
        company: Company,
        told: Callable[[int], Awaitable[None]],
        *,
        alone: bool = False,
    ) -> None:
        self.turn = asyncio.Lock()
        """Held from applying a batch to its commit: whoever else has it finds the board as it is stored."""
        self.unsaved = 0
        """Entries and changes since the last checkpoint."""
        self.astray = False
        """Has the board done what is not stored, or done it by half? Then it is not to be taken."""
        self.base = 0
        """The entry behind which the journal begins."""
        self._board = board
        self._store = store
        self._bus = bus
        self._progress = progress
        self._clock = clock
        self._retention = retention
        self._company = company
        self._told = told
        self._extent = Extent()
        self._alone = alone

    async def begin(self, standing: Standing) -> None:
        """Take up what is owed, and count what there is."""
        self._progress.erasing = standing.erasing
        self._extent = await self._store.extent()
        self.base = standing.base

    def took(self, batch: Batch) -> None:
        """A batch was committed."""
        if batch.journal:
            extent = self._extent
            extent.entries += len(batch.journal)
            extent.bytes += sum(len(message.data) for message in batch.journal)
            extent.since = min(extent.since, batch.journal[0].stamp)
        if batch.erases:
            self._progress.erasing = batch.cursor

    async def run(self) -> None:
        """Write a checkpoint whenever one is due, and cut where something is owed or a limit is reached; keep what texts come to."""
        while True:
            await self._progress.until(lambda: self._due() or self._board.analyses.is_due())
            if not self._due():
                await self._keep_analyses()
                continue
            with anyio.CancelScope(shield=True):  # what was taken is written: it is not taken again
                erasing, pages, work = self._progress.erasing, dict[str, bytes](), Work()
                for again in range(AHEAD):
                    for name, data in self._board.ahead(anew=erasing > 0 and not again):  # no older page may hold what was erased
                        pages[name] = data
                        await work.rest()
                async with self.turn:
                    if self.astray:
                        return
                    seq = self._progress.cursor
                    pages.update(self._board.take())
                    analyses = self._board.analyses.take()
                    self.unsaved = 0
                await written("what texts come to", partial(self._store.keep_analyses, seq, analyses), self._progress)
                await written("the checkpoint", partial(self._store.checkpoint, seq, pages), self._progress)
            if self._alone:
                # A board grows and holds no garbage: a full collection would only find that again, for as long as it takes.
                gc.collect(1)
                gc.freeze()
            if erasing != self._progress.erasing:  # what was erased meanwhile may have been taken before
                continue
            if erasing or self._full():
                await self._cut(seq)

    async def _keep_analyses(self) -> None:
        """Write what was analysed since: of the board as it is stored, lest something is kept that never was said."""
        with anyio.CancelScope(shield=True):
            async with self.turn:
                seq, analyses = self._progress.cursor, self._board.analyses.take()
                if self.astray:
                    return
            await written("what texts come to", partial(self._store.keep_analyses, seq, analyses), self._progress)

    async def settled(self) -> None:
        """Return once nothing is owed for what was erased."""
        await self._progress.until(lambda: not self._progress.erasing)

    def _due(self) -> bool:
        return self.unsaved >= CHECKPOINT_EVERY or self._progress.erasing > 0 or self._full()

    def _full(self) -> bool:
        extent = self._extent
        return self._retention.exceeded(extent.entries, extent.bytes, extent.since, self._clock.now())

    async def _cut(self, seq: int) -> None:
        """Let the journal begin behind entry ``seq``, of which the checkpoint has just been written, unless the next is due before."""
        erases, company = self._progress.erasing > 0, self._company
        await self._told(seq)
        if erases:
            await company.cleaned(seq)
        if company.lease.ours:
            followed = await company.keeps_snapshot()
            while company.least() < seq:
                if self.unsaved >= CHECKPOINT_EVERY:
                    return  # it is tried behind the next checkpoint: another host may be in trouble for long
                await self._progress.step_or(BEAT)
            if erases:
                await company.drop_snapshot()
            if erases or not followed or await company.give_snapshot():
                await self._cut_log(seq, wholly=erases)
        now, kept = self._clock.now(), self._retention
        cut = Cut(seq, now, inf if erases else now - kept.events_age, dict(self._progress.told))
        with anyio.CancelScope(shield=True):
            await written("the origin", partial(self._store.cut, cut), self._progress)
            async with self.turn:  # so that none is counted that is being written
                self._extent = await self._store.extent()
        self.base = seq
        self._progress.wake()
        if erases:
            scrubbing = partial(self._store.scrub, seq)
            while not await written("the files without what was erased", scrubbing, self._progress):  # noqa: ASYNC110 - readers have no event
                await anyio.sleep(AGAIN)
            self._progress.scrubbed = seq
            if self._progress.erasing <= seq:
                self._progress.erasing = 0
            self._progress.wake()
            # Anew: while the files were cleaned one may have been given to a host that joins, of files that were not.
            if company.lease.ours and await company.keeps_snapshot() and not await company.give_snapshot():
                await company.drop_snapshot()

    async def _cut_log(self, seq: int, *, wholly: bool) -> None:
        """Cut what the bus keeps; ``wholly``: until no byte of it is left, for which it is cut again as far as the board has stored it."""
        name = self._board.config.name

        async def cut_log() -> Dropped:
            upto = max(seq, self._company.least()) if wholly else seq
            await self._told(upto)
            return await self._bus.cut_log(name, upto)

        try:
            for cut in (cut_log, lambda: self._bus.cut_events(name)):
                _, left = await persistently(cut)
                more = 0
                while wholly and left and more < FILE_BYTES:
                    await anyio.sleep(AGAIN)
                    dropped, left = await persistently(cut)
                    more += dropped
        except BusError:
            _logger.exception("board %s: what the bus keeps of it cannot be cut, and stays", name)
