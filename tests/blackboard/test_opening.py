"""Boards are opened by name, by path or by address, and shared within a process."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from blackboard import opening
from blackboard.errors import BadValue, BoardInUse, Damaged, NotWritable, StoreError
from blackboard.opening import erase_owned, hand_over, open, rename_key, serving, set_kinds  # noqa: A004 - it is what is tested
from blackboard.sqlite import SqliteStore
from blackboard.store import Batch
from bus.errors import BadName, NoAnswer, Unreachable
from bus.nats import NatsBus
from bus.server import running_server


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_a_name_is_a_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board is kept in the working folder under its name, and is there when it is opened again."""
    monkeypatch.chdir(tmp_path)
    async with open("procurement", agent="finance") as board:
        item = await board.deposit("kept", scope="shared")
        assert (board.name, board.agent) == ("procurement", "finance")
    assert files_in(tmp_path) == {"procurement.db", "procurement.state.db", "procurement.db.lock"}
    async with open(tmp_path / "procurement.db", agent="other") as board:
        assert (await board.get(item)).content == "kept"


async def test_memory_boards_are_one_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``:memory:`` is kept nowhere and shared with nobody."""
    monkeypatch.chdir(tmp_path)
    async with open(":memory:", agent="a") as one, open(":memory:", agent="b") as other:
        await one.deposit("x", scope="shared")
        assert await other.top() == []
    assert files_in(tmp_path) == set()


async def test_two_opens_share_a_board(tmp_path: Path) -> None:
    """Two opens of one path share one host, however the path is spelled; it lives until the last one closes."""
    first = open(tmp_path / "board", agent="finance")
    finance = await first.__aenter__()
    async with open(tmp_path / "x" / ".." / "board.db", agent="procurement") as procurement:
        item = await finance.deposit("shared", scope="shared")
        assert (await procurement.get(item)).owner == "finance"
        await first.__aexit__(None, None, None)
        await procurement.confirm(item)
    async with open(tmp_path / "board", agent="finance") as finance:
        assert (await finance.get(item)).strength == 4.5


async def test_opening_at_the_same_time(tmp_path: Path) -> None:
    """Tasks that open and close one path all the time never find it in use."""

    async def use(agent: str) -> None:
        for _ in range(5):
            async with open(tmp_path / "board", agent=agent) as board:
                await board.deposit("counted", scope="shared", strength=1.0)

    async with asyncio.TaskGroup() as tasks:
        for number in range(5):
            tasks.create_task(use(f"agent-{number}"))
    async with open(tmp_path / "board", agent="x") as board:
        [item] = await board.top()
        assert item.strength == 4.0 + 0.5 * 24  # said again it is at least its kind's initial strength
        assert len(item.asserters) == 5


@pytest.mark.parametrize("native", [True, False])
async def test_cancelling_the_first_opener_harms_nobody(tmp_path: Path, native: bool) -> None:
    """The opener that started the host may be cancelled, in either way: the others go on."""
    opened = asyncio.Event()
    scope = anyio.CancelScope()

    async def first() -> None:
        with scope:
            async with open(tmp_path / "board", agent="first"):
                opened.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(first())
    await opened.wait()
    async with open(tmp_path / "board", agent="second") as board:
        if native:
            task.cancel()
        else:
            scope.cancel()
        await asyncio.wait({task})
        item = await board.deposit("still here")
        assert (await board.get(item)).content == "still here"
    async with open(tmp_path / "board", agent="third"):
        pass


async def test_settings_are_checked_for_everyone(tmp_path: Path) -> None:
    """Who opens a board that is open already with other settings is refused, and the others go on."""
    async with open(tmp_path / "board", agent="a", time="wall") as board:
        with pytest.raises(BadValue, match="made with time='wall', not 'rounds'"):
            async with open(tmp_path / "board", agent="b", time="rounds"):
                pass
        async with open(tmp_path / "board", agent="b") as other:
            assert (await other.stats()).time == "wall"
        await board.deposit("x")


async def test_what_keeps_a_board_from_opening(tmp_path: Path) -> None:
    """A file that is no board, a folder that is none, a name that cannot be: each is said, and nothing is left behind."""
    (tmp_path / "text.db").write_text("not a database, whatever its name says" * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match="no board's database"):
            async with open(tmp_path / "text.db", agent="a"):
                pass
    with pytest.raises(NotWritable, match=r"text\.db"):
        async with open(tmp_path / "text.db" / "board", agent="a"):
            pass
    with pytest.raises(BadName, match="board name 'two words'"):
        async with open(tmp_path / "two words", agent="a"):
            pass
    with pytest.raises(BadName, match="agent name"):
        async with open(tmp_path / "board", agent="_board"):
            pass
    for address in ("nats://127.0.0.1:1", "nats://127.0.0.1:1/"):
        with pytest.raises(BadName, match="names no board"):
            async with open(address, agent="a"):
                pass


async def test_the_disk_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the journal is broken, what is said fails at once, then and later; closing raises the reason."""

    async def broken(_store: SqliteStore, _batch: Batch) -> None:
        raise Damaged("broken")

    with pytest.raises(Damaged, match="broken"):  # noqa: PT012 - raised on leaving
        async with open(tmp_path / "board", agent="a") as board:
            monkeypatch.setattr(SqliteStore, "commit", broken)
            for _ in range(2):
                with pytest.raises(Unreachable):
                    await board.deposit("x")
    monkeypatch.undo()
    async with open(tmp_path / "board", agent="a") as board:
        await board.deposit("x")


