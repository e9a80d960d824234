"""Reading a log from a real server, whatever becomes of consumers, deliveries and streams."""

import asyncio

import nats
import pytest

from bus.errors import LogMismatch, NoAnswer
from bus.jetstream import Arrival, place
from bus.nats import NatsBus
from bus.port import EMBEDDED, Bus
from bus.reader import NatsLog
from bus.server import Server

from .conftest import Restartable
from .contract import BOARD, WITHIN, hosting


async def test_survives_the_servers_death(restartable: Restartable) -> None:
    """The server is killed while agents publish and started again: they go on, the log has no gap, nothing accepted is lost."""
    bus, host_bus = await NatsBus.connect(restartable.url), await NatsBus.connect(restartable.url)
    accepted: dict[int, bytes] = {}
    enough, goal = asyncio.Event(), 400

    async def agent(name: str) -> None:
        i = 0
        while len(accepted) < goal:
            data = f"{name} {i}".encode()
            accepted[await bus.publish(BOARD, name, data)] = data
            i += 1
            if len(accepted) >= goal // 4:
                enough.set()

    async with hosting(host_bus) as host:
        agents = asyncio.gather(*(agent(f"agent{i}") for i in range(4)))
        async with asyncio.timeout(30):
            await enough.wait()
            restartable.kill()
            await restartable.start()
            await agents
        read = await host.wait_for(max(accepted))
        assert [m.seq for m in read] == list(range(1, len(read) + 1))
        entries = {m.seq: m.data for m in read}
        assert {seq: entries[seq] for seq in accepted} == accepted
    await bus.aclose()
    await host_bus.aclose()


async def test_a_lost_tail_is_caught(bus: NatsBus, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A delivery that never comes (as into a dying connection) is noticed in the silence after it, and read again."""
    monkeypatch.setattr("bus.reader.IDLE", 0.2)
    log = await bus.open_log(BOARD, after=0)
    async with asyncio.timeout(WITHIN):
        await bus.publish(BOARD, "finance", b"one")
        assert len(await log.read()) == 1
        # The consumer's deliveries go nowhere from here on.
        await log._unsubscribe()  # type: ignore[attr-defined]
        await bus.publish(BOARD, "finance", b"two")
        await bus.publish(BOARD, "finance", b"three")
        read = await log.read()
        while len(read) < 2:
            read += await log.read()
    assert [(m.seq, m.data) for m in read] == [(2, b"two"), (3, b"three")]
    await log.aclose()


async def test_a_skipped_delivery_is_read_again(bus: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a delivery is missing in the middle nothing after it is taken; all is read again from there, in order."""
    take_in = NatsLog._on_message
    seen: list[int] = []

    async def skipping(log: NatsLog, msg: Arrival) -> None:
        if msg.reply:
            seen.append(place(msg.reply)[0])
        if seen.count(2) != 1 or seen[-1] != 2:  # the second entry's first delivery goes nowhere
            await take_in(log, msg)

    monkeypatch.setattr(NatsLog, "_on_message", skipping)
    monkeypatch.setattr("bus.reader.IDLE", 60.0)  # it is noticed at once, not in the silence after it
    async with hosting(bus) as host:
        await asyncio.gather(*(bus.publish(BOARD, "finance", b"x") for _ in range(5)))
        assert [m.seq for m in await host.wait_for(5)] == [1, 2, 3, 4, 5]
    assert seen.count(2) == 2


async def test_a_lost_consumer_is_made_anew(bus: NatsBus, server: Server) -> None:
    """A consumer that someone deletes is replaced, and nothing is skipped."""
    log = await bus.open_log(BOARD, after=0)
    other = await nats.connect(server.url)
    async with asyncio.timeout(WITHIN):
        reading = asyncio.create_task(log.read())
        await asyncio.sleep(0)
        for consumer in await other.jetstream().consumers_info("PB_OBS_procurement"):
            await other.jetstream().delete_consumer("PB_OBS_procurement", consumer.name)
        await bus.publish(BOARD, "finance", b"one")
        assert [m.data for m in await reading] == [b"one"]
    await log.aclose()
    await other.close()


async def test_refuses_a_log_behind_its_reader(bus: Bus) -> None:
    """A stream that ends before what the board has read was rolled back: refused, with both numbers."""
    async with hosting(bus) as host:
        await bus.publish(BOARD, "finance", b"x")
    with pytest.raises(LogMismatch, match="ends at entry 1, but the board has read up to 9"):
        await bus.open_log(BOARD, after=9, identity=host.identity)


async def test_says_how_an_embedded_board_comes_to_be_served(bus: Bus) -> None:
    """What was read in one process' memory no server has: the error names the way over."""
    with pytest.raises(LogMismatch, match="export the embedded board with --everything"):
        await bus.open_log(BOARD, after=1, identity=EMBEDDED)


async def test_a_purged_beginning(bus: Bus, server: Server) -> None:
    """Entries that were purged before they were read are an error that names the first; those after them can still be read."""
    async with hosting(bus) as host:
        for data in (b"one", b"two", b"three"):
            await bus.publish(BOARD, "finance", data)
    other = await nats.connect(server.url)
    await other.jetstream().purge_stream("PB_OBS_procurement", seq=3)
    with pytest.raises(LogMismatch, match=r"entry 1 of stream .* was deleted"):
        await bus.open_log(BOARD, after=0, identity=host.identity)
    async with hosting(bus, after=2, identity=host.identity) as later:
        assert [m.data for m in await later.wait_for(1)] == [b"three"]
    await other.close()


async def test_a_log_replaced_under_its_reader(bus: Bus, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that is deleted and made again while it is read ends the reading with an error."""
    monkeypatch.setattr("bus.reader.IDLE", 0.1)
    log = await bus.open_log(BOARD, after=0)
    other = await nats.connect(server.url)
    await other.jetstream().delete_stream("PB_OBS_procurement")
    async with asyncio.timeout(WITHIN):
        with pytest.raises(LogMismatch, match="is gone"):
            await log.read()
    await bus.open_log(BOARD, after=0)
    async with asyncio.timeout(WITHIN):
        with pytest.raises(LogMismatch, match="the log was replaced"):
            await log.read()
    await other.close()


async def test_a_log_that_was_lost_is_not_made_anew(bus: Bus) -> None:
    """A stream that a board has read and that is gone is not made: what is sent to it is not taken for durable."""
    with pytest.raises(LogMismatch, match="there is no stream PB_OBS_procurement"):
        await bus.open_log(BOARD, after=9, identity="2026-01-01T00:00:00Z")
    with pytest.raises(NoAnswer, match="nobody serves"):
        await bus.publish(BOARD, "finance", b"x")


async def test_foreign_headers_do_no_harm(bus: Bus, server: Server) -> None:
    """Headers that an agent puts on an observation, such as a server's status, do not disturb the reader."""
    async with hosting(bus) as host:
        other = await nats.connect(server.url)
        jetstream = other.jetstream()
        for headers in ({"Status": "409"}, {"Nats-Pending-Messages": "x"}, {"Nats-Msg-Id": "1"}):
            await jetstream.publish("pb.obs.procurement.finance", b"x", headers=headers)
        with pytest.raises(nats.js.errors.APIError, match="rollup"):
            await jetstream.publish("pb.obs.procurement.finance", b"x", headers={"Nats-Rollup": "all"})
        await bus.publish(BOARD, "finance", b"last")
        assert [m.data for m in await host.wait_for(4)] == [b"x", b"x", b"x", b"last"]
        await other.close()
