"""Claims about ``pheroboard evolve``."""

import asyncio
from pathlib import Path

import pytest

import blackboard
from agents.memory.journal import Journal
from tests.agents.cli.commands import ROOT, Ran, address_in, line_of, pheroboard, started
from tests.agents.evolution.world import lay, tasks

TARGET = "tests.agents.evolution.target"


@pytest.fixture
def board(tmp_path: Path) -> str:
    """A board with failures to learn from."""

    async def make() -> None:
        async with blackboard.open(tmp_path / "sales.db", agent="analyst") as opened:
            await lay(Journal(opened), tasks())

    asyncio.run(make())
    return str(tmp_path / "sales.db")


def evolve(tmp_path: Path, board: str, *options: str) -> Ran:
    return pheroboard(tmp_path, "evolve", TARGET, board, *options, cwd=ROOT)


def test_it_ends_with_its_report(tmp_path: Path, board: str) -> None:
    """What was learned from and why, what was tried with the figures of the three sets, what it cost, and how to review it."""
    ran = evolve(tmp_path, board)
    assert ran.code == 0, ran.err
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[0].endswith("query_sales-limit@1 awaits review")
    assert any(line.startswith("1.36 ") and line.endswith("repeated, new tool it times out without a limit") for line in lines)
    assert any("query_sales-limit@1 0 → 5 of 5 8 → 8 of 8 4 → 9 of 9" in line for line in lines)
    assert any(line.startswith("spent: 50 retries, 500 tokens") for line in lines)
    assert f"pheroboard strategy show {board} query_sales-limit@1" in ran.out


def test_json(tmp_path: Path, board: str) -> None:
    """With --json all of it is one document; a budget that ends it is told there."""
    ran = evolve(tmp_path, board, "--json", "--budget", "10")
    assert ran.code == 0, ran.err
    cycle = ran.json["cycle"]
    assert cycle["spent"]["retries"] == 10
    assert cycle["why"] == "the budget of 10 retries is spent"


def test_a_target_without_retries_is_named(tmp_path: Path, board: str) -> None:
    """It says what is to be there."""
    ran = pheroboard(tmp_path, "evolve", "tests.agents.evolution.test_cycle_is_no_target", board, cwd=ROOT)
    assert ran.code == 1
    ran = pheroboard(tmp_path, "evolve", "tests.agents.cli.commands", board, cwd=ROOT)
    assert ran.code == 1
    assert "it offers no `retry`: give it `async def retry(task, strategies)`" in ran.err


@pytest.mark.parametrize(
    ("retry", "wrong"),
    [
        ("def retry(task, strategies): return task", "its `retry` is no coroutine function"),
        ("async def retry(task): return task", "its `retry(task)` cannot be called with two arguments (too many positional arguments)"),
        ("retry = 3", "its `retry` is no coroutine function"),
    ],
)
def test_a_retry_that_cannot_be_awaited_is_refused_at_once(tmp_path: Path, retry: str, wrong: str) -> None:
    """Before the board is opened, so that no cycle is spent on it."""
    (tmp_path / "again.py").write_text(retry)
    ran = pheroboard(tmp_path, "evolve", "again.py", "./nothing.db")
    assert (ran.code, ran.out) == (1, "")
    assert (
        ran.err == f"pheroboard: again.py has nothing to try candidates with, since {wrong}: give it `async def retry(task, strategies)`\n"
    )


@pytest.mark.parametrize("options", [(), ("--budget", "3"), ("--json",)])
def test_a_retry_that_gives_no_verdict_is_a_failure(tmp_path: Path, board: str, options: tuple[str, ...]) -> None:
    """The exit code tells scripts so, and the reason is the first thing that people read, however small the budget."""
    (tmp_path / "again.py").write_text(
        "from tests.agents.evolution.world import Guesses\nanalyst = Guesses()\nasync def retry(task, strategies): raise KeyError('boom')"
    )
    ran = pheroboard(tmp_path, "evolve", "again.py", board, *options)
    assert ran.code == 1, ran.err
    why = ran.json["cycle"]["why"] if options == ("--json",) else ran.out.splitlines()[0].split(": ", 1)[1]
    assert why == "no retry gave a verdict: KeyError: 'boom'"


def test_a_setting_that_cannot_be_is_named(tmp_path: Path, board: str) -> None:
    """Before anything is begun."""
    ran = evolve(tmp_path, board, "--aside", "1.5")
    assert ran.code == 1
    assert "aside" in ran.err
    assert evolve(tmp_path, board, "--budget", "0").code == 1


async def test_of_two_processes_one_is_refused(tmp_path: Path) -> None:
    """Two commands on one board that is served: one goes through, and the other says who works on it."""
    with started(tmp_path, "up", "sales") as up:
        address = f"{address_in(line_of(up))}/sales"
        async with blackboard.open(address, agent="analyst") as opened:
            await lay(Journal(opened), tasks())
        ran = await asyncio.gather(*(asyncio.to_thread(evolve, tmp_path, address) for _ in range(2)))
    won, lost = sorted(ran, key=lambda each: each.code)
    assert (won.code, lost.code) == (0, 1)
    assert "awaits review" in won.out
    assert "one cycle at a time on a board: operator works on cycle" in lost.err
