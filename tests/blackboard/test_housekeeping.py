"""Keeping house changes nothing about a board; what is erased is gone from every byte that is kept."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from blackboard import housekeeping, trying
from blackboard.client import Board
from blackboard.clock import ManualClock, SystemClock
from blackboard.errors import NotInView, NotYours, UnknownKind
from blackboard.retention import Retention
from blackboard.service import Service
from blackboard.sqlite import SqliteStore
from blackboard.storage import ROWS
from blackboard.store import MemoryStore
from bus import names
from bus.memory import MemoryBus
from bus.messages import Applied, Deposit, EraseOwned, Stats
from bus.nats import NatsBus
from bus.port import Bus
from bus.server import running_server
from tests.blackboard.hosting import CAT, ask, host, killed, post, some_life, state

WITHIN = 20.0
SECRET = "Hailan asked us to keep 47 a piece to ourselves"
OTHER_SECRET = "Hailan delivers from a yard in Foshan"
TERM = "hailan"
"""Of both, as it is indexed."""


async def cut(service: Service, seq: int) -> None:
    """Wait until the journal begins at ``seq`` or behind it."""
    async with asyncio.timeout(WITHIN):
        await service._progress.until(lambda: service._house.base >= seq)


# ---- checkpoints ------------------------------------------------------------------------------------------------------------------------


async def test_the_board_goes_on_while_its_state_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much there is to be taken, questions are answered and entries applied meanwhile; what is written is the state then."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 5 * ROWS)
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    happened: list[str] = []
    over = asyncio.Event()

    async def told(name: str, work: Awaitable[object]) -> None:
        await work
        happened.append(name)

    async with host(store, bus=bus) as service, asyncio.timeout(WITHIN):
        ahead = service.board.ahead

        def taking(*, anew: bool = False) -> Iterator[tuple[str, bytes]]:
            both = [told("answered", ask(bus, "finance", Stats())), told("said", bus.publish("board", "finance", post(2, CAT)))]
            meanwhile = [asyncio.ensure_future(each) for each in both]
            for each in ahead(anew=anew):
                if all(task.done() for task in meanwhile):
                    happened.append("taking")
                yield each
            monkeypatch.undo()
            over.set()

        monkeypatch.setattr(service.board, "ahead", taking)
        await bus.publish("board", "finance", post(1, *(Deposit(f"{n}") for n in range(50 * ROWS))))
        await over.wait()
        async with service._house.turn:
            pass  # the rest is taken
        image, was = killed(store), state(service)
    assert {*happened[:2]} == {"answered", "said"}
    assert "taking" in happened
    image._journal.clear()
    async with host(image) as again:
        assert state(again) == was


@pytest.mark.parametrize("alone", [True, False])
async def test_a_process_that_is_there_for_boards_leaves_them_alone(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """There, with each checkpoint, what stands leaves the garbage collector's sight; a process with other work keeps its own garbage."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 1)
    frozen: list[bool] = []
    monkeypatch.setattr("blackboard.housekeeping.gc.freeze", lambda: frozen.append(True))
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    async with Service("board", bus, store, ManualClock(), alone=alone):
        await bus.publish("board", "finance", post(1, CAT))
    assert store._standing.checkpoint == 1
    assert bool(frozen) == alone


async def test_what_was_taken_is_written_though_the_host_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that is closed while it takes the state loses none of it."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 1)
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    store, taking = MemoryStore(), asyncio.Event()
    async with host(store, bus=(bus := MemoryBus(ManualClock().now))) as service:
        ahead = service.board.ahead

        def slowly(*, anew: bool = False) -> Iterator[tuple[str, bytes]]:
            for each in ahead(anew=anew):
                taking.set()
                yield each

        monkeypatch.setattr(service.board, "ahead", slowly)
        await bus.publish("board", "finance", post(1, *(Deposit(f"{n}") for n in range(3 * ROWS))))
        await taking.wait()
    async with host(killed(store)) as again:
        assert state(again) == state(service)