WRITER = """
import asyncio, sys
import blackboard.opening, blackboard.housekeeping
blackboard.housekeeping.CHECKPOINT_EVERY = 20

async def main():
    async with blackboard.opening.open(sys.argv[1], agent="writer") as board:
        item = await board.deposit("counted", scope="shared", strength=1.0)
        print("item", item.id, flush=True)
        async def write(number):
            while True:
                await board.reinforce(item, 1.0)
                print("accepted", flush=True)
        await asyncio.gather(*(write(number) for number in range(8)))

asyncio.run(main())
"""


async def test_kill_in_the_middle_of_writing(tmp_path: Path) -> None:
    """After a kill -9 in the middle of writing, all that was accepted counts, once; time after time."""
    path = str(tmp_path / "board")
    accepted = 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
        assert process.stdout is not None
        try:
            item = process.stdout.readline().split()[1]
            lines = [process.stdout.readline() for _ in range(100)]
        finally:
            os.kill(process.pid, signal.SIGKILL)
            lines += process.stdout.readlines()
            process.stdout.close()
            process.wait()
        accepted += lines.count("accepted\n")
        async with open(path, agent="reader") as board:
            stood = await board.get(item)
            counted = next(each.count for each in stood.contributions.values() if each.count > 10)
            # Of each of the eight writers at most one unit was stored and not yet said to be.
            assert accepted <= counted <= accepted + 8
            accepted = counted


async def test_another_process_holds_it(tmp_path: Path) -> None:
    """A board that another process hosts is refused, with that process's number."""
    path = str(tmp_path / "board")
    process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert process.stdout is not None
    try:
        process.stdout.readline()
        with pytest.raises(BoardInUse, match=f"in use by process {process.pid}: .*pheroboard up"):
            async with open(path, agent="a"):
                pass
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


# ---- served -----------------------------------------------------------------------------------------------------------------------------


async def test_rebuilt_from_the_log_alone(tmp_path: Path) -> None:
    """A host whose files were lost comes back with the settings, the items and the events that the board had."""
    async with running_server(tmp_path / "nats") as server:
        bus = await NatsBus.connect(server.url)
        heard = []
        made_with: dict[str, Any] = {"time": "wall", "patience": 3.0}
        for folder, settings in ((tmp_path / "first", made_with), (tmp_path / "second", {})):
            folder.mkdir()
            async with serving(bus, "board", folder, **settings), open(f"{server.url}/board", agent="finance") as finance:
                if settings:
                    item = await finance.deposit("kept", scope="shared")
                    await finance.confirm(item)
                stats = await finance.stats()
                assert (stats.time, stats.items) == ("wall", 1)
                changes = finance.changes(since="shared=0 private=0")
                async with asyncio.timeout(10):
                    heard.append([await anext(changes) for _ in range(2)])
        assert heard[0] == heard[1]
        await bus.aclose()


async def test_served_over_nats_through_a_restart(tmp_path: Path) -> None:
    """Agents of a served board go on through a restart of its host; nothing is lost, nothing counts twice, nobody misses anything."""
    async with running_server(tmp_path / "nats") as server:
        bus = await NatsBus.connect(server.url)
        address = f"{server.url}/board"
        with pytest.raises(NoAnswer, match=r"nobody serves board 'board'.*pheroboard up board"):
            async with open(address, agent="finance"):
                pass
        host = serving(bus, "board", tmp_path)
        await host.__aenter__()
        async with open(address, agent="finance") as finance, open(address, agent="procurement") as procurement:
            changes = finance.changes(cause="reinforce")
            item = await finance.deposit("counted", scope="shared", strength=1.0)

            async def write() -> None:
                for _ in range(50):
                    await procurement.reinforce(item, 1.0)

            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(write())
                await host.__aexit__(None, None, None)
                host = serving(bus, "board", tmp_path)
                await host.__aenter__()
            assert (await procurement.get(item)).strength == 51.0
            async with asyncio.timeout(10):
                assert [(await anext(changes)).new for _ in range(50)] == [2.0 + number for number in range(50)]
        await host.__aexit__(None, None, None)
        await bus.aclose()


