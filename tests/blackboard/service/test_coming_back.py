"""A host that comes back stands where it stood, or says why not."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from blackboard import housekeeping
from blackboard import service as module
from blackboard.board import Board as PureBoard
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.errors import BadValue, Damaged, StoreError
from blackboard.intake import entry_of
from blackboard.sqlite import SqliteStore
from blackboard.store import Batch, MemoryStore, Outgoing
from bus.errors import BadName
from bus.memory import MemoryBus
from bus.messages import (
    Counted,
    EndRound,
    Missed,
    Recalled,
    Stats,
    decode_post,
)
from bus.port import Log, LogMessage
from tests.blackboard.hosting import CAT, Held, ask, host, killed, post, some_life, state


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
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", every)
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
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 5)
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

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        log = await super().open_log(board, after=after, identity=identity, origin=origin)
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


class Older(MemoryBus):
    """A bus whose log was made before, with ``origin``."""

    def __init__(self, origin: str) -> None:
        super().__init__(ManualClock().now)
        self.origin = origin

    async def open_log(self, board: str, *, after: int, identity: str | None = None, origin: str = "") -> Log:
        log = await super().open_log(board, after=after, identity=identity, origin=origin)
        log.origin = self.origin
        return log


async def test_a_lost_store_s_settings_are_the_log_s() -> None:
    """Whoever begins anew from a log has the settings that it was made with; others are refused, and stored nowhere."""
    wall = '{"name":"board","time":"wall","round_seconds":5.0}'
    store = MemoryStore()
    with pytest.raises(BadValue, match="made with time='wall', not 'rounds'"):
        async with host(store, bus=Older(wall), time="rounds"):
            pass
    assert (await store.open()).origin is None
    async with host(store, bus=Older(wall), time="wall") as service:
        assert service.board.config.round_seconds == 5.0
    async with host(store) as service:
        assert service.board.config.round_seconds == 5.0
    with pytest.raises(BadValue, match="this is board 'other'"):
        async with host(MemoryStore(), bus=Older('{"name":"other"}')):
            pass
    async with host(MemoryStore(), bus=Older(""), time="wall") as service:
        assert service.board.config.time == "wall"