async def test_what_is_erased_while_the_state_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was taken before is no checkpoint to keep: all is taken anew."""
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service, Board(bus, "board", "finance") as finance, asyncio.timeout(WITHIN):
        async with finance.batch() as batch:
            secret = await batch.deposit(SECRET)
            other = await batch.deposit("the other")
            for n in range(4 * ROWS):
                await batch.deposit(f"{n}")
        ahead, begun, go = service.board.ahead, asyncio.Event(), asyncio.Event()
        rest = trying.Work.rest

        def noticing(*, anew: bool = False) -> Iterator[tuple[str, bytes]]:
            for each in ahead(anew=anew):
                yield each
                begun.set()

        async def waiting(work: trying.Work) -> None:
            if begun.is_set():
                await go.wait()
            await rest(work)

        monkeypatch.setattr(service.board, "ahead", noticing)
        monkeypatch.setattr(trying.Work, "rest", waiting)
        await finance.erase(other)
        await begun.wait()
        await finance.erase(secret)
        await finance.wait_applied()
        go.set()
        await service._house.settled()
        assert not [name for name, data in store._standing.pages.items() if SECRET.encode() in data]


# ---- retention --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "retention", [Retention(journal_entries=3), Retention(journal_bytes=500), Retention(journal_age=0.0)], ids=["entries", "bytes", "age"]
)
async def test_cuts_change_nothing(tmp_path: Path, retention: Retention) -> None:
    """A board whose journal is cut over and over is to the byte the board whose journal never was, also when it is opened again."""
    lives = []
    for name, kept in (("whole", Retention()), ("cut", retention)):
        path, bus = tmp_path / name / "board.db", MemoryBus(ManualClock().now)
        async with Service("board", bus, SqliteStore(path), ManualClock(), retention=kept) as service:
            async with Board(bus, "board", "finance") as finance, Board(bus, "board", "procurement") as procurement:
                await some_life([finance, procurement, finance])
                strengths = [item.strength for item in await finance.top()]
                account = await finance.explain((await finance.top())[0])
            if kept is retention:
                await cut(service, 3)  # how far it comes beyond that depends on which batches came together
            was = state(service)
        async with Service("board", MemoryBus(ManualClock().now), SqliteStore(path), ManualClock()) as service:
            assert state(service) == was
        total = account.opening + sum(act.after - act.before - act.evaporated for act in account.acts) - account.evaporated_since
        assert total == pytest.approx(account.item.strength, abs=1e-9)
        lives.append((was, strengths, account.item.strength))
    assert lives[0] == lives[1]


async def test_a_killed_host_goes_on_from_the_origin() -> None:
    """Killed after a cut, with its checkpoint lost, a board is rebuilt from its origin and the journal behind it."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    service = Service("board", bus, store, ManualClock(), retention=Retention(journal_entries=5))
    async with service, Board(bus, "board", "finance") as finance:
        await some_life([finance])
        await cut(service, 5)
        await finance.deposit("behind it")
        image, was = killed(store), state(service)
    image._standing.pages = {"board": b"nonsense"}
    async with host(image) as service:
        assert state(service) == was


async def test_who_was_away_too_long_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    """A subscriber whose events are gone is warned, and hears what comes next."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    service = Service("board", bus, store, ManualClock(), retention=Retention(journal_entries=2, events_age=0.0))
    async with service, Board(bus, "board", "finance") as finance, Board(bus, "board", "schedule") as schedule:
        item = await finance.deposit("a", scope="shared")
        async with schedule.changes() as feed:
            position = feed.position
        for _ in range(4):
            await finance.confirm(item)
        await cut(service, 4)
        async with schedule.changes(since=position, cause="reinforce") as feed:
            await finance.reinforce(item, 1.0)
            async with asyncio.timeout(WITHIN):
                assert (await anext(feed)).cause == "reinforce"
    assert "schedule was away too long" in caplog.text


# ---- erasing ----------------------------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def served(folder: Path, kind: str) -> AsyncIterator[Bus]:
    if kind == "memory":
        yield MemoryBus(SystemClock().now)
        return
    async with running_server(folder / "nats") as server:
        bus = await NatsBus.connect(server.url)
        try:
            yield bus
        finally:
            await bus.aclose()


def traces(folder: Path, *texts: str) -> list[str]:
    """Where any of these stands in any byte of any file."""
    found = []
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError, IsADirectoryError):  # SQLite and the server remove files meanwhile
            data = path.read_bytes()
            found += [f"{text} in {path}" for text in texts if text.encode() in data]
    return found


async def test_what_is_erased_is_gone_from_pages_and_slips(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a checkpoint that is written over and over, nothing stays that was written before the erasure."""
    monkeypatch.setattr(housekeeping, "CHECKPOINT_EVERY", 1)
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service, Board(bus, "board", "finance") as finance, asyncio.timeout(WITHIN):
        async with finance.batch() as batch:
            for n in range(8 * ROWS):
                await batch.deposit(f"{n}")
        secret = await finance.deposit(SECRET)
        while not [name for name, data in store._standing.pages.items() if "+/" in name and SECRET.encode() in data]:
            await finance.reinforce(secret, 1.0)
        await finance.erase(secret)
        await finance.wait_applied()
        await service._house.settled()
        assert not [name for name, data in store._standing.pages.items() if SECRET.encode() in data]


