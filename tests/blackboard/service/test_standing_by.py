"""Several hosts of one board: one leads, the others stand by, follow the same log, and take over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from blackboard import company, housekeeping, roster
from blackboard.client import Board
from blackboard.clock import SystemClock
from blackboard.errors import BoardInUse, NotYours
from blackboard.feed import Feed
from blackboard.retention import Retention
from blackboard.roster import Roster
from blackboard.service import Service
from blackboard.store import MemoryStore, Store
from bus import names
from bus.errors import NoAnswer
from bus.messages import Beat, Change, Failed, HostList, Hosts, Signal
from bus.nats import NatsBus
from bus.port import Claim, Cut
from bus.server import Server, running_server
from tests.blackboard.hosting import Held, ask, some_life

WITHIN = 20.0


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with running_server(tmp_path / "nats") as running:
        yield running


class Fragile(NatsBus):
    """A host's bus on which it can be made to stand still, as one that is stopped does, to tell nothing, or to cut nothing."""

    frozen = muted = uncut = False

    async def claim(self, board: str, host: str) -> Claim:
        if self.frozen:
            raise NoAnswer("frozen")
        return await super().claim(board, host)

    async def emit(self, board: str, audience: str, first: int, *events: bytes) -> None:
        if self.muted:
            raise NoAnswer("muted")
        await super().emit(board, audience, first, *events)

    async def cut_log(self, board: str, seq: int) -> Cut:
        if self.uncut:
            raise NoAnswer("uncut")
        return await super().cut_log(board, seq)


@asynccontextmanager
async def standing(
    server: Server, host: str, store: Store | None = None, *, retention: Retention | None = None
) -> AsyncIterator[tuple[Service, Fragile]]:
    bus = await Fragile.connect(server.url)
    assert isinstance(bus, Fragile)
    try:
        async with Service("board", bus, store or MemoryStore(), SystemClock(), host=host, retention=retention) as service:
            yield service, bus
    finally:
        await bus.aclose()


@asynccontextmanager
async def agents(server: Server, *agents: str) -> AsyncIterator[list[Board]]:
    """Each agent's board object, on a connection that is no host's."""
    bus = await NatsBus.connect(server.url)
    try:
        async with AsyncExitStack() as stack:
            yield [await stack.enter_async_context(Board(bus, "board", agent)) for agent in agents]
    finally:
        await bus.aclose()


async def leads(service: Service) -> None:
    """Wait until this host leads."""
    await service._progress.until(lambda: service._outbox is not None)


async def alike(first: Service, *others: Service) -> None:
    """Wait until all are where the first is: then they hold the same, to the byte."""
    for other in others:
        await other._progress.until(lambda other=other: other._progress.cursor >= first._progress.cursor)  # type: ignore[misc]
    spelt = first.board.spelt_out()
    assert all(other.board.spelt_out() == spelt for other in others)


async def strengths(feed: Feed[Change | Signal], count: int) -> list[float]:
    """The strengths that the next changes bring, by which a change that is lost or doubled shows."""
    heard = list[float]()
    while len(heard) < count:
        if isinstance(each := await anext(feed), Change):
            heard.append(each.new)
    return heard


async def test_the_second_stands_by(server: Server) -> None:
    """The first host leads. The second stores the same, state and events, and tells nobody; it knows who leads."""
    async with asyncio.timeout(WITHIN), standing(server, "one") as (one, _), standing(server, "two") as (two, _):
        async with agents(server, "finance", "procurement") as boards:
            await some_life(boards)
            await boards[0].stats()  # it reads its own writes
        assert (one.leader, two.leader) == ("one", "one")
        assert two._outbox is None
        await alike(one, two)
        assert await two._store.events(names.SHARED, 0, 1_000) == await one._store.events(names.SHARED, 0, 1_000)


async def test_a_leader_that_ends_is_followed_at_once(server: Server) -> None:
    """When the leader closes, the other answers, counts on and tells: a subscriber hears every change once, in order."""
    async with asyncio.timeout(WITHIN), AsyncExitStack() as first:
        await first.enter_async_context(standing(server, "one"))
        async with standing(server, "two") as (two, _), agents(server, "finance", "schedule") as (finance, schedule):
            async with schedule.feed(own=True) as feed:
                item = await finance.deposit("the basis", scope="shared", strength=4.0)
                for _ in range(10):
                    await finance.reinforce(item, 0.5)
                closing = asyncio.create_task(first.aclose())
                for _ in range(30):
                    await finance.reinforce(item, 0.5)
                await closing
                assert await strengths(feed, 41) == [4.0 + 0.5 * n for n in range(41)]
            await leads(two)
            assert (await schedule.get(item)).strength == 24.0


