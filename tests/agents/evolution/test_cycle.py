"""Claims about going through a cycle."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from itertools import count

import anyio
import pytest

import blackboard
from agents.chat import Budget
from agents.errors import Busy, Lost
from agents.evolution import cycle as room
from agents.evolution.account import Account
from agents.evolution.choosing import is_aside
from agents.evolution.claims import under_way
from agents.evolution.cycle import accounts, evolve
from agents.evolution.entries import Alive, Began, Ended, Settings, Spent, TakenUp
from agents.evolution.library import Library
from agents.evolution.logbook import Logbook
from agents.evolution.state import State
from agents.evolution.strategies import Diagnosis, Mend, Rule, Strategy
from agents.memory.journal import Journal
from agents.memory.records import TaskLog
from blackboard.client import Board
from tests.agents.evolution.world import ACTIVE, TOOL, Guesses, lay, retry, tasks

ELSEWHERE = "00000000deadbeef"
"""A token of which nothing is known on this machine."""


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    async with blackboard.open(":memory:", agent="evolver") as opened:
        await lay(Journal(opened), tasks())
        await Library(opened).add(ACTIVE, status="active", by="Ada")
        yield opened


async def through(board: Board, settings: Settings | None = None) -> Account:
    return await evolve(board, retry, analyst=Guesses(), settings=settings)


async def in_force(board: Board) -> list[str]:
    return [each.strategy.ref for each in await Library(board).releases("active")]


async def test_what_holds_awaits_review_and_nothing_else_changes(board: Board) -> None:
    """The candidate that mends the failures, breaks nothing and generalises is put up for review; nothing goes live by itself."""
    account = await through(board)
    bad, good = account.candidates
    assert [each.evaluation.verdict for each in account.candidates if each.evaluation] == ["rejected", "holds"]
    assert (bad.ref, good.ref) == ("", "query_sales-limit@1")
    assert account.proposed == ("query_sales-limit@1",)
    [candidate] = await Library(board).releases("candidate")
    assert candidate.strategy.lineage.failures == tuple(sorted(each.task for each in account.selected))
    assert candidate.scores["aside after"] == 1.0
    assert await in_force(board) == ["politeness@1"]


async def test_the_account_is_on_the_board(board: Board) -> None:
    """What a cycle did is read from the board again, the same to the figure."""
    account = await through(board)
    assert await accounts(board) == [account]


async def test_tasks_kept_aside_take_no_part(board: Board) -> None:
    """What candidates are tried on at last was neither learned from nor shown to the analyst."""
    seen: set[str] = set()

    class Nosy(Guesses):
        async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
            seen.update(task.id for task in (failure, *successes))
            return await super().analyse(failure, successes, strategies)

    account = await evolve(board, retry, analyst=Nosy())
    aside = {task.id for task in tasks() if is_aside(task.id, Settings().aside)}
    assert seen
    assert not aside & seen
    assert not aside & {each.task for each in account.selected}
    [_, good] = account.candidates
    assert good.evaluation
    assert good.evaluation.aside
    assert good.evaluation.aside.judged == len(aside)


async def test_what_was_learned_from_is_not_taken_again(board: Board) -> None:
    """The next cycle takes other failures, and tries nothing that was turned down or waits for review."""
    first = await through(board)
    second = await through(board)
    assert not {each.task for each in first.selected} & {each.task for each in second.selected}
    assert not second.candidates
    assert second.why == "nothing new is to be tried"


async def test_what_was_turned_down_is_tried_again_beside_other_strategies(board: Board) -> None:
    """An evaluation tells how a candidate does beside what is in force, and no more."""

    few = Settings(failures=2)
    bad, _ = (await through(board, few)).candidates
    assert not (await through(board, few)).candidates
    await Library(board).add(Strategy("another", Rule(advice="mind the gap")), status="active", by="Ada")
    [again] = (await through(board, few)).candidates
    assert again.strategy.body == bad.strategy.body


async def test_a_board_without_failures() -> None:
    """There is nothing to learn from, and that is no error."""
    async with blackboard.open(":memory:", agent="evolver") as board:
        account = await through(board)
    assert account.why == "there is no new failure to learn from"
    assert account.spent.retries == 0


async def test_an_analyst_that_gives_something_else_is_told(board: Board) -> None:
    """What is no diagnosis is none, and the cycle comes to its end."""

    class Chatty:
        async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
            del failure, successes, strategies
            return "it was the tool"  # type: ignore[return-value]

    account = await evolve(board, retry, analyst=Chatty())
    assert set(account.unexplained.values()) == {"analyse gave 'it was the tool': give a Diagnosis, or None"}


class Quoting:
    """Suggests a mend that quotes the failure's own request."""

    async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
        del successes, strategies
        when = {"tool": {"==": TOOL}, "request": {"==": failure.request}}
        mend = Mend(None, Rule(set={"limit": 100}), when=when, types=("report",))
        return Diagnosis(failure.id, "tool", failure.agent, 0, "it times out", 0.9, (mend,))


