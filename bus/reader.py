"""Reading a board's log from JetStream.

Laws:

- The reader counts for itself and trusts no consumer: one that dies, skips or stalls is made anew at the next number.
- A number that the stream no longer has, or another stream under the same name, is an error. Nothing is skipped.
"""

import asyncio
import math
import secrets
from collections import deque
from collections.abc import Awaitable, Callable

import msgspec

from bus import names
from bus.connection import Connection
from bus.errors import LogMismatch, StreamRefused, Unreachable
from bus.jetstream import API, NO_MESSAGE, NO_STREAM, SECOND, TRACE, Arrival, place, status
from bus.port import LogMessage

IDLE = 1.0
"""Seconds of silence after which a reader compares its place with the stream's end."""
WINDOW = 512
"""Messages that a reader has asked for or holds, at most."""


async def _nothing() -> None:
    """Stands for a subscription that has not been made."""


class NatsLog:
    """A board's log on a stream. ``identity`` is when the stream was made, ``origin`` what with."""

    def __init__(self, connection: Connection, stream: str, identity: str, origin: str, after: int) -> None:
        self.identity = identity
        self.origin = origin
        self.end = after
        self._connection = connection
        self._stream = stream
        self._next = after + 1
        """The number that must come next from the server."""
        self._held: deque[LogMessage] = deque()
        self._wanted = 0
        """Messages asked for that have not come."""
        self._lost = self._closed = False
        self._news = asyncio.Event()
        self._consumer = self._inbox = ""
        self._unsubscribe: Callable[[], Awaitable[None]] = _nothing
        connection.renewed.add(self._lose)

    async def read(self, limit: int = 64) -> list[LogMessage]:
        """Wait for messages; give all that are there, at most ``limit``, without a gap in their numbers."""
        while True:
            self._news.clear()
            if self._closed:
                raise Unreachable(f"the reading of stream {self._stream} was closed; open the log again to read on")
            self._connection.check_open()
            if self._lost:
                await self.attach(patience=math.inf)
            await self._want()
            if self._held:
                return [self._held.popleft() for _ in range(min(limit, len(self._held)))]
            try:
                async with asyncio.timeout(IDLE):
                    await self._news.wait()
            except TimeoutError:
                await self._look_behind()

    async def latest(self) -> int:
        """The stream's last number."""
        return await self._end(math.inf)

    async def committed(self, seq: int) -> None:
        """Nothing to do: an entry is durable when the stream has it."""

    async def aclose(self) -> None:
        """Stop reading. The consumer ends by itself."""
        self._closed = True
        self._news.set()
        self._connection.renewed.discard(self._lose)
        await self._unsubscribe()

    async def attach(self, *, patience: float) -> None:
        """Make a consumer that begins at the next number. Raises ``LogMismatch`` if the log does not go on from there."""
        self._lost = False
        await self._unsubscribe()
        self.end = await self._end(patience)
        if self.end >= self._next:
            await self._check_next(patience)
        # A new inbox each time: what the consumer before may still deliver goes nowhere.
        self._consumer, self._inbox = secrets.token_hex(8), self._connection.new_inbox()
        self._wanted = 0
        self._unsubscribe = await self._connection.subscribe(self._inbox, self._on_message)
        config = {
            "name": self._consumer,
            "deliver_policy": "by_start_sequence",
            "opt_start_seq": self._next,
            "ack_policy": "none",
            "mem_storage": True,
            "num_replicas": 1,
            "inactive_threshold": 60 * SECOND,
        }
        request = {"stream_name": self._stream, "config": config, "action": "create"}
        await self._connection.api(f"CONSUMER.CREATE.{self._stream}.{self._consumer}", request, patience=patience)

    def _lose(self) -> None:
        """Whatever was on its way may not come: begin anew at the next number."""
        self._lost = True
        self._news.set()

    async def _want(self) -> None:
        """Ask for more before what was asked for has come, so that the server never waits for us."""
        room = WINDOW - self._wanted - len(self._held)
        if room < WINDOW // 2:
            return
        body = msgspec.json.encode({"batch": room, "expires": 30 * SECOND})
        if await self._connection.send(f"{API}CONSUMER.MSG.NEXT.{self._stream}.{self._consumer}", body, self._inbox):
            self._wanted += room  # else a new connection comes, and with it a new consumer

    async def _on_message(self, msg: Arrival) -> None:
        self._news.set()
        if not msg.reply:  # the server's own word: it has no place in the stream
            if status(msg) in {"404", "408"}:
                self._wanted -= int((msg.headers or {}).get("Nats-Pending-Messages", self._wanted))
            else:
                self._lost = True
            return
        seq, stamp, behind = place(msg.reply)
        self._wanted -= 1
        if seq == self._next:
            self._next += 1
            self.end = max(self.end, seq + behind)
            trace = msg.headers.get(TRACE, "") if msg.headers else ""
            self._held.append(LogMessage(seq, stamp, names.speaker(msg.subject), msg.data, trace))
        elif seq > self._next:
            self._lost = True

    async def _look_behind(self) -> None:
        """After a silence: where the stream goes further than what has come, its tail was lost (a delivery into a dying connection)."""
        before = self._next
        if await self._end(math.inf) >= before and self._next == before:
            self._lost = True

    async def _end(self, patience: float) -> int:
        """The stream's last number, once it is sure that this is the log that was read so far."""
        where, read = f"stream {self._stream} at {self._connection.address}", self._next - 1
        try:
            info = await self._connection.api(f"STREAM.INFO.{self._stream}", {}, patience=patience)
        except StreamRefused as error:
            if error.code != NO_STREAM:
                raise
            raise LogMismatch(f"{where} is gone, after entry {read}; restore it, or open the board anew") from None
        if info["created"] != self.identity:
            raise LogMismatch(
                f"{where} was made {info['created']}, but the board has read the one made {self.identity}: the log was replaced. "
                "Go back to the server with the old log, or put the board's database away to begin anew"
            )
        last = int(info["state"]["last_seq"])
        if last < read:
            raise LogMismatch(
                f"{where} ends at entry {last}, but the board has read up to {read}: the server lost entries, or is an older "
                "copy. Restore a newer copy, or put the board's database away to begin anew"
            )
        return last

    async def _check_next(self, patience: float) -> None:
        try:
            await self._connection.api(f"STREAM.MSG.GET.{self._stream}", {"seq": self._next}, patience=patience)
        except StreamRefused as error:
            if error.code != NO_MESSAGE:
                raise
            raise LogMismatch(
                f"entry {self._next} of stream {self._stream} at {self._connection.address} was deleted before the board had read it; "
                "restore the board's database from a copy that goes further, or the stream from one that goes back"
            ) from None
