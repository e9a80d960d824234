"""What every store must do. ``test_store`` and ``test_sqlite`` run it, each on its own kind."""

from collections.abc import Callable

import pytest

from blackboard.store import MAX_DEAD_LETTERS, Archived, Batch, DeadLetter, Outgoing, Standing, Store
from bus.port import LogMessage


def entry(seq: int, agent: str = "finance") -> LogMessage:
    return LogMessage(seq, 100.0 + seq, agent, b"entry %d" % seq)


def event(n: int, seq: int, audience: str = "shared") -> Outgoing:
    return Outgoing(audience, n, seq, b"event %d" % n, b"thread")


def letter(seq: int) -> DeadLetter:
    return DeadLetter(seq, 1.0, "mallory", "BadMessage", "no message", b"\x00", "epoch", seq, 1)


class StoreContract:
    """Subclasses give a fixture ``make``: each call makes the same store anew, to be opened again."""

    @pytest.fixture
    def store(self, make: Callable[[], Store]) -> Store:
        return make()

    async def test_empty(self, store: Store) -> None:
        """A new store stands at nothing."""
        assert await store.open() == Standing()
        assert await store.untold() == []
        assert await store.bounds("shared") == (0, 0)
        await store.aclose()

    async def test_everything_comes_back(self, make: Callable[[], Store]) -> None:
        """What a batch wrote is there when the store is opened again."""
        store = make()
        await store.open()
        await store.begin(b"origin", "log-1")
        await store.commit(
            Batch(
                cursor=3,
                journal=(entry(1), entry(3)),
                marks={("finance", "e1"): 2},
                events=(event(1, 1), event(1, 3, "private.finance")),
                dead=(letter(2),),
                archived=(Archived("i1", 3, b"item"),),
            )
        )
        await store.aclose()

        store = make()
        assert await store.open() == Standing(origin=b"origin", log="log-1", cursor=3, marks={("finance", "e1"): 2})
        assert await store.journal(0) == [entry(1), entry(3)]
        assert await store.journal(0, limit=1) == [entry(1)]
        assert await store.journal(1) == [entry(3)]
        assert await store.dead_letters() == [letter(2)]
        assert await store.archived("i1") == Archived("i1", 3, b"item")
        assert await store.archived("i2") is None
        await store.aclose()

    async def test_events(self, store: Store) -> None:
        """Events are found by audience and number, and by their entry; they are counted from an entry on."""
        await store.open()
        await store.commit(Batch(cursor=1, events=(event(1, 1), event(1, 1, "private.finance"))))
        await store.commit(Batch(cursor=2, events=(event(2, 2), event(3, 2))))
        assert await store.events("shared", 1, 10) == [event(2, 2), event(3, 2)]
        assert await store.events("shared", 0, 1) == [event(1, 1)]
        assert await store.bounds("shared") == (1, 3)
        assert await store.event_at(1) == [event(1, 1), event(1, 1, "private.finance")]
        assert await store.event_at(9) == []
        assert await store.tally(0) == {"shared": 3, "private.finance": 1}
        assert await store.tally(1) == {"shared": 2}
        await store.aclose()

    async def test_untold(self, store: Store) -> None:
        """Events are untold until a batch says up to which number their audience was told."""
        await store.open()
        await store.commit(Batch(cursor=2, events=(event(1, 1), event(1, 2, "private.a"), event(2, 2))))
        assert await store.untold() == [event(1, 1), event(1, 2, "private.a"), event(2, 2)]
        await store.commit(Batch(cursor=2, told={"shared": 1}))
        assert await store.untold() == [event(1, 2, "private.a"), event(2, 2)]
        await store.commit(Batch(cursor=2, told={"shared": 2, "private.a": 1}))
        assert await store.untold() == []
        await store.aclose()

    async def test_checkpoint(self, make: Callable[[], Store]) -> None:
        """A checkpoint lays its pages over those before it; an empty page is gone."""
        store = make()
        await store.open()
        await store.commit(Batch(cursor=9))
        await store.checkpoint(5, {"a": b"1", "b": b"2"})
        await store.checkpoint(9, {"a": b"3", "b": b"", "c": b"4", "d": b""})
        await store.aclose()
        store = make()
        standing = await store.open()
        assert (standing.checkpoint, standing.pages) == (9, {"a": b"3", "c": b"4"})
        await store.aclose()

    async def test_dead_letters_are_bounded(self, store: Store) -> None:
        """The newest dead letters are kept, and the oldest go."""
        await store.open()
        for first in range(0, MAX_DEAD_LETTERS + 2000, 2000):
            await store.commit(Batch(cursor=first, dead=tuple(letter(seq) for seq in range(first, first + 2000))))
        kept = await store.dead_letters(limit=MAX_DEAD_LETTERS * 2)
        assert len(kept) == MAX_DEAD_LETTERS
        assert (kept[0].seq, kept[-1].seq) == (MAX_DEAD_LETTERS + 1999, 2000)
        await store.aclose()

    async def test_closing_twice(self, store: Store) -> None:
        """Closing a store twice is harmless."""
        await store.open()
        await store.aclose()
        await store.aclose()