async def test_kinds(tmp_path: Path) -> None:
    """A board is made with the kinds of a file or a mapping; it is not opened with others; a change is there when it is opened again."""
    file = tmp_path / "kinds.toml"
    file.write_text("[kinds.rumour]\ninitial = 2\nhalf_life = 3\n")
    async with open(tmp_path / "board", agent="a", kinds=file) as board:
        rumour = await board.deposit("psst", kind="rumour", scope="shared")
        assert (await board.get(rumour)).strength == 2.0
    async with open(tmp_path / "board", agent="a", kinds={"rumour": {"initial": 2, "half_life": 3}}) as board:
        assert (await board.kinds())["rumour"]["initial"] == 2.0
        with pytest.raises(BadValue, match="has other kinds"):
            await open(tmp_path / "board", agent="a", kinds={"rumour": {"initial": 5, "half_life": 3}}).__aenter__()
        await set_kinds(tmp_path / "board", {"rumour": {"initial": 5, "rate": 0.0}})
        assert (await board.kinds())["rumour"]["initial"] == 5.0
        with pytest.raises(BadValue, match=r"^kinds\.rumour: it has items"):
            await set_kinds(tmp_path / "board", {})
    async with open(tmp_path / "board", agent="a", kinds={"rumour": {"initial": 5, "rate": 0}}) as board:
        assert (await board.kinds())["rumour"]["rate"] == 0.0
        assert (await board.get(rumour)).strength == 2.0
    with pytest.raises(BadValue, match=r"^kinds\.fact\.half_life: "):
        await open(":memory:", agent="a", kinds={"fact": {"half_life": 0}}).__aenter__()


async def test_an_agent_that_leaves(tmp_path: Path) -> None:
    """What is private of it is another's, or gone from all files when the call returns, whether the board is open or not."""
    async with open(tmp_path / "board", agent="finance") as board:
        note = await board.deposit("margin 4 %")
        await hand_over(tmp_path / "board", "finance", "controller")
        assert await board.top() == []
    with pytest.raises(BadValue, match="give another"):
        await hand_over(tmp_path / "board", "controller", "controller")
    async with open(tmp_path / "board", agent="controller") as board:
        assert [(item.content, item.owner) for item in await board.top()] == [("margin 4 %", "controller")]
        assert (await board.get(note)).asserters == {"controller": False}
    await erase_owned(tmp_path / "board", "controller")
    assert not [name for name in files_in(tmp_path) if b"margin 4 %" in (tmp_path / name).read_bytes()]
    async with open(tmp_path / "board", agent="controller") as board:
        assert await board.top() == []


async def test_an_order_waits_for_no_erasure(tmp_path: Path) -> None:
    """Which may take longer than a question does: who renames a key meanwhile hears that it was done."""
    async with open(tmp_path / "board", agent="a") as board:
        await board.deposit("x", key="budgte", scope="shared")
        [host] = opening._hosts.values()
        host._service._progress.erasing = 1_000_000
        with anyio.fail_after(3):
            await rename_key(tmp_path / "board", "budgte", "budget")
        host._service._progress.erasing = 0
        assert [item.content for item in await board.history("budget")] == ["x"]


async def test_a_board_in_memory_that_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All who open it in this event loop share it, until the last one closes; no file is made. Without a name each has its own."""
    monkeypatch.chdir(tmp_path)
    async with open(":memory:trip", agent="finance") as finance:
        async with open(":memory:trip", agent="travel") as travel:
            assert finance.name == "trip"
            await finance.deposit("kept as long as it is open", scope="shared")
            await finance.wait_applied()
            assert len(await travel.top()) == 1
        async with open(":memory:other", agent="travel") as other, open(":memory:", agent="travel") as own:
            assert [await other.top(), await own.top()] == [[], []]
    async with open(":memory:trip", agent="finance") as finance:
        assert await finance.top() == []
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - a moment
    with pytest.raises(BadName, match="two words"):
        async with open(":memory:two words", agent="finance"):
            pass
