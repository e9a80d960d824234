"""What every bus promises: one suite, run on each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bus.errors import LogMismatch, NoAnswer, TooLarge, Unreachable
from bus.names import SHARED, private
from bus.port import LEASE, MAX_BYTES, Bus, LogMessage

BOARD = "procurement"
WITHIN = 10.0


class Host:
    """Reads a board's log and commits what it has read, as a board does."""

    def __init__(self) -> None:
        self.identity = ""
        self.end = -1
        self.read: list[LogMessage] = []
        self._more = asyncio.Condition()

    async def wait_for(self, count: int) -> list[LogMessage]:
        """The messages, once there are so many."""
        async with asyncio.timeout(WITHIN), self._more:
            await self._more.wait_for(lambda: len(self.read) >= count)
        return self.read

    async def took(self, messages: list[LogMessage]) -> None:
        async with self._more:
            self.read += messages
            self._more.notify_all()


@asynccontextmanager
async def hosting(bus: Bus, *, after: int = 0, identity: str | None = None, limit: int = 64) -> AsyncIterator[Host]:
    log = await bus.open_log(BOARD, after=after, identity=identity)
    host = Host()
    host.identity, host.end = log.identity, log.end

    async def read() -> None:
        while True:
            messages = await log.read(limit)
            await host.took(messages)
            await log.committed(messages[-1].seq)

    reading = asyncio.create_task(read())
    try:
        yield host
    finally:
        reading.cancel()
        await asyncio.wait({reading})
        await log.aclose()


async def take(heard: AsyncIterator[bytes], count: int) -> list[bytes]:
    async with asyncio.timeout(WITHIN):
        return [await anext(heard) for _ in range(count)]


