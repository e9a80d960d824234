"""The bus over NATS JetStream: the only file that imports nats-py.

Laws:

- Whatever goes to a stream is sent, acknowledged, and only then done; what is not acknowledged is sent again. So all of it may arrive
  twice: posts carry ``(epoch, seq)``, events their number within a chain that the stream guards.
- Only its subject says whose a message is. A reply goes to an inbox, never to a subject of ours, whatever the asker wrote there.
- Callbacks of nats-py only hand over: they never wait for a user, and never raise.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import nats.errors
from nats.aio.client import Client

from bus import names
from bus.chain import Chain
from bus.errors import BusError, NoAnswer, NotPermitted, TooLarge, Unreachable
from bus.jetstream import (
    API,
    EVENTS_KEPT,
    NO_STREAM,
    SECOND,
    Arrival,
    Refused,
    broken_law,
    events_laws,
    events_stream,
    observations_laws,
    observations_stream,
    status,
)
from bus.mailbox import Mailbox
from bus.port import MAX_BYTES, Answering, Log
from bus.reader import NatsLog

ACK_WITHIN = 2.0
"""Seconds until a message without an acknowledgement is sent again."""
PATIENCE = 30.0
"""Seconds in which a message must have been stored."""
PAUSE = 0.05
"""Seconds between two tries where the server is there but not ready."""
ANSWERS_AT_ONCE = 64

_FAILED = "Pb-Failed"
"""The header of a reply that says why there is none."""
_HEADROOM = 4096
"""Bytes: headers count towards the server's limit."""
_VIOLATION = re.compile(r'violation for (?:publish|subscription) to "([^"]+)"')

_logger = logging.getLogger(__name__)


class _Lost(Exception):  # noqa: N818 - never leaves this file
    """The connection broke: what was under way may or may not have arrived."""


class _Nobody(Exception):  # noqa: N818 - never leaves this file
    """Nobody listens where the message went."""


