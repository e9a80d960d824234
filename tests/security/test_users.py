"""What honest users do on a closed server: with their keys all works as it does on an open one."""

import asyncio
import shutil
from pathlib import Path

import pytest

import blackboard
from agents import Agent, Crew, on_change
from blackboard.opening import hosts_of, set_kinds
from bus.errors import BadCredentials, NotPermitted
from bus.messages import Change
from tests.security.town import SHOP, Town


class Schedule(Agent):
    """Shares something."""

    async def start(self) -> None:
        await self.board.deposit("It rains", key="weather", scope="shared")


class Finance(Agent):
    """Hears of it."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str | None] = []

    @on_change(cause="deposit")
    async def hear(self, change: Change) -> None:
        """Whoever said it."""
        self.heard.append(change.by)


async def test_a_crew(closed: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agents of a crew each show their own key out of a folder, named to the crew or by the environment."""
    address, finance = f"{closed.server.url}/{SHOP}", Finance()
    report = await Crew([Schedule(), finance], address, credentials=closed.identities.keys).run()
    assert (report.failures, finance.heard) == ((), ["schedule"])
    monkeypatch.setenv("PHEROBOARD_CREDENTIALS", str(closed.identities.keys))
    report = await Crew([Schedule(), Finance()], address).run()
    assert report.failures == ()


async def test_a_file_of_ones_own(closed: Town, tmp_path: Path) -> None:
    """On another machine an agent has its own key alone, wherever that lies; a file that is missing is named."""
    elsewhere = tmp_path / "mine.nk"
    shutil.copy2(closed.identities.key("finance"), elsewhere)
    address = f"{closed.server.url}/{SHOP}"
    async with blackboard.open(address, agent="finance", credentials=elsewhere) as board:
        await board.deposit("Mine")
        assert [item.content for item in await board.top(5)] == ["Mine"]
    with pytest.raises(BadCredentials, match=r"there are no credentials at .*missing\.nk"):
        async with blackboard.open(address, agent="finance", credentials=tmp_path / "missing.nk"):
            pass


async def test_without_an_event_loop(closed: Town) -> None:
    """``open_sync`` shows a key, too."""

    def speak() -> float:
        with blackboard.open_sync(f"{closed.server.url}/{SHOP}", agent="finance", credentials=str(closed.identities.keys)) as board:
            return board.get(board.deposit("Mine")).strength

    assert await asyncio.to_thread(speak) == 4.0


async def test_in_the_hosts_name(closed: Town) -> None:
    """The operator's orders, and the question for the hosts, are for whoever has the host's key, and for no agent."""
    address = f"{closed.server.url}/{SHOP}"
    await set_kinds(address, {"rumour": {"initial": 2.0, "half_life": 5.0}}, credentials=closed.identities.keys)
    assert [host.leads for host in await hosts_of(address, credentials=closed.identities.keys)] == [True]
    with pytest.raises(NotPermitted, match=r"pb\.obs\.shop\._board"):
        await set_kinds(address, {}, credentials=closed.identities.key("finance"))
    with pytest.raises(NotPermitted, match=r"pb\.ask\.shop\._board"):
        await hosts_of(address, credentials=closed.identities.key("finance"))
    async with closed.board("finance") as board:
        assert "rumour" in await board.kinds()
