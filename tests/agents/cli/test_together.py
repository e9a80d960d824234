"""Many writers on one board, and several processes at one database: what is done is right, or refused at once with the holder's number."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from blackboard.errors import BoardInUse
from blackboard.opening import open  # noqa: A004 - as users do
from tests.agents.cli.commands import address_in, environment, line_of, pheroboard, started

PROCESSES, AGENTS, SAID = 5, 10, 40

WRITERS = """
import asyncio, sys
from blackboard.opening import open

async def write(address, agent, times):
    async with open(address, agent=agent) as board:
        item = await board.deposit("counted", scope="shared", strength=1.0)
        for _ in range(times - 1):
            await board.reinforce(item, 1.0)
        await board.wait_applied()

async def main(address, first, count, times):
    await asyncio.gather(*(write(address, f"agent-{number}", times) for number in range(first, first + count)))

asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
"""


async def counted(address: str) -> int:
    """How often the one item that there is was said, or made stronger."""
    async with open(address, agent="reader") as reader:
        [item] = await reader.top(9)
        return sum(each.count for each in item.contributions.values())


async def test_fifty_writers(tmp_path: Path) -> None:
    """All that they say counts, once, while others back the board up, look into it, export and replay it, and its journal is cut."""
    with started(tmp_path, "up", "shop", "--keep-journal-entries", "100") as up:
        address = f"{address_in(line_of(up))}/shop"
        assert pheroboard(tmp_path, "deposit", "shop", "counted", "--shared", "--strength", "1").code == 0
        writers = [
            subprocess.Popen(  # noqa: ASYNC220
                [sys.executable, "-c", WRITERS, address, str(number * AGENTS), str(AGENTS), str(SAID)],
                stderr=subprocess.PIPE, text=True, env=environment(tmp_path),
            )
            for number in range(PROCESSES)
        ]  # fmt: skip
        try:
            looked = 0
            while any(writer.poll() is None for writer in writers) or not looked:
                for command in (
                    ("backup", "shop", f"copy-{looked}"),
                    ("doctor",),
                    ("replay", "shop", "--from-origin"),
                    ("export", "shop", "--everything", "--out", f"export-{looked}"),
                ):
                    ran = await asyncio.to_thread(pheroboard, tmp_path, *command)
                    assert "locked" not in ran.out + ran.err
                    assert ran.code == 0, (command, ran)
                looked += 1
            for writer in writers:
                assert writer.stderr is not None
                assert (writer.wait(), writer.stderr.read()) == (0, "")
        finally:
            for writer in writers:
                writer.kill()
                writer.wait()
                assert writer.stderr is not None
                writer.stderr.close()
        assert await counted(address) == 1 + PROCESSES * AGENTS * SAID


async def test_fifty_writers_in_one_process(tmp_path: Path) -> None:
    """An embedded board, too."""
    async with open(tmp_path / "shop", agent="first"):

        async def write(agent: str) -> None:
            async with open(tmp_path / "shop", agent=agent) as board:
                item = await board.deposit("counted", scope="shared", strength=1.0)
                for _ in range(SAID - 1):
                    await board.reinforce(item, 1.0)

        await asyncio.gather(*(write(f"agent-{number}") for number in range(PROCESSES * AGENTS)))
        assert await counted(str(tmp_path / "shop")) == PROCESSES * AGENTS * SAID


async def test_a_database_that_another_process_serves(tmp_path: Path) -> None:
    """Who opens it, restores over it or serves it a second time is refused at once, with the holder's number; and the other way round."""
    database = tmp_path / "shop.db"
    with started(tmp_path, "up", "shop") as up:
        address_in(line_of(up))
        began = time.monotonic()
        with pytest.raises(BoardInUse, match=f"in use by process {up.pid}"):
            async with open(database, agent="finance"):
                pass
        assert time.monotonic() - began < 1.0
        assert f"served already, by process {up.pid}" in pheroboard(tmp_path, "up", "shop").err
        up.terminate()
        up.wait(10)
    async with open(tmp_path / "lab", agent="finance"):
        refused = await asyncio.to_thread(pheroboard, tmp_path, "up", "lab")
        assert refused.code == 1
        assert f"in use by process {os.getpid()}" in refused.err
