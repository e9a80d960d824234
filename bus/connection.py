"""A connection to NATS: the only file that imports nats-py, whose faults it keeps in.

Laws:

- What is asked of JetStream is asked again until it answers, so it may arrive twice: only what is harmless to repeat is asked this way.
- Nothing waits longer than the connection lives: when it breaks or is refused, the call that waits is told.
- Callbacks only hand over. They wait for no user and raise nothing, but for the one that ends a first connection, or tries after the last.
"""

import asyncio
import logging
import re
import ssl
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import nats.errors
from nats.aio.client import Client, RawCredentials, Srv

from bus.credentials import is_jwt, public, read, trusting
from bus.errors import BusError, NoAnswer, NotPermitted, StreamRefused, TooLarge
from bus.jetstream import API, NO_CLUSTER, REPLICAS, Arrival, status
from bus.port import MAX_BYTES
from bus.refusals import Refusals

ACK_WITHIN = 2.0
"""Seconds until what JetStream has not answered is asked again."""
PATIENCE = 30.0
"""Seconds in which JetStream must have answered."""
REFUSED_WITHIN = 1.0
"""Seconds after which an address that refuses every connection, or that nobody knows, is given up: one may start with its server."""
CLOSED_WITHIN = 1.0
"""Seconds that saying goodbye may take."""
PAUSE = 0.05
"""Seconds between two tries where the server is there but not ready."""

_HEADROOM = 4096
"""Bytes: headers count towards the server's limit."""
_VIOLATION = re.compile(r'violation for (?:publish|subscription) to "([^"]+)"')

_logger = logging.getLogger(__name__)


class Lost(Exception):
    """The connection broke: what was under way may or may not have arrived."""


class Nobody(Exception):
    """Nobody listens where the message went."""


class _Client(Client):
    """Two faults of nats-py that can only be met within."""

    encrypting = False

    def _connect_command(self) -> bytes:
        if self.encrypting and not self._server_info.get("tls_required"):  # it would go on in the clear
            raise nats.errors.SecureConnWantedError
        return super()._connect_command()

    async def _connect_to_server(self, s: Srv) -> None:
        if self._transport is not None:  # of a try to reconnect that was refused: it would be left open
            self._transport.close()  # type: ignore[no-untyped-call]
        await super()._connect_to_server(s)


