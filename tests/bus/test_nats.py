"""The bus over a real NATS server."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import nats
import pytest
from nats.js.api import StreamConfig

from bus import names
from bus.errors import BusError, LogMismatch, NoAnswer, NotPermitted, TooLarge, Unreachable
from bus.jetstream import Arrival, place
from bus.nats import NatsBus
from bus.port import MAX_BYTES, Bus
from bus.reader import NatsLog
from bus.server import Server, running_server

from .contract import BOARD, WITHIN, BusContract, hosting, take


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with running_server(tmp_path / "nats") as running:
        yield running


@pytest.fixture
async def bus(server: Server) -> AsyncIterator[NatsBus]:
    connected = await NatsBus.connect(server.url)
    yield connected
    await connected.aclose()


class TestNatsBus(BusContract):
    """The contract."""


class Restartable:
    """A server that can be killed and started again on the same store and port."""

    def __init__(self, store: Path, stack: AsyncExitStack) -> None:
        self._store = store
        self._stack = stack
        self._port = -1
        self.pid = 0
        self.url = ""

    async def start(self) -> None:
        running = await self._stack.enter_async_context(running_server(self._store, port=self._port))
        self.pid, self.url = running.pid, running.url
        self._port = int(running.url.rpartition(":")[2])

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


@pytest.fixture
async def restartable(tmp_path: Path) -> AsyncIterator[Restartable]:
    async with AsyncExitStack() as stack:
        running = Restartable(tmp_path / "nats", stack)
        await running.start()
        yield running


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


async def test_asks_and_listens_across_the_servers_death(restartable: Restartable) -> None:
    """A query under way when the server dies is asked again, and a listener hears what it missed last."""
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
            await telling
            while await anext(heard) != b"two":
                pass
    await bus.aclose()
    await host_bus.aclose()


async def test_hears_the_last_event_again_on_a_new_connection(bus: NatsBus) -> None:
    """What was told while the connection was broken shows as a gap before the last event, although nothing comes after it."""
    async with hosting(bus), bus.listen(BOARD, names.SHARED) as heard:
        await bus.emit(BOARD, names.SHARED, 1, b"one")
        await bus.emit(BOARD, names.SHARED, 2, b"two")
        assert await take(heard, 2) == [b"one", b"two"]
        await bus._connection._on_reconnected()
        assert await take(heard, 1) == [b"two"]


async def test_an_unknown_board(bus: Bus) -> None:
    """Publishing to a board that nobody has served fails at once and names the cure."""
    async with asyncio.timeout(WITHIN):
        with pytest.raises(NoAnswer, match="start it with `pheroboard up procurement`"):
            await bus.publish(BOARD, "finance", b"x")


async def test_no_server() -> None:
    """Where no server answers, connecting fails in time, naming the address without its password, and the cure."""
    with pytest.raises(Unreachable, match=r"nats://127\.0\.0\.1:1 .*pheroboard up"):
        await NatsBus.connect("nats://me:secret@127.0.0.1:1", within=0.3)


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


async def test_a_stream_that_allows_too_much(bus: Bus, server: Server) -> None:
    """A stream with roll-ups, by which an agent could erase others' messages, is not served."""
    other = await nats.connect(server.url)
    config = StreamConfig(name="PB_OBS_procurement", subjects=["pb.obs.procurement.*"], deny_delete=True, allow_rollup_hdrs=True)
    await other.jetstream().add_stream(config)
    with pytest.raises(BusError, match="allow_rollup_hdrs=True"):
        await bus.open_log(BOARD, after=0)
    await other.close()


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


async def test_an_answer_too_large(bus: Bus) -> None:
    """An answer above the limit reaches the asker as an error that says so."""
    async with bus.answer(BOARD, lambda _agent, _data: asyncio.sleep(0, b"x" * (MAX_BYTES + 1))):
        with pytest.raises(NoAnswer, match="above the limit"):
            await bus.ask(BOARD, "finance", b"?")


async def test_keeps_below_a_smaller_limit(tmp_path: Path) -> None:
    """A server that takes less than usual is not sent more: the connection lives on."""
    async with running_server(tmp_path, extra="max_payload: 64KB\n") as small:
        bus = await NatsBus.connect(small.url)
        async with hosting(bus) as host:
            with pytest.raises(TooLarge):
                await bus.publish(BOARD, "finance", b"x" * 65_000)
            await bus.publish(BOARD, "finance", b"x")
            await host.wait_for(1)
        await bus.aclose()


USERS = """
authorization { users: [
  { user: host, password: pw }
  { user: finance, password: pw, permissions: {
      publish: ["pb.obs.*.finance", "pb.ask.*.finance"], subscribe: ["pb.evt.*.shared", "pb.evt.*.private.finance", "_INBOX.>"] } }
] }
"""


async def test_refusals_surface_at_the_call(tmp_path: Path) -> None:
    """What the server's permissions refuse raises ``NotPermitted`` at the call that tried it, and leaves the connection as it was."""
    async with running_server(tmp_path, extra=USERS) as guarded:
        host_bus = await NatsBus.connect(guarded.url.replace("//", "//host:pw@"))
        finance = await NatsBus.connect(guarded.url.replace("//", "//finance:pw@"))
        async with hosting(host_bus) as host, asyncio.timeout(WITHIN):
            with pytest.raises(NotPermitted, match=r"pb\.obs\.procurement\.Schedule"):
                await finance.publish(BOARD, "Schedule", b"spoofed")
            with pytest.raises(NotPermitted, match=r"pb\.ask\.procurement\.schedule"):
                await finance.ask(BOARD, "schedule", b"?")
            with pytest.raises(NotPermitted, match=r"pb\.evt\.procurement\.private\.schedule"):
                async with finance.listen(BOARD, names.private("schedule")):
                    pass
            with pytest.raises(NotPermitted, match="STREAM"):
                await finance.open_log(BOARD, after=0)
            await finance.publish(BOARD, "finance", b"own")
            assert [m.agent for m in await host.wait_for(1)] == ["finance"]
        await finance.aclose()
        await host_bus.aclose()


async def test_an_unknown_user(tmp_path: Path) -> None:
    """Credentials that the server does not know fail at once, without showing them."""
    async with running_server(tmp_path, extra=USERS) as guarded:
        with pytest.raises(NotPermitted, match="does not know this user") as failure:
            await NatsBus.connect(guarded.url.replace("//", "//mallory:secret@"), within=WITHIN)
        assert "secret" not in str(failure.value)
