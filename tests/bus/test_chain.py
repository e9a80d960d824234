"""Telling events once, on a real server."""

import asyncio

import nats

from bus import names
from bus.nats import NatsBus
from bus.port import Bus
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
        assert [(await subscription.next_msg(timeout=5)).data for _ in range(5)] == [b"1", b"2", b"3", b"4", b"5"]
        assert (await other.jetstream().stream_info("PB_EVT_procurement")).state.messages == 5
        await other.close()
    await second.aclose()


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
