"""The host of one board: from the bus through the board into the store, and out to the bus again.

Laws:

- Data runs one way: bus → board → one transaction (journal, cursor, watermarks, events, dead letters, archive) → bus. Nothing is told
  before it is durable, and nothing durable stays untold.
- A batch, once taken in, is finished: closing waits for it. Between two of its entries, questions are answered.
- The checkpoint is written beside the hot path, of the state between two batches.
- Of a board's hosts one leads: it alone tells, answers, keeps time and folds. All take the log in, and store the same.
- What cannot be written for now is kept and tried again, and nothing counts as done meanwhile. What is broken for good stops the board
  loudly: publishers and askers get errors, ``wait`` raises the reason.
- A board that an entry has broken is not trusted any more: its life ends without a checkpoint, and the next one begins with what is stored.
- The service runs in a task of its own, so whoever opened it may be cancelled without harm to the others who use it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Self

import anyio
import msgspec
from msgspec.structs import replace

from blackboard.applying import Applying
from blackboard.board import Board
from blackboard.clock import Clock
from blackboard.company import Company
from blackboard.config import BoardConfig
from blackboard.errors import BadValue
from blackboard.folder import folds
from blackboard.housekeeping import Housekeeping
from blackboard.intake import Intake
from blackboard.outbox import Outbox
from blackboard.progress import Progress
from blackboard.questions import Questions
from blackboard.reopening import Reopened, kept, made, reopened
from blackboard.retention import Retention
from blackboard.snapshots import Snapshots
from blackboard.store import Batch, Standing, Store
from blackboard.summaries import DEFAULT, Summariser
from blackboard.timekeeping import Timekeeper
from blackboard.trends import Detector
from blackboard.voice import Voice
from blackboard.writing import written
from bus import names, telemetry
from bus.port import EMBEDDED, Bus, Log, LogMessage
from bus.telemetry import Batch as Watched
from bus.telemetry import Gauge, Measure, Place

MAX_BATCH = 64
"""Messages in one transaction."""
FOLDED_AT_ONCE = 8
"""Groups of faded items that are folded in one post."""
LOOK_AGAIN = 1.0
"""Seconds until it is asked again what the host that leads has told."""
ERASING = 10.0
"""Seconds that a service that is closed waits until what was erased is gone; what is left is done when it is opened next."""

_CHANGED_BY = {"kinds": ("kinds", "--set FILE"), "rate": ("limits", "--rate RATE"), "burst": ("limits", "--burst BURST")}

_logger = logging.getLogger(__name__)


class Service:
    """Hosts the board ``name`` on ``bus``, kept in ``store``, while its context is open: as its leader, or standing by.

    ``settings`` are fields of ``BoardConfig``. They make a new board; one that exists keeps its own, and is refused (``BadValue``) if it
    was made with others than the ones named. ``summariser`` says in one text what is folded. ``host`` is what other hosts of the board know
    this one by, and ``snapshots`` what they begin with. ``alone``: the process is there for boards only (see ``Housekeeping``). Entering
    raises what opening the store and the log raises.
    """

    def __init__(
        self,
        name: str,
        bus: Bus,
        store: Store,
        clock: Clock,
        *,
        settings: Mapping[str, Any] | None = None,
        detectors: tuple[Detector, ...] | None = None,
        summariser: Summariser = DEFAULT,
        retention: Retention | None = None,
        host: str = "alone",
        snapshots: Snapshots | None = None,
        alone: bool = False,
    ) -> None:
        self.name = names.valid_name(name, "board")
        self._place = Place(bus.system, name)
        self.board: Board
        self._bus = bus
        self._store = store
        self._clock = clock
        self._settings = dict(settings or {})
        self._detectors = detectors
        self._summariser = summariser
        self._log: Log
        self._progress = Progress(0, {})
        self._questions: Questions
        self._company: Company
        self._intake: Intake
        self._outbox: Outbox | None = None
        """What is to be told, while this host leads."""
        self._retention = retention or Retention()
        self._host = host
        self._snapshots = snapshots
        self._alone = alone
        self._house: Housekeeping
        self._timekeeper: Timekeeper | None = None
        """Of a wall-clock board."""
        self._failure: Exception | None = None
        self._at_hand: list[LogMessage] = []
        """Read from the log, and not stored yet."""
        self._applying = Applying(self.name)
        self._closing = False
        self._task: asyncio.Task[None]
        self.loop: asyncio.AbstractEventLoop

    # ---- its life -----------------------------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = self.loop.create_future()
        self._task = asyncio.create_task(self._run(ready), name=f"board {self.name}")
        try:
            await asyncio.wait({self._task, ready}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._end()
            self._task.cancel()
            await asyncio.wait({self._task})
            raise
        if self._task.done():
            await self._task
        telemetry.measured[id(self)] = self
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Finish the batch at hand, write a checkpoint, let go of everything. Raises what stopped the service, if something did."""
        self._end()
        await self.wait()

    def _end(self) -> None:
        self._closing = True
        self._progress.end()

    async def wait(self) -> None:
        """Return when the service was closed; raise what stopped it otherwise."""
        await asyncio.shield(self._task)

    async def caught_up(self) -> None:
        """Return once nothing is due any more by the clock's time."""
        await self._progress.until(lambda: (due := self.board.next_due()) is None or due > self._clock.now())

    def agree(self, settings: Mapping[str, Any]) -> None:
        """Raise ``BadValue`` if the board was made with other settings than these."""
        asked = made(self.name, settings)
        for field in settings:
            stands, wanted = getattr(self.board.config, field), getattr(asked, field)
            if stands != wanted and field in _CHANGED_BY:
                what, option = _CHANGED_BY[field]
                raise BadValue(
                    f"board {self.name!r} has other {what}: leave them out, or change them: pheroboard {what} {self.name} {option}"
                )
            if stands != wanted:
                raise BadValue(f"board {self.name!r} was made with {field}={stands!r}, not {wanted!r}: leave it out, or take another name")

    async def _run(self, ready: "asyncio.Future[None]") -> None:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._store.aclose)
            standing = await self._store.open()
            found = await self._begin(standing, stack)
            while True:
                await self._live(found, standing, ready)
                if self._failure is not None:
                    raise self._failure
                if self._closing:
                    break
                await self._store.aclose()
                standing = await self._store.open()
                found = await self._stand(standing)
            if not self._house.astray:
                await self._store.keep_analyses(self._progress.cursor, self.board.analyses.take())
                await self._store.checkpoint(self._progress.cursor, self.board.snapshot())
            if self._outbox is not None:
                await self._store.note_told(self._outbox.take_told())

    async def _begin(self, standing: Standing, stack: AsyncExitStack) -> Reopened:
        """Put the board up as it is stored, and open its log."""
        found = await self._stand(standing)
        origin = msgspec.json.encode(found.origin).decode()
        self._log = await self._bus.open_log(self.name, after=standing.cursor, identity=standing.log, origin=origin)
        stack.push_async_callback(self._log.aclose)
        if standing.origin is None and self._log.origin not in {"", origin}:
            # The log is older than this store, and was made with other settings: they are the board's.
            found = await self._stand(standing, kept(self._log.origin, self.name))
        if standing.log is None:
            await self._store.begin(msgspec.json.encode(found.origin), self._log.identity)
        return found

    async def _stand(self, standing: Standing, config: BoardConfig | None = None) -> Reopened:
        """Put the board up as it is stored."""
        if config is None:
            config = made(self.name, self._settings) if standing.origin is None else kept(standing.origin, self.name)
        found = await reopened(config, self._store, standing, self._detectors)
        self.board = found.board
        self.agree(self._settings)  # here: its kinds may have changed since its origin
        return found

    async def _live(self, found: Reopened, standing: Standing, ready: "asyncio.Future[None]") -> None:
        """Serve, until the service is closed, fails, or must begin anew."""
        came = self._log.end
        self._progress = progress = Progress(standing.cursor, standing.marks, self._clock.now)
        if self._closing:
            progress.end()
        self._outbox = None
        self._company = Company(self._bus, self.name, self._host, self._store, progress, self._snapshots)
        counted = self._log.identity != EMBEDDED  # agents of one process are one another's own business
        self._intake = Intake(standing.marks, standing.debts, (lambda: self.board.config.limits) if counted else None)
        owed = self._intake.owed if counted else None
        self._questions = Questions(self.board, self._store, progress, self._clock, self._company.states, self._place, owed)
        self._house = Housekeeping(
            self.board, self._store, self._bus, progress, self._clock, self._retention, self._company, self._told, alone=self._alone
        )
        self._timekeeper = Timekeeper(self.board, self._clock, progress) if self.board.config.time == "wall" else None
        self._house.unsaved = found.again
        await self._house.begin(standing)
        try:
            async with anyio.create_task_group() as jobs:
                for job in (self._take_in, self._house.run, self._company.lease.run, self._preside):
                    jobs.start_soon(self._watch, job)
                if self._timekeeper is not None:
                    jobs.start_soon(self._watch, self._timekeeper.watch)
                if counted:
                    jobs.start_soon(self._watch, self._company.beat)
                    jobs.start_soon(self._watch, self._company.hear)
                await progress.until(lambda: (progress.cursor >= came and self._placed()) or progress.ending.is_set())
                if not progress.ending.is_set() and not ready.done():
                    ready.set_result(None)
                await progress.ending.wait()
                if self._closing and self._failure is None:
                    with anyio.move_on_after(ERASING):
                        await self._house.settled()
                jobs.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._company.lease.resign()

    def _placed(self) -> bool:
        """Does this host lead, or stand by for another?"""
        return self._outbox is not None or self.leader not in {"", self._host}

    @property
    def leader(self) -> str:
        """The host that leads, as far as it is known."""
        return self._company.lease.leader

    async def _watch(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except Exception as error:
            _logger.critical("board %s has stopped: %s", self.name, error, exc_info=error)
            self._failure = self._failure or error
            self._progress.end()

    # ---- the hot path -------------------------------------------------------------------------------------------------------------------

    async def _take_in(self) -> None:
        while not self._house.astray:
            await self._progress.until(lambda: self._outbox is None or self._outbox.has_room())
            self._at_hand = self._at_hand or await self._log.read(MAX_BATCH)
            with anyio.CancelScope(shield=True):
                async with self._house.turn:
                    self._house.astray = True
                    with telemetry.applying(self._place, self._at_hand) as watched:
                        done = await self._applying.apply(self.board, self._at_hand, self._intake, watched)
                        if done is not None:
                            self._house.unsaved += done.moved
                            told = self._outbox.take_told() if self._outbox is not None else {}
                            await self._commit(replace(done.batch, told=told), watched)
                            self._house.astray = False
        self._progress.end()  # this life of the board

    async def _commit(self, batch: Batch, watched: Watched | None) -> None:
        await written("the journal", partial(self._store.commit, batch), self._progress)
        self._at_hand = []
        self.board.archive.written()
        if self._outbox is not None:
            self._outbox.add(batch.events, watched.traces if watched is not None else {})
        self._house.took(batch)
        if self._timekeeper is not None:
            self._timekeeper.took(batch.stamp)
        self._progress.step(batch.cursor, batch.marks, batch.forgotten)
        await self._log.committed(batch.cursor)
        if watched is not None:
            watched.stored()

    def measures(self, gauge: Gauge) -> Iterable[Measure]:
        """How far it is behind its log, and what it holds."""
        if self._task.done():
            return
        now = self._clock.now()
        match gauge:
            case "log.lag":
                yield Measure(max(self._log.end - self._progress.cursor, 0), self._place)
            case "log.age":
                yield Measure(max(now - self._at_hand[0].stamp, 0.0) if self._at_hand else 0.0, self._place)
            case "items":
                for tier, count in self.board.tiers(at=now).items():
                    yield Measure(count, self._place, tier)

    # ---- leading ------------------------------------------------------------------------------------------------------------------------

    async def _preside(self) -> None:
        """Lead whenever it falls to this host, for as long as it does."""
        lease = self._company.lease
        while True:
            await lease.won()
            try:
                async with anyio.create_task_group() as term:
                    term.start_soon(self._watch, self._lead)
                    term.start_soon(self._company.give_way)
                    await lease.lost()
                    term.cancel_scope.cancel()
            finally:
                if not self._progress.ending.is_set():
                    self._outbox = None
                    self._progress.told.clear()
                    self._progress.wake()

    async def _lead(self) -> None:
        """Answer, tell what others have not told, and keep time."""
        self._questions.since = await self._log.latest()
        async with self._bus.answer(self.name, self._questions.answer):
            await self._progress.until(lambda: self._progress.cursor >= self._questions.since)
            await self._company.learn_told()
            outbox = Outbox(self.name, self._bus, self._progress)
            async with self._house.turn:
                outbox.add(await self._store.untold())
                self._outbox = outbox
            self._progress.wake()
            async with anyio.create_task_group() as jobs:
                for job in (outbox.run, self._fold, self._company.give_snapshots):
                    jobs.start_soon(self._watch, job)
                if self._timekeeper is not None:
                    jobs.start_soon(self._watch, partial(self._timekeeper.keep, self._voice()))

    async def _fold(self) -> None:
        """Publish a ``Fold`` for each group of items that has faded and waits for a summary."""
        voice = self._voice()
        while True:
            await self._progress.until(lambda: bool(self.board.foldings(1)))
            await voice.say(*await folds(self.board.foldings(FOLDED_AT_ONCE), self._summariser))

    def _voice(self) -> Voice:
        return Voice(self.name, self._bus, self._progress)

    async def _told(self, seq: int) -> None:
        """Return once all that came of the entries up to ``seq`` is told, by whichever host."""
        while not (await self._company.told(seq) if self._outbox is None else self._outbox.told(seq)):
            await (anyio.sleep if self._outbox is None else self._progress.step_or)(LOOK_AGAIN)
