"""Opening a board: in this process, or where it is served.

Laws:

- One process holds a board's files. Two opens of one path in a process (and one event loop) share one host; the last to close ends it.
- A host outlives the opener that started it for as long as another uses it: cancelling one harms no other.
"""

import asyncio
import hashlib
import re
import secrets
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from blackboard.client import Board
from blackboard.clock import Clock, SystemClock
from blackboard.errors import refused
from blackboard.kinds_file import read_kinds
from blackboard.line import Line
from blackboard.pending import MemoryPending, Pending
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.snapshots import Snapshots
from blackboard.sqlite import SqlitePending, SqliteStore
from blackboard.store import MemoryStore, Store
from blackboard.summaries import DEFAULT, Summariser
from blackboard.trends import Detector
from bus import names
from bus.errors import BadName, LogMismatch, Unreachable
from bus.later import LaterBus
from bus.memory import MemoryBus
from bus.messages import Applied, EraseOwned, HandOver, HostList, Hosts, HostState, Post, RenameKey, SetKinds, SetLimits, UpTo, encode
from bus.port import Bus, Channel

PATIENCE = 60.0
"""Seconds that it is waited for an order to be done, which may move much."""
MEMORY = ":memory:"
"""The address of a board that nobody keeps and nobody else sees; with a name behind it, of one that this process shares."""
CONNECT_WITHIN = 5.0
"""Seconds in which a server must be there; after that an outbox that was used before goes on without it."""


@asynccontextmanager
async def open(  # noqa: A001 - blackboard.open, as one opens a file
    address: str | Path,
    *,
    agent: str,
    detectors: tuple[Detector, ...] | None = None,
    summariser: Summariser = DEFAULT,
    retention: Retention | None = None,
    credentials: str | Path | None = None,
    outbox: str | Path | None = None,
    **settings: Any,
) -> AsyncIterator[Board]:
    """Open a board as ``agent``.

    ``address`` is a name or a path (``"procurement"``: kept in ``./procurement.db`` and hosted in this process); ``":memory:"``, for a
    board of one's own that nobody keeps, or ``":memory:NAME"``, which all who open it in this event loop share until the last closes; or
    ``"nats://HOST:PORT/BOARD"`` for one that is served (``tls://``, where it is reached from elsewhere). ``credentials`` is the agent's key
    file there, or a folder of key files (``AGENT.nk``); if it is not given, what PHEROBOARD_CREDENTIALS names.

    ``settings`` are those a new board is made with (``time="wall"``, …: the fields of ``blackboard.config.BoardConfig``; ``kinds`` is a
    mapping, or the path of a file of kinds); an embedded board that has others is refused with ``BadValue``, and a served one has its
    host's. ``summariser`` says in one text what has faded and is folded, and ``retention`` how much of its past is kept, on a board that
    this opening hosts.

    ``outbox`` is a file of this agent's own in which what it says is kept until the board's log has it: a verb returns once that is on the
    disk, also while the server is away, and what waits survives the agent's death and goes out when the outbox is opened again, once.
    One process at a time may use it, for one board as one agent. Its first opening must reach the board, so that a misspelt address is
    told; later ones go on without it after some seconds, and what is asked raises ``NoAnswer`` until the board is there. Closing sends what
    it can in some seconds, and the rest stays. What the server refuses for good, and an outbox that the board is ahead of since the file is
    an older copy (``StaleOutbox``), is raised by every verb. Copies of one outbox in use at the same time are not found out.

    Raises ``BadName``, ``BadCredentials``, ``StoreError``, ``Unreachable``, ``NotPermitted``, ``NoAnswer``.
    """
    names.valid_name(agent)
    host = _Hosting(detectors, summariser, retention)
    async with (
        _kept(outbox, address, agent) as pending,
        _reached(address, agent, credentials, _read(settings), host, later=pending.reopened) as (bus, name),
        Board(bus, name, agent, pending) as board,
    ):
        yield board


@asynccontextmanager
async def _kept(outbox: str | Path | None, address: str | Path, agent: str) -> AsyncIterator[Pending]:
    """Where what is said waits."""
    if outbox is None:
        yield MemoryPending()
        return
    place = _spoken(str(address)) if "://" in str(address) else str(Path(address).resolve())  # noqa: ASYNC240 - a moment
    pending = SqlitePending(Path(outbox), f"{agent} at {place}")
    await pending.open()
    try:
        yield pending
    finally:
        with anyio.CancelScope(shield=True):
            await pending.aclose()


def _spoken(address: str) -> str:
    """The address without users and passwords: it is written down."""
    return re.sub(r"(?<=[/,])[^/@,]*@", "", address)


async def set_kinds(address: str | Path, kinds: Any, *, credentials: str | Path | None = None) -> None:
    """Change a board's kinds, in its host's name: for the operator, on the machine that holds its data and its host's key.

    ``kinds`` (a mapping, or the path of a file of kinds) stand beside the defaults, or in their place; what stood there before is gone.
    Raises ``BadValue``, which names the key.
    """
    await _order(address, SetKinds(dict(read_kinds(kinds))), credentials)


