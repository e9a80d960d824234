"""Claims about the board as a memory service: from any loop and thread, here and served, and while it is down."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.adapters import AgentSaid, MemoryService, UserSaid, observing, reaching
from agents.adapters.service import service_of
from blackboard.background import background, wait_on
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.opening import open as open_board
from blackboard.opening import serving
from blackboard.sync import open_sync
from bus.binary import find_server
from bus.errors import BadName
from bus.nats import NatsBus
from tests.bus.conftest import Restartable

SAID = "We decided on the blue logo."


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(reaching, "AGAIN", 0.05)
    caplog.set_level(logging.INFO, "agents.adapters")


@pytest.fixture
def memory() -> Iterator[MemoryService]:
    with MemoryService(":memory:", within=20.0) as memory:
        yield memory


def told(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(each.levelname, each.message) for each in caplog.records if each.name.startswith("agents.adapters")]


# ---- here -------------------------------------------------------------------------------------------------------------------------------


def test_what_is_observed_comes_back(memory: MemoryService) -> None:
    """From code without a loop, and from one event loop after another, on one client."""
    memory.observe_sync("finance", AgentSaid(SAID))
    section = memory.assemble_sync("finance", "Which logo?", 400)
    assert f"- {SAID}\n" in section
    for _ in range(3):
        assert asyncio.run(memory.assemble("finance", "Which logo?", 400)) == section
    assert len(memory._clients) == 1
    assert memory.assemble_sync("finance", "Zebras?", 400) == ""
    assert memory.assemble_sync("finance", "Which logo?", 400, [SAID]) == ""
    assert asyncio.run(memory.assemble("finance", "Which logo?", 400, [SAID])) == ""


def test_in_memory_each_service_has_a_board_of_its_own(memory: MemoryService) -> None:
    """What one was told no other knows."""
    memory.observe_sync("finance", AgentSaid(SAID))
    with MemoryService(":memory:", within=20.0) as other:
        assert other.assemble_sync("finance", "Which logo?", 400) == ""


def test_what_is_no_event_is_told_where_it_is_said(memory: MemoryService) -> None:
    """A text alone does not say who said it: it raises, where nothing on the board would show that it was lost."""
    with pytest.raises(BadValue, match=r"event 'We chose blue\.': give a UserSaid"):
        memory.observe_sync("finance", "We chose blue.")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="give a UserSaid"):
        asyncio.run(memory.observe("finance", "We chose blue."))  # type: ignore[arg-type]


def test_many_agents_at_once(memory: MemoryService) -> None:
    """A hundred, each from a thread or a task of its own: each sees what it wrote and what is shared, and nothing else."""
    memory.scope = "shared"
    memory.observe_sync("host", AgentSaid(SAID))
    memory.scope = "private"

    async def turn(agent: str) -> str:
        await memory.observe(agent, AgentSaid(f"My logo is number {agent}."))
        return await memory.assemble(agent, "Which logo?", 400)

    async def all_of_them() -> list[str]:
        tasks = (turn(f"a{number}") for number in range(50))
        threads = (asyncio.to_thread(asyncio.run, turn(f"b{number}")) for number in range(50))
        return await asyncio.gather(*tasks, *threads)

    agents = [f"{kind}{number}" for kind in "ab" for number in range(50)]
    for agent, section in zip(agents, asyncio.run(all_of_them()), strict=True):
        assert section.count("My logo is number ") == 1
        assert f"- My logo is number {agent}.\n" in section
        assert f'<data from="host">{SAID}</data>' in section
    assert len(memory._clients) == 101


def test_one_agent_many_at_once(memory: MemoryService) -> None:
    """Fifty threads that say the same at once have one client, and say one item."""
    threads = [threading.Thread(target=memory.observe_sync, args=("finance", AgentSaid(SAID))) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.assemble_sync("finance", "Which logo?", 400).count(SAID) == 1
    assert len(memory._clients) == 1


async def test_what_goes_into_a_prompt_is_used() -> None:
    """It becomes a little stronger, behind the call."""
    async with open_board(":memory:", agent="finance") as board, MemoryService(board, within=20.0) as memory:
        await memory.observe("finance", AgentSaid(SAID))
        async with board.changes(cause="use") as changes:
            assert SAID in await memory.assemble("finance", "Which logo?", 400)
            assert (await anext(changes)).cause == "use"


def test_a_file(tmp_path: Path) -> None:
    """A board in a file is there for the next service, although the process never said that it was done with the first."""
    code = f"""
