"""What a host tells: what is durable, all of it, in order."""

import asyncio

import pytest

from blackboard import outbox as module
from blackboard import trying
from blackboard.clock import ManualClock
from blackboard.progress import Progress
from blackboard.store import MemoryStore, Outgoing
from bus import names
from bus.errors import NoAnswer, TooLarge, Unreachable
from bus.memory import MemoryBus
from bus.messages import Events, decode_events, encode
from tests.blackboard.hosting import CAT, Held, host, killed, post


async def test_nothing_is_told_before_it_is_durable() -> None:
    """While a batch is being written its publisher waits, and nobody hears of it, whatever else wakes the teller."""
    bus, store = MemoryBus(ManualClock().now), Held()
    async with host(store, bus=bus) as service, bus.listen("board", names.SHARED) as heard, asyncio.timeout(5):
        publishing = asyncio.create_task(bus.publish("board", "finance", post(1, CAT)))
        hearing = asyncio.ensure_future(anext(heard))
        await store.asked.wait()
        service._progress.wake()
        done, _ = await asyncio.wait({publishing, hearing}, timeout=0.02)
        store.let.set()
        assert not done
        assert await publishing == decode_events(await hearing).n == 1


class Troubled(MemoryBus):
    """A bus that fails to tell, as often as ``errors`` says."""

    def __init__(self) -> None:
        super().__init__(ManualClock().now)
        self.errors: list[Exception] = []

    async def emit(self, board: str, audience: str, first: int, *events: bytes) -> None:
        if self.errors:
            raise self.errors.pop()
        await super().emit(board, audience, first, *events)


async def test_events_survive_trouble_of_the_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be told is told again, in order; meanwhile the board takes in no more than it can hold."""
    monkeypatch.setattr(trying, "TRY_AGAIN", (0.0, 0.0))
    monkeypatch.setattr(module, "MAX_UNTOLD", 1)
    bus = Troubled()
    bus.errors = [NoAnswer("no ack"), Unreachable("away")]
    async with host(MemoryStore(), bus=bus), bus.listen("board", names.SHARED) as heard:
        for number in (1, 2, 3):
            await bus.publish("board", "finance", post(number, CAT))
        assert [decode_events(await anext(heard)).n for _ in range(3)] == [1, 2, 3]


async def test_what_is_untold_holds_up_the_intake(monkeypatch: pytest.MonkeyPatch) -> None:
    """While too much waits to be told the board takes in no more; once it is told, the board goes on."""
    monkeypatch.setattr(module, "MAX_UNTOLD", 1)
    bus, told = MemoryBus(ManualClock().now), asyncio.Event()

    async def emit(*_: object) -> None:
        await told.wait()

    monkeypatch.setattr(bus, "emit", emit)
    async with host(MemoryStore(), bus=bus), asyncio.timeout(5):
        await bus.publish("board", "finance", post(1, CAT))
        publishing = asyncio.create_task(bus.publish("board", "finance", post(2, CAT)))
        done, _ = await asyncio.wait({publishing}, timeout=0.02)
        told.set()
        assert not done
        assert await publishing == 2


async def test_what_cannot_be_told_holds_up_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Events that the transport does not take are passed over: their number shows as a gap."""
    bus = Troubled()
    bus.errors = [TooLarge("a megabyte")]
    async with host(MemoryStore(), bus=bus), bus.listen("board", names.SHARED) as heard:
        for number in (1, 2):
            await bus.publish("board", "finance", post(number, CAT))
        assert decode_events(await anext(heard)).n == 2
    assert "events 1 of shared cannot be told" in caplog.text


async def test_one_that_cannot_be_told_holds_up_none_beside_it(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of events that are told together, those are told that can be."""
    bus, begin = Troubled(), asyncio.Event()
    telling = bus.emit

    async def emit(board: str, audience: str, first: int, *events: bytes) -> None:
        await begin.wait()
        await telling(board, audience, first, *events)

    monkeypatch.setattr(bus, "emit", emit)
    store = MemoryStore()
    async with host(store, bus=bus):
        for number in (1, 2, 3):
            await bus.publish("board", "finance", post(number, CAT))
        image = killed(store)  # whose outbox holds all three
        begin.set()
    bus.errors = [TooLarge("a megabyte"), TooLarge("all of it")]
    async with bus.listen("board", names.SHARED) as heard, host(image, bus=bus):
        assert [decode_events(await anext(heard)).n for _ in range(2)] == [2, 3]
    assert "events 1 of shared cannot be told" in caplog.text


async def test_untold_events_are_told_after_a_kill() -> None:
    """Events that were stored and not told are told by the next host, from the store."""
    bus = Troubled()
    bus.errors = [Unreachable("away")] * 1000
    store = MemoryStore()
    async with host(store, bus=bus):
        await bus.publish("board", "finance", post(1, CAT))
        image = killed(store)
    bus = Troubled()
    async with bus.listen("board", names.SHARED) as heard, host(image, bus=bus):
        assert decode_events(await anext(heard)).n == 1


async def test_what_events_came_of() -> None:
    """Events of an entry that was applied here are told with its trace, to each audience; those from the store without, as kept."""
    bus, progress = MemoryBus(ManualClock().now), Progress(0, {})
    own, trace = names.private("finance"), "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
    rows = [Outgoing(audience, n, seq, encode(Events(n=n, t=0.0))) for audience, n, seq in ((own, 1, 1), (names.SHARED, 1, 1), (own, 2, 2))]
    outbox = module.Outbox("board", bus, progress)
    async with bus.listen("board", names.SHARED) as shared, bus.listen("board", own) as private, asyncio.timeout(5):
        outbox.add(rows, {1: trace})
        telling = asyncio.create_task(outbox.run())
        assert [decode_events(await anext(private)).trace for _ in range(2)] == [trace, ""]
        assert decode_events(await anext(shared)).trace == trace
        await progress.until(lambda: outbox.told(2))
        again = module.Outbox("board", bus, progress)  # as after a takeover
        again.add([Outgoing(own, 3, 1, rows[0].data)])
        telling.cancel()
        telling = asyncio.create_task(again.run())
        assert await anext(private) == rows[0].data
        telling.cancel()
