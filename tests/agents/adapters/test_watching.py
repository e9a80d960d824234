"""The claims of ``agents.adapters.watching``; how it comes through an outage is among those of ``agents.adapters.langgraph``."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

import blackboard
from agents.adapters import MemoryService
from agents.adapters.documents import Put, path, target_of
from agents.adapters.watching import DocumentChanged, Watch
from blackboard.client import Board
from blackboard.testing import RunningBoard, running_board

TRIP = ("shared", "trip")


async def put(board: Board, namespace: tuple[str, ...], key: str, value: dict[str, Any], ttl: float | None = None) -> str:
    """Put a document; gives the id of its item."""
    document = Put(namespace, key, value, None, ttl, "shared" if namespace[0] == "shared" else "private")
    expires_at = None if ttl is None else (await board.stats()).now + ttl * 60
    there = partial(board.about, path(namespace), target_of(key))
    await board.say(document.deposit(await there(), agent=board.agent, at=datetime.now(UTC), expires_at=expires_at))
    return (await there())[-1].id


def told(change: DocumentChanged) -> tuple[str, Any, str, str]:
    return change.key, change.value, change.cause, change.by


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("ada", "bob", time="wall") as running:
        yield running


async def test_all_that_becomes_of_a_document_is_told(running: RunningBoard) -> None:
    """Its first version, the next, what others say of it, and its end, each with its cause, its strength and who did it."""
    ada, bob = running["ada"], running["bob"]
    async with Watch(MemoryService(ada), "ada", TRIP) as changes:
        await put(ada, TRIP, "city", {"city": "Lisbon"})
        first = await anext(changes)
        assert first == DocumentChanged(
            namespace=TRIP, key="city", value={"city": "Lisbon"}, cause="deposit", strength=4.0, by="ada"
        )  # fmt: skip
        item = await put(ada, TRIP, "city", {"city": "Porto"})
        assert told(await anext(changes)) == ("city", {"city": "Porto"}, "deposit", "ada")
        await bob.reinforce(item, 1.0)
        change = await anext(changes)
        assert (*told(change), change.strength) == ("city", {"city": "Porto"}, "reinforce", "bob", 5.0)
        await ada.retract(item)
        assert told(await anext(changes)) == ("city", None, "retract", "ada")


async def test_time_alone_changes_documents_too(running: RunningBoard) -> None:
    """What ends is gone; what fades from prompts is there still."""
    ada = running["ada"]
    async with Watch(MemoryService(ada), "ada", TRIP) as changes:
        await put(ada, TRIP, "gate", {"gate": "B7"}, ttl=5)
        await put(ada, TRIP, "city", {"city": "Lisbon"})
        assert [(await anext(changes)).key for _ in range(2)] == ["gate", "city"]
        await running.advance(301)
        assert told(await anext(changes)) == ("gate", None, "expire", "")
        await running.advance(30 * 24 * 3600)
        change = await anext(changes)
        assert (*told(change), change.strength) == ("city", {"city": "Lisbon"}, "archive", "", 0.0)


async def test_nothing_else_is_told(running: RunningBoard) -> None:
    """No other namespace, no read, no other fact, nothing that is another's alone."""
    ada, bob = running["ada"], running["bob"]
    async with Watch(MemoryService(ada), "ada", TRIP) as changes:
        await put(ada, ("shared", "trips"), "a", {"n": 1})
        await put(ada, ("shared",), "b", {"n": 2})
        await put(bob, ("memories", "bob"), "c", {"n": 3})
        await ada.deposit("a fact", key=path(TRIP), scope="shared")
        await ada.deposit("another", key=path(TRIP), target=target_of("d"), kind="preference", scope="shared")
        await running.advance(3600)
        await ada.use(await put(ada, TRIP, "d", {"n": 4}))
        await put(bob, (*TRIP, "day"), "e", {"n": 5})
        assert [told(await anext(changes)) for _ in range(2)] == [("d", {"n": 4}, "deposit", "ada"), ("e", {"n": 5}, "deposit", "bob")]
    async with Watch(MemoryService(ada), "ada", ()) as changes:
        await put(bob, ("memories", "bob"), "c", {"n": 6})
        await put(bob, TRIP, "f", {"n": 7})
        assert (await anext(changes)).key == "f"


