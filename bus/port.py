"""The port: what a board and its agents ask of a transport. ``memory`` and ``nats`` keep to it; one contract suite runs on both.

Laws:

- A log has one order. Its numbers grow without a gap; a message's stamp is the transport's, and its agent is the channel's.
- ``publish`` returns when the message is durable (NATS: stored and synced; memory: committed by the board), never before.
- A reader keeps its own cursor and says where it wants to begin.
- Any number of hosts read a log. At most one leads, as far as clocks can tell; that nothing is told twice does not depend on it.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from msgspec import Struct

MAX_BYTES = 1_000_000
"""The most that one message may hold, on every transport: what NATS carries by default (1 MiB), less room for headers."""


class LogMessage(Struct, frozen=True, gc=False):
    """A message as the log holds it."""

    seq: int
    stamp: float
    """When the transport took it, in Unix seconds."""
    agent: str
    data: bytes
    trace: str = ""
    """What its sender says that it came of, kept nowhere: a W3C *traceparent*, or whatever stood in its place (see ``telemetry``)."""


LEASE = 2.0
"""Seconds that a host leads a board from each of its claims on, where it could be lost from sight."""
EMBEDDED = "memory"
"""The identity of a log that is in the memory of one process."""
FILE_BYTES = 16 << 20
"""What a transport keeps in one file at most, twice over."""

Answering = Callable[[str, bytes], Awaitable[bytes]]
"""(agent, query) → reply. Must not raise: an error is a reply, too."""


class Cut(NamedTuple):
    """What a cut has dropped, and what stands behind it, in bytes.

    Where nothing stands behind it, nothing of what was dropped is on the disk any more; else once cuts that follow have dropped
    ``FILE_BYTES`` more.
    """

    dropped: int
    left: int


class Claim(NamedTuple):
    """Who leads a board, and for how many seconds from the moment on at which that was asked."""

    leader: str
    seconds: float


class Stretch(NamedTuple):
    """Which entries a log holds: none of them if ``last`` is ``first - 1``."""

    identity: str
    first: int
    last: int


class Snapshot(NamedTuple):
    """What one host has put aside for others."""

    about: str
    chunks: AsyncIterator[bytes]


class Log(Protocol):
    """A board's log, read from a cursor."""

    identity: str
    """Changes when the log is another one, although its name is the same."""
    origin: str
    """What it was made with, whoever made it; empty if that was not said."""
    end: int
    """The number of its last entry, as far as it is known without asking: as it was when the reading began, at least."""

    async def latest(self) -> int:
        """The number of its last entry now. Raises what ``read`` does."""
        ...

    async def read(self, limit: int = 64) -> list[LogMessage]:
        """Wait for messages; give all that are there, at most ``limit``, without a gap in their numbers.

        A connection that broke is waited for. Raises ``LogMismatch`` if the log was replaced or cut, ``Unreachable`` once closed.
        """
        ...

    async def committed(self, seq: int) -> None:
        """The reader has made everything up to ``seq`` durable on its side."""
        ...

    async def aclose(self) -> None:
        """Stop reading."""
        ...


class Channel(Protocol):
    """What an agent asks of a transport. All methods may be called from many tasks at once."""

    system: str
    """What carries the messages: *nats* or *memory*."""

    async def publish(self, board: str, agent: str, data: bytes, *, trace: str = "") -> int:
        """Append to the board's log as ``agent``; the entry's number, once it is durable. ``trace`` goes with it, unless it is empty.

        Raises ``TooLarge``, ``NotPermitted``, ``NoAnswer`` (may or may not have been stored: send it again), ``Unreachable``.
        """
        ...

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - a request's own limit, as in nats-py
        """Send a query, give back its reply. Raises ``NoAnswer``, ``Unreachable``."""
        ...

    def listen(self, board: str, audience: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Hear the events of an audience from now on. A listener that lags loses the oldest (it sees a gap in their numbers, and asks)."""
        ...

    async def aclose(self) -> None:
        """Let go of the transport. Harmless when done twice."""
        ...


class Bus(Channel, Protocol):
    """What a board's host asks of it, too."""

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        """Make the board's log if there is none, with ``origin``, and read it from ``after`` on. Raises ``LogMismatch``.

        No ``identity``: none was read before. If ``after`` is not 0 all the same, a new log is made, whose numbers follow.
        """
        ...

    async def emit(self, board: str, audience: str, first: int, *events: bytes) -> None:
        """Tell an audience its events from number ``first`` on; durable on return. Telling a number again is harmless.

        Raises what ``publish`` does; then some of them may have been told.
        """
        ...

    async def cut_log(self, board: str, seq: int) -> Cut:
        """Drop the log up to entry ``seq``, which it has made durable itself."""
        ...

    async def cut_events(self, board: str) -> Cut:
        """Drop all that was told. Who was away asks the board for it."""
        ...

    async def told(self, board: str, audience: str) -> int:
        """A host's: the number of the last event that is known here to have been told to an audience, by whichever host."""
        ...

    def answer(self, board: str, answering: Answering) -> AbstractAsyncContextManager[None]:
        """Answer the board's queries while the context is open. It is for the one that leads."""
        ...

    # ---- the hosts of one board, among themselves ---------------------------------------------------------------------------------------

    async def claim(self, board: str, host: str) -> Claim:
        """Lead the board from the moment of this call on, or go on leading it.

        Another host has it once the last claim has run out. One that comes back under its name has what it had.
        Raises ``BusError``: who leads is not known, and nothing is gained.
        """
        ...

    async def resign(self, board: str, host: str, to: str = "") -> None:
        """Lead no longer, in favour of ``to``, or of who comes first. Harmless where another leads. Raises what ``claim`` does."""
        ...

    async def beat(self, board: str, data: bytes) -> None:
        """Let the hosts of the board hear this, if they can now."""
        ...

    def beats(self, board: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Hear what hosts of the board let each other hear, oneself included."""
        ...

    async def stretch(self, board: str) -> Stretch | None:
        """Which entries the log holds; None if there is no log."""
        ...

    async def put_snapshot(self, board: str, about: str, chunks: AsyncIterator[bytes]) -> None:
        """Put this in the place of the board's snapshot, whole or not at all. Raises ``BusError``."""
        ...

    async def snapshot(self, board: str) -> Snapshot | None:
        """The board's snapshot, if there is one. Its chunks raise ``LogMismatch`` where it is replaced meanwhile, or not whole."""
        ...

    async def drop_snapshot(self, board: str) -> None:
        """Leave no byte of the board's snapshot."""
        ...
