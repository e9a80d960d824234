"""blackboard.applying: an entry on which the board fails, by a fault of its own, stops nothing and is in nothing that is kept."""

import asyncio
import contextlib
from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest

from blackboard import applying, housekeeping
from blackboard.board import Board as PureBoard
from blackboard.clock import ManualClock, SystemClock
from blackboard.entry import Entry
from blackboard.errors import Damaged, StoreError
from blackboard.intake import entry_of
from blackboard.outcome import Addressed
from blackboard.replaying import verify
from blackboard.service import Service
from blackboard.sqlite import SqliteStore
from blackboard.store import MemoryStore
from bus.errors import Unreachable
from bus.memory import MemoryBus
from bus.messages import Applied, Counted, Deposit, Stats, UpTo, decode_post
from bus.nats import NatsBus
from bus.server import running_server
from tests.blackboard.hosting import CAT, Held, ask, host, killed, post, state

POISON, SECRET = "what no board expects", "what procurement keeps to itself"


class Fault:
    """A fault of the board's: it fails on what says ``POISON``, ``times`` times, after it has done all of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.times: float = inf
        self.error = error or KeyError(SECRET)
        self.failed: list[int] = []
        self.then: Callable[[], None] = lambda: None
        apply = PureBoard.apply

        def applying(board: PureBoard, entry: Entry) -> list[Addressed]:
            did = apply(board, entry)
            if len(self.failed) < self.times and any(isinstance(each, Deposit) and each.content == POISON for each in entry.units[0]):
                self.failed.append(entry.seq)
                self.then()
                raise type(self.error)(*self.error.args)
            return did

        monkeypatch.setattr(PureBoard, "apply", applying)


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Fault:
    return Fault(monkeypatch)


def poison(number: int, epoch: str = "e") -> bytes:
    return post(number, Deposit(POISON, scope="shared"), epoch=epoch)


async def reached(service: Service, seq: int) -> None:
    """Wait until an entry is stored, in whichever life: each has a progress of its own."""
    while service._progress.cursor < seq:
        await service._progress.step_or(0.05)


async def test_it_is_set_aside(fault: Fault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What comes with it in one batch counts once, whoever said it; nothing of it is in the state, whenever that is written."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 1)
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with host(store, bus=bus) as service, asyncio.timeout(10):
        posts = [("finance", post(1, CAT)), ("finance", post(2, CAT)), ("mallory", poison(1)), ("mallory", post(2, CAT))]
        posts.append(("finance", post(3, CAT)))
        assert await asyncio.gather(*(bus.publish("board", agent, data) for agent, data in posts)) == [1, 2, 3, 4, 5]
        assert fault.failed == [3, 3]
        assert [message.seq for message in await store.journal(0)] == [1, 2, 4, 5]
        [letter] = await store.dead_letters()
        assert (letter.seq, letter.agent, letter.code, letter.epoch, letter.post) == (3, "mallory", "Poison", "e", 1)
        assert SECRET not in letter.error
        reply = await ask(bus, "mallory", Applied(), epoch="e", seq=2)
        assert isinstance(reply, UpTo)
        assert [(each.code, each.seq) for each in reply.refusals] == [("Poison", 1)]
        was, image = state(service), killed(store)
    without = PureBoard(service.board.config)
    for message in await store.journal(0):
        without.apply(entry_of(message, decode_post(message.data)))
    assert without.snapshot(full=True) == was
    for kept in (image, store):
        async with host(kept) as service:
            assert state(service) == was
    assert caplog.text.count("Traceback") == 2


async def test_no_checkpoint_is_taken_of_it(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not of one that is due at that very moment."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 1)
    bus, store = MemoryBus(ManualClock().now), Held()
    async with host(store, bus=bus), asyncio.timeout(10):
        publishing = [asyncio.create_task(bus.publish("board", "finance", post(1, CAT)))]
        await store.asked.wait()
        publishing.append(asyncio.create_task(bus.publish("board", "finance", poison(2))))
        await asyncio.sleep(0)  # until it is in the log
        store.let.set()
        await asyncio.gather(*publishing)
        reply = await ask(bus, "finance", Stats())
        assert isinstance(reply, Counted)
        assert reply.stats.items == 1


async def test_closed_at_that_moment(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is closed when an entry fails writes nothing of it: whoever opens it next finds what was stored."""
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with host(store, bus=bus) as service, asyncio.timeout(10):
        await bus.publish("board", "finance", post(1, CAT))
        was = state(service)
        fault.then = service._end
        with pytest.raises(Unreachable):
            await bus.publish("board", "finance", poison(2))
    fault.times = 0
    async with host(store) as service:
        assert state(service) == was


async def test_by_chance(fault: Fault) -> None:
    """What fails once is tried on a board that was put up anew: if that takes it, it counts, once."""
    fault.times = 1
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with host(store, bus=bus), asyncio.timeout(10):
        for number, data in enumerate((post(1, CAT), poison(2), post(3, CAT)), 1):
            assert await bus.publish("board", "finance", data) == number
        assert [message.seq for message in await store.journal(0)] == [1, 2, 3]
        assert await store.dead_letters() == []


async def test_a_replay_knows_nothing_of_it(fault: Fault, tmp_path: Path) -> None:
    """The journal holds what was applied, so a replay gives what stands, also on a board that has the fault no more."""
    bus, store = MemoryBus(ManualClock().now), SqliteStore(tmp_path / "board.db")
    async with host(store, bus=bus), asyncio.timeout(10):
        for number, data in enumerate((post(1, CAT), poison(2), post(3, CAT)), 1):
            assert await bus.publish("board", "finance", data) == number
    for fault.times in (inf, 0):
        verified = verify(tmp_path / "board.db")
        assert (verified.entries, verified.differ) == (2, ())