async def test_a_leader_that_stands_still_is_followed(server: Server) -> None:
    """A host that does not renew its lease leads no longer than that lasts, and tells until then: nothing is lost or told twice."""
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one") as (one, bus),
        standing(server, "two") as (two, _),
        agents(server, "finance", "schedule") as (finance, schedule),
    ):
        async with schedule.feed(own=True) as feed:
            item = await finance.deposit("the basis", scope="shared", strength=4.0)
            bus.frozen = True
            said = 0
            while two._outbox is None:
                await finance.reinforce(item, 0.5)
                said += 1
            bus.frozen = False
            for _ in range(10):
                await finance.reinforce(item, 0.5)
            assert await strengths(feed, said + 11) == [4.0 + 0.5 * n for n in range(said + 11)]
        assert one._outbox is None
        await alike(two, one)


async def test_what_the_leader_has_not_told_the_next_one_tells(server: Server) -> None:
    """Events that the leader stored and could not tell are told by the one that follows, once, and none of those before again."""
    async with asyncio.timeout(WITHIN), AsyncExitStack() as first:
        _, bus = await first.enter_async_context(standing(server, "one"))
        async with standing(server, "two") as (two, _), agents(server, "finance", "schedule") as (finance, schedule):
            async with schedule.feed(own=True) as feed:
                item = await finance.deposit("the basis", scope="shared", strength=4.0)
                await finance.reinforce(item, 0.5)
                assert await strengths(feed, 2) == [4.0, 4.5]
                bus.muted = True
                for _ in range(5):
                    await finance.reinforce(item, 0.5)
                await finance.wait_applied()
                await first.aclose()
                assert await strengths(feed, 5) == [4.5 + 0.5 * n for n in range(1, 6)]
            await leads(two)


async def test_a_host_that_leads_again(server: Server) -> None:
    """What another host told meanwhile it takes for told: whoever begins to listen is not kept waiting for it."""
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one") as (one, first),
        standing(server, "two") as (two, second),
        agents(server, "finance") as (finance,),
    ):
        await finance.deposit("of one", scope="shared")
        await finance.newest()
        first.frozen = True
        await leads(two)
        await finance.deposit("of two", scope="shared")
        await finance.newest()
        first.frozen, second.frozen = False, True
        await leads(one)
        assert (await finance.newest())[names.SHARED] == 2