from agents.adapters import AgentSaid, MemoryService
MemoryService({str(tmp_path / "trip")!r}).observe_sync("finance", AgentSaid({SAID!r}))
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=30)
    with MemoryService(tmp_path / "trip", within=20.0) as memory:
        assert SAID in memory.assemble_sync("finance", "Which logo?", 400)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_that_was_forked() -> None:
    """A service that was made, or used, before a server forked its workers serves in each, and is closed there, used again or not."""
    code = f"""
import os
from agents.adapters import AgentSaid, MemoryService
used, made, before = (MemoryService(":memory:", within=20.0) for _ in range(3))
used.observe_sync("finance", AgentSaid("before"))
before.observe_sync("finance", AgentSaid("before"))
if (child := os.fork()) == 0:
    before.close()
    for memory in (used, made):
        memory.observe_sync("finance", AgentSaid({SAID!r}))
        print({SAID!r} in memory.assemble_sync("finance", "Which logo?", 400), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "True\nTrue\n", done.stderr


def test_closed_and_used_again(tmp_path: Path) -> None:
    """A service that was closed opens anew when it is used."""
    memory = MemoryService(tmp_path / "trip", within=20.0)
    memory.observe_sync("finance", AgentSaid(SAID))
    memory.close()
    assert memory._aclose not in background().closers
    with memory:
        assert SAID in memory.assemble_sync("finance", "Which logo?", 400)
    memory.close()


def test_closing_while_calls_are_under_way(memory: MemoryService, caplog: pytest.LogCaptureFixture) -> None:
    """They end, what was observed is kept or was never accepted, and nobody is told that the board is down."""
    threads = [threading.Thread(target=memory.observe_sync, args=(f"a{n % 3}", AgentSaid(f"Note {n}."))) for n in range(30)]
    for thread in threads:
        thread.start()
    memory.close()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert told(caplog) == []


# ---- what cannot be ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: MemoryService(":memory:", scope="public"), "scope 'public': give private or shared"),
        (lambda: MemoryService(":memory:", within=0), "within 0: give seconds above 0"),
        (lambda: MemoryService(None), "board None: give an address, or a board that is open"),  # type: ignore[arg-type]
        (lambda: MemoryService("nats://127.0.0.1:4222"), "names no board"),
        (lambda: MemoryService("my board"), "my board"),
        (lambda: MemoryService(":memory:", tiem="wall"), "setting 'tiem': there are .*scope, .*time, within"),
        (lambda: MemoryService(":memory:", agent="ann"), "setting 'agent': there are"),
        (lambda: MemoryService(":memory:").client("two words"), "two words"),
        (lambda: service_of(":memory:", None), "agent name None"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_is_told_at_once(make: Callable[[], object], told: str) -> None:
    """A name, a type or a setting that cannot be raises where the service, or the adapter, is made."""
    with pytest.raises((BadValue, BadName), match=told):
        make()


async def test_a_board_that_is_open_serves_its_agent() -> None:
    """And no other; it brings its settings along."""
    async with open_board(":memory:", agent="finance") as board:
        memory = MemoryService(board)
        memory.client("finance")
        with pytest.raises(BadValue, match="agent 'travel': the board that is open is finance's; give an address"):
            memory.client("travel")
        with pytest.raises(BadValue, match="agent 'travel'"):
            await memory.observe("travel", AgentSaid(SAID))
        with pytest.raises(BadValue, match="this one is open"):
            MemoryService(board, time="wall")
        with pytest.raises(BadValue, match="this one is open"):
            MemoryService(board, credentials="keys")
        with pytest.raises(BadValue, match="make the service in there"):
            await asyncio.to_thread(MemoryService, board)


# ---- a board that is open ---------------------------------------------------------------------------------------------------------------


async def test_a_board_of_this_loop() -> None:
    """It serves calls from here, from threads and from other loops, and stays its opener's."""
    async with open_board(":memory:", agent="finance") as board:
        async with MemoryService(board, within=20.0) as memory:
            await memory.observe("finance", AgentSaid(SAID))
            section = await memory.assemble("finance", "Which logo?", 400)
            assert SAID in section
            assert await asyncio.to_thread(memory.assemble_sync, "finance", "Which logo?", 400) == section
            assert await asyncio.to_thread(asyncio.run, memory.assemble("finance", "Which logo?", 400)) == section
        assert len(await board.top()) == 1


async def test_what_takes_long_at_first_is_done_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """What texts are read by is loaded before the board is given out, while its loop serves others."""
    loaded = list[bool]()
    monkeypatch.setattr(observing, "load", lambda: loaded.append(threading.current_thread() is threading.main_thread()))
    async with open_board(":memory:", agent="finance") as board, MemoryService(board, within=20.0) as memory:
        assert await memory.assemble("finance", "Which logo?", 400) == ""
    assert loaded == [False]


async def test_calls_without_await_in_the_board_s_loop(caplog: pytest.LogCaptureFixture) -> None:
    """They would wait for themselves: there is no memory, which is told once, and what is observed is said once they are over."""
    async with open_board(":memory:", agent="finance") as board:
        memory = MemoryService(board, within=20.0)
        async with board.changes() as changes:
            memory.observe_sync("finance", AgentSaid(SAID))
            assert memory.assemble_sync("finance", "Which logo?", 400) == ""
            assert (await anext(changes)).cause == "deposit"
        with pytest.raises(BadValue, match="use aclose, or async with"):
            memory.close()
        await memory.aclose()
    assert len(told(caplog)) == 1


