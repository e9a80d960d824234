"""Claims about one agent's board that may be away: what is asked of it."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from agents.adapters.reaching import Reached
from blackboard.client import Board
from blackboard.errors import BadValue, UnknownKind
from blackboard.opening import open as open_board
from bus.errors import NoAnswer, TooLarge, Unreachable
from bus.messages import BoardStats
from tests.agents.adapters.reaching.openings import Opening, messages, name, reached, until


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
