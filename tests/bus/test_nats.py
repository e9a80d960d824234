"""The bus over a real NATS server."""

import asyncio
from typing import Any

import nats
import pytest
from nats.js.api import StreamConfig

from bus import names
from bus.connection import Connection, Nobody
from bus.errors import BusError, NoAnswer, NotServed
from bus.jetstream import Arrival
from bus.nats import NatsBus
from bus.port import MAX_BYTES, Bus
from bus.server import Server

from .conftest import Restartable
from .contract import BOARD, WITHIN, BusContract, hosting, take


class TestNatsBus(BusContract):
    """The contract."""


async def test_asks_and_listens_across_the_servers_death(restartable: Restartable) -> None:
    """A query under way when the server dies is asked again, and a listener hears on."""
    bus, host_bus = await NatsBus.connect(restartable.url), await NatsBus.connect(restartable.url)
    asked = asyncio.Semaphore(0)

    async def answering(agent: str, data: bytes) -> bytes:
        asked.release()
        if restarted:
            return data
        await asyncio.Event().wait()
        return b""

    restarted = False
    async with hosting(host_bus), host_bus.answer(BOARD, answering), bus.listen(BOARD, names.SHARED) as heard:
        await host_bus.emit(BOARD, names.SHARED, 1, b"one")
        assert await take(heard, 1) == [b"one"]
        asking = asyncio.create_task(bus.ask(BOARD, "finance", b"?", timeout=20))
        async with asyncio.timeout(20):
            await asked.acquire()
            restartable.kill()
            restarted = True
            telling = asyncio.create_task(host_bus.emit(BOARD, names.SHARED, 2, b"two"))
            await restartable.start()
            assert await asking == b"?"
            await telling  # it may have been told before the listener was back
            await host_bus.emit(BOARD, names.SHARED, 3, b"three")
            while await anext(heard) != b"three":
                pass
    await bus.aclose()
    await host_bus.aclose()


async def test_hears_from_the_moment_on(bus: Bus, server: Server) -> None:
    """What another connection tells right after ``listen`` was entered is heard."""
    agent = await NatsBus.connect(server.url)
    async with hosting(bus):
        for n in range(1, 31):
            async with agent.listen(BOARD, names.SHARED) as heard:
                await bus.emit(BOARD, names.SHARED, n, b"%d" % n)
                assert await take(heard, 1) == [b"%d" % n]
    await agent.aclose()


async def test_a_question_between_two_hosts(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody answers for a moment a question waits for the next host, also the first that is asked on a connection."""
    met_nobody, request = asyncio.Event(), Connection.request

    async def watched(self: Connection, *arguments: Any) -> Arrival:
        try:
            return await request(self, *arguments)
        except Nobody:
            met_nobody.set()
            raise

    async def answering(agent: str, data: bytes) -> bytes:
        return data

    monkeypatch.setattr(Connection, "request", watched)
    async with asyncio.timeout(10):
        asked = asyncio.create_task(bus.ask(BOARD, "finance", b"?"))
        await met_nobody.wait()
        async with bus.answer(BOARD, answering):
            assert await asked == b"?"
    monkeypatch.setattr("bus.nats.TAKEOVER", 60.0)
    with pytest.raises(NotServed, match="nobody serves"):
        await bus.ask(BOARD, "finance", b"?", timeout=0.2)


async def test_an_unknown_board(bus: Bus) -> None:
    """Publishing to a board that nobody has served fails at once and names the cure."""
    async with asyncio.timeout(WITHIN):
        with pytest.raises(NoAnswer, match="start it with `pheroboard up procurement`"):
            await bus.publish(BOARD, "finance", b"x")


async def test_a_stream_that_allows_too_much(bus: Bus, server: Server) -> None:
    """A stream with roll-ups, by which an agent could erase others' messages, is not served."""
    other = await nats.connect(server.url)
    config = StreamConfig(name="PB_OBS_procurement", subjects=["pb.obs.procurement.*"], deny_delete=True, allow_rollup_hdrs=True)
    await other.jetstream().add_stream(config)
    with pytest.raises(BusError, match="allow_rollup_hdrs=True"):
        await bus.open_log(BOARD, after=0)
    await other.close()


async def test_the_first_origin_stays(bus: Bus) -> None:
    """Whoever opens a log that is there learns what it was made with, whatever it would have made it with itself."""
    for origin in ("first", "second", ""):
        log = await bus.open_log(BOARD, after=0, origin=origin)
        assert log.origin == "first"
        await log.aclose()


async def test_never_replies_onto_a_subject_of_ours(bus: Bus, server: Server) -> None:
    """A query whose reply would land in the log, as another agent's observation, is not answered."""
    other = await nats.connect(server.url)
    async with hosting(bus) as host, bus.answer(BOARD, lambda _agent, data: asyncio.sleep(0, data)):
        await other.publish("pb.ask.procurement.mallory", b"spoofed", reply="pb.obs.procurement.finance")
        await other.flush()
        assert await bus.ask(BOARD, "schedule", b"after it") == b"after it"
        await bus.publish(BOARD, "schedule", b"own")
        assert [(m.agent, m.data) for m in await host.wait_for(1)] == [("schedule", b"own")]
    await other.close()


async def test_who_asks_too_much_holds_up_nobody(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent whose questions all wait is refused more of them, and others are answered."""
    monkeypatch.setattr("bus.nats.QUESTIONS_AT_ONCE", 2)

    async def answering(agent: str, data: bytes) -> bytes:
        if agent == "mallory":
            await asyncio.Event().wait()
        return data

    async with bus.answer(BOARD, answering):
        asking = [asyncio.create_task(bus.ask(BOARD, "mallory", b"?", timeout=WITHIN)) for _ in range(3)]
        assert await bus.ask(BOARD, "finance", b"?") == b"?"
        [refused], waiting = await asyncio.wait(asking, timeout=WITHIN, return_when=asyncio.FIRST_COMPLETED)
        with pytest.raises(NoAnswer, match="2 questions of 'mallory' are waiting"):
            await refused
        for each in waiting:
            each.cancel()


async def test_an_answer_too_large(bus: Bus) -> None:
    """An answer above the limit reaches the asker as an error that says so."""
    async with bus.answer(BOARD, lambda _agent, _data: asyncio.sleep(0, b"x" * (MAX_BYTES + 1))):
        with pytest.raises(NoAnswer, match="above the limit"):
            await bus.ask(BOARD, "finance", b"?")
