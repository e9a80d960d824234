"""Claims about one agent's board that may be away."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext

import pytest

from agents.adapters import reaching
from agents.adapters.reaching import KEPT, TRIES, Reached
from blackboard.client import Board
from blackboard.errors import BadValue, UnknownKind
from blackboard.opening import open as open_board
from bus.errors import NoAnswer, TooLarge, Unreachable
from bus.messages import BoardStats


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "AGAIN", 0.001)


@pytest.fixture(autouse=True)
def _told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agents.adapters.reaching")


class Opening:
    """Opens a board in memory, each time one; unless it is told to fail first, or to wait."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.may = asyncio.Event()
        self.may.set()
        self.boards: list[Board] = []
        self.closed = 0

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Board]:
        await self.may.wait()
        if self.failures:
            raise self.failures.pop(0)
        try:
            async with open_board(":memory:", agent="finance") as board:
                self.boards.append(board)
                yield board
        finally:
            self.closed += 1


@asynccontextmanager
async def reached(opening: Opening, within: float = 10.0) -> AsyncIterator[Reached]:
    made = Reached("finance", opening, within)
    try:
        yield made
    finally:
        await made.aclose()


async def until(made: Reached, held: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not held():
            await made._moved.wait()


async def name(board: Board) -> str:
    return board.name


def messages(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.message) for record in caplog.records if record.name == "agents.adapters.reaching"]


async def test_a_board_that_is_away_at_first(caplog: pytest.LogCaptureFixture) -> None:
    """It is told once that it is away, however often it is tried, and once that it is back; until then there is no memory."""
    opening = Opening(Unreachable("nobody there"), Unreachable("nobody there"), Unreachable("nobody there"))
    async with reached(opening) as made:
        assert await made.do(name, "nothing") == "nothing"
        await until(made, lambda: not made.trouble)
        assert await made.do(name, "nothing") == "memory"
    assert messages(caplog) == [
        ("WARNING", "the board of finance is down, and its memory with it; it is looked for in the background: nobody there"),
        ("INFO", "the board of finance is back"),
    ]


async def test_a_board_that_takes_long_to_open(caplog: pytest.LogCaptureFixture) -> None:
    """A call waits its time, later ones do not wait, and what was observed meanwhile is said in order once it has opened."""
    opening, said = Opening(), list[int]()
    opening.may.clear()

    def say(number: int) -> Callable[[Board], "asyncio.Future[None]"]:
        async def saying(_: Board) -> None:
            said.append(number)

        return lambda board: asyncio.ensure_future(saying(board))

    async with reached(opening, within=0.05) as made:
        for number in range(5):
            await made.ensure(say(number), None)
        assert await made.do(name, "nothing") == "nothing"
        assert said == []
        assert made._looking is None
        opening.may.set()
        await until(made, lambda: not made.trouble)
        assert said == [0, 1, 2, 3, 4]
        await made.ensure(say(5), None)
        assert said == [0, 1, 2, 3, 4, 5]
    assert messages(caplog)[0][1].endswith("no answer within 0.05 s")


async def test_the_oldest_of_too_much_is_lost_and_told(caplog: pytest.LogCaptureFixture) -> None:
    """What is kept for a board that is away is bounded."""
    opening, said = Opening(), list[int]()
    opening.may.clear()

    async def say(board: Board, number: int) -> None:
        said.append(number)

    async with reached(opening, within=0.01) as made:
        for number in range(KEPT + 3):
            await made.ensure(lambda board, number=number: say(board, number), None)  # type: ignore[misc]
        opening.may.set()
        await until(made, lambda: not made.trouble)
    assert said == list(range(3, KEPT + 3))
    assert messages(caplog)[-1] == ("INFO", "the board of finance is back; of what was observed meanwhile, the oldest 3 events are lost")