async def set_limits(address: str | Path, rate: float | None, burst: float, *, credentials: str | Path | None = None) -> None:
    """Change how fast one agent may speak to a board that is served: ``rate`` observations a second (None: as many as it likes), ``burst``
    more at once. For the operator, like ``set_kinds``. Agents learn of it within seconds. Raises ``BadValue``.
    """
    await _order(address, SetLimits(rate, burst), credentials)


async def rename_key(address: str | Path, key: str, to: str, *, credentials: str | Path | None = None) -> None:
    """Let every item of a board that has one key have another, whosever it is: for the operator, like ``set_kinds``.

    Items that then say the same are one. Former ids go on leading to their items, and what is said of the former key afterwards is of that.
    Raises ``BadValue`` if no item has it.
    """
    await _order(address, RenameKey(key, to), credentials)


async def hand_over(address: str | Path, owner: str, to: str, *, credentials: str | Path | None = None) -> None:
    """Let all that is private of one agent on a board be private of another: for the operator, like ``set_kinds``.

    Items, edges, and the former ids that led the one to them; what both said is one item. What ``owner`` has shared stays in its name,
    and so does what it contributed. What it says afterwards is its own, so take its credentials first. There may be nothing. Raises
    ``BadValue``.
    """
    await _order(address, HandOver(owner, to), credentials)


async def erase_owned(address: str | Path, owner: str, *, credentials: str | Path | None = None) -> None:
    """Remove all that is private of an agent for good, from a board and from all that is kept of it: for the operator, like ``set_kinds``.

    Returns once no byte of it is left. What it has shared stays. What it says afterwards is said again, so take its credentials first.
    Raises ``BadValue``.
    """
    await _order(address, EraseOwned(owner), credentials, gone=True)


async def _order(
    address: str | Path,
    observation: SetKinds | SetLimits | RenameKey | HandOver | EraseOwned,
    credentials: str | Path | None,
    *,
    gone: bool = False,
) -> None:
    """Say it in the host's name, and return once it is done; ``gone``: and what was erased is out of the files. Raises what it refuses."""
    post = Post(secrets.token_hex(8), 1, ((observation,),))
    async with _reached(address, names.HOST, credentials, {}, _Hosting()) as (bus, name):
        line = Line.of_host(bus, name)
        await line.publish(encode(post))
        reply = await line.ask(Applied(gone), (post.epoch, post.seq), patience=inf if gone else PATIENCE)
    assert isinstance(reply, UpTo)
    for refusal in reply.refusals:
        if refusal.epoch == post.epoch:
            raise refused(refusal.code, refusal.message)


def board_of(address: str | Path) -> str:
    """The name of the board at an address. Raises ``BadName``."""
    said = str(address)
    if "://" in said:
        server, _, name = said.rpartition("/")
        if not name or server.endswith(":/"):
            raise BadName(f"address {said!r} names no board: write it behind the server, as in nats://127.0.0.1:4222/procurement")
    elif said.startswith(MEMORY):
        name = said.removeprefix(MEMORY) or "memory"
    else:
        name = Path(address).resolve().name.removesuffix(".db")
    return names.valid_name(name, "board")


def _reached(
    address: str | Path,
    agent: str,
    credentials: str | Path | None,
    settings: Mapping[str, Any],
    hosting: "_Hosting",
    *,
    later: bool = False,
) -> AbstractAsyncContextManager[tuple[Channel, str]]:
    """The board's name, and what it is reached by; ``later``: a server may be away."""
    return _served(str(address), agent, credentials, later=later) if "://" in str(address) else _embedded(address, settings, hosting)


