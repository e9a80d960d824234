"""A disk that is full and a server that is away, as users meet them: in real processes."""

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blackboard.opening import open  # noqa: A004 - as users do
from bus.server import running_server
from tests.agents.cli.commands import address_in, line_of, pheroboard, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and stops processes as Linux does")


def trouble_of(data: Path, board: str) -> str:
    return str(pheroboard(data, "stats", board, "--json").json.get("trouble", ""))


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not await asyncio.to_thread(reached):  # noqa: ASYNC110 - another process has no event for us
            await asyncio.sleep(0.1)


async def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """Agents go on, and other boards' answers; `stats` and `doctor` say what is wrong. With room again all of it counts, once."""
    with started(tmp_path, "up", "shop") as up:
        url = address_in(line_of(up))
        soft, hard = resource.prlimit(up.pid, resource.RLIMIT_FSIZE)
        async with open(f"{url}/shop", agent="finance") as finance:
            item = await finance.deposit("counted", scope="shared", strength=1.0)
            await finance.wait_applied()
            resource.prlimit(up.pid, resource.RLIMIT_FSIZE, (4096, hard))  # what is written then fails, also for root
            async with asyncio.TaskGroup() as tasks:
                for _ in range(200):
                    tasks.create_task(finance.reinforce(item, 1.0))
            await until(lambda: trouble_of(tmp_path, "shop") != "")
            trouble = trouble_of(tmp_path, "shop")
            assert "the journal cannot be written (disk I/O error): make room on its disk" in trouble
            assert str(tmp_path) not in trouble
            doctor = await asyncio.to_thread(pheroboard, tmp_path, "doctor")
            assert doctor.code == 1
            assert any(line.startswith("WRONG  shop: ") and "in trouble since" in line for line in doctor.out.splitlines())
            said = await asyncio.to_thread(pheroboard, tmp_path, "stats", "shop")
            assert "in trouble since" in said.out
            resource.prlimit(up.pid, resource.RLIMIT_FSIZE, (soft, hard))
            await finance.wait_applied()
            stands = await finance.get(item)
            assert sum(each.count for each in stands.contributions.values()) == 201
        assert trouble_of(tmp_path, "shop") == ""
        up.terminate()
        assert up.wait(10) == 143
    replayed = pheroboard(tmp_path, "replay", "shop", "--from-origin")
    assert replayed.code == 0, replayed.err


FAULTY = """
import sys
from agents.cli import main
from blackboard.board import Board

def apply(board, entry, applied=Board.apply):
    did = applied(board, entry)
    if any(getattr(each, "content", "") == "poison" for unit in entry.units for each in unit):
        raise KeyError("a fault of ours")
    return did

Board.apply = apply
main(sys.argv[2:])
"""


async def test_an_entry_that_breaks_the_board(tmp_path: Path) -> None:
    """Its sender is told, `doctor` lists it, what comes before and behind counts, and the other board notices nothing."""
    with started(tmp_path, "up", "shop", "lab", through=(sys.executable, "-c", FAULTY)) as up:
        url = address_in(line_of(up))
        async with open(f"{url}/shop", agent="finance") as finance, open(f"{url}/lab", agent="finance") as elsewhere:
            item = await finance.deposit("counted", scope="shared", strength=1.0)
            other = await elsewhere.deposit("counted", scope="shared", strength=1.0)
            for _ in range(3):
                refused = await asyncio.to_thread(pheroboard, tmp_path, "deposit", "shop", "poison")
                assert refused.code == 1
                assert "the board failed on this (KeyError) and has set it aside" in refused.err
                await finance.reinforce(item, 1.0)
                await elsewhere.reinforce(other, 1.0)
            assert sum(each.count for each in (await finance.get(item)).contributions.values()) == 4
            assert sum(each.count for each in (await elsewhere.get(other)).contributions.values()) == 4
        doctor = await asyncio.to_thread(pheroboard, tmp_path, "doctor")
        assert doctor.code == 0, doctor.out
        assert "shop: set aside: 3 Poison" in doctor.out
        up.terminate()
        assert up.wait(10) == 143
    with started(tmp_path, "up") as again:
        line_of(again)
        assert pheroboard(tmp_path, "stats", "shop", "--json").json["items"] == 1


async def test_what_cannot_be_written_is_found(tmp_path: Path) -> None:
    """`doctor`, with no board running, finds a folder that takes no more, and files that cannot be written."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        up.terminate()
        up.wait(10)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(0, resource.RLIMIT_FSIZE, (4096, hard))  # which the command inherits
    try:
        doctor = pheroboard(tmp_path, "doctor")
    finally:
        resource.prlimit(0, resource.RLIMIT_FSIZE, (soft, hard))
    assert doctor.code == 1
    assert f"WRONG  data folder: {tmp_path} cannot be written" in doctor.out
    (tmp_path / "shop.db").rename(tmp_path / "kept")
    (tmp_path / "shop.db").mkdir()
    assert pheroboard(tmp_path, "doctor").code == 1


LONG = (
    pytest.mark.chaos,
    pytest.mark.timeout(200),
    # nats-py drops the connections of tries to come back that time out, as they are.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
)


@pytest.mark.parametrize("seconds", [2.0, pytest.param(60.0, marks=LONG)])
async def test_a_server_that_is_away(tmp_path: Path, seconds: float) -> None:
    """Host and agents wait and go on by themselves, nothing is lost; meanwhile commands say that it does not answer, and do not hang."""
    store, data = tmp_path / "nats", tmp_path / "data"
    data.mkdir()
    async with running_server(store) as server:
        with started(data, "up", "shop", "--nats", server.url) as up:
            line_of(up)
            async with open(f"{server.url}/shop", agent="finance") as finance:
                item = await finance.deposit("counted", scope="shared", strength=1.0)
                await finance.wait_applied()
                os.kill(server.pid, signal.SIGSTOP)  # as one whose machine hangs: connections stand, and nothing answers
                saying = [asyncio.create_task(finance.reinforce(item, 1.0)) for _ in range(20)]
                try:
                    began = asyncio.get_running_loop().time()
                    away = await asyncio.to_thread(pheroboard, data, "stats", "shop")
                    assert away.code == 1
                    assert "no NATS server answers" in away.err
                    doctor = await asyncio.to_thread(pheroboard, data, "doctor")
                    assert doctor.code == 1
                    assert "no NATS server answers" in doctor.out
                    await asyncio.sleep(max(seconds - (asyncio.get_running_loop().time() - began), 0.0))
                finally:
                    os.kill(server.pid, signal.SIGCONT)
                async with asyncio.timeout(20):
                    await asyncio.gather(*saying)
                    await finance.wait_applied()
                stands = await finance.get(item)
                assert sum(each.count for each in stands.contributions.values()) == 21
            assert up.poll() is None