@pytest.mark.parametrize("ensured", [False, True])
async def test_what_a_board_refuses(ensured: bool, caplog: pytest.LogCaptureFixture) -> None:
    """It is told once for each reason, done once, and costs nobody the board; so does what is too large for it, and several at once."""
    opening, tries = Opening(), list[Exception]()

    def failing(error: Exception) -> Callable[[Board], "asyncio.Future[str]"]:
        async def fail(_: Board) -> str:
            tries.append(error)
            raise error

        return lambda board: asyncio.ensure_future(fail(board))

    group = ExceptionGroup("two", [BadValue("a"), UnknownKind("b")])
    async with reached(opening) as made:
        for error in (BadValue("5 is no name"), BadValue("6 is no name"), UnknownKind("what?"), TooLarge("1 GB"), group):
            work = failing(error)
            assert await (made.ensure(work, "nothing") if ensured else made.do(work, "nothing")) == "nothing"
            assert await made.do(name, "nothing") == "memory"
    assert len(tries) == 5
    assert [level for level, _ in messages(caplog)] == ["WARNING"] * 4
    assert messages(caplog)[0][1].endswith("does not take what its framework said (told once for each reason): 5 is no name")


@pytest.mark.parametrize("ensured", [False, True])
async def test_a_fault_of_ours(ensured: bool, caplog: pytest.LogCaptureFixture) -> None:
    """What no board raises is in the log with its traceback, and costs nobody the board; it is not tried again."""
    opening, tries = Opening(), list[int]()

    async def wrong(board: Board) -> str:
        tries.append(1)
        return board.nonsense  # type: ignore[attr-defined,no-any-return]

    async with reached(opening) as made:
        for _ in range(2):
            assert await (made.ensure(wrong, "nothing") if ensured else made.do(wrong, "nothing")) == "nothing"
        assert await made.do(name, "nothing") == "memory"
    assert len(tries) == 2
    assert len(messages(caplog)) == 1
    assert "board.nonsense" in caplog.text
    assert "AttributeError" in caplog.text