def _read(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings, with the kinds as a file gives them."""
    return {**settings, "kinds": read_kinds(settings["kinds"])} if settings.get("kinds") is not None else settings


@asynccontextmanager
async def serving(
    bus: Bus,
    name: str,
    folder: Path,
    *,
    clock: Clock | None = None,
    detectors: tuple[Detector, ...] | None = None,
    summariser: Summariser = DEFAULT,
    retention: Retention | None = None,
    alone: bool = False,
    **settings: Any,
) -> AsyncIterator[Service]:
    """Host the board ``name`` for all who reach ``bus``; its files are in ``folder``. ``Service.wait`` tells when, and why, it stops.

    ``alone``: this process is there for boards only, so that its garbage collector need not look at them again and again.
    """
    path = folder / f"{names.valid_name(name, 'board')}.db"
    host, snapshots = host_of(folder), Snapshots(bus, name, path)
    async with AsyncExitStack() as stack:
        while True:
            await snapshots.join(host)
            service = Service(
                name, bus, SqliteStore(path), clock or SystemClock(), settings=_read(settings), detectors=detectors, summariser=summariser,
                retention=retention, host=host, snapshots=snapshots, alone=alone,
            )  # fmt: skip
            try:
                await stack.enter_async_context(service)
            except LogMismatch:
                if not await snapshots.left_behind():
                    raise
            else:
                break
        yield service


def host_of(folder: Path) -> str:
    """What a host is known by that keeps its boards in ``folder``: the same whenever it comes back."""
    place = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=3).hexdigest()
    return f"{socket.gethostname()}-{place}"


async def hosts_of(address: str, *, credentials: str | Path | None = None) -> tuple[HostState, ...]:
    """The hosts of a served board, the one that leads first. Asked in the host's name; raises ``NotPermitted`` where one may not."""
    async with _served(address, names.HOST, credentials) as (bus, name):
        reply = await Line.of_host(bus, name).ask(Hosts())
    assert isinstance(reply, HostList)
    return reply.hosts


@asynccontextmanager
async def _served(address: str, agent: str, credentials: str | Path | None, *, later: bool = False) -> AsyncIterator[tuple[Channel, str]]:
    name = board_of(address)
    server = address.rpartition("/")[0]
    from bus.credentials import find  # NATS and its keys take a while to import, and embedded boards do without
    from bus.nats import NatsBus

    key = find(credentials, agent)
    connect = partial(NatsBus.connect, server, name=f"pheroboard {name}", within=CONNECT_WITHIN, credentials=key)
    try:
        bus: Channel = await connect()
    except Unreachable as error:
        if not later:
            raise
        bus = LaterBus(connect, error)
    try:
        yield bus, name
    finally:
        with anyio.CancelScope(shield=True):
            await bus.aclose()


# ---- in this process --------------------------------------------------------------------------------------------------------------------


class _Hosting(NamedTuple):
    """What a host is given beside the board's settings."""

    detectors: tuple[Detector, ...] | None = None
    summariser: Summariser = DEFAULT
    retention: Retention | None = None


_hosts: dict[tuple[asyncio.AbstractEventLoop, Path], "_Host"] = {}


@asynccontextmanager
async def _embedded(address: str | Path, settings: Mapping[str, Any], hosting: "_Hosting") -> AsyncIterator[tuple[Channel, str]]:
    host = await _hosted(address, settings, hosting)
    host.users += 1
    try:
        await host.opened(settings)
        yield host.bus, host.name
    finally:
        with anyio.CancelScope(shield=True):
            await host.release()


async def _hosted(address: str | Path, settings: Mapping[str, Any], hosting: "_Hosting") -> "_Host":
    """The host of this address in this event loop, made if there is none."""
    name = board_of(address)
    if address == MEMORY:
        return _Host(name, MemoryStore(), settings, hosting)
    shared = str(address).startswith(MEMORY)
    path = Path(address).resolve()  # noqa: ASYNC240 - a moment
    if not shared and path.suffix != ".db":
        path = path.with_name(path.name + ".db")
    key = (asyncio.get_running_loop(), path)
    while (host := _hosts.get(key)) is not None and host.closing:
        await asyncio.wait({host.task})
    if host is None:
        host = _hosts[key] = _Host(name, MemoryStore() if shared else SqliteStore(path), settings, hosting)
        host.task.add_done_callback(lambda _: _hosts.pop(key))
    return host


class _Host:
    """A board that this process hosts for all who open it."""

    def __init__(self, name: str, store: Store, settings: Mapping[str, Any], hosting: "_Hosting") -> None:
        clock = SystemClock()
        self.name = name
        self.bus = MemoryBus(clock.now)
        self.users = 0
        self._service = Service(name, self.bus, store, clock, settings=settings, **hosting._asdict())
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unused = asyncio.Event()
        self.task = asyncio.create_task(self._run(), name=f"host of board {name}")

    @property
    def closing(self) -> bool:
        """Its last user has left."""
        return self._unused.is_set()

    async def opened(self, settings: Mapping[str, Any]) -> None:
        """Return once it serves. Raises what keeps it from that, and ``BadValue`` if it was made with other settings."""
        await asyncio.wait({self.task, self._open}, return_when=asyncio.FIRST_COMPLETED)
        if self.task.done():
            await self.task
        self._service.agree(settings)

    async def release(self) -> None:
        """One user less. The last one waits until the files are closed, and is told if the host had failed."""
        self.users -= 1
        if self.users == 0:
            self._unused.set()
            await asyncio.shield(self.task)

    async def _run(self) -> None:
        try:
            async with self._service, anyio.create_task_group() as tasks:
                tasks.start_soon(self._until_unused, tasks.cancel_scope)
                self._open.set_result(None)
                await self._service.wait()
        finally:
            await self.bus.aclose()  # who publishes to a host that has failed must not wait for it

    async def _until_unused(self, scope: anyio.CancelScope) -> None:
        await self._unused.wait()
        scope.cancel()
