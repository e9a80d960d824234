"""What a board's items say that do not stand is in its files alone, and is there whatever happens to the host."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from blackboard import housekeeping
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.replaying import At, replay, verify
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.sqlite import SqliteStore, back_up, recorded, restore
from blackboard.store import MemoryStore
from bus.memory import MemoryBus
from bus.messages import EndRound, Get, Item, Items
from tests.blackboard.hosting import Held, host, killed, post, state

FADED, QUOTE, SPARE = "the desk was  ordered in May", "an offer at 47", "a spare part"


@asynccontextmanager
async def living(path: Path, retention: Retention | None = None) -> AsyncIterator[tuple[Service, Board]]:
    bus = MemoryBus(ManualClock().now)
    service = Service("board", bus, SqliteStore(path), ManualClock(), retention=retention)
    async with service, Board(bus, "board", "finance") as finance:
        yield service, finance


async def rounds(board: Board, n: int) -> None:
    for _ in range(n):
        await board.end_round()
    await board.stats()


async def course(board: Board, after: Callable[[], None]) -> str:
    """Items that are archived, come back and are archived again, or are superseded; ``after`` is called after each step. An item's id."""
    faded = await board.deposit(FADED, kind="preference", strength=1.01, meta={"by": ["fax", 1]})
    await board.deposit(QUOTE, kind="preference", key="quote", value=47)
    spare = await board.deposit(SPARE, kind="preference", strength=1.01)
    await rounds(board, 5)
    after()
    await board.use(faded)
    after()
    await board.deposit("an offer at 40", kind="preference", key="quote", value=40)
    await board.stats()
    after()
    await rounds(board, 60)
    after()
    await board.use(spare)
    await board.stats()
    after()
    return faded.id


def logs(folder: Path) -> list[Path]:
    """SQLite's own logs, which whoever closes a file last folds in."""
    return list(folder.glob("*-wal"))


def loaded(service: Service) -> set[str]:
    """The contents that the board has in memory."""
    return {item.content for item in service.board._network.made_after(-1) if not item.shelved}


async def test_it_is_in_the_files_alone(tmp_path: Path) -> None:
    """Not in memory and not in the checkpoint; and every question is answered as if it were, also when the board is opened again."""
    path = tmp_path / "board.db"
    async with living(path) as (service, finance):
        faded = await course(finance, lambda: None)
        was = state(service)
    assert logs(tmp_path) == []
    with recorded(path) as record:
        assert not any(FADED.encode() in page or QUOTE.encode() in page for page in record.state.values())
        assert any(SPARE.encode() in page for page in record.state.values())
        said = {number: msgspec.msgpack.decode(data) for number, data in record.said(range(9)).items()}
        assert said == {0: [FADED, {"by": ["fax", 1]}], 1: [QUOTE, {}], 2: [SPARE, {}]}
    async with living(path) as (service, finance):
        assert state(service) == was
        assert loaded(service) == {SPARE, "an offer at 40"}
        item = await finance.get(faded)
        assert (item.status, item.content, item.meta) == ("archived", FADED, {"by": ["fax", 1]})
        assert [each.id for each in await finance.search("ordered")] == [faded]
        assert [each.content for each in await finance.history("quote")] == [QUOTE, "an offer at 40"]
        assert (await finance.explain(item)).item.content == FADED
        assert FADED in await finance.export("json")
        await finance.use(item)
        assert (await finance.get(item)).strength == 3.0
        assert loaded(service) == {SPARE, "an offer at 40", FADED}


