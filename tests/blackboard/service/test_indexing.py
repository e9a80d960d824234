"""What was analysed once, no later life of the board analyses again; and it is found by what it says now."""

import asyncio
import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from blackboard import trying
from blackboard.archive import Unwritten
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.sqlite import SqliteStore
from blackboard.store import MemoryStore, Store
from blackboard.text import Text, cache
from bus import names
from bus.memory import MemoryBus
from bus.messages import AnyObservation, HandOver, RenameKey
from tests.blackboard.analyses import counted
from tests.blackboard.hosting import host, post, state

WITHIN = 10.0


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[Text]:
    """The texts that were analysed to be indexed."""
    return counted(monkeypatch)


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Gives the same store anew."""
    memory = MemoryStore()
    return lambda: memory if request.param == "memory" else SqliteStore(tmp_path / "board.db")


async def test_a_board_that_is_opened_again_analyses_nothing_anew(store: Callable[[], Store], made: list[Text]) -> None:
    """What it finds is the same, with why, also of what is archived; and what is new is analysed alone."""
    bus, found = MemoryBus(ManualClock().now), []
    for life in range(3):
        async with host(store(), bus=bus) as service, Board(bus, "board", "finance") as finance:
            if life == 0:
                async with finance.batch() as batch:
                    for n in range(200):
                        await batch.deposit(
                            f"item {n} 是猫", kind="preference", strength=1.01 if n % 2 else 5.0, meta={"time": "2026-05-08"}
                        )
                for _ in range(5):
                    await finance.end_round()
            found.append([(hit.item.id, hit.item.status, hit.score, hit.why) for hit in await finance.hits("finance, item 7 or 8 猫", 50)])
            assert {status for _, status, _, _ in found[-1]} == {"standing", "archived"}
            assert len(made) == 200
            await finance.hits("item")
            was = state(service)
        assert len(made) == 200
    assert found[0] == found[1] == found[2]
    async with host(store(), bus=bus) as service, Board(bus, "board", "finance") as finance:
        assert state(service) == was
        await finance.deposit("another")
        assert [hit.item.content for hit in await finance.hits("another item", 1)] == ["another"]
    assert len(made) == 201


@pytest.mark.parametrize("again", [True, False], ids=["opened again", "at once"])
@pytest.mark.parametrize(
    ("order", "old", "new"),
    [(RenameKey("price", "cost"), "price", "cost"), (HandOver("finance", "schedule"), "finance", "schedule"), (None, "ann", "finance")],
    ids=["renamed", "handed over", "passed on"],
)
async def test_what_is_found_by_other_words_is_found_by_those(
    store: Callable[[], Store], order: AnyObservation | None, old: str, new: str, again: bool
) -> None:
    """Of another key, of another owner, or of the next who says it: by the new words alone, whether or not it was analysed before."""
    bus = MemoryBus(ManualClock().now)
    reader, scope = ("schedule", "private") if isinstance(order, HandOver) else ("finance", "shared")

    async def changed(finance: Board, ann: Board) -> None:
        if order is None:
            await ann.retract(item)
            await ann.wait_applied()
        else:
            await bus.publish("board", names.HOST, post(1, order))

    async with host(store(), bus=bus), Board(bus, "board", "ann") as ann, Board(bus, "board", "finance") as finance:
        item = await (ann if order is None else finance).deposit("the cat", key="price", scope=scope)
        if order is None:
            await finance.deposit("the cat", key="price", scope=scope)
        assert len(await finance.hits("cat price")) == 1
        if not again:
            await changed(finance, ann)
    for life in range(2):
        async with host(store(), bus=bus), Board(bus, "board", "ann") as ann, Board(bus, "board", "finance") as finance:
            if again and not life:
                await changed(finance, ann)
            async with Board(bus, "board", reader) as asking:
                (by_old,) = await asking.hits(f"cat {old}")
                (by_new,) = await asking.hits(f"cat {new}")
                assert (len(by_old.why.terms + by_old.why.names), len(by_new.why.terms + by_new.why.names)) == (1, 2)


class Noticing(MemoryStore):
    """Says when much was kept."""

    def __init__(self) -> None:
        super().__init__()
        self.much = asyncio.Event()

    async def keep_analyses(self, seq: int, analyses: Unwritten) -> None:
        await super().keep_analyses(seq, analyses)
        if len(self._analyses) > 500:
            self.much.set()


async def test_what_has_come_to_much_is_written_meanwhile(monkeypatch: pytest.MonkeyPatch, made: list[Text]) -> None:
    """A host that is killed long before its next checkpoint has kept most of it."""
    monkeypatch.setattr(cache, "AT_ONCE", 100)
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    store, bus = Noticing(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance, asyncio.timeout(WITHIN):
        async with finance.batch() as batch:
            for n in range(1000):
                await batch.deposit(f"item {n}")
        await finance.hits("item 7")
        await store.much.wait()
        image = MemoryStore()
        image.__dict__.update({name: copy.deepcopy(value) for name, value in vars(store).items() if name != "much"})
    kept = len(image._analyses)
    assert kept > 500
    assert image._standing.checkpoint == 0
    made.clear()
    bus = MemoryBus(ManualClock().now)
    async with host(image, bus=bus), Board(bus, "board", "finance") as finance:
        await finance.hits("item 7")
    assert len(made) == 1000 - kept
