"""The bus within one process: no server, no threads, nothing kept.

Laws:

- Durability is the reader's: ``publish`` returns once the reader has called ``committed`` for the entry. Only what is not read or not
  committed is held.
- Numbers go on from where the reader begins, so that a board that is kept in a file counts on after a restart.
- All state belongs to one event loop.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bus.errors import AlreadyServed, LogMismatch, NoAnswer, NotServed, TooLarge, Unreachable
from bus.mailbox import Mailbox
from bus.port import EMBEDDED, MAX_BYTES, Answering, Claim, Cut, Log, LogMessage, Snapshot, Stretch


class MemoryLog:
    """The tail of a board's log: from the first entry that is not committed."""

    identity = EMBEDDED
    """Every log in memory is the continuation of what its reader has kept."""

    def __init__(self, board: str, after: int, origin: str) -> None:
        self.end = after
        self.origin = origin
        self._board = board
        self._unread: deque[LogMessage] = deque()
        self._uncommitted: deque[tuple[int, asyncio.Future[int]]] = deque()
        self._news = asyncio.Event()
        self.closed = False

    async def append(self, stamp: float, agent: str, data: bytes, trace: str) -> int:
        """Number the entry, and wait until the reader has committed it."""
        self.end += 1
        durable: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._unread.append(LogMessage(self.end, stamp, agent, data, trace))
        self._uncommitted.append((self.end, durable))
        self._news.set()
        return await durable

    async def latest(self) -> int:
        """The number of its last entry."""
        return self.end

    async def read(self, limit: int = 64) -> list[LogMessage]:
        """Wait for messages; give all that are there, at most ``limit``."""
        while not self._unread:
            if self.closed:
                raise Unreachable(f"the log of board {self._board!r} was closed; open it again to read on")
            self._news.clear()
            await self._news.wait()
        return [self._unread.popleft() for _ in range(min(limit, len(self._unread)))]

    def stretch(self) -> Stretch:
        """From the first entry that is not committed on."""
        first = self._uncommitted[0][0] if self._uncommitted else self.end + 1
        return Stretch(EMBEDDED, first, self.end)

    async def committed(self, seq: int) -> None:
        """Everything up to ``seq`` is durable: its publishers return."""
        while self._uncommitted and self._uncommitted[0][0] <= seq:
            number, durable = self._uncommitted.popleft()
            if not durable.done():  # a publisher may have been cancelled; its entry stands all the same
                durable.set_result(number)

    async def aclose(self) -> None:
        """Stop reading. What is not committed may or may not be in the reader's store: its publishers are told so."""
        self.closed = True
        self._unread.clear()
        self._news.set()
        while self._uncommitted:
            _, durable = self._uncommitted.popleft()
            if not durable.done():
                durable.set_exception(Unreachable(f"board {self._board!r} was closed before it had stored the message; send it again"))


class _Board:
    """What the bus knows of one board."""

    def __init__(self) -> None:
        self.log: MemoryLog | None = None
        self.opened = asyncio.Event()
        self.answering: Answering | None = None
        self.answers: set[asyncio.Future[bytes]] = set()
        self.listeners: dict[str, set[Mailbox]] = {}
        self.told: dict[str, int] = {}
        self.leader = ""
        self.hosts: set[Mailbox] = set()
        self.snapshot: tuple[str, list[bytes]] | None = None