async def each(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


class BusContract:
    """Subclasses give a fixture ``bus``."""

    async def test_log_has_one_order(self, bus: Bus) -> None:
        """Entries are numbered from 1 without a gap, stamped in order, and bear the name of the channel they came in on."""
        async with hosting(bus) as host:
            said = [("finance", b"one"), ("schedule", b"two"), ("finance", b"")]
            numbers = [await bus.publish(BOARD, agent, data) for agent, data in said]
            read = await host.wait_for(3)
            assert host.end == 0
        assert numbers == [m.seq for m in read] == [1, 2, 3]
        assert [(m.agent, m.data) for m in read] == said
        assert [m.stamp for m in read] == sorted(m.stamp for m in read)

    async def test_what_a_post_came_of(self, bus: Bus) -> None:
        """A trace goes with its post, as it was given; a post without one has none."""
        async with hosting(bus) as host:
            await bus.publish(BOARD, "finance", b"one", trace="00-" + "1" * 32 + "-" + "2" * 16 + "-01")
            await bus.publish(BOARD, "finance", b"two")
            read = await host.wait_for(2)
        assert [m.trace for m in read] == ["00-" + "1" * 32 + "-" + "2" * 16 + "-01", ""]

    async def test_many_publish_at_once(self, bus: Bus) -> None:
        """A hundred concurrent publishers each get the number under which their message stands."""
        async with hosting(bus, limit=7) as host:
            numbers = await asyncio.gather(*(bus.publish(BOARD, "finance", b"%d" % i) for i in range(100)))
            read = await host.wait_for(100)
        assert {m.seq: m.data for m in read} == {number: b"%d" % i for i, number in enumerate(numbers)}
        assert [m.seq for m in read] == list(range(1, 101))

    async def test_reads_no_more_than_asked(self, bus: Bus) -> None:
        """``read`` gives what is there, at most ``limit``, and the rest the next time."""
        log = await bus.open_log(BOARD, after=0)
        publishing = asyncio.gather(*(bus.publish(BOARD, "finance", b"x") for _ in range(5)))
        read: list[int] = []
        async with asyncio.timeout(WITHIN):
            while len(read) < 5:
                messages = await log.read(2)
                assert 1 <= len(messages) <= 2
                read += [m.seq for m in messages]
                await log.committed(read[-1])
            await publishing
        assert read == [1, 2, 3, 4, 5]
        await log.aclose()

    async def test_goes_on_from_the_readers_cursor(self, bus: Bus) -> None:
        """A log that is opened again after entry n goes on with n + 1, under the same identity."""
        async with hosting(bus) as host:
            await bus.publish(BOARD, "finance", b"one")
            await bus.publish(BOARD, "finance", b"two")
            identity = host.identity
        async with hosting(bus, after=2, identity=identity) as host:
            assert host.end == 2
            assert await bus.publish(BOARD, "finance", b"three") == 3
            assert [m.data for m in await host.wait_for(1)] == [b"three"]

    async def test_says_what_it_was_made_with(self, bus: Bus) -> None:
        """A log that is made keeps what it is made with; where nothing was said there is nothing."""
        for board, origin in (("one", '{"time": "wall"}'), ("other", "")):
            log = await bus.open_log(board, after=0, origin=origin)
            assert log.origin == origin
            await log.aclose()

    async def test_refuses_another_log(self, bus: Bus) -> None:
        """A log whose identity is not the one that was read so far is refused, naming both."""
        with pytest.raises(LogMismatch, match="1999"):
            await bus.open_log(BOARD, after=0, identity="1999-12-31T23:59:59Z")

    async def test_refuses_what_is_too_large(self, bus: Bus) -> None:
        """A message above the limit is refused with both sizes, and one at the limit arrives."""
        async with hosting(bus) as host:
            with pytest.raises(TooLarge, match=r"1,000,001 bytes .* 1,000,000"):
                await bus.publish(BOARD, "finance", b"x" * (MAX_BYTES + 1))
            await bus.publish(BOARD, "finance", b"x" * MAX_BYTES)
            assert len((await host.wait_for(1))[0].data) == MAX_BYTES

    async def test_answers_with_the_askers_name(self, bus: Bus) -> None:
        """A query is answered, many at a time, and the board learns from the channel who asks."""
        together = asyncio.Barrier(10)

        async def answering(agent: str, data: bytes) -> bytes:
            await together.wait()
            return agent.encode() + b":" + data

        async with bus.answer(BOARD, answering):
            answers = await asyncio.gather(*(bus.ask(BOARD, f"agent{i}", b"%d" % i) for i in range(10)))
        assert answers == [b"agent%d:%d" % (i, i) for i in range(10)]

    async def test_a_failing_answer_stops_nobody(self, bus: Bus) -> None:
        """An answer that fails is told as ``NoAnswer`` at once, without its text, and the next query is answered."""

        async def answering(agent: str, data: bytes) -> bytes:
            if data == b"bad":
                raise RuntimeError("private content")
            return data

        async with bus.answer(BOARD, answering):
            with pytest.raises(NoAnswer, match="RuntimeError") as failure:
                await bus.ask(BOARD, "finance", b"bad")
            assert "private content" not in str(failure.value)
            assert await bus.ask(BOARD, "finance", b"good") == b"good"

    async def test_nobody_serves(self, bus: Bus) -> None:
        """A query to a board that nobody serves fails long before its time is over, naming the board."""
        async with asyncio.timeout(WITHIN):
            with pytest.raises(NoAnswer, match=f"nobody serves board '{BOARD}'"):
                await bus.ask(BOARD, "finance", b"?", timeout=60)

    async def test_an_answer_that_does_not_come(self, bus: Bus) -> None:
        """A query without a reply in time says how long it waited."""

        async def answering(agent: str, data: bytes) -> bytes:
            await asyncio.Event().wait()
            return b""

        async with bus.answer(BOARD, answering):
            with pytest.raises(NoAnswer, match=r"within 0.05 s"):
                await bus.ask(BOARD, "finance", b"?", timeout=0.05)

    async def test_one_leads(self, bus: Bus) -> None:
        """Of two hosts the first to claim leads, also when both go on claiming; one that asks again under its name still does."""
        assert (await bus.claim(BOARD, "one")).leader == "one"
        assert (await bus.claim(BOARD, "two")).leader == "one"
        leader, seconds = await bus.claim(BOARD, "one")
        assert leader == "one"
        assert seconds >= LEASE
        assert (await bus.claim("another", "two")).leader == "two"

    async def test_many_claim_at_once(self, bus: Bus) -> None:
        """Of many that claim at once all are told one and the same leader, and nothing else stands there."""
        claims = await asyncio.gather(*(bus.claim(BOARD, f"host{i}") for i in range(10)))
        assert {claim.leader for claim in claims} == {(await bus.claim(BOARD, "late")).leader}

    async def test_resigns(self, bus: Bus) -> None:
        """Who resigns is followed by whoever claims next, or by whom it names; who does not lead changes nothing."""
        await bus.resign(BOARD, "nobody")
        await bus.claim(BOARD, "one")
        await bus.resign(BOARD, "two", "two")
        assert (await bus.claim(BOARD, "two")).leader == "one"
        await bus.resign(BOARD, "one", "three")
        assert (await bus.claim(BOARD, "two")).leader == "three"
        assert (await bus.claim(BOARD, "three")).leader == "three"
        await bus.resign(BOARD, "three")
        assert (await bus.claim(BOARD, "two")).leader == "two"

    async def test_hosts_hear_each_other(self, bus: Bus) -> None:
        """What a host lets others hear is heard by every host of that board, itself included, and by no other board's."""
        async with bus.beats(BOARD) as one, bus.beats(BOARD) as two, bus.beats("another") as other:
            await bus.beat("another", b"elsewhere")
            await bus.beat(BOARD, b"here")
            assert await take(one, 1) == await take(two, 1) == [b"here"]
            assert await take(other, 1) == [b"elsewhere"]

    async def test_knows_what_was_told(self, bus: Bus) -> None:
        """The number of an audience's last event is known, whoever told it; 0 where nothing was."""
        async with hosting(bus):
            assert await bus.told(BOARD, SHARED) == 0
            await bus.emit(BOARD, SHARED, 1, b"one", b"two")
            assert await bus.told(BOARD, SHARED) == 2
            assert await bus.told(BOARD, private("finance")) == 0

    async def test_where_a_log_ends(self, bus: Bus) -> None:
        """A log that nobody made has no stretch; one that is there says its identity and its last entry."""
        assert await bus.stretch(BOARD) is None
        log = await bus.open_log(BOARD, after=0)
        assert await log.latest() == 0
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(bus.publish(BOARD, "finance", b"x"))
            [message] = await log.read()
            await log.committed(message.seq)
        stretch = await bus.stretch(BOARD)
        assert stretch is not None
        assert (stretch.identity, stretch.last) == (log.identity, 1)
        assert await log.latest() == 1
        await log.aclose()

    async def test_a_snapshot(self, bus: Bus) -> None:
        """A snapshot is given back as it was put, the last one in the place of those before; one that is dropped is gone."""
        assert await bus.snapshot(BOARD) is None
        await bus.drop_snapshot(BOARD)
        large = [bytes([n]) * (128 * 1024) for n in range(9)] + [b"end"]
        for about, chunks in (("first", [b"a"]), ("empty", []), ("second", large)):
            await bus.put_snapshot(BOARD, about, each(chunks))
            found = await bus.snapshot(BOARD)
            assert found is not None
            assert found.about == about
            assert [chunk async for chunk in found.chunks] == chunks
        assert await bus.snapshot("another") is None
        await bus.drop_snapshot(BOARD)
        assert await bus.snapshot(BOARD) is None

    async def test_stops_answering_with_the_context(self, bus: Bus) -> None:
        """After the context nobody answers, and another may."""
        async with bus.answer(BOARD, lambda _agent, _data: asyncio.sleep(0, b"first")):
            assert await bus.ask(BOARD, "finance", b"?") == b"first"
        with pytest.raises(NoAnswer):
            await bus.ask(BOARD, "finance", b"?")
        async with bus.answer(BOARD, lambda _agent, _data: asyncio.sleep(0, b"second")):
            assert await bus.ask(BOARD, "finance", b"?") == b"second"

    async def test_hears_its_audience_alone(self, bus: Bus) -> None:
        """A listener hears its own audience's events, in order, and no other's."""
        async with hosting(bus), bus.listen(BOARD, SHARED) as shared, bus.listen(BOARD, private("finance")) as own:
            await bus.emit(BOARD, private("schedule"), 1, b"schedule 1")
            await bus.emit(BOARD, private("finance"), 1, b"finance 1")
            await bus.emit(BOARD, SHARED, 1, b"shared 1")
            await bus.emit(BOARD, SHARED, 2, b"shared 2")
            assert await take(shared, 2) == [b"shared 1", b"shared 2"]
            assert await take(own, 1) == [b"finance 1"]

    async def test_every_listener_hears(self, bus: Bus) -> None:
        """Two listeners of one audience each hear all of it."""
        async with hosting(bus), bus.listen(BOARD, SHARED) as one, bus.listen(BOARD, SHARED) as two:
            await bus.emit(BOARD, SHARED, 1, b"event")
            assert await take(one, 1) == await take(two, 1) == [b"event"]

    async def test_many_begin_to_listen_at_once(self, bus: Bus) -> None:
        """Listeners of one audience may come and go at the same time."""

        async def listen() -> list[bytes]:
            async with bus.listen(BOARD, SHARED) as heard:
                await ready.wait()
                return await take(heard, 1)

        ready = asyncio.Barrier(6)
        async with hosting(bus):
            listening = asyncio.gather(*(listen() for _ in range(5)))
            async with asyncio.timeout(WITHIN):
                await ready.wait()
            await bus.emit(BOARD, SHARED, 1, b"event")
            assert await listening == [[b"event"]] * 5

    async def test_telling_again_is_harmless(self, bus: Bus) -> None:
        """An event told again is not heard again."""
        async with hosting(bus), bus.listen(BOARD, SHARED) as heard:
            await bus.emit(BOARD, SHARED, 1, b"one")
            await bus.emit(BOARD, SHARED, 2, b"two")
            await bus.emit(BOARD, SHARED, 1, b"one")
            await bus.emit(BOARD, SHARED, 3, b"three")
            assert await take(heard, 3) == [b"one", b"two", b"three"]

    async def test_tells_many_at_once(self, bus: Bus) -> None:
        """Events told together are heard one by one, in order; of those that were told before, none is heard again."""
        large = [b"%d" % n * (MAX_BYTES // 3) for n in range(4, 9)]  # no message carries them all
        async with hosting(bus), bus.listen(BOARD, SHARED) as heard:
            await bus.emit(BOARD, SHARED, 1, b"one", b"two")
            await bus.emit(BOARD, SHARED, 2, b"two", b"three")
            await bus.emit(BOARD, SHARED, 4, *large)
            assert await take(heard, 8) == [b"one", b"two", b"three", *large]

    async def test_a_slow_listener_slows_nobody(self, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
        """A listener that does not listen loses the oldest; the board and the other listeners go on."""
        monkeypatch.setattr("bus.mailbox.SIZE", 4)
        async with hosting(bus), bus.listen(BOARD, SHARED) as slow, bus.listen(BOARD, SHARED) as quick:
            for n in range(1, 11):
                await bus.emit(BOARD, SHARED, n, b"%d" % n)
                assert await take(quick, 1) == [b"%d" % n]
            assert await take(slow, 4) == [b"7", b"8", b"9", b"10"]

    async def test_a_closed_log_ends_its_reader(self, bus: Bus) -> None:
        """Whoever waits for a log's next entry when it is closed gets ``Unreachable``."""
        log = await bus.open_log(BOARD, after=0)
        reading = asyncio.create_task(log.read())
        await asyncio.sleep(0)
        await log.aclose()
        async with asyncio.timeout(WITHIN):
            with pytest.raises(Unreachable, match=r"open (it|the log) again"):
                await reading

    async def test_the_end_reaches_everyone(self, bus: Bus) -> None:
        """Closing the bus ends whoever reads, listens or publishes with ``Unreachable``; closing it again does nothing."""
        log = await bus.open_log(BOARD, after=0)
        async with bus.listen(BOARD, SHARED) as heard:
            reading, hearing = asyncio.create_task(log.read()), asyncio.ensure_future(anext(heard))
            await asyncio.sleep(0)
            await bus.aclose()
            async with asyncio.timeout(WITHIN):
                for waiting in (reading, hearing):
                    with pytest.raises(Unreachable):
                        await waiting
                with pytest.raises(Unreachable):
                    await bus.publish(BOARD, "finance", b"x")
                with pytest.raises(Unreachable):
                    await bus.ask(BOARD, "finance", b"x")
        await log.aclose()
        await bus.aclose()

    async def test_cut(self, bus: Bus) -> None:
        """What the host has stored itself may be cut off: reading and telling go on, and a new reader begins behind it."""
        async with hosting(bus) as host, bus.listen(BOARD, SHARED) as heard:
            await bus.publish(BOARD, "finance", b"one")
            await bus.emit(BOARD, SHARED, 1, b"event 1")
            await host.wait_for(1)
            assert (await bus.cut_log(BOARD, 1)).left == 0
            assert (await bus.cut_events(BOARD)).left == 0
            assert await bus.publish(BOARD, "finance", b"two") == 2
            await bus.emit(BOARD, SHARED, 2, b"event 2")
            assert await take(heard, 2) == [b"event 1", b"event 2"]
            assert [m.data for m in await host.wait_for(2)] == [b"one", b"two"]
            identity = host.identity
        async with hosting(bus, after=2, identity=identity) as host:
            assert await bus.publish(BOARD, "finance", b"three") == 3
            assert [m.data for m in await host.wait_for(1)] == [b"three"]

    async def test_boards_are_apart(self, bus: Bus) -> None:
        """What goes to one board is not in another's log."""
        async with hosting(bus) as host:
            other = await bus.open_log("other", after=0)
            publishing = asyncio.create_task(bus.publish("other", "finance", b"theirs"))
            async with asyncio.timeout(WITHIN):
                assert [(m.seq, m.data) for m in await other.read()] == [(1, b"theirs")]
                await other.committed(1)
                await publishing
            await bus.publish(BOARD, "finance", b"ours")
            assert [(m.seq, m.data) for m in await host.wait_for(1)] == [(1, b"ours")]
            await other.aclose()
