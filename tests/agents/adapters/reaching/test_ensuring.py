"""Claims about what a board that may be away is told: kept for it, done once and in order, and lost only with a word."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from agents.adapters import reaching
from agents.adapters.reaching import KEPT, TRIES, Reached
from blackboard.client import Board
from blackboard.opening import open as open_board
from bus.errors import NoAnswer, Unreachable
from bus.messages import BoardStats
from tests.agents.adapters.reaching.openings import Opening, messages, name, reached, until


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


# ---- closing ----------------------------------------------------------------------------------------------------------------------------


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
