"""The host: nothing lost, nothing twice, nothing silent."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.msgpack import Ext

from blackboard import service as module
from blackboard.board import Board as PureBoard
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.errors import BadValue, BoardInUse, Damaged, StoreError
from blackboard.intake import entry_of
from blackboard.sqlite import SqliteStore
from blackboard.store import Batch, MemoryStore, Outgoing
from bus import names
from bus.errors import BadName, BusError, NoAnswer, TooLarge, Unreachable
from bus.memory import MemoryBus
from bus.messages import (
    AnyObservation,
    Confirm,
    Counted,
    Deposit,
    EndRound,
    Missed,
    Recalled,
    Stats,
    Tick,
    decode_events,
    decode_post,
    encode,
)
from bus.port import Log, LogMessage
from tests.blackboard.hosting import Held, ask, host, killed, post, some_life, state

CAT = Deposit("the cat is called Doudou", scope="shared")


# ---- coming back ------------------------------------------------------------------------------------------------------------------------


async def live(store: MemoryStore | SqliteStore) -> tuple[dict[str, bytes], MemoryStore | None]:
    """Two agents' life on a board; its state, and (of a memory store) what a kill would have left behind."""
    bus = MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service:
        async with Board(bus, "board", "finance") as finance, Board(bus, "board", "procurement") as procurement:
            await some_life([finance, procurement, finance])
            await procurement.stats()
        image = killed(store) if isinstance(store, MemoryStore) else None
        return state(service), image


@pytest.mark.parametrize("every", [1, 7, 10**9])
async def test_checkpoint_and_tail_are_the_whole_journal(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill the board stands as it was, from whatever checkpoint; so does one that the whole journal is applied to."""
    monkeypatch.setattr(module, "CHECKPOINT_EVERY", every)
    store = MemoryStore()
    was, image = await live(store)
    assert image is not None
    standing = await image.open()
    assert (standing.checkpoint > 0) == (every < 10**9)

    async with host(image) as service:
        assert state(service) == was

    rebuilt = PureBoard(service.board.config)
    for message in await store.journal(0):
        rebuilt.apply(entry_of(message, decode_post(message.data)))
    assert rebuilt.snapshot(full=True) == was


async def test_the_tail_is_bounded_in_entries_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that change nothing must be applied again as well: a checkpoint comes after so many, those before a kill included."""
    saved = asyncio.Event()

    async def checkpoint(_store: MemoryStore, _seq: int, _pages: Mapping[str, bytes]) -> None:
        saved.set()

    monkeypatch.setattr(MemoryStore, "checkpoint", checkpoint)
    monkeypatch.setattr(module, "CHECKPOINT_EVERY", 5)
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), asyncio.timeout(5):
        for number in range(4):
            await bus.publish("board", "finance", post(number + 1, EndRound(number)))
        image = killed(store)
        assert not saved.is_set()
        await bus.publish("board", "finance", post(5, EndRound(4)))
        await saved.wait()
    saved.clear()
    bus = MemoryBus(ManualClock().now)
    async with host(image, bus=bus), asyncio.timeout(5):
        await bus.publish("board", "finance", post(5, EndRound(4)))
        await saved.wait()


async def test_closing_and_opening_a_file(tmp_path: Path) -> None:
    """A board that was closed comes back from its checkpoint alone."""
    was, _ = await live(SqliteStore(tmp_path / "board.db"))
    store = SqliteStore(tmp_path / "board.db")
    standing = await store.open()
    await store.aclose()
    assert standing.checkpoint == standing.cursor > 0
    async with host(store) as service:
        assert state(service) == was


async def test_a_replay_that_disagrees_is_said_loudly() -> None:
    """When the journal gives other events than are stored, the board does not open."""
    store = MemoryStore()
    _, image = await live(store)
    assert image is not None
    await image.commit(Batch((await image.open()).cursor, events=(Outgoing("shared", 10**6, 1, b""),)))
    with pytest.raises(StoreError, match="gives other events than are stored"):
        async with host(image):
            pass


async def test_a_checkpoint_that_cannot_be_read() -> None:
    """Then the journal rebuilds the state, and nothing of the old checkpoint gets into the next one."""
    store = MemoryStore()
    was, _ = await live(store)
    await store.checkpoint((await store.open()).checkpoint, {"board": b"\xc1", "of another version": b"x"})
    async with host(store) as service:
        assert state(service) == was
    assert (await store.open()).pages == was


async def test_a_journal_that_cannot_be_read() -> None:
    """Then the board does not open, and the entry is named."""
    store = MemoryStore()
    await store.commit(Batch(7, journal=(LogMessage(7, 0.0, "finance", b"\xc1"),)))
    with pytest.raises(Damaged, match="entry 7 of its journal cannot be read"):
        async with host(store):
            pass


