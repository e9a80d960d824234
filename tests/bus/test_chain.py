"""Telling events once, on a real server."""

import asyncio
from typing import Any

import nats
import pytest

from bus import chain, names
from bus.chain import events_of
from bus.connection import Connection
from bus.errors import StreamRefused, TooLarge
from bus.jetstream import WRONG_LAST
from bus.nats import NatsBus
from bus.port import MAX_BYTES, Bus
from bus.server import Server

from .contract import BOARD, hosting, take


async def test_the_chain_refuses_a_duplicate(bus: Bus, server: Server) -> None:
    """Two hosts that tell the same events leave each of them in the stream once, in order."""
    second = await NatsBus.connect(server.url)
    async with hosting(bus):
        for n in range(1, 6):
            await asyncio.gather(*(told.emit(BOARD, names.SHARED, n, b"%d" % n) for told in (bus, second)))
        await second.emit(BOARD, names.SHARED, 3, b"3")
        other = await nats.connect(server.url)
        subscription = await other.jetstream().subscribe("pb.evt.procurement.shared", ordered_consumer=True)
        said = [events_of((await subscription.next_msg(timeout=5)).data) for _ in range(5)]
        assert said == [[b"1"], [b"2"], [b"3"], [b"4"], [b"5"]]
        assert (await other.jetstream().stream_info("PB_EVT_procurement")).state.messages == 5
        await other.close()
    await second.aclose()


@pytest.mark.parametrize("code", sorted(WRONG_LAST))
async def test_one_that_is_on_its_way_is_waited_for(bus: Bus, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Where the server says that another message comes first, in whichever words, it is looked at again: no event is given up for that."""
    ask, refusals = Connection.jetstream, [code] * 3

    async def refused(self: Connection, subject: str, data: bytes, *rest: Any, **more: Any) -> dict[str, Any]:
        if subject.startswith("pb.evt.") and refusals:
            raise StreamRefused(subject, {"err_code": refusals.pop(), "description": "wrong last sequence"})
        return await ask(self, subject, data, *rest, **more)

    async with hosting(bus), bus.listen(BOARD, names.SHARED) as heard:
        monkeypatch.setattr(Connection, "jetstream", refused)
        await bus.emit(BOARD, names.SHARED, 1, b"1")
        assert await take(heard, 1) == [b"1"]
        assert not refusals


async def test_what_is_told_together_shares_a_message(bus: Bus, server: Server) -> None:
    """The stream syncs once for all of it; what another host has told of it meanwhile is left out, whatever its split."""
    second = await NatsBus.connect(server.url)
    async with hosting(bus):
        await bus.emit(BOARD, names.SHARED, 1, b"1", b"2", b"3")
        await second.emit(BOARD, names.SHARED, 2, b"2", b"3", b"4")
        await bus.emit(BOARD, names.SHARED, 3, b"3", b"4", b"5", b"6")
        other = await nats.connect(server.url)
        subscription = await other.jetstream().subscribe("pb.evt.procurement.shared", ordered_consumer=True)
        said = [events_of((await subscription.next_msg(timeout=5)).data) for _ in range(3)]
        assert said == [[b"1", b"2", b"3"], [b"4"], [b"5", b"6"]]
        await other.close()
    await second.aclose()


async def test_one_event_that_does_not_fit(bus: Bus) -> None:
    """It is refused once those before it are told, and says so."""
    async with hosting(bus), bus.listen(BOARD, names.SHARED) as heard:
        with pytest.raises(TooLarge):
            await bus.emit(BOARD, names.SHARED, 1, b"1", b"2" * (MAX_BYTES + 1), b"3")
        await bus.emit(BOARD, names.SHARED, 3, b"3")
        assert await take(heard, 2) == [b"1", b"3"]


async def test_what_is_no_event_is_passed_over(bus: Bus, server: Server) -> None:
    """A message on an audience's subject that no host has told ends nobody's listening."""
    other = await nats.connect(server.url)
    async with hosting(bus), bus.listen(BOARD, names.SHARED) as heard:
        await other.publish("pb.evt.procurement.shared", b"hello")
        await other.flush()
        await bus.emit(BOARD, names.SHARED, 1, b"1")  # the stream's own order is another: the chain finds its end first
        assert await take(heard, 1) == [b"1"]
    await other.close()


async def test_the_chain_goes_on_after_a_restart(bus: Bus, server: Server) -> None:
    """A host that starts anew takes the chain up where the stream has it: what was told is not told again."""
    async with hosting(bus):
        await bus.emit(BOARD, names.SHARED, 1, b"1")
    second = await NatsBus.connect(server.url)
    async with second.listen(BOARD, names.SHARED) as heard:
        await second.emit(BOARD, names.SHARED, 1, b"1")
        await second.emit(BOARD, names.SHARED, 2, b"2")
        assert await take(heard, 1) == [b"2"]
    await second.aclose()


async def test_a_stream_that_was_deleted(bus: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made anew, and has what is told from then on, whether somebody listens or not; who missed what it had asks the board."""
    monkeypatch.setattr(chain, "SILENCE", 0.2)
    async with hosting(bus), asyncio.timeout(10):
        await bus.emit(BOARD, names.SHARED, 1, b"1")
        await bus._connection.api("STREAM.DELETE.PB_EVT_procurement", {})
        assert await bus.told(BOARD, names.SHARED) == 0
        await bus.emit(BOARD, names.SHARED, 2, b"2")
        await bus._connection.api("STREAM.DELETE.PB_EVT_procurement", {})
        async with bus.listen(BOARD, names.SHARED) as heard:
            await bus.emit(BOARD, names.SHARED, 3, b"3")
            assert await bus.told(BOARD, names.SHARED) == 3
            assert await take(heard, 1) == [b"3"]