class Connection:
    """nats-py, with its faults kept in: requests that end when the connection does, refusals at the call that met them."""

    def __init__(self, url: str, key: Path | None = None) -> None:
        self._url = url
        self._key = key
        self._refusals = Refusals(url, key)
        self.address = self._refusals.address
        self.renewed: set[Callable[[], None]] = set()
        """Called when the connection is another, and when it is closed."""
        self.up = asyncio.Event()
        self.closed = False
        self._client = _Client()
        self._unknown_since: float | None = None
        self._refusal: NotPermitted | None = None
        self._inbox = ""
        self._requests = 0
        self._waiting: dict[str, tuple[str, asyncio.Future[Arrival]]] = {}
        self._barriers: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.Task[None]] = set()
        self._ever_up = False
        self._last_error: Exception | None = None
        self._refused_since: float | None = None

    async def open(self, name: str, within: float) -> None:
        self._refusals.check(self._url)
        self._client.encrypting = "tls://" in self._url
        logging.getLogger("asyncio").addFilter(_worth_telling)
        options: dict[str, Any] = {"tls": trusting(self._key)} | (_shown(self._key) if self._key else {})
        try:
            async with asyncio.timeout(within):
                connecting = self._client.connect(
                    self._url.split(","),
                    name=name,
                    error_cb=self._on_error,
                    disconnected_cb=self._on_disconnected,
                    reconnected_cb=self._on_reconnected,
                    closed_cb=self._on_closed,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.25,  # type: ignore[arg-type]  # it is slept, whatever its annotation says
                    ping_interval=5,
                    pending_size=-1,  # while disconnected a publish raises: what is buffered may be sent long after it was given up
                    **options,
                )
                await _heeding_cancellation(connecting)
                self._ever_up = True
                self.up.set()
                prefix = self.new_inbox() + "."
                await self.subscribe(prefix + "*", self._on_reply)
                self._inbox = prefix
        except TimeoutError:
            await self.aclose()
            raise self._refusals.nobody(self._last_error) from None
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        if not self.closed:
            with suppress(nats.errors.Error, OSError, TimeoutError):
                async with asyncio.timeout(CLOSED_WITHIN):  # nats-py waits for good for a connection on which encrypting has failed
                    await self._client.close()
            await self._on_closed()

    async def _on_error(self, error: Exception) -> None:
        if isinstance(error, BusError):
            raise error  # our own, on its way out of connect: nats-py catches what is a ConnectionError, and hands it in again
        if self.closed:
            raise asyncio.CancelledError  # closing cancelled nats-py's reconnecting, which loses that at times, and tries on for good
        self._last_error = error
        self._check_refused(error)
        if found := _VIOLATION.search(str(error)):  # nats-py gives it in lower case
            for subject, reply in self._waiting.values():
                if subject.lower() == found[1] and not reply.done():
                    reply.set_exception(self._refusals.forbidden(subject))
        elif "authorization" in str(error).lower():
            self._check_known()
        elif not self._ever_up and isinstance(error, (nats.errors.SecureConnWantedError, ssl.SSLError)):
            raise self._refusals.unsafe(error)
        else:
            _logger.debug("nats: %s", error)

    def _check_known(self) -> None:
        """Raise, out of connect, or close: the server does not know us. One of a cluster may be told later than others."""
        now = asyncio.get_running_loop().time()
        if not self._ever_up:
            raise self._refusals.unknown(any_more=False)
        if self._unknown_since is None:
            self._unknown_since = now
        elif now - self._unknown_since >= REFUSED_WITHIN:
            self._refusal = self._refusals.unknown(any_more=True)
            _ = spawn(self.aclose(), self._ends)

    def _check_refused(self, error: Exception) -> None:
        """Raise, out of connect, when every try was turned down for too long. One that gets no answer at all waits on."""
        now = asyncio.get_running_loop().time()
        if self._ever_up or not isinstance(error, OSError) or isinstance(error, TimeoutError):
            self._refused_since = None
        elif self._refused_since is None:
            self._refused_since = now
        elif now - self._refused_since >= REFUSED_WITHIN:
            raise self._refusals.nobody(error)

    async def _on_disconnected(self) -> None:
        if self.up.is_set() and not self._client.is_closed:
            _logger.warning("the connection to %s is lost; trying to get it back", self.address)
        self.up.clear()
        for _, reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(Lost())

    async def _on_reconnected(self) -> None:
        self._unknown_since = None
        if not self.closed:
            _logger.warning("the connection to %s is back", self.address)
        self.up.set()
        for tell in self.renewed:
            tell()

    async def _on_closed(self) -> None:
        if isinstance(self._client.last_error, nats.errors.AuthorizationError):  # told while the connection stood
            self._refusal = self._refusals.unknown(any_more=True)
        self.closed = True
        for barrier in self._barriers:
            barrier.cancel()
        await self._on_disconnected()
        await self._on_reconnected()  # whoever waits for the connection finds it closed

    async def _on_reply(self, msg: Arrival) -> None:
        _, reply = self._waiting.get(msg.subject.removeprefix(self._inbox), ("", None))
        if reply is not None and not reply.done():
            reply.set_result(msg)

    def check_open(self) -> None:
        """Raises ``Unreachable`` once the connection is closed by this side, ``NotPermitted`` when the server has let it in no more."""
        if self.closed:
            raise self.gone()

    def gone(self) -> BusError:
        """Why the connection is closed."""
        return self._refusal or self._refusals.closed(self._last_error)

    @property
    def limit(self) -> int:
        """Bytes that a message may hold."""
        return int(min(MAX_BYTES, self._client.max_payload - _HEADROOM))

    def check_size(self, data: bytes) -> None:
        """Raises ``TooLarge``: the server ends the connection of whoever sends more than it takes (nats.py #888)."""
        if len(data) > self.limit:
            raise TooLarge(f"a message of {len(data):,} bytes is above the limit of {self.limit:,}; send less at a time")

    def new_inbox(self) -> str:
        return str(self._client.new_inbox())

    async def send(self, subject: str, data: bytes, reply: str = "", headers: dict[str, str] | None = None) -> bool:
        """Send without waiting for anything; whether it could be sent: there was a connection, and the subject is one."""
        try:
            await self._client.publish(subject, data, reply=reply, headers=headers)
        except (nats.errors.OutboundBufferLimitError, nats.errors.ConnectionClosedError, nats.errors.BadSubjectError):
            return False
        return True

    @contextmanager
    def _expect(self, subject: str) -> Iterator[tuple[str, asyncio.Future[Arrival]]]:
        """A token for the inbox, and what comes back to it: the reply, the server's refusal of ``subject``, or ``Lost``."""
        self._requests += 1
        token = str(self._requests)
        reply: asyncio.Future[Arrival] = asyncio.get_running_loop().create_future()
        self._waiting[token] = (subject, reply)
        try:
            yield token, reply
        finally:
            del self._waiting[token]

    async def request(self, subject: str, data: bytes, headers: dict[str, str] | None = None) -> Arrival:
        """One message, one reply, as long as it takes. Raises ``Lost``, ``Nobody``, ``NotPermitted``, ``Unreachable``."""
        await self.up.wait()
        self.check_open()
        with self._expect(subject) as (token, reply):
            if not await self.send(subject, data, self._inbox + token, headers):
                raise Lost
            msg = await reply
        if status(msg) == "503":
            raise Nobody
        return msg

    async def jetstream(
        self, subject: str, data: bytes, headers: dict[str, str] | None = None, *, patience: float = PATIENCE, insist: bool = True
    ) -> dict[str, Any]:
        """Ask until JetStream answers, at most ``patience`` seconds: what is asked this way may be asked twice.

        Where no stream listens, wait for it if ``insist``, else raise ``Nobody``. Raises ``StreamRefused``, ``NoAnswer``, ``NotPermitted``,
        ``Unreachable``.
        """
        try:
            async with asyncio.timeout(patience):
                while True:
                    reply = await self._answer(subject, data, headers, insist=insist)
                    answer: dict[str, Any] = msgspec.json.decode(reply.data)
                    if "error" not in answer:
                        return answer
                    refused = StreamRefused(subject, answer["error"])
                    if not refused.passing:
                        raise refused
                    await asyncio.sleep(PAUSE)
        except TimeoutError:
            raise self.silence(f"JetStream did not answer on {subject}", patience) from None

    async def _answer(self, subject: str, data: bytes, headers: dict[str, str] | None, *, insist: bool) -> Arrival:
        """Ask until there is an answer, again whenever none comes."""
        while True:
            try:
                async with asyncio.timeout(ACK_WITHIN):
                    return await self.request(subject, data, headers)
            except TimeoutError:
                continue
            except Lost:
                pass
            except Nobody:
                if not insist:
                    raise
            await asyncio.sleep(PAUSE)

    def silence(self, what: str, seconds: float) -> NoAnswer:
        """The error for a time that ran out."""
        return self._refusals.silence(what, seconds, up=self.up.is_set())

    async def api(self, call: str, body: dict[str, Any], *, patience: float = PATIENCE) -> dict[str, Any]:
        """A call of JetStream's interface."""
        return await self.jetstream(API + call, msgspec.json.encode(body), patience=patience)

    async def create(self, stream: str, config: Mapping[str, Any]) -> dict[str, Any]:
        """Make a stream, on a cluster in as many copies as survive the loss of a server."""
        config = {what: value for what, value in config.items() if value is not None}  # not all that is left out may be null
        request = {"name": stream, "num_replicas": REPLICAS, **config}
        try:
            return await self.api(f"STREAM.CREATE.{stream}", request)
        except StreamRefused as error:
            if error.code != NO_CLUSTER:
                raise
        return await self.api(f"STREAM.CREATE.{stream}", request | {"num_replicas": 1})

    async def last(self, stream: str, subject: str, *, insist: bool = True) -> Arrival | None:
        """The last message that a stream holds for a subject. Where no stream answers, as ``jetstream``."""
        return await self.direct(f"{stream}.{subject}", b"", insist=insist)

    async def direct(self, what: str, data: bytes, *, insist: bool = True) -> Arrival | None:
        """Get one message from a stream; None if it is not there. Where no stream answers, as ``jetstream``."""
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._answer(f"{API}DIRECT.GET.{what}", data, None, insist=insist)
                return None if status(found) == "404" else found
        except TimeoutError:
            raise self.silence(f"stream {what.partition('.')[0]} did not give a message", PATIENCE) from None

    async def subscribe(self, subject: str, heard: Callable[[Arrival], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Subscribe, and wait until the server has it; what ends it. Raises ``NotPermitted``, ``Unreachable``."""
        await self.up.wait()
        self.check_open()
        with self._expect(subject) as (_, refusal):
            try:
                subscription = await self._client.subscribe(subject, cb=heard)
            except nats.errors.ConnectionClosedError:
                raise self.gone() from None

            async def unsubscribe() -> None:
                with suppress(nats.errors.Error):  # closed meanwhile
                    await subscription.unsubscribe()

            barrier = spawn(self._barrier(), self._barriers)
            try:
                either: set[asyncio.Future[Any]] = {barrier, refusal}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)  # if it breaks meanwhile, nats-py subscribes anew
            except asyncio.CancelledError:
                await unsubscribe()
                raise
            error = refusal.exception() if refusal.done() else None
        if isinstance(error, NotPermitted):
            await unsubscribe()
            raise error
        self.check_open()
        return unsubscribe

    async def _barrier(self) -> None:
        """Wait until the server has dealt with all that was sent; its refusals come before its answer to a ping.

        Not to be cancelled while the connection stands, nor by a timeout: nats-py goes deaf on the answer to a ping that nobody awaits.
        """
        with suppress(nats.errors.Error):
            await self._client.flush(timeout=60)  # nats-py lets this ping overtake what it still holds back,
            await self._client.flush(timeout=60)  # but not this one


def _worth_telling(record: logging.LogRecord) -> bool:
    """Not that nats-py began to encrypt in a way of its own, which asyncio warns of whenever a connection ends."""
    return "eof_received() has no effect when using ssl" not in record.getMessage()


def _shown(key: Path) -> dict[str, str | RawCredentials]:
    """How nats-py is told what to show. It keeps that in memory: the file may be gone when it connects anew."""
    text = read(key)
    if is_jwt(text):
        return {"user_credentials": RawCredentials(text)}
    public(key)  # raises for what is no key
    return {"nkeys_seed_str": text.strip()}


async def _heeding_cancellation(work: Awaitable[None]) -> None:
    """Do it, and be cancelled even if it loses that: ``wait_for`` of Python 3.11, with which nats-py connects, sometimes does."""
    task = asyncio.current_task()
    assert task is not None
    cancelled = task.cancelling()
    await work
    if task.cancelling() > cancelled:
        raise asyncio.CancelledError


def spawn(work: Coroutine[Any, Any, None], tasks: set[asyncio.Task[None]]) -> asyncio.Task[None]:
    """Begin a task that stands in ``tasks`` until it is done."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task
