"""Claims about the agent that looks after the others' strategies."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import blackboard
from agents import Agent, Crew, on_signal
from agents.evolution.account import Account
from agents.evolution.entries import Settings
from agents.evolution.evolver import ASKED, Evolver
from agents.evolution.library import Library
from agents.evolution.release import Test
from agents.evolution.strategies import Rule, Strategy
from agents.memory.journal import Journal
from agents.memory.records import TaskLog
from bus.messages import Signal
from tests.agents.evolution.world import TOOL, Guesses, lay, logged, retry, tasks

LIMIT = Strategy("query_sales-limit", Rule(set={"limit": 100}), types=("report",), when={"tool": {"==": TOOL}})


class Analyst(Agent):
    """Records what is given, and hears what the board notices."""

    def __init__(self, logs: Sequence[TaskLog], ask: str = "") -> None:
        super().__init__("analyst")
        self._logs, self._ask = logs, ask
        self.heard: list[Signal] = []

    async def run(self) -> None:
        await lay(Journal(self.board), self._logs)
        if self._ask:
            await self.board.deposit(self._ask, key=ASKED, scope="shared")

    @on_signal()
    async def hear(self, signal: Signal) -> None:
        self.heard.append(signal)


class Told:
    """Keeps what cycles came to."""

    def __init__(self) -> None:
        self.accounts: list[Account] = []

    async def __call__(self, account: Account) -> None:
        self.accounts.append(account)


async def run(tmp_path: Path, analyst: Analyst, evolver: Evolver) -> None:
    report = await Crew([analyst, evolver], board=str(tmp_path / "sales.db")).run()
    assert not report.failures


async def test_a_cycle_begins_after_so_many_new_failures(tmp_path: Path) -> None:
    """And not again for the same ones."""
    told = Told()
    await run(tmp_path, Analyst(tasks()), Evolver(retry, analyst=Guesses(), rest=0, after=12, told=told))
    assert [account.proposed for account in told.accounts] == [("query_sales-limit@1",)]


async def test_a_broken_retry_is_told_and_not_tried_at_each_task(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing was learned from the failures, and still the next cycle waits for as many again."""

    async def broken(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        raise OSError("no sandbox")

    told = Told()
    await run(tmp_path, Analyst(tasks()), Evolver(broken, analyst=Guesses(), rest=0, after=12, told=told))
    assert [account.trouble for account in told.accounts] == ["no retry gave a verdict: OSError: no sandbox"]
    assert "no retry gave a verdict: OSError: no sandbox" in caplog.text


async def test_a_cycle_that_spends_its_budget_is_not_begun_again_at_each_task(tmp_path: Path) -> None:
    """Its failures are open to the next one, which waits for as many again."""
    told = Told()
    await run(tmp_path, Analyst(tasks()), Evolver(retry, analyst=Guesses(), settings=Settings(retries=1), rest=0, after=4, told=told))
    assert len(told.accounts) == 3  # of 12 failures


async def test_fewer_failures_begin_none(tmp_path: Path) -> None:
    """One short of it nothing happens."""
    told = Told()
    await run(tmp_path, Analyst(tasks(failures=11)), Evolver(retry, analyst=Guesses(), rest=0, after=12, told=told))
    assert not told.accounts


async def test_a_cycle_begins_when_it_is_asked_for(tmp_path: Path) -> None:
    """By an item under the key *evolve*, whoever put it there."""
    told = Told()
    await run(tmp_path, Analyst(tasks(), ask="learn from that"), Evolver(retry, analyst=Guesses(), rest=0, after=None, told=told))
    assert len(told.accounts) == 1


async def test_a_fall_of_success_is_a_signal(tmp_path: Path) -> None:
    """The rate of the last tasks is below what chance leaves of the rate before: the board says that it violates that."""
    good = [logged(2 * n, "success", at=float(n)) for n in range(40)]
    bad = [logged(2 * n + 1, at=100.0 + n) for n in range(20)]
    analyst = Analyst([*good, *bad])
    await run(tmp_path, analyst, Evolver(retry, rest=0, after=None, window=20))
    fell = [each for each in analyst.heard if each.signal == "violated"]
    assert fell
    assert {each.key for each in fell} == {"success_rate"}


async def test_success_as_before_is_none(tmp_path: Path) -> None:
    """Where two of three tasks succeed, and go on to, nothing is said."""
    mixed = [logged(n, "failure" if n % 3 == 0 else "success", at=float(n)) for n in range(90)]
    analyst = Analyst(mixed)
    await run(tmp_path, analyst, Evolver(retry, rest=0, after=None, window=30))
    assert not [each for each in analyst.heard if each.signal == "violated"]


async def test_failures_that_cluster_are_a_signal(tmp_path: Path) -> None:
    """Failures that go the same way confirm each other, which the board notices as a burst."""
    analyst = Analyst(tasks(failures=6))
    await run(tmp_path, analyst, Evolver(retry, rest=0, after=None))
    assert [each.key for each in analyst.heard if each.signal == "burst"] == ["failures"]


async def test_a_canary_is_promoted_by_its_success(tmp_path: Path) -> None:
    """Once enough tasks have told; whoever approved it answers for it."""
    path = str(tmp_path / "sales.db")
    logs = [
        logged(2 * n + 1, "success" if n % 2 else "failure", strategies=[f"{LIMIT.name}@1"] if n % 2 else [], at=4e9 + n) for n in range(40)
    ]

    class Reviewer(Analyst):
        async def run(self) -> None:
            await Library(self.board).add(LIMIT)
            await Library(self.board).approve(LIMIT.ref, by="Ada", share=0.5)
            await super().run()

    await Crew([Reviewer(logs), Evolver(retry, rest=0, after=None, test=Test(tasks=40, looks=2))], board=path).run()
    async with blackboard.open(path, agent="op") as board:
        [release] = await Library(board).releases()
    assert (release.status, release.by) == ("active", "Ada")
    assert release.scores["success with"] == 1.0
