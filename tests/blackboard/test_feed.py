"""What an agent hears: all of it, once, in order, and at nobody's cost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from blackboard import feed as module
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.feed import Feed
from blackboard.store import MemoryStore
from blackboard.testing import running_board
from bus import names
from bus.errors import Unreachable
from bus.memory import MemoryBus
from bus.messages import Change, decode_events


async def take(feed: Feed[Change], count: int) -> list[str]:
    """The keys of the next changes."""
    async with asyncio.timeout(5):
        return [str((await anext(feed)).key) for _ in range(count)]


async def say(board: Board, *keys: str, scope: str = "shared") -> None:
    for key in keys:
        await board.deposit("said", key=key, scope=scope)


class Lossy(MemoryBus):
    """A bus whose listeners lose what ``lose`` names."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0)
        self.lose: set[int] = set()

    @asynccontextmanager
    async def listen(self, board: str, audience: str) -> AsyncIterator[AsyncIterator[bytes]]:
        async with super().listen(board, audience) as live:
            yield Sieve(live, self.lose if audience == names.SHARED else set())


class Sieve:
    def __init__(self, live: AsyncIterator[bytes], lose: set[int]) -> None:
        self._live = live
        self._lose = lose

    def __aiter__(self) -> "Sieve":
        return self

    async def __anext__(self) -> bytes:
        while decode_events(data := await anext(self._live)).n in self._lose:
            pass
        return data


async def test_nothing_said_after_the_call_is_missed() -> None:
    """A feed hears from the moment it is made, although nobody has awaited it yet; what was before is not heard."""
    async with running_board("finance", "procurement") as running:
        await say(running["procurement"], "before")
        feed = running["finance"].changes()
        await say(running["procurement"], "one", "two")
        assert await take(feed, 2) == ["one", "two"]


async def test_both_audiences_and_nobody_else_s() -> None:
    """What is shared and one's own is heard; another's private changes are not."""
    async with running_board("finance", "procurement") as running, running["finance"].changes() as feed:
        await say(running["procurement"], "secret", scope="private")
        await say(running["finance"], "own", scope="private")
        await say(running["procurement"], "shared")
        assert sorted(await take(feed, 2)) == ["own", "shared"]


async def test_an_event_is_of_an_entry() -> None:
    """What was given out last is of an entry of its audience; all events of one entry are of the same, also for who goes on before it."""
    async with running_board("finance") as running, running["finance"].changes() as feed:
        begin = feed.position
        async with running["finance"].batch() as batch:
            for key in ("one", "two"):
                await batch.deposit("said", key=key, scope="shared")
        await say(running["finance"], "three", scope="private")
        entries = [(*await take(feed, 1), feed.entry) for _ in range(3)]
        first, second = (names.SHARED, 1), (names.private("finance"), 1)
        assert sorted(entries) == [("one", first), ("three", second), ("two", first)]
        async with running["finance"].changes(since=begin) as again:
            assert sorted([(*await take(again, 1), again.entry) for _ in range(3)]) == sorted(entries)


async def test_position_resumes() -> None:
    """Another feed goes on where one stopped, through a restart: nothing is missed and nothing comes twice."""
    store = MemoryStore()
    async with running_board("finance", "procurement", store=store) as running:
        feed = running["finance"].changes()
        await say(running["procurement"], "a", "b", "c")
        assert await take(feed, 2) == ["a", "b"]
        position = feed.position
    assert position == "shared=2 private=0"
    async with running_board("finance", "procurement", store=store) as running:
        await say(running["procurement"], "d")
        feed = running["finance"].changes(since=position)
        await say(running["finance"], "own", scope="private")
        await say(running["procurement"], "e")
        assert sorted(await take(feed, 4)) == ["c", "d", "e", "own"]
        assert feed.position == "shared=5 private=1"


async def test_a_position_covers_whole_entries() -> None:
    """Of an entry with several changes all are given out again, unless all were taken."""
    async with running_board("finance") as running:
        finance = running["finance"]
        feed = finance.changes()
        async with finance.batch() as batch:
            await batch.deposit("one", key="one")
            await batch.deposit("two", key="two")
        assert await take(feed, 1) == ["one"]
        assert await take(finance.changes(since=feed.position), 2) == ["one", "two"]
        assert await take(feed, 1) == ["two"]
        assert feed.position == "shared=0 private=1"


