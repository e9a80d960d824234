"""The bus over NATS JetStream.

Laws:

- What is not acknowledged is sent again. It may arrive twice: posts carry ``(epoch, seq)``, events their number within a chain that the
  stream guards.
- Only its subject says whose a message is. A reply goes to an inbox, never to a subject of ours, whatever the asker wrote there.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bus import names, objects
from bus.chain import Chain, events_of
from bus.connection import PATIENCE, PAUSE, Connection, Lost, Nobody, spawn
from bus.errors import BadMessage, BusError, LogMismatch, NoAnswer, NotServed, StreamRefused, TooLarge
from bus.jetstream import (
    EVENTS_KEPT,
    NO_STREAM,
    ORIGIN,
    SECOND,
    TRACE,
    Arrival,
    broken_law,
    events_laws,
    events_stream,
    observations_laws,
    observations_stream,
)
from bus.lease import Leases
from bus.mailbox import Mailbox
from bus.port import EMBEDDED, Answering, Claim, Cut, Log, Snapshot, Stretch
from bus.reader import NatsLog

QUESTIONS_AT_ONCE = 1024
"""Of one agent; more are refused."""
TAKEOVER = 4.0
"""Seconds that a question waits where nobody answers, as between two hosts that lead: as long as a lease lasts, and a little more."""

_FAILED = "Pb-Failed"
"""The header of a reply that says why there is none."""

_logger = logging.getLogger(__name__)


class NatsBus:
    """A connection to a NATS server or cluster. Make it with ``connect``."""

    system = "nats"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._acknowledged: set[str] = set()
        self._chains: dict[str, Chain] = {}
        self._leases = Leases(connection)

    @classmethod
    async def connect(cls, url: str, *, name: str = "pheroboard", within: float = 5.0, credentials: Path | None = None) -> "NatsBus":
        """Connect to ``url`` (several, with commas between them, for a cluster), within so many seconds.

        ``credentials`` is a key file, or one that ``nsc`` wrote; a user and password may stand in the URL, too.
        Raises ``Unreachable``, ``NotPermitted``, ``BadCredentials``.
        """
        connection = Connection(url, credentials)
        await connection.open(name, within)
        return cls(connection)

    async def publish(self, board: str, agent: str, data: bytes, *, trace: str = "") -> int:
        """Append to the board's log; the entry's number once the stream has it on disk."""
        self._connection.check_size(data)
        headers = {TRACE: trace} if trace else None
        try:
            # A stream that has answered before is only between two servers; one that never did is most likely not there.
            ack = await self._connection.jetstream(names.observations(board, agent), data, headers, insist=board in self._acknowledged)
        except Nobody:
            raise self._not_served(board) from None
        self._acknowledged.add(board)
        return int(ack["seq"])

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - as the port has it
        """Send a query, give back its reply. It is asked again if its connection broke, and for ``TAKEOVER`` s if nobody is there."""
        self._connection.check_size(data)
        lost = nobody = False
        clock = asyncio.get_running_loop().time
        give_up = clock() + TAKEOVER
        try:
            async with asyncio.timeout(timeout):
                while True:
                    try:
                        reply = await self._connection.request(names.queries(board, agent), data)
                        break
                    except Lost:
                        lost = True
                    except Nobody:  # after a broken connection: we are back before the board is
                        nobody = True
                        if not lost and clock() >= give_up:
                            raise
                    await asyncio.sleep(PAUSE)
        except Nobody:
            raise self._not_served(board) from None
        except TimeoutError:
            if nobody and not lost:
                raise self._not_served(board) from None
            raise self._connection.silence(f"board {board!r} did not answer", timeout) from None
        if reply.headers and (failed := reply.headers.get(_FAILED)):
            raise NoAnswer(f"board {board!r} failed to answer: {failed}")
        return reply.data

    def _not_served(self, board: str) -> NotServed:
        where = f"board {board!r} at {self._connection.address}"
        return NotServed(f"nobody serves {where}; start it with `pheroboard up {board}`, or correct the name")

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear an audience's events from now on."""

        def events(data: bytes) -> list[bytes]:
            try:
                return events_of(data)
            except BadMessage as error:  # nobody's but the host's word should come here: whoever listens sees the gap, if it was that
                _logger.warning("events of board %s cannot be read: %s", board, error)
                return []

        async with self._heard(names.events(board, audience), events) as mailbox:
            yield mailbox

    @asynccontextmanager
    async def _heard(self, subject: str, read: Callable[[bytes], list[bytes]]) -> AsyncIterator[Mailbox]:
        """What comes on a subject, as it is ``read``, in a mailbox that is closed with the connection."""
        mailbox = Mailbox()

        async def heard(msg: Arrival) -> None:
            for data in read(msg.data):
                mailbox.put(data)

        def renewed() -> None:
            if self._connection.closed:
                mailbox.close(self._connection.gone())

        unsubscribe = await self._connection.subscribe(subject, heard)
        self._connection.renewed.add(renewed)
        try:
            yield mailbox
        finally:
            self._connection.renewed.discard(renewed)
            await unsubscribe()

    @asynccontextmanager
    async def answer(self, board: str, answering: Answering) -> AsyncIterator[None]:
        """Answer the board's queries, many at a time, while the context is open. Who asks too much is refused, and holds up nobody."""
        asking: Counter[str] = Counter()
        tasks: set[asyncio.Task[None]] = set()

        async def one(agent: str, msg: Arrival) -> None:
            headers = None
            try:
                data = await answering(agent, msg.data)
                self._connection.check_size(data)
            except TooLarge as error:
                data, headers = b"", {_FAILED: str(error)}
            except Exception as error:
                _logger.exception("answering for board %s", board)
                # Not the error's text, which may speak of what the asker must not see.
                data, headers = b"", {_FAILED: f"{type(error).__name__}; its host's log says more"}
            finally:
                asking[agent] -= 1
                if not asking[agent]:
                    del asking[agent]
            await self._connection.send(msg.reply, data, headers=headers)

        async def heard(msg: Arrival) -> None:
            if not msg.reply or msg.reply.startswith(("pb.", "$")):  # there it would be stored as somebody's observation
                return
            agent = names.speaker(msg.subject)
            if asking[agent] < QUESTIONS_AT_ONCE:
                asking[agent] += 1
                _ = spawn(one(agent, msg), tasks)
            else:
                refusal = f"{asking[agent]} questions of {agent!r} are waiting; ask again when they are answered"
                await self._connection.send(msg.reply, b"", headers={_FAILED: refusal})

        unsubscribe = await self._connection.subscribe(names.queries(board), heard)
        try:
            yield
        finally:
            await unsubscribe()
            for task in tasks:
                task.cancel()

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        """Make the board's streams if there are none; read its log from ``after`` on."""
        stream = observations_stream(board)
        # A board that has read a log which is gone goes on in a new one, whose numbers follow.
        anew = identity is None and after > 0
        preferences = {"discard": "new", "metadata": {ORIGIN: origin}} | ({"first_seq": after + 1} if anew else {})
        made = await self._make(stream, observations_laws(board), preferences, read=identity, new=after if anew else None)
        await self._make_events(board, new=0 if anew else None)
        kept = made["config"].get("metadata", {}).get(ORIGIN, "")
        log = NatsLog(self._connection, stream, identity or made["created"], kept, after)
        try:
            await log.attach(patience=PATIENCE)
        except BaseException:
            await log.aclose()
            raise
        return log

    async def _make_events(self, board: str, *, new: int | None = None) -> None:
        _ = await self._make(events_stream(board), events_laws(board), {"max_age": EVENTS_KEPT * SECOND}, new=new)

    async def _make(
        self, stream: str, laws: dict[str, Any], preferences: dict[str, Any], *, read: str | None = None, new: int | None = None
    ) -> dict[str, Any]:
        """Make a stream, or check that the one there keeps the laws; its state. What is only preferred an operator may change.

        One that was ``read`` before is not made anew: what agents send to it meanwhile no board would ever read. One that must be ``new``
        holds nothing yet, and stands at that number.
        """
        try:
            info = await self._connection.api(f"STREAM.INFO.{stream}", {})
        except StreamRefused as error:
            if error.code != NO_STREAM:
                raise
            if read is not None:
                embedded = "export the embedded board with --everything, and import that into a folder that is served"
                raise LogMismatch(
                    f"there is no stream {stream} at {self._connection.address}, but the board has read the one made {read}: "
                    f"{embedded if read == EMBEDDED else 'go back to the server that has it'}, "
                    "or put the board's database away to begin anew"
                ) from None
            info = await self._connection.create(stream, laws | preferences)
        state = info["state"]
        if new is not None and (state["messages"] or (new and state["last_seq"] != new)):
            raise LogMismatch(
                f"stream {stream} at {self._connection.address} is there, but the board begins a new log: restore its backup to go on in "
                "that one, or delete the board's streams"
            )
        if law := broken_law(laws, info["config"]):
            has, needs = info["config"].get(law), laws[law]
            raise BusError(f"stream {stream} at {self._connection.address} has {law}={has!r}, the board needs {needs!r}; edit the stream")
        return info

    async def emit(self, board: str, audience: str, first: int, *events: bytes) -> None:
        """Tell an audience its events from number ``first`` on, as many to a message as it carries; durable on return."""
        await self._chain(board, audience).tell(first, events)

    async def told(self, board: str, audience: str) -> int:
        """The number of the last event of an audience that the stream has."""
        return await self._chain(board, audience).told()

    def _chain(self, board: str, audience: str) -> Chain:
        subject = names.events(board, audience)
        if subject not in self._chains:
            self._chains[subject] = Chain(self._connection, events_stream(board), subject, partial(self._make_events, board))
        return self._chains[subject]

    async def cut_log(self, board: str, seq: int) -> Cut:
        """Purge the log up to ``seq``."""
        return await self._purge(observations_stream(board), seq)

    async def cut_events(self, board: str) -> Cut:
        """Purge the events."""
        cut = await self._purge(events_stream(board))
        for subject, chain in self._chains.items():
            if subject.startswith(names.events(board, "")):
                chain.look_again()
        return cut

    async def _purge(self, stream: str, upto: int | None = None) -> Cut:
        """Drop a stream's messages up to a number, or all.

        A server removes a file of which it keeps nothing, and writes one anew of which it keeps little; until then what it has dropped is
        still in there.
        """
        before = (await self._connection.api(f"STREAM.INFO.{stream}", {}))["state"]
        upto = int(before["last_seq"]) if upto is None else upto
        await self._connection.api(f"STREAM.PURGE.{stream}", {"seq": upto + 1})
        after = (await self._connection.api(f"STREAM.INFO.{stream}", {}))["state"]
        return Cut(max(int(before["bytes"]) - int(after["bytes"]), 0), int(after["bytes"]))

    # ---- the hosts of one board, among themselves ---------------------------------------------------------------------------------------

    async def claim(self, board: str, host: str) -> Claim:
        """Have the board's lease, if it can be had; who has it."""
        return await self._leases.claim(board, host)

    async def resign(self, board: str, host: str, to: str = "") -> None:
        """Give the lease up."""
        await self._leases.resign(board, host, to)

    async def beat(self, board: str, data: bytes) -> None:
        """Let the hosts hear this, if there is a connection now."""
        if self._connection.up.is_set():
            await self._connection.send(names.beats(board), data)

    @asynccontextmanager
    async def beats(self, board: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear the hosts."""
        async with self._heard(names.beats(board), lambda data: [data]) as mailbox:
            yield mailbox

    async def stretch(self, board: str) -> Stretch | None:
        """Where the stream begins and ends."""
        try:
            info = await self._connection.api(f"STREAM.INFO.{observations_stream(board)}", {})
        except StreamRefused as error:
            if error.code != NO_STREAM:
                raise
            return None
        return Stretch(info["created"], int(info["state"]["first_seq"]), int(info["state"]["last_seq"]))

    async def put_snapshot(self, board: str, about: str, chunks: AsyncIterator[bytes]) -> None:
        """Put it into the board's object store."""
        await objects.put(self._connection, board, about, chunks)

    async def snapshot(self, board: str) -> Snapshot | None:
        """What the board's object store has."""
        return await objects.get(self._connection, board)

    async def drop_snapshot(self, board: str) -> None:
        """Delete the board's object store, with its files."""
        await objects.drop(self._connection, board)

    async def aclose(self) -> None:
        """Close the connection; whoever waits for it gets ``Unreachable``."""
        await self._connection.aclose()