def hasty(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Let hosts hand over at once; which of two the board falls to, and the other."""
    for module in (company, roster):
        monkeypatch.setattr(module, "SETTLED", 0.3)
    monkeypatch.setattr(company, "BEAT", 0.1)
    known = Roster("board", "one")
    for moment in (0.0, 1.0):
        known.hear(Beat(host="two", cursor=0), 0, moment)
    favourite = known.favourite(1.0)
    return favourite, ({"one", "two"} - {favourite}).pop()


async def test_boards_go_to_whom_they_fall(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host hands its board over to the one that it falls to, once that is there and abreast; that one keeps it."""
    favourite, other = hasty(monkeypatch)
    async with asyncio.timeout(WITHIN), standing(server, other) as (begins, _), standing(server, favourite) as (follows, _):
        await leads(follows)
        await begins._progress.until(lambda: begins._outbox is None)
        async with agents(server, "finance") as (finance,):
            await finance.deposit("kept", scope="shared")
            assert (await finance.top())[0].content == "kept"


async def test_a_host_in_trouble_hands_over(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the one that the board falls to, as long as another is well."""
    favourite, other = hasty(monkeypatch)
    async with asyncio.timeout(WITHIN), standing(server, favourite) as (ill, _), standing(server, other) as (well, _):
        await leads(ill)
        ill._progress.trouble_begins("the journal", "the disk is full")
        await leads(well)


async def test_how_the_hosts_stand_is_for_hosts(server: Server) -> None:
    """Asked in the host's name, the leader describes every host; nobody else is told how much is said on the board."""
    async with asyncio.timeout(WITHIN), standing(server, "one") as (one, bus), standing(server, "two") as (two, _):
        await one._progress.until(lambda: len(one._company.states()) == 2)
        reply = await ask(bus, names.HOST, Hosts())
        assert isinstance(reply, HostList)
        assert [(each.host, each.leads, each.behind) for each in reply.hosts] == [("one", True, 0), ("two", False, 0)]
        refused = await ask(bus, "finance", Hosts())
        assert isinstance(refused, Failed)
        assert refused.code == NotYours.__name__
        del two


async def test_the_log_is_cut_behind_every_host(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another host has not stored an entry the log keeps it, however much the leader has to cut."""
    monkeypatch.setattr(company, "BEAT", 0.05)
    disk = Held()
    disk.let.set()
    kept = Retention(journal_entries=10)
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one", retention=kept) as (one, bus),
        standing(server, "two", disk) as (two, _),
        agents(server, "finance") as (finance,),
    ):
        item = await finance.deposit("the basis", scope="shared")
        await two._progress.until(lambda: two._progress.cursor >= 1)
        disk.hold()
        for _ in range(20):
            await finance.reinforce(item, 0.5)
        await finance.wait_applied()
        assert await _begins(bus) <= 2
        disk.let.set()
        await one._progress.until(lambda: one._house.base >= 10)
        await alike(one, two)
        assert await _begins(bus) > 10


async def test_checkpoints_go_on_while_a_cut_waits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that is there, and stores nothing for long, holds up the leader's cut, and none of its checkpoints."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 5)
    monkeypatch.setattr(company, "SETTLED", WITHIN)
    disk, store = Held(), MemoryStore()
    disk.let.set()
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one", store, retention=Retention(journal_entries=1)) as (one, _),
        standing(server, "two", disk) as (two, _),
        agents(server, "finance") as (finance,),
    ):
        await one._progress.until(lambda: len(one._company.states()) == 2)
        disk.hold()
        item = await finance.deposit("the basis", scope="shared")
        for _ in range(20):
            await finance.reinforce(item, 0.5)
        await finance.wait_applied()
        while (await store.open()).checkpoint < 17:
            await one._progress.step_or(0.05)
        assert one._house.base == 0
        disk.let.set()
        await one._progress.until(lambda: one._house.base >= 17)
        await alike(one, two)


async def test_what_is_erased_is_gone_everywhere(server: Server) -> None:
    """An erasure owes a cut at every host, and each pays it by itself."""
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one") as (one, _),
        standing(server, "two") as (two, _),
        agents(server, "finance") as (finance,),
    ):
        item = await finance.deposit("47 a piece", scope="shared")
        await finance.erase(item)
        await finance.wait_applied()
        for each in (one, two):
            await each._progress.until(lambda each=each: each._progress.cursor >= 2 and not each._progress.erasing)  # type: ignore[misc]
            assert await each._store.journal(0) == []


async def test_what_the_leader_has_not_erased_the_next_one_erases(server: Server) -> None:
    """A leader that ends before the log is cut leaves that to the host that follows."""
    async with (
        asyncio.timeout(WITHIN),
        standing(server, "one") as (one, bus),
        standing(server, "two") as (two, other),
        agents(server, "finance") as (finance,),
    ):
        item = await finance.deposit("47 a piece", scope="shared")
        bus.uncut = True
        await finance.erase(item)
        await finance.wait_applied()
        bus.frozen = True
        await two._progress.until(lambda: two._progress.cursor >= 2)
        assert await _begins(other) == 1
        await leads(two)
        await two._house.settled()
        assert await _begins(other) > 2
        bus.uncut = False
        await one._house.settled()


async def test_a_standby_cuts_what_was_told_and_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that was away while log and events were cut knows from that what was told, and cuts its own files."""
    monkeypatch.setattr(company, "SETTLED", WITHIN)
    store = MemoryStore()
    async with asyncio.timeout(WITHIN), standing(server, "one") as (one, bus), agents(server, "finance", "procurement") as boards:
        async with standing(server, "two", store) as (two, _):
            await some_life(boards)
            for each in boards:
                await each.stats()  # each waits for what it has said itself
            await alike(one, two)
        await one._told(one._progress.cursor)
        await bus.cut_log("board", one._progress.cursor)
        await bus.cut_events("board")
        async with standing(server, "two", store, retention=Retention(journal_entries=1)) as (two, _):
            await two._progress.until(lambda: two._house.base == one._progress.cursor)
            assert two._outbox is None


async def test_of_two_hosts_of_one_name_the_later_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would take each other for themselves: both lead, and the log be cut in front of the one that is behind."""
    monkeypatch.setattr(company, "BEAT", 0.05)
    monkeypatch.setattr(roster, "SILENT", 0.2)
    async with asyncio.timeout(WITHIN), standing(server, "one") as (first, _):
        with pytest.raises(BoardInUse, match="has a host already that calls itself one"):
            async with standing(server, "one") as (second, _):
                await second.wait()
        await leads(first)
        async with agents(server, "finance") as (finance,):
            await finance.deposit("kept", scope="shared")
            assert (await finance.top())[0].content == "kept"


async def _begins(bus: NatsBus) -> int:
    """The first entry that the log still has."""
    stretch = await bus.stretch("board")
    assert stretch is not None
    return stretch.first