async def test_one_that_fits_its_failures_alone_is_rejected(board: Board) -> None:
    """On the tasks kept aside it mends nothing of the same trouble; where those are not looked at, it gets through."""
    account = await evolve(board, retry, analyst=Quoting(), settings=Settings(failures=1))
    assert [each.evaluation.verdict for each in account.candidates if each.evaluation] == ["overfitted"]
    assert not account.proposed
    async with blackboard.open(":memory:", agent="evolver") as other:
        await lay(Journal(other), tasks())
        account = await evolve(other, retry, analyst=Quoting(), settings=Settings(failures=1, generalises=False))
        assert account.proposed


# ---- one at a time ----------------------------------------------------------------------------------------------------------------------


async def test_of_two_that_begin_at_once_one_is_refused(board: Board) -> None:
    """They find the same in the log, whichever was first."""
    refused: list[Busy] = []
    done: list[Account] = []

    async def begin() -> None:
        try:
            done.append(await through(board))
        except Busy as error:
            refused.append(error)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(begin)
    assert (len(done), len(refused)) == (1, 2)
    assert len(await accounts(board)) == 1


async def test_one_that_is_under_way_is_named(board: Board) -> None:
    """Who is refused learns who works on it, and since when; and the other goes on undisturbed."""
    begun, go_on = anyio.Event(), anyio.Event()

    async def slow(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        begun.set()
        await go_on.wait()
        return await retry(task, strategies)

    async with anyio.create_task_group() as group:
        group.start_soon(partial(evolve, board, slow, analyst=Guesses()))
        await begun.wait()
        with pytest.raises(Busy, match="evolver works on cycle"):
            await through(board)
        go_on.set()
    [account] = await accounts(board)
    assert account.proposed


async def test_a_cycle_that_failed_is_gone_on_with(board: Board) -> None:
    """An error that leaves it, as of a board that is closed, leaves it half finished: the next call does the rest."""

    def broken(_: object) -> None:
        raise RuntimeError("the terminal is gone")

    with pytest.raises(RuntimeError, match="gone"):
        await evolve(board, retry, analyst=Guesses(), watch=broken)
    assert under_way(await Logbook(board).claims())
    assert await in_force(board) == ["politeness@1"]
    account = await through(board)
    assert account.proposed
    assert len(await accounts(board)) == 1


async def test_one_of_another_machine_is_taken_over_once_it_is_silent(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its process nothing is known but what it writes: so it is waited for a sign of life."""
    monkeypatch.setattr(room, "LEASE", 0.3)
    await Logbook(board).claim(Began("c1", ELSEWHERE, "other", 0.0))
    account = await through(board)
    assert account.cycle == "c1"
    assert account.proposed


async def test_one_of_another_machine_that_lives_is_left_alone(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign of life, while it is waited for one, refuses the second."""
    monkeypatch.setattr(room, "LEASE", 2.0)
    book = Logbook(board)
    await book.claim(Began("c1", ELSEWHERE, "other", 0.0))
    async with anyio.create_task_group() as group:

        async def lives() -> None:
            for number in count(1):
                await book.put("c1", ELSEWHERE, number, Alive())

        group.start_soon(lives)
        with pytest.raises(Busy, match="other works on cycle c1"):
            await through(board)
        group.cancel_scope.cancel()


async def test_who_was_taken_over_stops(board: Board) -> None:
    """Whoever finds that another has the cycle puts no candidate up, and does not end it."""
    book = Logbook(board)

    async def meanwhile(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        there = under_way(await book.claims())
        if there and there.hold != ELSEWHERE:
            await book.claim(TakenUp(there.id, ELSEWHERE, there.hold, "other", 1.0))
        return await retry(task, strategies)

    with pytest.raises(Lost, match="other works on it now"):
        await evolve(board, meanwhile, analyst=Guesses())
    assert not await Library(board).releases("candidate")
    there = under_way(await book.claims())
    assert there
    assert there.hold == ELSEWHERE


# ---- what it may spend ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("retries", [1, 7, 12, 30])
async def test_retries_stop_at_the_budget(board: Board, retries: int) -> None:
    """Not one more is made, wherever in the cycle that is; the account says what was spent, and that this is why it ended."""
    made = 0

    async def counted(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        nonlocal made
        made += 1
        return await retry(task, strategies)

    account = await evolve(board, counted, analyst=Guesses(), settings=Settings(retries=retries))
    assert made == account.spent.retries == retries
    assert f"the budget of {retries} retries is spent" in account.why
    assert not account.proposed
    assert await in_force(board) == ["politeness@1"]


async def test_tokens_stop_at_the_budget(board: Board) -> None:
    """A retry of ten tokens is the last one that begins below it."""
    account = await through(board, Settings(tokens=95))
    assert account.spent.tokens == 100
    assert "the budget of 95 tokens is spent" in account.why


async def test_a_budget_of_the_models(board: Board) -> None:
    """Where the retries' own budget refuses, the cycle ends, and tells what of it was spent; it was lowered to what the cycle may spend."""
    budget = Budget(10_000)

    async def asking(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        with budget.reserve(30):
            return await retry(task, strategies)

    account = await evolve(board, asking, analyst=Guesses(), settings=Settings(tokens=100), budget=budget)
    assert budget.spent == account.spent.tokens == 90
    assert "90 of 100 tokens are spent" in account.why


async def test_what_was_spent_before_a_kill_counts(board: Board) -> None:
    """A budget is the cycle's, not the process's: gone on with, it has what is left."""

    def broken(state: State) -> None:
        if state.spent.tokens >= 80:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        await evolve(board, retry, analyst=Guesses(), settings=Settings(tokens=100), watch=broken)
    budget = Budget(10_000)
    account = await evolve(board, retry, analyst=Guesses(), budget=budget)
    assert budget.tokens <= 100
    assert account.spent.tokens == 100


async def test_what_was_not_tried_for_want_of_budget_is_learned_from_later(board: Board) -> None:
    """A cycle that ended early keeps no failure from the next."""
    first = await through(board, Settings(retries=7))
    second = await through(board)
    assert {each.task for each in first.selected} == {each.task for each in second.selected}
    assert second.proposed


# ---- what may go wrong ------------------------------------------------------------------------------------------------------------------


async def test_an_analyst_that_raises(board: Board) -> None:
    """Its failure is told beside the task, and the cycle goes on."""

    class Moody(Guesses):
        async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
            if failure.id == worst:
                raise ValueError("not this one")
            return await super().analyse(failure, successes, strategies)

    worst = (await through(board, Settings(retries=1))).selected[0].task
    account = await evolve(board, retry, analyst=Moody())
    assert account.unexplained == {worst: "ValueError: not this one"}
    assert account.proposed


async def test_a_retry_that_raises(board: Board) -> None:
    """It is no verdict: nothing is proposed, the account says why, and all is still to be learned once the retry is mended."""

    async def broken(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        raise OSError("no sandbox")

    account = await evolve(board, broken, analyst=Guesses())
    assert not account.proposed
    assert account.why == account.trouble == "no retry gave a verdict: OSError: no sandbox"
    tried, *rest = [each.evaluation for each in account.candidates]
    assert tried
    assert tried.verdict == "undecided"
    assert not any(rest), "one is enough to know it"
    again = await evolve(board, retry, analyst=Guesses())
    assert (again.selected, again.trouble) == (account.selected, "")
    assert again.proposed


async def test_an_ending_counts_once(board: Board) -> None:
    """Somebody who has a cycle no more cannot end it."""
    book = Logbook(board)
    await book.claim(Began("c1", ELSEWHERE, "other", 0.0))
    await book.claim(Ended("c1", "somebody else's", 1.0, "no", spent=Spent()))
    there = under_way(await book.claims())
    assert there
    assert there.id == "c1"


async def test_whatever_a_retry_and_an_analyst_raise_the_cycle_ends(board: Board) -> None:
    """Half of a surrogate pair, as names of files have them, a megabyte, or no word at all; it is told, and nothing is proposed."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    class Fails(Guesses):
        async def analyse(self, failure: TaskLog, successes: Sequence[TaskLog], strategies: Sequence[Strategy]) -> Diagnosis | None:
            if failure.id.endswith("1"):
                raise Mute
            return await super().analyse(failure, successes, strategies)

    async def fails(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        raise ValueError("\udce9" + "x" * 1_000_000)

    account = await evolve(board, fails, analyst=Fails())
    assert account.proposed == ()
    assert {each.evaluation.verdict for each in account.candidates if each.evaluation} == {"undecided"}
    assert (await evolve(board, retry, analyst=Guesses())).proposed