async def test_a_client_that_can_come_back_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not answer for a while is waited for, and what failed meanwhile is done again, once; no other client is opened."""
    opening, fails, done = Opening(), [NoAnswer("busy"), NoAnswer("busy")], list[str]()

    async def say(board: Board) -> str:
        if fails:
            raise fails.pop()
        done.append(board.name)
        return board.name

    async with reached(opening) as made:
        await made.do(name, "")
        answers = [NoAnswer("busy"), NoAnswer("busy")]
        stats = opening.boards[0].stats

        async def busy() -> BoardStats:
            if answers:
                raise answers.pop()
            return await stats()

        monkeypatch.setattr(opening.boards[0], "stats", busy)
        assert await made.ensure(say, "nothing") == "nothing"
        await until(made, lambda: not made.trouble)
        assert (done, answers, len(opening.boards)) == (["memory"], [], 1)


async def test_a_client_that_cannot_come_back_is_replaced() -> None:
    """Where the board says so, another is opened."""
    opening = Opening()
    async with reached(opening) as made:
        await made.do(name, "")
        await opening.boards[0].aclose()

        async def gone() -> BoardStats:
            raise Unreachable("closed for good")

        opening.boards[0].stats = gone  # type: ignore[method-assign]
        assert await made.ensure(lambda board: board.deposit("said once"), None) is None
        await until(made, lambda: not made.trouble)
        assert len(opening.boards) == 2
        assert [item.content for item in await opening.boards[1].top()] == ["said once"]


async def test_what_alone_fails_does_not_cost_the_memory(caplog: pytest.LogCaptureFixture) -> None:
    """What a board that answers everything else does not answer is given up after some tries, and told as lost."""
    opening, tries = Opening(), list[int]()

    async def fail(_: Board) -> None:
        tries.append(1)
        raise NoAnswer("its host's log says more")

    async with reached(opening) as made:
        await made.do(name, "")
        await made.ensure(fail, None)
        await until(made, lambda: not made.trouble)
        assert len(tries) == TRIES
        assert await made.do(name, "nothing") == "memory"
    assert messages(caplog)[-1] == ("INFO", "the board of finance is back; of what was observed meanwhile, the oldest 1 events are lost")


async def test_what_waits_is_not_tried_on_a_board_that_answers_nothing() -> None:
    """A board that was given open, and cannot come back by itself, may do so all the same: until then nothing is given up."""
    looks, done = list[int](), list[str]()

    async def say(board: Board) -> None:
        if len(looks) <= 2 * TRIES:
            raise Unreachable("its connection is gone")
        done.append(board.name)

    async with open_board(":memory:", agent="finance") as board:
        stats = board.stats

        async def away() -> BoardStats:
            looks.append(1)
            if len(looks) <= 2 * TRIES:
                raise Unreachable("its connection is gone")
            return await stats()

        made = Reached("finance", lambda: nullcontext(board), 10.0)
        await made.do(name, "")
        board.stats = away  # type: ignore[method-assign]
        await made.ensure(say, None)
        await until(made, lambda: bool(done))
        await made.aclose()
    assert done == ["memory"]


async def test_a_board_is_back_although_its_agent_goes_on_talking() -> None:
    """What comes while the board is told what it has missed is said after that, and in order."""
    opening, said, silent = Opening(Unreachable("nobody there")), list[int](), asyncio.Event()
    talking = set[asyncio.Task[None]]()

    async def say(_: Board, number: int) -> None:
        said.append(number)
        if not silent.is_set():
            talking.add(asyncio.create_task(made.ensure(lambda board: say(board, number + 1), None)))
            await asyncio.sleep(0)

    async with reached(opening) as made:
        await made.ensure(lambda board: say(board, 0), None)
        await until(made, lambda: not made.trouble)
        silent.set()
        await asyncio.wait(talking)
    assert said == list(range(len(said)))


async def test_what_is_lost_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too much at once on a board that is there costs what is too much, and nobody the board."""
    monkeypatch.setattr(reaching, "KEPT", 1)
    go = asyncio.Event()

    async def wait(_: Board) -> str:
        await go.wait()
        return "done"

    async with reached(Opening()) as made:
        await made.do(name, "")
        oldest = asyncio.create_task(made.ensure(wait, "lost"))
        await asyncio.sleep(0)
        newest = asyncio.create_task(made.ensure(wait, "lost"))
        assert await oldest == "lost"
        go.set()
        assert await newest == "done"
        assert not made.trouble


async def test_what_is_cancelled_over_there_is_given_up() -> None:
    """Work that ends as cancelled, though nobody cancelled it, is tried like what fails, and keeps no board away for good."""
    tries = list[int]()

    async def end(_: Board) -> None:
        tries.append(1)
        raise asyncio.CancelledError

    opening = Opening(Unreachable("nobody there"))
    async with reached(opening) as made:
        await made.ensure(end, None)
        await until(made, lambda: not made.trouble)
    assert len(tries) == TRIES


# ---- a board that is slow ---------------------------------------------------------------------------------------------------------------


async def forever(_: Board) -> str:
    return str(await asyncio.Event().wait())


async def test_a_question_of_many_steps(caplog: pytest.LogCaptureFixture) -> None:
    """It goes without an answer where it takes too long; that the board is there was seen meanwhile, and nobody else goes without."""
    async with reached(Opening(), within=0.6) as made:
        await made.do(name, "")
        assert await made.do(forever, "nothing") == "nothing"
        assert not made.trouble
        assert await made.do(name, "nothing") == "memory"
    assert messages(caplog) == [
        (
            "WARNING",
            "finance goes without its memory where that takes too long (told once): its board is there, but took longer than 0.6 s",
        ),
    ]