async def test_a_position_stays_within_an_entry() -> None:
    """While an entry's changes are given out it stays, whatever the other audience passes over meanwhile: it moves with the last."""
    async with running_board("finance", "procurement") as running:
        finance = running["finance"]
        feed = finance.changes(kind="fact")
        for _ in range(2):
            before = feed.position
            await running["procurement"].deposit("passed over", kind="trace", scope="shared")
            async with finance.batch() as batch:
                await batch.deposit("one", key="one")
                await batch.deposit("two", key="two")
            assert await take(feed, 1) == ["one"]
            await running["procurement"].deposit("passed over", kind="trace", scope="shared")
            async with asyncio.timeout(5):
                await feed.reach({names.SHARED: (await finance.newest())[names.SHARED]})
            assert feed.position == before
            assert await take(feed, 1) == ["two"]
            assert feed.position != before
        assert feed.position == "shared=4 private=2"


async def test_a_position_moves_over_what_is_filtered_out() -> None:
    """What a feed does not give out is behind it all the same."""
    async with running_board("finance") as running:
        feed = running["finance"].changes(key="wanted")
        await say(running["finance"], "other", "wanted", "other")
        assert await take(feed, 1) == ["wanted"]
        await feed.reach(await running["finance"].newest())
        assert feed.position == "shared=3 private=0"


@pytest.mark.parametrize("position", ["", "7", "shared=x private=1", "shared=1", "private=1 nobody=2"])
async def test_a_position_that_is_none(position: str) -> None:
    """What no feed gave as its position is refused."""
    async with running_board("finance") as running:
        with pytest.raises(BadValue, match="position"):
            running["finance"].changes(since=position)


async def test_a_position_of_another_board() -> None:
    """A position that the board has not reached is another board's: reading says so."""
    async with running_board("finance") as running:
        with pytest.raises(BadValue, match="position 7 of shared is ahead of the board"):
            await anext(running["finance"].changes(since="shared=7 private=0"))


async def test_lost_events_are_asked_for() -> None:
    """What was lost on the way shows as a gap when the next event comes, and is asked for."""
    bus = Lossy()
    bus.lose = {2, 3}
    async with running_board("finance", bus=bus) as running:
        feed = running["finance"].changes()
        await say(running["finance"], "1", "2", "3", "4")
        assert await take(feed, 4) == ["1", "2", "3", "4"]


async def test_a_lost_last_event_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last event leaves no gap when it is lost: after a silence the board is asked."""
    monkeypatch.setattr(module, "SILENCE", 0.05)
    bus = Lossy()
    bus.lose = {2}
    async with running_board("finance", bus=bus) as running:
        feed = running["finance"].changes()
        await say(running["finance"], "1", "2")
        assert await take(feed, 2) == ["1", "2"]


async def test_a_reader_that_is_stuck_slows_nobody() -> None:
    """A feed that nobody reads holds a bounded number of events; what did not fit is not lost."""
    async with running_board("finance", "procurement") as running:
        stuck = running["finance"].changes()
        item = await running["procurement"].deposit("busy", key="busy", scope="shared")
        count = 2 * (module.HELD + 1024)
        for _ in range(count):
            await running["procurement"].reinforce(item, 1.0)
        assert stuck._queue.qsize() <= module.HELD
        async with asyncio.timeout(20):
            strengths = [(await anext(stuck)).new for _ in range(count + 1)]
        assert strengths == [4.0 + number for number in range(count + 1)]


async def test_a_feed_far_behind_is_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feed that resumes can be entered although it missed more than it holds."""
    monkeypatch.setattr(module, "HELD", 2)
    async with running_board("finance") as running:
        finance = running["finance"]
        await say(finance, "a", "b", "c", "d", "e")
        async with asyncio.timeout(5), finance.changes(since="shared=0 private=0") as feed:
            assert await take(feed, 5) == ["a", "b", "c", "d", "e"]


async def test_closing_ends_the_reader() -> None:
    """Whoever waits for the next event of a feed that is closed is at the end."""
    async with running_board("finance") as running:
        feed = running["finance"].changes()

        async def read() -> list[Change]:
            return [change async for change in feed]

        reader = asyncio.create_task(read())
        await asyncio.sleep(0)
        await feed.aclose()
        assert await reader == []
        with pytest.raises(StopAsyncIteration):
            await anext(feed)


async def test_a_dead_bus_is_an_error_of_the_reader() -> None:
    """When the bus is gone for good, reading says so instead of waiting for ever."""
    with pytest.raises(Unreachable, match="log of board"):  # noqa: PT012 - the host says so, too
        async with running_board("finance") as running, running["finance"].changes() as feed:
            await running.bus.aclose()
            for _ in range(2):
                with pytest.raises(Unreachable, match="listener"):
                    await anext(feed)
