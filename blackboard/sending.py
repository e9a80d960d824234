"""How an agent's units reach the log: in order, each once, many to a message.

Laws:

- Stop and wait: a post is sent once the one before it is durable. So units stand in the log in the order in which they were said.
- A post keeps its ``(epoch, number)`` and its units until it is acknowledged: sending it again changes nothing (``pending``).
- A question waits for what its agent has said before, but for what was said aside: that a section was used changes no next answer that
  anybody could tell, and its post is on its way for as long as the log and the board take.
- While a post is under way the next one gathers all that is said meanwhile: the slower the log, the larger the posts.
- What the bus refuses for good fails those who wait for it, and numbers begin anew in a new epoch, so that none is used for two posts: of
  one that is refused an earlier try may have been stored. Nobody waits for what an outbox holds: it stays there, and the sender has failed.
- Half of the burst that the board allows is used: so that it takes in time whatever is sent, although another sender of this agent, or a
  clock that was set, may have used some.
- A board that does not say what it allows is spoken to as one that was made without settings: it may be away, and count later.
- An epoch that was taken up again, from an outbox, is held to what the board knows of it before anything is sent.
"""

import asyncio
import logging
from collections import deque
from itertools import islice
from math import inf

from blackboard.config import BoardConfig
from blackboard.errors import BlackboardError, BoardClosed, StaleOutbox, StoreError, TooBig
from blackboard.limits import Debt, Limits
from blackboard.line import PATIENCE, Line
from blackboard.pending import MemoryPending, Parcel, Pending, Room, Said, new_epoch
from bus import telemetry
from bus.errors import BusError, NoAnswer, TooLarge
from bus.messages import MAX_OBSERVATIONS, Applied, Limited, Unit, UpTo, encode, packed, weight
from bus.messages import Limits as Asked

MAX_POST = 256 * 1024
"""Bytes of units in one post."""
AT_ONCE = 128
"""Observations in one post, as long as units have fewer: what others say waits for it, on the board, some milliseconds."""
FLUSH = 5.0
"""Seconds that closing waits for what was said."""
UNKNOWN = BoardConfig(name="any").limits
"""What is allowed as long as the board has not said."""
LEARN_AGAIN = 10.0
"""Seconds after which the board's limits are looked up again."""
LOOK_AGAIN = 1.0
"""Seconds after which whoever is held back looks whether the limits are others by now."""
_AGAIN = 0.5
"""Seconds between two tries; the bus has been patient before."""

_logger = logging.getLogger(__name__)