async def test_settings_are_the_origin_s() -> None:
    """A board keeps the settings that it was made with; others are refused, with both values."""
    store = MemoryStore()
    async with host(store, time="wall"):
        pass
    async with host(store) as service:
        assert service.board.config.time == "wall"
    with pytest.raises(BadValue, match="made with time='wall', not 'rounds'"):
        async with host(store, time="rounds"):
            pass
    with pytest.raises(BadValue, match="unknown field `tempo`"):
        async with host(store, tempo="wall"):
            pass
    with pytest.raises(BadValue, match="this is board 'board', not 'other'"):
        async with host(store, name="other"):
            pass
    with pytest.raises(BadValue, match=r"time"):
        async with host(MemoryStore(), time="sidereal"):
            pass
    with pytest.raises(BadName, match="board name"):
        host(MemoryStore(), name="a board")


class Kept(MemoryBus):
    """A bus that has kept a log, which no host has read."""

    async def open_log(self, board: str, *, after: int, identity: str | None = None) -> Log:
        log = await super().open_log(board, after=after, identity=identity)
        self.kept = [asyncio.create_task(self.publish(board, "finance", post(number, CAT))) for number in (1, 2, 3)]
        log.end = 3
        return log


async def test_nobody_sees_a_past(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host whose store is behind the log, or was lost, answers and is open once it has applied what the log held when it came."""
    monkeypatch.setattr(module, "MAX_BATCH", 1)
    bus, store = Kept(ManualClock().now), Held()
    service = host(store, bus=bus)
    opening = asyncio.create_task(service.__aenter__())
    async with asyncio.timeout(5):
        await store.asked.wait()
        asking = [asyncio.create_task(ask(bus, "schedule", query)) for query in (Stats(), Missed("shared", 3))]
        done, _ = await asyncio.wait({opening, *asking}, timeout=0.02)
        assert not done
        store.let.set()
        counted, missed = await asyncio.gather(*asking)
        await opening
        await service.aclose()
    assert isinstance(counted, Counted)
    assert counted.stats.items == 1
    assert missed == Recalled((), 3)


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


# ---- what counts ------------------------------------------------------------------------------------------------------------------------


async def test_duplicates_count_once() -> None:
    """A post that arrives again, in the same batch or after a kill, changes nothing."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service:
        await asyncio.gather(*(bus.publish("board", "finance", post(1, CAT)) for _ in range(3)))
        await bus.publish("board", "finance", post(2, Confirm("0" * 32)))
        was = state(service)
        image = killed(store)
    bus = MemoryBus(ManualClock().now)
    async with host(image, bus=bus) as service:
        await bus.publish("board", "finance", post(1, CAT))
        assert state(service) == was
        assert len(await image.journal(0)) == 2


async def test_dead_letters() -> None:
    """Each kind of bad input is set aside with its reason, and what comes behind it is applied."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus):
        bad_ones: tuple[AnyObservation, ...] = (
            Deposit("x", strength=-1.0), Deposit("x", strength=float("nan")), Deposit("x", kind="nonsense"), Confirm("1" * 32),
            Deposit(" "), Tick(),
        )  # fmt: skip
        for number, bad in enumerate(bad_ones, 1):
            await bus.publish("board", "mallory", post(number, bad))
        await bus.publish("board", "mallory", b"\xff")
        await bus.publish("board", "mallory", post(9, CAT))
        await bus.publish("board", "mallory", post(7, CAT))
        reply = await ask(bus, "mallory", Stats(), epoch="e", seq=7)
        assert isinstance(reply, Counted)
        assert reply.stats.items == 1
        letters = (await store.dead_letters())[::-1]
    assert [letter.code for letter in letters] == [
        "BadValue", "BadValue", "UnknownKind", "NotInView", "BadValue", "NotYours", "BadMessage", "OutOfOrder",
    ]  # fmt: skip
    assert "strength -1.0" in letters[0].error
    assert letters[0].head == b'[{"type":"deposit","content":"x","strength":-1.0}]'


PILLS = {
    "a key that is no text": encode({"epoch": "e", "seq": 1, "units": [[{"type": "deposit", "content": "x", "meta": {"a": {None: 1}}}]]}),
    "a type of MessagePack's own": encode({"epoch": "e", "seq": 1, "units": [[{"type": "deposit", "content": "x", "value": Ext(5, b"")}]]}),
    "a number beyond a database's": encode({"epoch": "e", "seq": 2**63, "units": []}),
}


@pytest.mark.parametrize("pill", PILLS.values(), ids=PILLS)
async def test_what_neither_json_nor_sql_can_hold_stops_nobody(pill: bytes, tmp_path: Path) -> None:
    """A message that can be read, but neither shown nor stored as it is, becomes a dead letter like any other."""
    store, bus = SqliteStore(tmp_path / "board.db"), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
        await bus.publish("board", "mallory", pill)
        await finance.deposit("the cat is called Doudou")
        assert (await finance.stats()).items == 1
        assert [letter.agent for letter in await store.dead_letters()] == ["mallory"]


async def test_fifty_writers() -> None:
    """Fifty writers at once: every reinforcement counts once, each writer's in its order."""
    bus = MemoryBus(ManualClock().now)
    store = MemoryStore()
    async with host(store, bus=bus), Board(bus, "board", "owner") as owner:
        item = await owner.deposit("counted", scope="shared", strength=1.0)

        async def write(number: int) -> None:
            async with Board(bus, "board", f"writer-{number}") as board, asyncio.TaskGroup() as tasks:
                for step in range(20):
                    tasks.create_task(board.reinforce(item, 0.25 + step))

        async with asyncio.TaskGroup() as tasks:
            for number in range(50):
                tasks.create_task(write(number))
        assert (await owner.get(item)).strength == 1.0 + 50 * sum(0.25 + step for step in range(20))
    steps: dict[str, list[float]] = {}
    for message in await store.journal(1):
        for (observation,) in decode_post(message.data).units:
            steps.setdefault(message.agent, []).append(observation.delta)  # type: ignore[union-attr]
    assert all(given == [0.25 + step for step in range(20)] for given in steps.values())
    assert len(steps) == 50


async def test_archived_items_are_kept() -> None:
    """What its kind archives is in the archive table, a private item too."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
        shared = await finance.deposit("soon gone", kind="fact", strength=1.01, scope="shared")
        own = await finance.deposit("soon gone, too", kind="preference", strength=1.01)
        for _ in range(5):
            await finance.end_round()
        await finance.stats()
    for item in (shared, own):
        archived = await store.archived(item.id)
        assert archived is not None
        assert item.content.encode() in archived.data


# ---- time -------------------------------------------------------------------------------------------------------------------------------


async def test_ticks_come_when_something_is_due() -> None:
    """On a wall-clock board the host ticks when something is due, and not otherwise; a replay has the same ticks."""
    clock, store = ManualClock(1_000.0), MemoryStore()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock, time="wall") as service, Board(bus, "board", "finance") as finance:
        item = await finance.deposit("a coupon", expires_at=1_100.0)
        clock.advance(50.0)
        await finance.stats()
        assert len(await store.journal(0)) == 1
        clock.advance(50.0)
        await service.caught_up()
        assert (await finance.get(item)).status == "expired"
    ticks = (await store.journal(0))[1:]
    assert {message.agent for message in ticks} == {names.HOST}
    assert all(decode_post(message.data).units == ((Tick(),),) for message in ticks)


async def test_rounds_need_no_ticks() -> None:
    """A board of rounds has no ticks: time moves with ``EndRound`` alone."""
    store, clock = MemoryStore(), ManualClock()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock):
        await bus.publish("board", "finance", post(1, CAT))
        clock.advance(10**6)
        await bus.publish("board", "finance", post(2, EndRound(0)))
    assert [message.agent for message in await store.journal(0)] == ["finance", "finance"]


# ---- telling ----------------------------------------------------------------------------------------------------------------------------


class Troubled(MemoryBus):
    """A bus that fails to tell, as often as ``errors`` says."""

    def __init__(self) -> None:
        super().__init__(ManualClock().now)
        self.errors: list[Exception] = []

    async def emit(self, board: str, audience: str, n: int, data: bytes) -> None:
        if self.errors:
            raise self.errors.pop()
        await super().emit(board, audience, n, data)


async def test_events_survive_trouble_of_the_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be told is told again, in order; meanwhile the board takes in no more than it can hold."""
    monkeypatch.setattr(module, "TRY_AGAIN", (0.0, 0.0))
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


# ---- its end ----------------------------------------------------------------------------------------------------------------------------


class Full(MemoryStore):
    """A disk without room."""

    async def commit(self, _batch: Batch) -> None:
        raise StoreError("no room")


async def test_what_cannot_be_written_is_loud(caplog: pytest.LogCaptureFixture) -> None:
    """When the journal cannot be written the service stops: publishers get an error, and the reason is raised and logged."""
    bus = MemoryBus(ManualClock().now)
    with pytest.raises(StoreError, match="no room"):  # noqa: PT012 - raised by what is inside, and again on leaving
        async with host(Full(), bus=bus) as service:
            with pytest.raises(Unreachable):
                await bus.publish("board", "finance", post(1, CAT))
            with pytest.raises(StoreError, match="no room"):
                await service.wait()
    assert "board board has stopped: no room" in caplog.text
    assert caplog.records[-1].levelno == logging.CRITICAL


async def test_cancelling_whoever_opens_leaves_nothing(tmp_path: Path) -> None:
    """Cancelled while it opens, or while it serves, a host lets go of its files."""
    store = SqliteStore(tmp_path / "board.db")
    serving = asyncio.Event()

    async def serve() -> None:
        async with host(store):
            serving.set()
            await asyncio.Event().wait()

    for when in ("opening", "serving"):
        serving.clear()
        task = asyncio.create_task(serve())
        if when == "serving":
            await serving.wait()
        else:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with host(store):
        with pytest.raises(BoardInUse):
            async with host(SqliteStore(tmp_path / "board.db")):
                pass


async def test_a_service_is_not_opened_twice_on_one_bus() -> None:
    """Two hosts of one board on one bus are refused."""
    bus = MemoryBus(ManualClock().now)
    async with host(MemoryStore(), bus=bus):
        with pytest.raises(BusError, match="open in this process already"):
            async with host(MemoryStore(), bus=bus):
                pass