class MemoryBus:
    """Boards and agents of one process. ``clock`` gives the stamps, in Unix seconds."""

    system = "memory"

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._boards: dict[str, _Board] = {}
        self._closed = False

    async def publish(self, board: str, agent: str, data: bytes, *, trace: str = "") -> int:
        """Append to the board's log, and wait until the board has committed it. Before the board is open, wait for that too."""
        _fits(data)
        at = self._board(board)
        while at.log is None or at.log.closed:
            await at.opened.wait()
            self._board(board)  # woken by the end of the bus, maybe
        return await at.log.append(self._clock(), agent, data, trace)

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ASYNC109 - as the port has it
        """Put a query to the board that answers in this process."""
        _fits(data)
        at = self._board(board)
        if at.answering is None:
            raise NotServed(f"nobody serves board {board!r} in this process; open it first")
        # A task of its own, owned by the answering side: the board's end must reach it, and an asker that gives up must not break into it.
        task = asyncio.ensure_future(at.answering(agent, data))
        at.answers.add(task)
        task.add_done_callback(at.answers.discard)
        try:
            done, _ = await asyncio.wait({task}, timeout=timeout)
        finally:
            task.cancel()
        if not done:
            raise NoAnswer(f"board {board!r} did not answer within {timeout:g} s; try again")
        if task.cancelled():
            raise NoAnswer(f"board {board!r} was closed before it had answered; open it and ask again")
        if error := task.exception():
            raise NoAnswer(f"board {board!r} failed to answer: {type(error).__name__}; its log says more") from error
        return task.result()

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear an audience's events from now on."""
        listeners = self._board(board).listeners.setdefault(audience, set())
        mailbox = Mailbox()
        listeners.add(mailbox)
        try:
            yield mailbox
        finally:
            listeners.discard(mailbox)

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        """Begin the board's log after entry ``after``."""
        at = self._board(board)
        if at.log is not None and not at.log.closed:
            raise AlreadyServed(f"board {board!r} is open in this process already; share that one")
        if identity not in {None, EMBEDDED}:
            raise LogMismatch(f"board {board!r} has read a server's log (made {identity}): serve it (pheroboard up), and open it there")
        at.log = MemoryLog(board, after, origin)
        at.told.clear()  # what this log's reader has told, it knows itself
        at.opened.set()
        at.opened = asyncio.Event()
        return at.log

    async def emit(self, board: str, audience: str, first: int, *events: bytes) -> None:
        """Tell an audience its events from number ``first`` on, each once."""
        at = self._board(board)
        for n, data in enumerate(events, first):
            _fits(data)
            if n > at.told.get(audience, 0):
                at.told[audience] = n
                for mailbox in at.listeners.get(audience, ()):
                    mailbox.put(data)

    async def cut_log(self, board: str, seq: int) -> Cut:  # noqa: ARG002 - as the port has it
        """Nothing is kept."""
        self._board(board)
        return Cut(0, 0)

    async def cut_events(self, board: str) -> Cut:
        """Nothing is kept."""
        self._board(board)
        return Cut(0, 0)

    async def told(self, board: str, audience: str) -> int:
        """The number of the last event that was told since the log was opened."""
        return self._board(board).told.get(audience, 0)

    @asynccontextmanager
    async def answer(self, board: str, answering: Answering) -> AsyncIterator[None]:
        """Answer the board's queries while the context is open."""
        at = self._board(board)
        at.answering = answering
        try:
            yield
        finally:
            at.answering = None
            for task in at.answers:
                task.cancel()

    async def claim(self, board: str, host: str) -> Claim:
        """Lead the board, for good: no host is lost from sight within a process."""
        at = self._board(board)
        at.leader = at.leader or host
        return Claim(at.leader, math.inf)

    async def resign(self, board: str, host: str, to: str = "") -> None:
        """Lead no longer."""
        at = self._board(board)
        if at.leader == host:
            at.leader = to

    async def beat(self, board: str, data: bytes) -> None:
        """Let the hosts hear this."""
        for mailbox in self._board(board).hosts:
            mailbox.put(data)

    @asynccontextmanager
    async def beats(self, board: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Hear the hosts."""
        hosts, mailbox = self._board(board).hosts, Mailbox()
        hosts.add(mailbox)
        try:
            yield mailbox
        finally:
            hosts.discard(mailbox)

    async def stretch(self, board: str) -> Stretch | None:
        """What is held; it is committed, and so kept, elsewhere."""
        log = self._board(board).log
        return None if log is None else log.stretch()

    async def put_snapshot(self, board: str, about: str, chunks: AsyncIterator[bytes]) -> None:
        """Keep it."""
        kept = [chunk async for chunk in chunks]
        self._board(board).snapshot = about, kept

    async def snapshot(self, board: str) -> Snapshot | None:
        """What is kept."""
        kept = self._board(board).snapshot
        return None if kept is None else Snapshot(kept[0], _each(kept[1]))

    async def drop_snapshot(self, board: str) -> None:
        """Keep none."""
        self._board(board).snapshot = None

    async def aclose(self) -> None:
        """End every log, answer and listener."""
        self._closed = True
        for at in self._boards.values():
            if at.log is not None:
                await at.log.aclose()
            at.opened.set()
            for task in at.answers:
                task.cancel()
            for mailbox in (*at.hosts, *(each for listeners in at.listeners.values() for each in listeners)):
                mailbox.close()

    def _board(self, board: str) -> _Board:
        if self._closed:
            raise Unreachable("the bus was closed; open the board again")
        return self._boards.setdefault(board, _Board())


async def _each(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def _fits(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise TooLarge(f"a message of {len(data):,} bytes is above the limit of {MAX_BYTES:,}; send less at a time")