class _Connection:
    """nats-py, with its faults kept in: requests that end when the connection does, refusals at the call that met them."""

    def __init__(self, url: str) -> None:
        self.address = re.sub(r"(//)?[^/@,]*@", r"\1", url)  # without passwords: it stands in errors
        self.renewed: set[Callable[[], None]] = set()
        """Called when the connection is another, and when it is closed."""
        self.up = asyncio.Event()
        self._client = Client()
        self._inbox = ""
        self._requests = 0
        self._waiting: dict[str, tuple[str, asyncio.Future[Arrival]]] = {}
        self._ever_up = self._closed = False
        self._last_error: Exception | None = None

    async def open(self, url: str, name: str, credentials: Path | None, within: float) -> None:
        try:
            async with asyncio.timeout(within):
                await self._client.connect(
                    url.split(","),
                    name=name,
                    user_credentials=None if credentials is None else str(credentials),
                    error_cb=self._on_error,
                    disconnected_cb=self._on_disconnected,
                    reconnected_cb=self._on_reconnected,
                    closed_cb=self._on_closed,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.25,  # type: ignore[arg-type]  # it is slept, whatever its annotation says
                    ping_interval=5,
                    pending_size=-1,  # while disconnected a publish raises: what is buffered may be sent long after it was given up
                )
                self._ever_up = True
                self.up.set()
                prefix = self.new_inbox() + "."
                await self.subscribe(prefix + "*", self._on_reply)
                self._inbox = prefix
        except TimeoutError:
            await self.aclose()
            why = f" ({self._last_error})" if self._last_error else ""
            cure = "start one with `pheroboard up`, or correct the address"
            raise Unreachable(f"no NATS server answers at {self.address}{why}; {cure}") from None
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        if not self._closed:
            with suppress(nats.errors.Error, OSError):
                await self._client.close()
            await self._on_closed()

    async def _on_error(self, error: Exception) -> None:
        self._last_error = error
        if found := _VIOLATION.search(str(error)):  # nats-py gives it in lower case
            for subject, reply in self._waiting.values():
                if subject.lower() == found[1] and not reply.done():
                    cure = "connect with credentials that may"
                    reply.set_exception(NotPermitted(f"the server at {self.address} does not let this user use {subject!r}; {cure}"))
        elif not self._ever_up and "authorization" in str(error).lower():
            raise NotPermitted(f"the server at {self.address} does not know this user; check the credentials")  # comes out of connect
        else:
            _logger.debug("nats: %s", error)

    async def _on_disconnected(self) -> None:
        self.up.clear()
        for _, reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(_Lost())

    async def _on_reconnected(self) -> None:
        self.up.set()
        for tell in self.renewed:
            tell()

    async def _on_closed(self) -> None:
        self._closed = True
        await self._on_disconnected()
        await self._on_reconnected()  # whoever waits for the connection finds it closed

    async def _on_reply(self, msg: Arrival) -> None:
        _, reply = self._waiting.get(msg.subject.removeprefix(self._inbox), ("", None))
        if reply is not None and not reply.done():
            reply.set_result(msg)

    def check_open(self) -> None:
        """Raises ``Unreachable`` once the connection is closed, by whichever side."""
        if self._closed:
            why = self._last_error or "by this side"
            raise Unreachable(f"the connection to {self.address} is closed ({why}); open the board again")

    def check_size(self, data: bytes) -> None:
        """Raises ``TooLarge``: the server ends the connection of whoever sends more than it takes (nats.py #888)."""
        limit = min(MAX_BYTES, self._client.max_payload - _HEADROOM)
        if len(data) > limit:
            raise TooLarge(f"a message of {len(data):,} bytes is above the limit of {limit:,}; send less at a time")

    def new_inbox(self) -> str:
        return str(self._client.new_inbox())

    async def send(self, subject: str, data: bytes, reply: str = "", headers: dict[str, str] | None = None) -> bool:
        """Send without waiting for anything; whether there was a connection to send it on."""
        try:
            await self._client.publish(subject, data, reply=reply, headers=headers)
        except (nats.errors.OutboundBufferLimitError, nats.errors.ConnectionClosedError):
            return False
        return True

    async def request(self, subject: str, data: bytes, headers: dict[str, str] | None = None) -> Arrival:
        """One message, one reply, as long as it takes. Raises ``_Lost``, ``_Nobody``, ``NotPermitted``, ``Unreachable``."""
        await self.up.wait()
        self.check_open()
        self._requests += 1
        token = str(self._requests)
        reply: asyncio.Future[Arrival] = asyncio.get_running_loop().create_future()
        self._waiting[token] = (subject, reply)
        try:
            if not await self.send(subject, data, self._inbox + token, headers):
                raise _Lost
            msg = await reply
        finally:
            del self._waiting[token]
        if status(msg) == "503":
            raise _Nobody
        return msg

    async def jetstream(
        self, subject: str, data: bytes, headers: dict[str, str] | None = None, *, patience: float = PATIENCE, insist: bool = True
    ) -> dict[str, Any]:
        """Ask until JetStream answers, at most ``patience`` seconds: what is asked this way may be asked twice.

        Where no stream listens, wait for it if ``insist``, else raise ``_Nobody``. Raises ``Refused``, ``NoAnswer``, ``NotPermitted``,
        ``Unreachable``.
        """
        try:
            async with asyncio.timeout(patience):
                while True:
                    try:
                        async with asyncio.timeout(ACK_WITHIN):
                            reply = await self.request(subject, data, headers)
                    except TimeoutError:
                        continue
                    except _Lost:
                        pass
                    except _Nobody:
                        if not insist:
                            raise
                    else:
                        answer: dict[str, Any] = msgspec.json.decode(reply.data)
                        if "error" not in answer:
                            return answer
                        refused = Refused(subject, answer["error"])
                        if not refused.passing:
                            raise refused
                    await asyncio.sleep(PAUSE)
        except TimeoutError:
            raise self.silence(f"JetStream did not answer on {subject}", patience) from None

    def silence(self, what: str, seconds: float) -> BusError:
        """The error for a time that ran out."""
        if not self.up.is_set():
            return Unreachable(f"no NATS server answers at {self.address} any more, after {seconds:g} s; start it again, or wait")
        return NoAnswer(f"{what} within {seconds:g} s, at {self.address}; try again")

    async def api(self, call: str, body: dict[str, Any], *, patience: float = PATIENCE) -> dict[str, Any]:
        """A call of JetStream's interface."""
        return await self.jetstream(API + call, msgspec.json.encode(body), patience=patience)

    async def last(self, stream: str, subject: str) -> Arrival | None:
        """The last message that a stream holds for a subject."""
        get = f"{API}DIRECT.GET.{stream}.{subject}"
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    with suppress(_Lost, _Nobody):
                        found = await self.request(get, b"")
                        return None if status(found) == "404" else found
                    await asyncio.sleep(PAUSE)
        except TimeoutError:
            raise self.silence(f"stream {stream} did not give its last message", PATIENCE) from None

    async def subscribe(self, subject: str, heard: Callable[[Arrival], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Subscribe, and wait until the server has it; what ends it. Raises ``NotPermitted``, ``Unreachable``."""
        await self.up.wait()
        self.check_open()
        refusal: asyncio.Future[Arrival] = asyncio.get_running_loop().create_future()
        self._waiting[subject] = (subject, refusal)
        try:
            subscription = await self._client.subscribe(subject, cb=heard)
            # The server's refusal, if any, comes before its answer to the flush. If the connection breaks now, nats-py subscribes anew.
            with suppress(nats.errors.FlushTimeoutError):
                await self._client.flush(timeout=5)
        finally:
            del self._waiting[subject]

        async def unsubscribe() -> None:
            with suppress(nats.errors.Error):  # closed meanwhile
                await subscription.unsubscribe()

        if refusal.done() and isinstance(error := refusal.exception(), NotPermitted):
            await unsubscribe()
            raise error
        return unsubscribe


class NatsBus:
    """A connection to a NATS server or cluster. Make it with ``connect``."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self._acknowledged: set[str] = set()
        self._chains: dict[str, Chain] = {}

    @classmethod
    async def connect(cls, url: str, *, name: str = "pheroboard", credentials: Path | None = None, within: float = 5.0) -> "NatsBus":
        """Connect to ``url`` (several, with commas between them, for a cluster), within so many seconds.

        ``credentials`` is a file that nats-py understands; a user and password may stand in the URL. Raises ``Unreachable``,
        ``NotPermitted``.
        """
        connection = _Connection(url)
        await connection.open(url, name, credentials, within)
        return cls(connection)

    async def publish(self, board: str, agent: str, data: bytes) -> int:
        """Append to the board's log; the entry's number once the stream has it on disk."""
        self._connection.check_size(data)
        try:
            # A stream that has answered before is only between two servers; one that never did is most likely not there.
            ack = await self._connection.jetstream(names.observations(board, agent), data, insist=board in self._acknowledged)
        except _Nobody:
            raise NoAnswer(self._not_served(board)) from None
        self._acknowledged.add(board)
        return int(ack["seq"])

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - as the port has it
        """Send a query, give back its reply. A query whose connection broke is asked again."""
        self._connection.check_size(data)
        lost = False
        try:
            async with asyncio.timeout(timeout):
                while True:
                    try:
                        reply = await self._connection.request(names.queries(board, agent), data)
                        break
                    except _Lost:
                        lost = True
                    except _Nobody:  # after a broken connection: we are back before the board is
                        if not lost:
                            raise
                    await asyncio.sleep(PAUSE)
        except _Nobody:
            raise NoAnswer(self._not_served(board)) from None
        except TimeoutError:
            raise self._connection.silence(f"board {board!r} did not answer", timeout) from None
        if reply.headers and (failed := reply.headers.get(_FAILED)):
            raise NoAnswer(f"board {board!r} failed to answer: {failed}")
        return reply.data

    def _not_served(self, board: str) -> str:
        return f"nobody serves board {board!r} at {self._connection.address}; start it with `pheroboard up {board}`, or correct the name"

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear an audience's events from now on. After a broken connection the last one is heard again: it shows what was missed."""
        subject = names.events(board, audience)
        mailbox = Mailbox()
        tasks: set[asyncio.Task[None]] = set()

        async def heard(msg: Arrival) -> None:
            mailbox.put(msg.data)

        async def hear_last() -> None:
            with suppress(BusError):
                if last := await self._connection.last(events_stream(board), subject):
                    mailbox.put(last.data)

        def renewed() -> None:
            try:
                self._connection.check_open()
            except Unreachable:
                mailbox.close()
            else:
                _spawn(hear_last(), tasks)

        unsubscribe = await self._connection.subscribe(subject, heard)
        self._connection.renewed.add(renewed)
        try:
            yield mailbox
        finally:
            self._connection.renewed.discard(renewed)
            for task in tasks:
                task.cancel()
            await unsubscribe()

    @asynccontextmanager
    async def answer(self, board: str, answering: Answering) -> AsyncIterator[None]:
        """Answer the board's queries, many at a time, while the context is open."""
        room = asyncio.Semaphore(ANSWERS_AT_ONCE)
        tasks: set[asyncio.Task[None]] = set()

        async def one(msg: Arrival) -> None:
            headers = None
            try:
                data = await answering(names.speaker(msg.subject), msg.data)
                self._connection.check_size(data)
            except TooLarge as error:
                data, headers = b"", {_FAILED: str(error)}
            except Exception as error:
                _logger.exception("answering for board %s", board)
                data, headers = b"", {_FAILED: type(error).__name__}  # its text may speak of what the asker must not see
            finally:
                room.release()
            with suppress(nats.errors.BadSubjectError):  # the asker's own mistake
                await self._connection.send(msg.reply, data, headers=headers)

        async def heard(msg: Arrival) -> None:
            if msg.reply and not msg.reply.startswith(("pb.", "$")):  # there it would be stored as somebody's observation
                await room.acquire()
                _spawn(one(msg), tasks)

        unsubscribe = await self._connection.subscribe(names.queries(board), heard)
        try:
            yield
        finally:
            await unsubscribe()
            for task in tasks:
                task.cancel()

    async def open_log(self, board: str, *, after: int, identity: str | None = None) -> Log:
        """Make the board's streams if there are none; read its log from ``after`` on."""
        stream = observations_stream(board)
        created = await self._make(stream, observations_laws(board), {"discard": "new"})
        await self._make(events_stream(board), events_laws(board), {"max_age": EVENTS_KEPT * SECOND})
        log = NatsLog(self._connection, stream, identity or created, after)
        try:
            await log.attach(patience=PATIENCE)
        except BaseException:
            await log.aclose()
            raise
        return log

    async def _make(self, stream: str, laws: dict[str, Any], preferences: dict[str, Any]) -> str:
        """Make a stream, or check that the one there keeps the laws; when it was made. What is only preferred an operator may change."""
        try:
            info = await self._connection.api(f"STREAM.INFO.{stream}", {})
        except Refused as error:
            if error.code != NO_STREAM:
                raise
            info = await self._connection.api(f"STREAM.CREATE.{stream}", {"name": stream} | laws | preferences)
        if law := broken_law(laws, info["config"]):
            has, needs = info["config"].get(law), laws[law]
            raise BusError(f"stream {stream} at {self._connection.address} has {law}={has!r}, the board needs {needs!r}; edit the stream")
        return str(info["created"])

    async def emit(self, board: str, audience: str, n: int, data: bytes) -> None:
        """Tell an audience its ``n``-th events; durable on return."""
        self._connection.check_size(data)
        subject = names.events(board, audience)
        if subject not in self._chains:
            self._chains[subject] = Chain(self._connection, events_stream(board), subject)
        await self._chains[subject].tell(n, data)

    async def aclose(self) -> None:
        """Close the connection; whoever waits for it gets ``Unreachable``."""
        await self._connection.aclose()


def _spawn(work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]) -> None:
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
