"""What every store must do. ``test_store`` and ``test_sqlite`` run it, each on its own kind."""

from collections.abc import Callable
from math import inf

import pytest
from msgspec.structs import replace

from blackboard.archive import Unwritten
from blackboard.limits import Debt
from blackboard.store import CUTS_KEPT, MAX_DEAD_LETTERS, Batch, Cut, DeadLetter, Extent, Outgoing, Standing, Store
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
                debts={"finance": Debt(2.5, 99.5)},
                events=(event(1, 1), event(1, 3, "private.finance")),
                dead=(letter(2),),
                archive=Unwritten({1: b"item"}),
            )
        )
        await store.aclose()

        store = make()
        assert await store.open() == Standing(
            origin=b"origin", log="log-1", cursor=3, marks={("finance", "e1"): 2}, debts={"finance": Debt(2.5, 99.5)}
        )
        assert await store.journal(0) == [entry(1), entry(3)]
        assert await store.journal(0, limit=1) == [entry(1)]
        assert await store.journal(1) == [entry(3)]
        assert await store.dead_letters() == [letter(2)]
        assert store.said([1, 2]) == {1: b"item"}
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

    async def test_told_before(self, store: Store) -> None:
        """What came of the entries before one can be noted as told; what is known to be told further stays so."""
        await store.open()
        events = (event(1, 1), event(1, 2, "private.a"), event(2, 2), event(3, 3))
        await store.commit(Batch(3, 0.0, tuple(entry(n) for n in (1, 2, 3)), events=events))
        await store.note_told_before(1)
        assert await store.untold_from() == {"shared": 1, "private.a": 2}
        await store.note_told_before(3)
        assert await store.untold_from() == {"shared": 3}
        await store.note_told_before(2)
        assert await store.untold_from() == {"shared": 3}

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
        """Of each agent the newest dead letters are kept, and the oldest go; how many there were is known."""
        await store.open()
        other = replace(letter(0), agent="finance", code="TooFast")
        await store.commit(Batch(cursor=0, dead=(other,)))
        for first in range(0, MAX_DEAD_LETTERS + 500, 500):
            await store.commit(Batch(cursor=first, dead=tuple(letter(seq) for seq in range(first, first + 500))))
        kept = await store.dead_letters(limit=MAX_DEAD_LETTERS * 2)
        assert len(kept) == MAX_DEAD_LETTERS + 1
        assert (kept[0].seq, kept[-2].seq, kept[-1]) == (MAX_DEAD_LETTERS + 499, 500, other)
        assert await store.dead_letters(agent="finance") == [other]
        assert await store.set_aside() == {"BadMessage": MAX_DEAD_LETTERS + 500, "TooFast": 1}
        await store.aclose()

    async def test_cut(self, make: Callable[[], Store]) -> None:
        """A cut makes the checkpoint the origin: the journal begins behind it, and a checkpoint that is lost falls back to it."""
        store = make()
        await store.open()
        for seq in range(1, 5):
            await store.commit(Batch(cursor=seq, journal=(entry(seq),), events=(event(seq, seq),), told={"shared": seq}))
        assert await store.extent() == Extent(4, 4 * len(b"entry 1"), 101.0)
        await store.checkpoint(3, {"a": b"at 3", "b": b"too"})
        await store.cut(Cut(3, stamp=1000.0))
        await store.checkpoint(4, {"a": b"at 4"})
        assert await store.extent() == Extent(1, len(b"entry 4"), 104.0)
        await store.aclose()
        store = make()
        standing = await store.open()
        assert (standing.base, standing.checkpoint, standing.pages) == (3, 4, {"a": b"at 4", "b": b"too"})
        assert await store.journal(0) == [entry(4)]
        assert await store.revert() == (3, {"a": b"at 3", "b": b"too"})
        await store.aclose()

    async def test_events_outlive_cuts(self, store: Store) -> None:
        """Events go with a cut that is old, or of which there were two since; an audience's last number stays known."""
        await store.open()
        for seq in range(1, 6):
            await store.commit(Batch(cursor=seq, events=(event(seq, seq),)))
            await store.checkpoint(seq, {})
            await store.cut(Cut(seq, stamp=float(seq), told={"shared": seq}))
            assert await store.bounds("shared") == (max(1, seq - CUTS_KEPT + 1), seq)
        await store.cut(Cut(5, stamp=9.0, events_before=4.0))
        assert await store.bounds("shared") == (5, 5)
        await store.cut(Cut(5, stamp=9.0, events_before=9.0))
        assert await store.bounds("shared") == (6, 5)
        assert await store.untold() == []
        await store.aclose()

    async def test_watermarks_are_in_the_order_in_which_they_were_heard(self, make: Callable[[], Store]) -> None:
        """Also within a batch; and those that are forgotten go, unless they were heard again since."""
        store = make()
        await store.open()
        await store.commit(Batch(1, marks={("a", "z"): 1, ("a", "y"): 1, ("b", "x"): 1}))
        await store.commit(Batch(2, marks={("a", "w"): 1, ("a", "z"): 2}))
        await store.commit(Batch(9, marks={("b", "x"): 1, ("a", "v"): 7}, forgotten=(("a", "y"), ("b", "x"))))
        await store.aclose()
        store = make()
        assert list((await store.open()).marks.items()) == [(("a", "w"), 1), (("a", "z"), 2), (("b", "x"), 1), (("a", "v"), 7)]
        await store.aclose()

    async def test_what_is_erased_is_owed_a_cut(self, make: Callable[[], Store]) -> None:
        """From the batch that erases until it is scrubbed a cut is owed; dead letters keep their reasons alone."""
        store = make()
        await store.open()
        await store.commit(Batch(1, archive=Unwritten({1: b"item", 2: b"item"}), dead=(letter(1),)))
        await store.commit(Batch(2, archive=Unwritten(left=[1]), erases=True))
        await store.aclose()
        store = make()
        assert (await store.open()).erasing == 2
        await store.checkpoint(2, {})
        await store.cut(Cut(2, 1.0, events_before=inf))
        assert await store.scrub(2)
        assert store.said([1, 2]) == {2: b"item"}
        assert await store.dead_letters() == [replace(letter(1), head=b"")]
        await store.aclose()
        store = make()
        assert (await store.open()).erasing == 0
        await store.aclose()

    async def test_what_was_set_aside_of_an_agent_goes_at_once(self, make: Callable[[], Store]) -> None:
        """With the batch that leaves nothing private of it, and what comes with that batch stays, as others' does."""
        store = make()
        await store.open()
        theirs = replace(letter(2), agent="another")
        await store.commit(Batch(2, dead=(letter(1), theirs)))
        await store.commit(Batch(3, dead=(letter(3),), bereft=frozenset({letter(1).agent})))
        assert await store.dead_letters() == [letter(3), theirs]
        await store.aclose()

    async def test_what_left_the_archive_goes_with_a_cut(self, store: Store) -> None:
        """With one that goes past that, and not where it was put in again meanwhile; what never was there may leave."""
        await store.open()
        await store.commit(Batch(1, archive=Unwritten({1: b"one", 2: b"two", 3: b"three", 4: b"four"})))
        await store.commit(Batch(2, archive=Unwritten(left=[1, 2, 9])))
        await store.commit(Batch(3, archive=Unwritten({2: b"two", 5: b"five"}, left=[3])))
        assert sorted(store.said(range(10))) == [1, 2, 3, 4, 5]
        await store.checkpoint(2, {})
        await store.cut(Cut(2, 1.0))
        assert store.said(range(10)) == {2: b"two", 3: b"three", 4: b"four", 5: b"five"}
        await store.checkpoint(3, {})
        await store.cut(Cut(3, 1.0))
        assert sorted(store.said(range(10))) == [2, 4, 5]
        assert store.said([]) == {}
        await store.aclose()

    async def test_analyses(self, make: Callable[[], Store]) -> None:
        """Those that came are found, those that left are not, from then on and when the store is opened again."""
        store = make()
        await store.open()
        assert store.analysed([1]) == {}
        await store.commit(Batch(5))
        await store.keep_analyses(3, Unwritten({1: b"one", 2: b"two"}))
        await store.keep_analyses(5, Unwritten({2: b"2", 3: b"three"}, left=[1, 9]))
        assert store.analysed(range(10)) == {2: b"2", 3: b"three"}
        await store.checkpoint(5, {})
        await store.aclose()
        store = make()
        await store.open()
        assert store.analysed([1, 2, 4]) == {2: b"2"}
        await store.aclose()

    @pytest.mark.parametrize(("kept", "checkpoint", "there"), [(3, 3, True), (5, 3, True), (3, 4, False), (6, 4, False)])
    async def test_analyses_of_another_time(self, make: Callable[[], Store], kept: int, checkpoint: int, there: bool) -> None:
        """None is taken up that is from before the checkpoint (who knows what has left since?), or from after the journal's end."""
        store = make()
        await store.open()
        await store.commit(Batch(5))
        await store.keep_analyses(kept, Unwritten({1: b"one"}))
        await store.checkpoint(checkpoint, {})
        await store.aclose()
        store = make()
        await store.open()
        assert store.analysed([1]) == ({1: b"one"} if there else {})
        await store.keep_analyses(5, Unwritten({2: b"two"}))
        assert store.analysed([2]) == {2: b"two"}
        await store.aclose()

    async def test_closing_twice(self, store: Store) -> None:
        """Closing a store twice is harmless."""
        await store.open()
        await store.aclose()
        await store.aclose()
