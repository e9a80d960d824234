"""``open(…, outbox=FILE)``: what an agent says is safe once a verb returns, whoever dies or is away, and counts once."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from blackboard import opening, sending
from blackboard.errors import OutboxInUse, StaleOutbox, WrongOutbox
from blackboard.opening import open, serving  # noqa: A004 - it is what is tested
from blackboard.sqlite import SqlitePending
from blackboard.sync import open_sync
from bus.binary import find_server
from bus.errors import NoAnswer, NotServed, Unreachable
from bus.nats import NatsBus
from tests.bus.conftest import Restartable


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a server that is away as long as a user does."""
    monkeypatch.setattr(sending, "FLUSH", 0.5)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Restartable]:
    (tmp_path / "nats").mkdir()
    running = Restartable(find_server(), tmp_path / "nats", -1)
    await running.start()
    yield running
    await running.end()


@asynccontextmanager
async def served(server: Restartable, tmp_path: Path) -> AsyncIterator[str]:
    """The address of a board."""
    (tmp_path / "data").mkdir(exist_ok=True)
    bus = await NatsBus.connect(server.url)
    try:
        async with serving(bus, "board", tmp_path / "data"):
            yield f"{server.url}/board"
    finally:
        await bus.aclose()


async def test_accepted_while_the_server_is_away(server: Restartable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs return, closing is no error, opening again works, what waits shows in questions; and all goes out once the server is back."""
    monkeypatch.setattr(opening, "CONNECT_WITHIN", 0.5)
    outbox = tmp_path / "out.db"
    async with served(server, tmp_path) as address:
        async with open(address, agent="finance", outbox=outbox) as board:
            item = await board.deposit("counted", scope="shared", strength=1.0)
            assert (await board.get(item)).strength == 1.0
            server.kill()
            await board.reinforce(item, 1.0)
            await board.reinforce(item, 2.0)
        async with open(address, agent="finance", outbox=outbox) as board:
            await board.reinforce(item, 4.0)
            with pytest.raises(NoAnswer, match=r"3 units wait in outbox .*out\.db"):
                await board._sender.sent(patience=0.1)
            await server.start()
            assert (await board.get(item)).strength == 8.0
        async with open(address, agent="finance", outbox=outbox) as board:
            assert (await board.get(item)).strength == 8.0


AGENT = """
import asyncio, sys
from blackboard.opening import open

async def main():
    async with open(sys.argv[1], agent="writer", outbox=sys.argv[2]) as board:
        item = await board.deposit("counted", scope="shared", strength=1.0)
        async def write():
            while True:
                await board.reinforce(item, 1.0)
                print("accepted", flush=True)
        await asyncio.gather(*(write() for _ in range(8)))

asyncio.run(main())
"""


async def test_an_agent_s_own_death(server: Restartable, tmp_path: Path) -> None:
    """What was accepted before a kill -9 of the agent counts, each once, time after time."""
    outbox = tmp_path / "out.db"
    accepted = 0
    async with served(server, tmp_path) as address:
        for _ in range(4):
            process = subprocess.Popen(  # noqa: ASYNC220
                [sys.executable, "-c", AGENT, address, str(outbox)], stdout=subprocess.PIPE, text=True
            )
            assert process.stdout is not None
            try:
                lines = await asyncio.to_thread(lambda out: [out.readline() for _ in range(100)], process.stdout)
            finally:
                os.kill(process.pid, signal.SIGKILL)
                lines += process.stdout.readlines()
                process.stdout.close()
                process.wait()
            accepted += lines.count("accepted\n")
        async with open(address, agent="writer", outbox=outbox) as board:
            await board.wait_applied()
            kept = board._pending.last
            [item] = await board.top()
            counted = next(each.count for each in item.contributions.values() if each.cause == "reinforce")
        assert accepted <= counted <= accepted + 4 * 8
        assert kept == counted + 4, "each said the item, too"


async def test_an_older_copy(server: Restartable, tmp_path: Path) -> None:
    """An outbox put back from a copy, while the board went on, is refused with both numbers, and nothing of it is sent."""
    outbox, copy = tmp_path / "out.db", tmp_path / "copy.db"
    async with served(server, tmp_path) as address:
        async with open(address, agent="finance", outbox=outbox) as board:
            item = await board.deposit("counted", scope="shared", strength=1.0)
            await board.wait_applied()
        shutil.copy(outbox, copy)
        async with open(address, agent="finance", outbox=outbox) as board:
            for _ in range(3):
                await board.reinforce(item, 1.0)
                await board.wait_applied()
        shutil.copy(copy, outbox)
        with pytest.raises(StaleOutbox, match=r"out\.db ends at post 1 of its epoch, and board 'board' has applied 4: .*older copy"):
            async with open(address, agent="finance", outbox=outbox):
                pass
        outbox.unlink()
        async with open(address, agent="finance", outbox=outbox) as board:
            await board.reinforce(item, 1.0)
            assert (await board.get(item)).strength == 5.0


async def test_an_older_copy_that_is_found_out_late(server: Restartable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was opened while the server was away fails every verb once the board has answered; what it took stays in the file."""
    monkeypatch.setattr(opening, "CONNECT_WITHIN", 0.5)
    outbox, copy = tmp_path / "out.db", tmp_path / "copy.db"
    async with served(server, tmp_path) as address:
        async with open(address, agent="finance", outbox=outbox) as board:
            await board._pending.begin()
        shutil.copy(outbox, copy)
        async with open(address, agent="finance", outbox=outbox) as board:
            item = await board.deposit("counted", scope="shared", strength=1.0)
            await board.wait_applied()
        shutil.copy(copy, outbox)
        server.kill()
        async with open(address, agent="finance", outbox=outbox) as board:
            await board.reinforce(item, 1.0)
            await server.start()
            for _ in range(2):
                with pytest.raises(StaleOutbox):
                    await board.get(item)
                with pytest.raises(StaleOutbox):
                    await board.confirm(item)
    pending = SqlitePending(outbox, f"finance at {address}")
    await pending.open()
    assert pending.last - pending.left == 1
    await pending.aclose()


async def test_whose_it_is(tmp_path: Path) -> None:
    """An embedded board's outbox is as good; it is held by one opening, and is that agent's on that board."""
    outbox = tmp_path / "out.db"
    async with open(tmp_path / "board", agent="finance", outbox=outbox) as board:
        item = await board.deposit("counted", scope="shared")
        assert (await board.get(item)).strength == 4.0
        with pytest.raises(OutboxInUse):
            async with open(tmp_path / "board", agent="finance", outbox=outbox):
                pass
    with pytest.raises(WrongOutbox, match=r"finance at \S+/board, not of mallory at \S+/board"):
        async with open(tmp_path / "board", agent="mallory", outbox=outbox):
            pass
    with open_sync(tmp_path / "board", agent="finance", outbox=outbox) as sync:
        sync.reinforce(item, 1.0)
        assert sync.get(item).strength == 5.0


async def test_the_first_opening_reaches_the_board(server: Restartable, tmp_path: Path) -> None:
    """A misspelt address or board is told, as without an outbox; and no password is written down."""
    with pytest.raises(Unreachable):
        async with open("nats://127.0.0.1:1/board", agent="finance", outbox=tmp_path / "out.db"):
            pass
    with pytest.raises(NotServed):
        async with open(f"{server.url}/bord", agent="finance", outbox=tmp_path / "out.db"):
            pass
    async with served(server, tmp_path) as address:
        named = address.replace("//", "//user:secret@")
        async with open(named, agent="finance", outbox=tmp_path / "out.db") as board:
            await board.deposit("x")
        async with open(address, agent="finance", outbox=tmp_path / "out.db") as board:
            assert (await board.stats()).items == 1
    assert b"secret" not in (tmp_path / "out.db").read_bytes()