@pytest.mark.parametrize("ensured", [False, True])
async def test_one_of_many(ensured: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What the board did meanwhile says that it is there; what is ensured is waited for no longer, and goes on."""
    go, done, answers = asyncio.Event(), list[str](), list[str]()

    async def say(board: Board) -> None:
        await go.wait()
        done.append(board.name)

    async with reached(Opening(), within=0.3) as made:
        await made.do(name, "")
        monkeypatch.setattr(made, "_look", lambda: None)
        slow = asyncio.create_task(made.ensure(say, None) if ensured else made.do(say, None))
        while not slow.done():
            answers.append(await (made.do(name, "nothing") if ensured else made.ensure(name, "nothing")))
            await asyncio.sleep(0)
        assert (set(answers), made.trouble, done) == ({"memory"}, "", [])
        go.set()
    assert done == ["memory"] * ensured
    assert len(messages(caplog)) == (not ensured)


async def test_who_waits_long_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was answered in time asks no more."""
    looks = list[int]()
    async with reached(Opening(), within=0.05) as made:
        monkeypatch.setattr(made, "_look", lambda: looks.append(1))
        for _ in range(3):
            await made.do(name, "")
        await made.do(forever, "")
    assert looks == [1]


async def test_a_board_that_hangs(caplog: pytest.LogCaptureFixture) -> None:
    """It is down as soon as one call has waited for it in vain: it was asked meanwhile whether it is there, once for all that wait."""
    opening, looks = Opening(), list[int]()
    async with reached(opening, within=0.05) as made:
        await made.do(name, "")

        async def hang() -> BoardStats:
            looks.append(1)
            await asyncio.Event().wait()
            raise AssertionError

        opening.boards[0].stats = hang  # type: ignore[method-assign]
        assert await asyncio.gather(*(made.do(forever, "nothing") for _ in range(3))) == ["nothing"] * 3
        assert len(looks) <= 2  # and whoever looks for it from then on
        assert made.trouble == "no answer within 0.05 s"
        assert await made.ensure(name, "nothing") == "nothing"
    assert [level for level, _ in messages(caplog)] == ["WARNING", "WARNING"]  # that it is down; and what is lost in the end


# ---- cancelled, behind, closed ----------------------------------------------------------------------------------------------------------


async def test_an_error_of_a_former_board_is_no_news() -> None:
    """What fails on a client that was replaced meanwhile does not count against the new one."""
    opening, fail = Opening(), asyncio.Event()

    async def late(_: Board) -> None:
        await fail.wait()
        raise Unreachable("closed for good")

    async with reached(opening) as made:
        await made.do(name, "")
        waits = asyncio.create_task(made.do(late, None))
        await asyncio.sleep(0)
        async with open_board(":memory:", agent="finance") as another:
            made._board = another
            fail.set()
            await waits
            assert not made.trouble


async def test_cancelled() -> None:
    """Who asks and is cancelled cancels the question; what is ensured is done all the same, while its caller goes."""
    opening, ended = Opening(), list[str]()
    begun, go = asyncio.Event(), asyncio.Event()

    async def work(_: Board) -> None:
        begun.set()
        try:
            await go.wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        ended.append("done")

    async with reached(opening) as made:
        for call in (made.do, made.ensure):
            begun.clear()
            caller = asyncio.create_task(call(work, None))
            await begun.wait()
            caller.cancel()
            with pytest.raises(asyncio.CancelledError):
                await caller
        go.set()
    assert ended == ["cancelled", "done"]


async def test_what_nobody_waits_for_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is done together, and what comes meanwhile after that; without a board it is not done at all, and is no error."""
    monkeypatch.setattr(reaching, "BEHIND", 0.001)
    opening, done, all_done = Opening(), list[int](), asyncio.Event()

    async with reached(opening) as made:
        await made.do(name, "")

        async def work(_: Board, number: int) -> None:
            done.append(number)
            if number == 0:
                made.behind(lambda board: work(board, 3))
            if number == 3:
                all_done.set()

        for number in range(3):
            made.behind(lambda board, number=number: work(board, number))  # type: ignore[misc]
        assert done == []
        async with asyncio.timeout(10):
            await all_done.wait()
        assert done == [0, 1, 2, 3]
        made._fall(Unreachable("gone"))
        made.behind(name)
        gathering = made._gathering
        assert gathering is not None
        await gathering


async def test_closing_waits_for_what_is_under_way(caplog: pytest.LogCaptureFixture) -> None:
    """What was accepted is done before the board is closed, what comes then is nothing, and nobody is told that it is down."""
    opening, done = Opening(), list[str]()

    async def say(board: Board) -> None:
        await asyncio.sleep(0)
        await board.deposit("kept")
        done.append((await board.top())[0].content)

    async def say_late(board: Board) -> None:
        for _ in range(100):
            await asyncio.sleep(0)
        await say(board)

    made = Reached("finance", opening, 10.0)
    await made.do(name, "")
    made.behind(say_late)
    ensured = asyncio.create_task(made.ensure(say, None))
    await asyncio.sleep(0)
    await made.aclose()
    await ensured
    assert done == ["kept", "kept"]
    assert await made.do(name, "nothing") == "nothing"
    assert await made.ensure(name, "nothing") == "nothing"
    assert not made._ensured
    assert opening.closed == 1
    assert messages(caplog) == []


async def test_closing_before_it_is_open(caplog: pytest.LogCaptureFixture) -> None:
    """What was accepted meanwhile is waited for, and done."""
    opening = Opening()
    opening.may.clear()
    made = Reached("finance", opening, 10.0)
    ensured = asyncio.create_task(made.ensure(name, "nothing"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(made.aclose())
    assert await ensured == "nothing"
    opening.may.set()
    await closing
    assert not made._ensured
    assert messages(caplog) == []


async def test_closing_while_it_is_down(caplog: pytest.LogCaptureFixture) -> None:
    """What waited is lost, which is told; what hangs is cancelled."""
    opening, ended = Opening(), asyncio.Event()

    async def hang(_: Board) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    made = Reached("finance", opening, 0.01)
    await made.ensure(hang, None)
    await made.aclose()
    async with asyncio.timeout(10):
        await ended.wait()
    assert messages(caplog)[-1] == (
        "WARNING", "the board of finance was away when its memory was closed: 1 events that were observed are lost",
    )  # fmt: skip


async def test_closing_tells_of_all_that_is_lost(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What was too much for it counts, too."""
    monkeypatch.setattr(reaching, "KEPT", 1)
    made = Reached("finance", Opening(*(Unreachable("nobody there") for _ in range(1000))), 10.0)
    for _ in range(3):
        await made.ensure(name, "")
    await made.aclose()
    assert messages(caplog)[-1][1].endswith("3 events that were observed are lost")


async def test_what_fails_while_it_is_closed(caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is told that a board is down which is being closed."""
    begun, go = asyncio.Event(), asyncio.Event()

    async def fail(_: Board) -> str:
        begun.set()
        await go.wait()
        raise NoAnswer("it is being closed")

    async with reached(Opening()) as made:
        asks = asyncio.create_task(made.do(fail, "nothing"))
        await begun.wait()
        made._closed = True
        go.set()
        assert await asks == "nothing"
    assert messages(caplog) == []


async def test_a_board_that_opens_and_does_not_answer() -> None:
    """Nobody waits for it, as for any that is down."""
    answers = [NoAnswer("busy"), NoAnswer("busy")]
    async with open_board(":memory:", agent="finance") as board:
        stats = board.stats

        async def busy() -> BoardStats:
            if answers:
                raise answers.pop()
            return await stats()

        board.stats = busy  # type: ignore[method-assign]
        made = Reached("finance", lambda: nullcontext(board), 10.0)
        assert await made.do(name, "nothing") == "nothing"
        await until(made, lambda: not made.trouble)
        assert await made.do(name, "nothing") == "memory"
        await made.aclose()