async def test_in_the_first_log_that_it_reads(fault: Fault, tmp_path: Path) -> None:
    """A host that finds it in the log when it comes gets past it before it is open; one that comes later decides alike, to the byte."""
    async with running_server(tmp_path / "nats") as server, asyncio.timeout(30):
        agent = await NatsBus.connect(server.url)
        boards, letters = [], []
        for name in ("one", "two"):
            bus, store = await NatsBus.connect(server.url), MemoryStore()
            async with Service("board", bus, store, SystemClock(), host=name) as service:
                if name == "one":
                    for number, data in enumerate((post(1, CAT), poison(2), post(3, CAT), poison(4), post(5, CAT)), 1):
                        assert await agent.publish("board", "finance", data) == number
                await reached(service, 5)
                boards.append(service.board.spelt_out())
                letters.append(await store.dead_letters())
            await bus.aclose()
        await agent.aclose()
    assert boards[0] == boards[1]
    assert letters[0] == letters[1]
    assert [letter.seq for letter in letters[0]] == [4, 2]
    assert sorted(fault.failed) == [2, 2, 2, 2, 4, 4, 4, 4]


async def test_a_standby_decides_alike(fault: Fault, tmp_path: Path) -> None:
    """Leader and standby come past it, each by itself, and are the same, state and what was set aside."""
    async with running_server(tmp_path / "nats") as server, contextlib.AsyncExitStack() as stack, asyncio.timeout(30):
        services, stores = [], []
        for name in ("one", "two"):
            bus = await NatsBus.connect(server.url)
            stack.push_async_callback(bus.aclose)
            stores.append(MemoryStore())
            services.append(await stack.enter_async_context(Service("board", bus, stores[-1], SystemClock(), host=name)))
        agent = await NatsBus.connect(server.url)
        stack.push_async_callback(agent.aclose)
        for number, data in enumerate((post(1, CAT), poison(2), post(3, CAT)), 1):
            assert await agent.publish("board", "finance", data) == number
        for service in services:
            await reached(service, 3)
        assert services[0].board.spelt_out() == services[1].board.spelt_out()
        assert await stores[0].dead_letters() == await stores[1].dead_letters() != []


async def test_nothing_but_poison(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where entry after entry fails, the board is at fault: it stops, and says so. What is applied between them proves that it is not."""
    monkeypatch.setattr(applying, "POISON_IN_A_ROW", 3)
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    with pytest.raises(StoreError, match="has failed on 3 entries in a row, up to 9"):  # noqa: PT012 - raised on leaving
        async with host(store, bus=bus) as service, asyncio.timeout(10):
            for number, data in enumerate((poison(1), poison(2), post(3, CAT), poison(4), poison(5), post(6, CAT)), 1):
                await bus.publish("board", "finance", data)
                assert number == service._progress.cursor
            publishing = [asyncio.create_task(bus.publish("board", "finance", poison(number))) for number in (7, 8, 9)]
            with pytest.raises(StoreError):
                await service.wait()
            await asyncio.wait(publishing)
            assert all(task.exception() for task in publishing)


async def test_poison_in_one_batch(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a batch, too, only what comes without anything applied between it is in a row; and nothing is remembered of what is stored."""
    monkeypatch.setattr(applying, "POISON_IN_A_ROW", 3)
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with host(store, bus=bus) as service, asyncio.timeout(10):
        posts = [poison(n) if n % 3 else post(n, CAT) for n in range(1, 10)]
        await asyncio.gather(*(bus.publish("board", "finance", data) for data in posts))
        assert [message.seq for message in await store.journal(0)] == [3, 6, 9]
        assert sorted(fault.failed) == [seq for seq in (1, 2, 4, 5, 7, 8) for _ in range(2)]
        await bus.publish("board", "finance", post(10, CAT))
        assert (service._applying._failed, service._applying._poison) == (set(), {})
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    with pytest.raises(StoreError, match="has failed on 3 entries in a row, up to 5"):  # noqa: PT012 - raised on leaving
        async with host(store, bus=bus):
            posts = [poison(1), post(2, CAT), poison(3), poison(4), poison(5)]
            await asyncio.gather(*(bus.publish("board", "finance", data) for data in posts), return_exceptions=True)


@pytest.mark.parametrize("error", [Damaged("the archive has a hole"), MemoryError()])
async def test_what_is_no_entry_s_fault(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the files or the machine lack is no reason to set anything aside."""
    fault, store, bus = Fault(monkeypatch, error), MemoryStore(), MemoryBus(ManualClock().now)
    with pytest.raises(type(error)):
        async with host(store, bus=bus):
            await bus.publish("board", "finance", poison(1))
    fault.times = 0
    assert await store.journal(0) == []
    assert await store.dead_letters() == []


async def test_a_journal_that_cannot_be_applied_again(fault: Fault) -> None:
    """What one version has applied and another fails on is named, and nothing is set aside."""
    fault.times = 0
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with host(store, bus=bus):
        await bus.publish("board", "finance", poison(1))
        image = killed(store)
    fault.times = inf
    with pytest.raises(StoreError, match="entry 1 of its journal cannot be applied again"):
        async with host(image):
            pass
