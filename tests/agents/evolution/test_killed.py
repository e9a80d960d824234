"""Claims about cycles whose process is killed, and about two processes that begin one at once."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

import blackboard
from agents.evolution.cycle import accounts, evolve
from agents.evolution.library import Library
from agents.memory.journal import Journal
from tests.agents.cli.commands import ROOT, environment
from tests.agents.evolution.world import ACTIVE, Guesses, lay, retry, tasks


def run(tmp_path: Path, address: str, entries: int) -> int:
    command = [sys.executable, "-m", "tests.agents.evolution.dying", address, str(entries)]
    return subprocess.run(command, cwd=ROOT, env=environment(tmp_path), timeout=50, check=False).returncode


async def laid(address: str) -> None:
    async with blackboard.open(address, agent="analyst") as board:
        await lay(Journal(board), tasks(failures=6, successes=6))
        await Library(board).add(ACTIVE, status="active", by="Ada")


async def came_to(address: str) -> Any:
    """What the only cycle came to, without what is another each time."""
    async with blackboard.open(address, agent="op") as board:
        [account] = await accounts(board)
        said = msgspec.to_builtins(account)
        statuses = [(each.strategy.ref, each.status) for each in await Library(board).releases()]
    for name in ("cycle", "began", "ended", "by"):
        said.pop(name)
    said["spent"].pop("seconds")
    for each in said["candidates"]:
        each["strategy"]["lineage"].pop("cycle")
    return said, statuses


async def in_force(address: str) -> list[str]:
    async with blackboard.open(address, agent="op") as board:
        return [each.strategy.ref for each in await Library(board).releases("active")]


async def test_a_cycle_that_is_killed_at_every_step(tmp_path: Path) -> None:
    """kill -9 in the midst of each unit of work: the next call goes on, and it comes to what it would have come to."""
    killed, whole = str(tmp_path / "killed.db"), str(tmp_path / "whole.db")
    await laid(killed)
    await laid(whole)
    async with blackboard.open(whole, agent="evolver") as board:
        await evolve(board, retry, analyst=Guesses())
    kills = 0
    while run(tmp_path, killed, entries=min(kills, 1)):
        kills += 1
        assert await in_force(killed) == [f"{ACTIVE.name}@1"]
    assert kills > 6
    assert await came_to(killed) == await came_to(whole)