class Sender:
    """Sends one agent's units down its line. ``close`` it; what ``pending`` is, is its opener's to close."""

    def __init__(self, line: Line, pending: Pending | None = None) -> None:
        self._line = line
        self._pending = pending or MemoryPending()
        self.mark = (self._pending.epoch, self._pending.acknowledged)
        """(epoch, number) of the last post that is durable in the log; of an epoch of which none is, the number is 0."""
        self.awaited = self.mark
        """Of the last one with something that was not said aside: what a question waits for."""
        self._room = Room(MAX_POST, AT_ONCE)
        self._waiting: deque[asyncio.Future[None]] = deque()
        """Those who wait for a unit's acknowledgement, in the units' order."""
        self._origins: dict[asyncio.Future[None], object] = {}
        """Where they stand, if somebody traces. What waits in an outbox is traced no further: another process may send it."""
        self._sent = self._pending.left
        """The place of the last unit that has left."""
        self._moved = asyncio.Event()
        self._failure: Exception | None = None
        self._clock = asyncio.get_running_loop().time
        self._limits = UNKNOWN and _careful(UNKNOWN)
        self._debt = Debt()
        self._learned = -inf
        self._learning: asyncio.Task[None] | None = None
        self._told = False
        """Was it said that this agent is held back?"""
        self._taken_up = not self._pending.reopened
        self._closing = False
        self._task = asyncio.create_task(self._run(), name=f"posts of {line.agent}")

    async def say(self, unit: Unit, *, aside: bool = False) -> None:
        """Return once the unit is durable: in the log, or in the outbox. A caller that is cancelled has said it all the same.

        ``aside``: no question waits for it.
        Raises ``TooBig``, ``BoardClosed``, ``StoreError``, and what the bus raises for good.
        """
        if self._closing:
            raise BoardClosed(f"the board object of {self._line.agent!r} was closed: open it again to say more")
        self._check()
        if (count := weight(unit)) > MAX_OBSERVATIONS:
            raise TooBig(f"a unit of {count:,} observations: at most {MAX_OBSERVATIONS:,} go together; make several smaller batches")
        data = encode(unit)
        if len(data) > MAX_POST:
            raise TooBig(f"a unit of {len(data):,} bytes: at most {MAX_POST:,} fit; make several smaller batches")
        said = Said(data, count, aside)
        if self._pending.durable:
            await self._pending.keep(said)
            return
        acknowledged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(acknowledged)
        if (origin := telemetry.origin()) is not None:
            self._origins[acknowledged] = origin
        await self._pending.keep(said)
        await acknowledged

    async def sent(self, *, patience: float = PATIENCE) -> tuple[str, int]:
        """The mark, once all that was said is in the log. Raises ``NoAnswer`` after ``patience`` seconds, and what stopped the sender."""
        last = self._pending.last if self._pending.durable else 0
        try:
            async with asyncio.timeout(None if patience == inf else patience):
                while not self._taken_up or self._sent < last:
                    self._check()
                    await self._moved.wait()
        except TimeoutError:
            waits = f"{last - self._sent} units wait in outbox {self._pending.name} for board {self._line.board!r}"
            raise NoAnswer(f"{waits}, which has not answered for {patience:g} s: ask again once it does") from None
        self._check()
        return self.mark

    async def taken_up(self, *, patience: float = PATIENCE) -> None:
        """Return once what an outbox holds goes on from where it was. Raises ``StaleOutbox``, ``NoAnswer``."""
        try:
            async with asyncio.timeout(patience):
                while not self._taken_up:
                    self._check()
                    await self._moved.wait()
        except TimeoutError:
            raise NoAnswer(f"board {self._line.board!r} has not taken up outbox {self._pending.name} within {patience:g} s") from None

    async def aclose(self) -> None:
        """Send what was said, for at most ``FLUSH`` seconds, and end. The rest stays in the outbox.

        Without one, whoever still waits then gets ``BoardClosed``.
        """
        self._closing = True
        self._pending.news.set()
        waits = self._pending.last - self._sent
        await asyncio.wait({self._task}, timeout=FLUSH if waits else 0)
        for task in (self._task, self._learning):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        error = BoardClosed(f"the board object of {self._line.agent!r} was closed before the log had taken it: it may or may not be stored")
        for acknowledged in self._waiting:
            _settle(acknowledged, error)
        if self._pending.durable and (waits := self._pending.last - self._sent):
            _logger.warning("%d units of %s wait in outbox %s to be sent", waits, self._line.agent, self._pending.name)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _stir(self) -> None:
        self._moved.set()
        self._moved = asyncio.Event()

    # ---- sending ------------------------------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            await self._learn(PATIENCE)
            if not self._taken_up:
                await self._take_up()
                await self._learn(PATIENCE)  # what this epoch sent last may have been on its way
            while True:
                self._pending.news.clear()
                parcel = await self._next()
                if parcel is not None:
                    await self._send(parcel)
                elif self._closing:
                    return
                else:
                    await self._pending.news.wait()
        except Exception as error:  # noqa: BLE001 - every verb raises it from now on
            self._failure = error
            self._stir()
            for acknowledged in self._waiting:
                _settle(acknowledged, error)
            _logger.error("nothing of %s is sent any more: %s", self._line.agent, error)  # noqa: TRY400 - where it was raised

    async def _take_up(self) -> None:
        """Hold what the outbox knows of its epoch to what the board does."""
        pending = self._pending
        # A post of another epoch, so that what the log has of this one is applied before the board is asked.
        barrier = (new_epoch(), 1)
        await self._held_back()
        await self._publish(packed(*barrier, ()))
        reply = await self._line.ask(Applied(epoch=pending.epoch), barrier, patience=inf)
        assert isinstance(reply, UpTo)
        if reply.number > pending.number:
            raise StaleOutbox(
                f"outbox {pending.name} ends at post {pending.number} of its epoch, and board {self._line.board!r} has applied "
                f"{reply.number}: the file is an older copy of itself. What waits in it may be on the board already, and what is said "
                "through it would be dropped as said before. Put it away, begin with a new one, and say anew what the board does not have"
            )
        if reply.number < pending.acknowledged:
            _logger.warning("board %s has forgotten the epoch of outbox %s: it begins a new one", self._line.board, pending.name)
            await pending.renew()
            self.mark = self.awaited = (pending.epoch, 0)
        self._taken_up = True
        self._stir()

    async def _next(self) -> Parcel | None:
        epoch, acknowledged = self.mark
        while True:
            try:
                parcel = await self._pending.next(self._room, acknowledged=acknowledged if epoch == self._pending.epoch else 0)
            except StoreError as error:
                _logger.warning("what is said by %s waits: %s", self._line.agent, error)
                await asyncio.sleep(_AGAIN)
            else:
                return parcel

    # ---- no faster than the board lets it -----------------------------------------------------------------------------------------------

    async def _learn(self, patience: float) -> None:
        """Learn how fast this agent may speak. A board that does not answer is asked again later."""
        self._learned = self._clock()
        try:
            reply = await self._line.ask(Asked(), patience=patience)
        except (BlackboardError, BusError) as error:
            _logger.debug("the limits of board %s are not known: %s", self._line.board, error)
            return
        assert isinstance(reply, Limited)
        if reply.rate is None or reply.owed is None:
            self._limits = None
            return
        self._limits = _careful(Limits(reply.rate, reply.burst))
        now = self._clock()
        self._debt = max(self._debt.at(now, self._limits), Debt(reply.owed, now))

    async def _held_back(self) -> None:
        while True:
            if self._clock() - self._learned >= LEARN_AGAIN and (self._learning is None or self._learning.done()):
                self._learning = asyncio.create_task(self._learn(0.0), name=f"limits of {self._line.agent}")
            if self._limits is None or not (wait := self._debt.at(self._clock(), self._limits).wait(self._limits)):
                return
            if not self._told:
                self._told = True
                rate = self._limits.rate
                _logger.warning(
                    "%s is held back to %g observations a second, which board %s lets it say", self._line.agent, rate, self._line.board
                )
            await asyncio.sleep(min(wait, LOOK_AGAIN))

    # ---- one post -----------------------------------------------------------------------------------------------------------------------

    async def _send(self, parcel: Parcel) -> None:
        await self._held_back()
        origins = self._origins_of(len(parcel.units)) if self._origins else ()
        try:
            with telemetry.sending(self._line.place, origins, parcel.observations) as trace:
                await self._publish(packed(parcel.epoch, parcel.number, (unit.data for unit in parcel.units)), trace)
        except TooLarge as error:
            if len(parcel.units) == 1:
                await self._fail(parcel, error)
            else:  # the server takes less than others do
                self._room = Room(sum(len(unit.data) for unit in parcel.units) // 2, AT_ONCE)
                await self._pending.renew()
        except Exception as error:  # noqa: BLE001 - it is the callers' to handle
            await self._fail(parcel, error)
        else:
            self.mark = (parcel.epoch, parcel.number)
            if parcel.epoch != self.awaited[0] or not all(unit.aside for unit in parcel.units):
                self.awaited = self.mark
            if self._limits is not None:
                self._debt = self._debt.at(self._clock(), self._limits).more(parcel.observations)
            self._left(parcel, None)

    def _origins_of(self, count: int) -> tuple[object, ...]:
        """Where the next units were said, as far as that is known."""
        return tuple(self._origins[each] for each in islice(self._waiting, count) if each in self._origins)

    async def _publish(self, post: bytes, trace: str = "") -> None:
        while True:
            try:
                await self._line.publish(post, trace)
            except NoAnswer as error:
                _logger.warning("a post of %s to board %s is not acknowledged: %s", self._line.agent, self._line.board, error)
                await asyncio.sleep(_AGAIN)
            else:
                return

    async def _fail(self, parcel: Parcel, error: Exception) -> None:
        if self._pending.durable:
            raise error
        await self._pending.renew(without=parcel.last)
        self._left(parcel, error)

    def _left(self, parcel: Parcel, error: Exception | None) -> None:
        self._sent = parcel.last
        if not self._pending.durable:
            for _ in parcel.units:
                acknowledged = self._waiting.popleft()
                self._origins.pop(acknowledged, None)
                _settle(acknowledged, error)
        self._stir()


def _careful(limits: Limits) -> Limits:
    """What is used of them."""
    return Limits(limits.rate, limits.burst / 2)


def _settle(acknowledged: "asyncio.Future[None]", error: Exception | None) -> None:
    if acknowledged.done():  # its caller was cancelled
        return
    if error is None:
        acknowledged.set_result(None)
    else:
        acknowledged.set_exception(error)