async def test_a_wait_that_is_cancelled_loses_nothing(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for a time only, again and again, is told of all, also of what was heard when the time was over."""
    ada, about, asked = running["ada"], Board.about, asyncio.Event()

    async def hangs(*_: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with asyncio.timeout(10), Watch(MemoryService(ada), "ada", TRIP) as changes:
        for n in range(2):
            await put(ada, TRIP, str(n), {"n": n})
        monkeypatch.setattr(Board, "about", hangs)
        waiting = asyncio.ensure_future(anext(changes))
        await asked.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        monkeypatch.setattr(Board, "about", about)
        assert [(await anext(changes)).key for _ in range(2)] == ["0", "1"]


async def test_a_feed_that_breaks_loses_nothing(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """What changed before it is heard again is told; also what was heard and not told yet."""
    monkeypatch.setattr("agents.adapters.watching.AGAIN", 0.001)
    ada, about, asked = running["ada"], Board.about, asyncio.Event()

    async def hangs(*_: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    async def fails(*_: Any) -> None:
        monkeypatch.setattr(Board, "about", about)
        raise LookupError

    async with asyncio.timeout(10), Watch(MemoryService(ada), "ada", TRIP) as changes:
        await put(ada, TRIP, "0", {"n": 0})
        assert (await anext(changes)).key == "0"
        assert changes._hearing
        await changes._hearing.feed.aclose()
        await put(ada, TRIP, "1", {"n": 1})
        assert (await anext(changes)).key == "1"
        await put(ada, TRIP, "2", {"n": 2})
        monkeypatch.setattr(Board, "about", hangs)
        waiting = asyncio.ensure_future(anext(changes))
        await asked.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        monkeypatch.setattr(Board, "about", fails)
        assert (await anext(changes)).key == "2"


async def test_another_board_is_heard_from_now_on(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that stands in the place of the former, and knows nothing of where that stood."""
    monkeypatch.setattr("agents.adapters.watching.AGAIN", 0.001)
    changes = Watch(MemoryService(running["ada"]), "ada", TRIP)
    changes._since = "shared=1000000 private=1000000"
    async with asyncio.timeout(20), changes:
        waiting = asyncio.ensure_future(anext(changes))
        number = 0
        while not waiting.done():
            await put(running["ada"], TRIP, str(number), {"n": number})
            number += 1
        assert (await waiting).cause == "deposit"


async def test_a_watch_that_is_closed_is_at_its_end(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits is told so, and looks for no board any more; and whoever asks afterwards."""
    monkeypatch.setattr("agents.adapters.watching.AGAIN", 3600.0)
    changes = Watch(MemoryService(running["ada"]), "ada", TRIP)
    async with asyncio.timeout(10):
        async with changes:
            waiting = asyncio.ensure_future(anext(changes, None))
            await asyncio.sleep(0)
        assert await waiting is None
    assert [change async for change in changes] == []


async def test_it_is_heard_from_any_loop(tmp_path: Any) -> None:
    """Also one that is not the board's own."""
    async with MemoryService(tmp_path / "trip") as memory, Watch(memory, "ada", TRIP) as changes:
        await memory.reach("bob", lambda board: put(board, TRIP, "city", {"city": "Lisbon"}), "")
        assert told(await anext(changes)) == ("city", {"city": "Lisbon"}, "deposit", "bob")


async def test_a_board_that_its_opener_closes_ends_no_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks now and then whether the board is back, until it is closed itself."""
    monkeypatch.setattr("agents.adapters.watching.AGAIN", 0.001)
    async with blackboard.open(":memory:", agent="ada") as board:
        memory = MemoryService(board, within=0.1)
        changes = Watch(memory, "ada", TRIP)
        await changes.__aenter__()
    asked = 0

    async def reach(*_: Any) -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            await changes.aclose()

    monkeypatch.setattr(memory, "reach", reach)
    assert [change async for change in changes] == []
    assert asked == 3


def test_a_watch_on_a_loop_that_has_ended() -> None:
    """It ended with that: closing it is no error."""

    async def main() -> Watch:
        async with blackboard.open(":memory:", agent="ada") as board:
            changes = Watch(MemoryService(board), "ada", TRIP)
            return await changes.__aenter__()

    asyncio.run(asyncio.run(main()).aclose())
