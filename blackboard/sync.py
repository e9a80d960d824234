"""The board for code without an event loop: the same verbs, each returning when it is done.

All boards opened here live on one event loop, in a thread of their own, so that two agents of one script share an embedded board. Those
that are still open when the main thread ends are closed then.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from blackboard.background import background
from blackboard.client import Board
from blackboard.feed import Feed
from blackboard.opening import open as open_async
from blackboard.summaries import DEFAULT, Summariser
from blackboard.trends import Detector
from blackboard.verbs import Batch, Ref
from bus import telemetry
from bus.messages import Change, Signal

P = ParamSpec("P")
T = TypeVar("T")
H = TypeVar("H")
H_co = TypeVar("H_co", covariant=True)


class _Blocking(Generic[H_co]):
    """What is held on the loop's thread."""

    def __init__(self, held: H_co) -> None:
        self._held = held


def _blocking(method: Callable[Concatenate[H, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[_Blocking[H], P], T]:
    @wraps(method)
    def blocking(self: _Blocking[H], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return background().do(method(self._held, *args, **kwargs))

    return blocking


class SyncFeed(Generic[T]):
    """``for each in feed``; ends after ``timeout`` seconds without anything, or when it is closed."""

    def __init__(self, feed: Feed[T], timeout: float | None) -> None:
        self._feed = feed
        self._timeout = timeout

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        try:
            each = background().do(self._next())
        except (TimeoutError, StopAsyncIteration):
            telemetry.over(self._feed)
            raise StopIteration from None
        if telemetry.active is not None:  # here: it is this thread that goes on with it
            telemetry.active.received(self._feed, self._feed.place, self._feed.trace, type(each).__name__)
        return each

    async def _next(self) -> T:
        async with asyncio.timeout(self._timeout):
            return await self._feed.take()

    @property
    def position(self) -> str:
        """All before it was given out; ``since=position`` goes on from there."""
        return self._feed.position

    def close(self) -> None:
        """Stop hearing."""
        telemetry.over(self._feed)
        background().do(self._feed.aclose())


class SyncBatch(_Blocking[Batch]):
    """Many observations as one unit."""

    deposit = _blocking(Batch.deposit)
    constrain = _blocking(Batch.constrain)
    confirm = _blocking(Batch.confirm)
    reinforce = _blocking(Batch.reinforce)
    use = _blocking(Batch.use)
    link = _blocking(Batch.link)
    share = _blocking(Batch.share)
    retract = _blocking(Batch.retract)
    erase = _blocking(Batch.erase)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        background().do(self._held.__aexit__(kind))


class SyncBoard(_Blocking[Board]):
    """``blackboard.client.Board``, blocking. May be used from several threads; close it, or use it as a context.

    It has all its verbs but ``newest``, which is there for waiting until a feed has reached it.
    """

    def __init__(self, board: Board, life: AsyncExitStack) -> None:
        super().__init__(board)
        self._life = life
        self.name = board.name
        self.agent = board.agent

    @property
    def held(self) -> Board:
        """The board itself, for code on its loop: ``blackboard.background``'s."""
        return self._held

    say = _blocking(Board.say)
    deposit = _blocking(Board.deposit)
    constrain = _blocking(Board.constrain)
    confirm = _blocking(Board.confirm)
    reinforce = _blocking(Board.reinforce)
    use = _blocking(Board.use)
    load = _blocking(Board.load)
    assemble = _blocking(Board.assemble)
    used = _blocking(Board.used)
    observe = _blocking(Board.observe)
    recall = _blocking(Board.recall)
    field = _blocking(Board.field)
    begin_task = _blocking(Board.begin_task)
    end_task = _blocking(Board.end_task)
    link = _blocking(Board.link)
    share = _blocking(Board.share)
    retract = _blocking(Board.retract)
    erase = _blocking(Board.erase)
    end_round = _blocking(Board.end_round)
    wait_applied = _blocking(Board.wait_applied)
    refusals = _blocking(Board.refusals)
    view = _blocking(Board.view)
    top = _blocking(Board.top)
    search = _blocking(Board.search)
    hits = _blocking(Board.hits)
    get = _blocking(Board.get)
    history = _blocking(Board.history)
    about = _blocking(Board.about)
    edges_of = _blocking(Board.edges_of)
    constraints = _blocking(Board.constraints)
    check = _blocking(Board.check)
    experts = _blocking(Board.experts)
    explain = _blocking(Board.explain)
    stats = _blocking(Board.stats)
    kinds = _blocking(Board.kinds)
    limits = _blocking(Board.limits)
    document = _blocking(Board.document)
    export = _blocking(Board.export)
    import_ = _blocking(Board.import_)

    def batch(self) -> SyncBatch:
        """``with board.batch() as batch``: what is said to the batch is one unit."""
        return SyncBatch(self._held.batch())

    def signals(
        self,
        *names: str,
        key: str | None = None,
        kind: str | None = None,
        item: Ref | None = None,
        own: bool = False,
        since: str | None = None,
        timeout: float | None = None,
    ) -> SyncFeed[Signal]:
        """Signals, until none comes for ``timeout`` seconds."""
        return self._feed(lambda: self._held.signals(*names, key=key, kind=kind, item=item, own=own, since=since), timeout)

    def changes(
        self,
        *,
        kind: str | None = None,
        key: str | None = None,
        cause: str | None = None,
        item: Ref | None = None,
        since: str | None = None,
        timeout: float | None = None,
    ) -> SyncFeed[Change]:
        """Changes, until none comes for ``timeout`` seconds."""
        return self._feed(lambda: self._held.changes(kind=kind, key=key, cause=cause, item=item, since=since), timeout)

    def feed(self, *, own: bool = False, since: str | None = None, timeout: float | None = None) -> SyncFeed[Change | Signal]:
        """All that happens in view, until nothing comes for ``timeout`` seconds."""
        return self._feed(lambda: self._held.feed(own=own, since=since), timeout)

    def _feed(self, make: Callable[[], Feed[T]], timeout: float | None) -> SyncFeed[T]:
        async def made() -> Feed[T]:
            return await make().__aenter__()

        return SyncFeed(background().do(made()), timeout)

    def close(self) -> None:
        """Close the board. Harmless when done twice."""
        background().closers.discard(self._life.aclose)
        background().do(self._life.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_sync(
    address: str | Path,
    *,
    agent: str,
    detectors: tuple[Detector, ...] | None = None,
    summariser: Summariser = DEFAULT,
    credentials: str | Path | None = None,
    outbox: str | Path | None = None,
    **settings: Any,
) -> SyncBoard:
    """Open a board as ``agent``, as ``blackboard.open`` does, for code without an event loop."""
    life = AsyncExitStack()

    async def opened() -> SyncBoard:
        opening = open_async(
            address, agent=agent, detectors=detectors, summariser=summariser, credentials=credentials, outbox=outbox, **settings
        )
        return SyncBoard(await life.enter_async_context(opening), life)

    board = background().do(opened())
    background().closers.add(life.aclose)
    return board