async def test_threads_for_which_the_loop_waits(caplog: pytest.LogCaptureFixture) -> None:
    """As of a framework's call without await, which runs its tools in threads: none waits for good, and what they said is kept."""
    async with open_board(":memory:", agent="finance") as board:
        memory = MemoryService(board, within=0.01)
        thread = threading.Thread(target=memory.observe_sync, args=("finance", AgentSaid(SAID)))
        async with board.changes() as changes:
            thread.start()
            thread.join(20)
            assert not thread.is_alive()
            assert (await anext(changes)).cause == "deposit"
        await memory.aclose()
    assert "does not get to run" in told(caplog)[0][1]


def test_a_loop_that_has_ended(caplog: pytest.LogCaptureFixture) -> None:
    """Then there is no memory, which is told once, and closing is no error."""

    async def main() -> MemoryService:
        async with open_board(":memory:", agent="finance") as board:
            memory = MemoryService(board)
            await memory.observe("finance", AgentSaid(SAID))
            return memory

    memory = asyncio.run(main())
    assert memory.assemble_sync("finance", "Which logo?", 400) == ""
    assert asyncio.run(memory.assemble("finance", "Which logo?", 400)) == ""
    memory.observe_sync("finance", AgentSaid(SAID))
    memory.close()
    asyncio.run(memory.aclose())
    assert told(caplog) == [("WARNING", "no memory: the event loop in which its board was opened has ended")]


def test_a_board_without_a_loop() -> None:
    """One of ``open_sync`` serves from everywhere."""
    with open_sync(":memory:", agent="finance") as board, MemoryService(board, within=20.0) as memory:
        memory.observe_sync("finance", AgentSaid(SAID))
        assert SAID in asyncio.run(memory.assemble("finance", "Which logo?", 400))
        assert len(board.top()) == 1


async def test_cancelled(memory: MemoryService) -> None:
    """Who is cancelled is cancelled, and so is what it asked."""
    begun, ended = threading.Event(), threading.Event()

    async def forever(_: Board) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    caller = asyncio.create_task(memory.reach("finance", forever, None))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await asyncio.to_thread(ended.wait)


def test_keys_that_are_not_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What keeps a board from being opened is told once, and is its trouble."""
    with MemoryService("nats://127.0.0.1:4222/trip", credentials=tmp_path / "keys", within=20.0) as memory:
        assert memory.trouble("finance") == ""
        for _ in range(2):
            assert memory.assemble_sync("finance", "Which logo?", 400) == ""
        assert str(tmp_path) in memory.trouble("finance")
    assert [level for level, _ in told(caplog)] == ["WARNING"]


# ---- served -----------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Restartable]:
    (tmp_path / "nats").mkdir()
    running = Restartable(find_server(), tmp_path / "nats", -1)
    await running.start()
    yield running
    await running.end()


@asynccontextmanager
async def served(server: Restartable, tmp_path: Path) -> AsyncIterator[str]:
    (tmp_path / "data").mkdir()
    bus = await NatsBus.connect(server.url)
    try:
        async with serving(bus, "trip", tmp_path / "data"):
            yield f"{server.url}/trip"
    finally:
        await bus.aclose()


async def back(memory: MemoryService, agent: str) -> None:
    """Wait until the agent's board is."""

    async def until() -> None:
        client = memory._clients[agent]
        async with asyncio.timeout(30):
            while client.trouble:
                await client._moved.wait()

    await asyncio.to_thread(wait_on, background().loop, until())


async def test_a_server_that_is_away_at_first_hangs_and_dies(server: Restartable, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each time it is told once that the board is down, and once that it is back; what was observed meanwhile stands there once."""
    async with served(server, tmp_path) as address, MemoryService(address, scope="shared", within=0.5) as memory:
        server.kill()
        await memory.observe("finance", AgentSaid("Said while nobody was there."))
        assert await memory.assemble("finance", "What was said?", 400) == ""
        assert memory.trouble("finance")
        await server.start()
        await back(memory, "finance")

        os.kill(server.pid, signal.SIGSTOP)
        try:
            await memory.observe("finance", UserSaid("Ship it to Boston, as was said while it hung."))
            assert memory.trouble("finance")
            for number in range(3):
                await asyncio.to_thread(memory.observe_sync, "finance", AgentSaid(f"Said as number {number}."))
                assert await memory.assemble("finance", "What was said?", 400) == ""
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await back(memory, "finance")

        server.kill()
        await memory.observe("finance", AgentSaid("Said while it was dead."))
        assert memory.trouble("finance")
        await server.start()
        await back(memory, "finance")

        section = await memory.assemble("finance", "What was said?", 400)
        assert section.count("\n- ") == 6
        async with open_board(address, agent="auditor") as board:
            items = await board.top()
        counts = {item.content: sum(each.count for each in item.contributions.values() if each.cause == "deposit") for item in items}
    assert counts == {
        "Said while nobody was there.": 1,
        "Ship it to Boston, as was said while it hung.": 1,
        "Shipping address: Boston": 1,
        **{f"Said as number {number}.": 1 for number in range(3)},
        "Said while it was dead.": 1,
    }
    assert [level for level, _ in told(caplog)] == ["WARNING", "INFO"] * 3
