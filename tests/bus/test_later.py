"""A transport that is not there yet."""

import asyncio

import pytest

from bus import later
from bus.errors import NoAnswer, NotPermitted, Unreachable
from bus.later import LaterBus
from bus.memory import MemoryBus

AWAY = Unreachable("no server answers at x")


class Connecting:
    """Connects once it may; raises as told before."""

    def __init__(self, *errors: Exception) -> None:
        self.bus = MemoryBus(lambda: 0.0)
        self.errors = list(errors)
        self.tried = asyncio.Event()
        self.may = asyncio.Event()

    async def __call__(self) -> MemoryBus:
        self.tried.set()
        if self.errors:
            raise self.errors.pop(0)
        await self.may.wait()
        return self.bus


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later, "AGAIN", 0.0)


async def test_it_waits() -> None:
    """What is published and listened for waits for the transport, through tries that fail; what is asked is told that it is not there."""
    connect = Connecting(AWAY, AWAY)
    bus = LaterBus(connect, AWAY)
    log = await connect.bus.open_log("board", after=0)

    async def hear() -> bytes:
        async with bus.listen("board", "shared") as heard:
            return await anext(heard)

    published, hearing = asyncio.create_task(bus.publish("board", "finance", b"x")), asyncio.create_task(hear())
    with pytest.raises(NoAnswer, match="no server answers at x; it is tried again"):
        await bus.ask("board", "finance", b"")
    connect.may.set()
    [message] = await log.read()
    await log.committed(message.seq)
    assert await published == message.seq
    await connect.bus.emit("board", "shared", 1, b"event")
    assert await hearing == b"event"
    async with connect.bus.answer("board", lambda agent, data: asyncio.sleep(0, f"{agent} {data!r}".encode())):
        assert await bus.ask("board", "finance", b"?") == b"finance b'?'"
    await bus.aclose()
    with pytest.raises(Unreachable):
        await bus.publish("board", "finance", b"x")


async def test_a_refusal_is_for_good() -> None:
    """Who may not connect is told so at every call."""
    bus = LaterBus(Connecting(AWAY, NotPermitted("not you")), AWAY)
    with pytest.raises(NotPermitted):
        await bus.publish("board", "finance", b"x")
    with pytest.raises(NotPermitted):
        await bus.ask("board", "finance", b"x")
    await bus.aclose()


async def test_closing_before_it_is_there() -> None:
    """Whoever waits is told, and nothing goes on trying."""
    connect = Connecting()
    bus = LaterBus(connect, AWAY)
    published = asyncio.create_task(bus.publish("board", "finance", b"x"))
    await connect.tried.wait()
    await bus.aclose()
    await bus.aclose()
    with pytest.raises(Unreachable, match="before it was connected"):
        await published


async def test_connecting_that_loses_its_cancellation() -> None:
    """It ends all the same: nats-py's does at times."""
    connecting = asyncio.Event()

    async def connect() -> MemoryBus:
        connecting.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise AWAY from None
        raise AssertionError

    bus = LaterBus(connect, AWAY)
    await connecting.wait()
    async with asyncio.timeout(5):
        await bus.aclose()