async def analysed(service: Service, board: Board, folder: Path, term: str) -> None:
    """Have an agent's items searched, and wait until their terms are in the file for them."""
    async with asyncio.timeout(WITHIN):
        await board.search(term)
        service._progress.wake()  # few are written only when something else moves
        while not traces(folder, term):  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", ["memory", "nats"])
async def test_what_is_erased_is_gone_from_every_file(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content, terms and ids of an item that was private, shared, linked, archived, revived and refused an act on, and of one that is
    archived, are in no file of board or server; the board goes on, and is the same when it is opened again."""
    monkeypatch.setattr("blackboard.text.cache.AT_ONCE", 1)
    async with served(tmp_path, kind) as bus:
        async with Service("board", bus, SqliteStore(tmp_path / "board.db"), SystemClock()) as service:
            async with Board(bus, "board", "finance") as finance, Board(bus, "board", "procurement") as procurement:
                for n in range(50):
                    await finance.deposit(f"something else {n}", key="other")
                private = await procurement.deposit(SECRET, kind="tool_result", key="quote", value=47)
                desk = await procurement.deposit("the desk", scope="shared")
                await procurement.link(private, desk)
                faded = await procurement.deposit(OTHER_SECRET, kind="preference", strength=1.01)
                for _ in range(60):
                    await procurement.end_round()
                assert [(await procurement.get(each)).status for each in (private, faded)] == ["archived", "archived"]
                await procurement.use(private)
                await procurement.share(private)
                shared = await procurement.get(private)
                await finance.reinforce(shared, 2.0)
                await finance.retract(shared)  # refused, and set aside
                await finance.deposit(SECRET, kind="tool_result", key="quote", value=47, scope="shared")
                ids = [private.id, shared.id, faded.id, *(edge.id for edge in await procurement.edges_of(shared))]
                assert len(set(ids)) == 4
                await analysed(service, procurement, tmp_path, TERM)
                texts = (SECRET, OTHER_SECRET, TERM, *ids)
                assert traces(tmp_path, *texts)

                await procurement.erase(private)
                await procurement.erase(faded)
                await procurement.wait_applied()
                with pytest.raises(NotInView):
                    await finance.get(shared)
                async with asyncio.timeout(WITHIN):
                    await service._house.settled()
                while kind == "nats" and traces(tmp_path / "nats", *texts):  # noqa: ASYNC110 - a server removes files in its own time
                    await asyncio.sleep(0.05)
                assert traces(tmp_path, *texts) == []
                await finance.reinforce(desk, 1.0)
                assert (await finance.explain(desk)).opening > 0
            was = state(service)
        assert traces(tmp_path, *texts) == []
        async with Service("board", bus, SqliteStore(tmp_path / "board.db"), SystemClock()) as service:
            assert state(service) == was


@pytest.mark.parametrize("kind", ["memory", "nats"])
async def test_what_was_private_of_an_agent_is_gone_from_every_file(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what it had dropped, what was refused, and its former ids; what it shared and what others have stays, to the same board."""
    monkeypatch.setattr("blackboard.text.cache.AT_ONCE", 1)
    async with served(tmp_path, kind) as bus:
        async with Service("board", bus, SqliteStore(tmp_path / "board.db"), SystemClock()) as service:
            async with Board(bus, "board", "finance") as finance, Board(bus, "board", "procurement") as procurement:
                for n in range(50):
                    await finance.deposit(f"something else {n}", key="other")
                desk = await procurement.deposit("the desk")
                former = desk.id
                await procurement.share(desk)
                secret = await procurement.deposit(SECRET, key="quote", value=47)
                await procurement.link(secret, desk)
                [edge] = await procurement.edges_of(secret)
                gone = await procurement.deposit(OTHER_SECRET, kind="trace", strength=0.6)
                await procurement.deposit("x", kind=SECRET)  # refused, and set aside
                for _ in range(60):
                    await procurement.end_round()
                with pytest.raises(UnknownKind):
                    await procurement.wait_applied()
                with pytest.raises(NotInView):
                    await procurement.get(gone)
                await analysed(service, procurement, tmp_path, TERM)
                texts = (SECRET, OTHER_SECRET, TERM, former, secret.id, edge.id, gone.id)
                assert traces(tmp_path, *texts)
                await bus.publish("board", names.HOST, post(1, EraseOwned("procurement")))
                async with asyncio.timeout(WITHIN):
                    await ask(bus, names.HOST, Applied(gone=True), epoch="e", seq=1)
                while kind == "nats" and traces(tmp_path / "nats", *texts):  # noqa: ASYNC110 - a server removes files in its own time
                    await asyncio.sleep(0.05)
                assert traces(tmp_path, *texts) == []
                assert [item.content for item in await procurement.top()] == ["the desk"]
                assert len(await finance.top(100)) == 51
            was = state(service)
        assert traces(tmp_path, *texts) == []
        async with Service("board", bus, SqliteStore(tmp_path / "board.db"), SystemClock()) as service:
            assert state(service) == was


async def test_an_agent_of_whom_nothing_stands_is_erased_from_the_past() -> None:
    """There is no item to erase, and a cut is owed all the same; dead letters go of entries that came with it, and none that come after."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus) as service, asyncio.timeout(WITHIN):
        refused = Deposit("x", kind=SECRET)
        async with service._house.turn:  # so that all of it comes in one batch
            posts = [("eve", post(1, refused)), (names.HOST, post(1, EraseOwned("eve"))), ("eve", post(2, refused))]
            said = [asyncio.create_task(bus.publish("board", agent, data)) for agent, data in posts]
            await asyncio.sleep(0)
        await asyncio.gather(*said)
        await service._house.settled()
        assert store._journal == []
        assert [letter.post for letter in await store.dead_letters()] == [2]


async def test_an_erasure_outlives_a_crash() -> None:
    """A host that is killed right after the erasure is recorded leaves a cut that the next one makes."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance:
        item = await finance.deposit(SECRET)
        await finance.stats()
        before = killed(store)
        await finance.erase(item)
    image = killed(before)
    # As the transaction that recorded it has left it: in the journal, and owed a cut.
    bus = MemoryBus(ManualClock().now)
    house = housekeeping.Housekeeping.run
    try:
        housekeeping.Housekeeping.run = asyncio.Event().wait  # type: ignore[method-assign,assignment]
        service = host(image, bus=bus)
        async with service, Board(bus, "board", "finance") as finance:
            await finance.erase(item)
            await finance.stats()
            image = killed(image)
            assert image._standing.erasing
            service._progress.erasing = 0
    finally:
        housekeeping.Housekeeping.run = house  # type: ignore[method-assign]
    assert any(SECRET.encode() in message.data for message in image._journal)
    async with host(image) as service:
        async with asyncio.timeout(WITHIN):
            await service._house.settled()
        assert image._journal == []
        assert image._standing.erasing == 0


async def test_only_the_owner_erases() -> None:
    """Another asserter may not erase an item; its owner may, whoever else says it."""
    store, bus = MemoryStore(), MemoryBus(ManualClock().now)
    async with host(store, bus=bus), Board(bus, "board", "finance") as finance, Board(bus, "board", "procurement") as procurement:
        item = await finance.deposit("said by both", scope="shared")
        await procurement.deposit("said by both", scope="shared")
        await procurement.erase(item)
        with pytest.raises(NotYours, match="only its owner erases"):
            await procurement.wait_applied()
        await finance.erase(item)
        await finance.wait_applied()
        with pytest.raises(NotInView):
            await procurement.get(item)