@pytest.mark.parametrize("every", [1, 6, 10**9])
@pytest.mark.parametrize("retention", [None, Retention(journal_entries=5)], ids=["whole", "cut"])
async def test_a_kill_at_any_moment_loses_nothing(every: int, retention: Retention | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever checkpoint there was, and whatever came back, or was archived again, behind it: the state is the same to the bit."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", every)
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    kept: list[tuple[MemoryStore, dict[str, bytes]]] = []
    async with Service("board", bus, store, ManualClock(), retention=retention) as service, Board(bus, "board", "finance") as finance:
        await course(finance, lambda: kept.append((killed(store), state(service))))
    for image, was in kept:
        for _ in range(2):
            bus = MemoryBus(ManualClock().now)
            async with host(image, bus=bus) as service, Board(bus, "board", "finance") as finance:
                assert state(service) == was
                assert [each.content for each in await finance.search("ordered")] == [FADED]


async def test_a_killed_process_leaves_it_in_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal's file as it is after each step, with a checkpoint of some entries before."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 30)
    kept: list[tuple[Path, dict[str, bytes]]] = []
    async with living(tmp_path / "board.db") as (service, finance):

        def kill() -> None:
            image = tmp_path / f"image-{len(kept)}"
            image.mkdir()
            for file in sorted(tmp_path.glob("board.*"), reverse=True):  # the checkpoint first, as it may be older
                if file.suffix != ".lock":
                    shutil.copy(file, image)
            kept.append((image / "board.db", state(service)))

        await course(finance, kill)
    for path, was in kept:
        async with living(path) as (service, finance):
            assert state(service) == was
            assert [each.content for each in await finance.search("ordered")] == [FADED]
        assert verify(path).differ == ()


async def test_it_is_read_while_it_is_being_written() -> None:
    """Between the entry that archives an item and the commit, who asks is answered."""
    store, clock = Held(), ManualClock()
    store.let.set()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock) as service, Board(bus, "board", "finance") as finance:
        item = await finance.deposit(FADED, kind="preference", strength=1.01)
        await rounds(finance, 3)
        store.hold()
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            tasks.create_task(bus.publish("board", "finance", post(1, EndRound(3))))  # returns once it is committed
            await store.asked.wait()
            reply, written = service.board.answer("finance", Get(item.id)), store.said([0])
            store.let.set()
        assert isinstance(reply, Items)
        assert [(each.status, each.content) for each in reply.items] == [("archived", FADED)]
        assert written == {}
        assert (await finance.get(item)).content == FADED
        assert set(store.said([0])) == {0}


async def test_the_past_says_what_it_said(tmp_path: Path) -> None:
    """A board as it stood has what was archived then, before it came back and after, in use or behind a cut."""
    path = tmp_path / "board.db"

    def then(at: At, item: str) -> Item:
        with replay(path, at) as past:
            reply = past.board.answer("finance", Get(item))
            assert isinstance(reply, Items)
            return reply.items[0]

    async with living(path, Retention(journal_entries=2)) as (service, finance):
        faded = await course(finance, lambda: None)
        await service._progress.until(lambda: service._house.base >= 68)
    async with living(path) as (service, finance):
        base = service._house.base
        await finance.use(faded)
        await rounds(finance, 70)
        stood = {At(seq=base): "archived", At(seq=72): "standing", At(round=67): "standing", At(): "archived"}
        for at, status in stood.items():
            item = then(at, faded)
            assert (at, item.status, item.content, item.meta) == (at, status, FADED, {"by": ["fax", 1]})
    assert verify(path).differ == ()
    assert {then(at, faded).content for at in stood} == {FADED}


@pytest.mark.parametrize("new_log", [False, True])
async def test_a_backup_has_it(new_log: bool, tmp_path: Path) -> None:
    """What was archived when it was taken is archived in the board that is made of it, and comes back there."""
    path, other = tmp_path / "board.db", tmp_path / "other" / "board.db"
    async with living(path) as (service, finance):
        faded = await course(finance, lambda: None)
        back_up(path, tmp_path / "backup")
        was = state(service)
    restore(tmp_path / "backup", other, new_log=new_log)
    async with living(other) as (service, finance):
        assert state(service) == was
        await finance.use(faded)
        assert (await finance.get(faded)).content == FADED
