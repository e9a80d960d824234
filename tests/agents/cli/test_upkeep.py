"""agents.cli.upkeep: what stops one board stops no other."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from agents.cli import upkeep as module
from agents.cli.upkeep import Upkeep
from blackboard.errors import Damaged, StoreError
from blackboard.service import Service
from bus import names
from bus.credentials import find
from bus.errors import LogMismatch, NoAnswer, Unreachable
from bus.nats import NatsBus
from tests.agents.cli.commands import address_in, error_line_of, line_of, pheroboard, started


class Played:
    """Serves boards for which it is written down what happens: an error on opening, one a moment later, or nothing (None)."""

    def __init__(self, **plays: list[Exception | str | None]) -> None:
        self.plays = plays
        self.closed: list[str] = []
        self.told: list[dict[str, str]] = []

    def upkeep(self) -> Upkeep:
        return Upkeep(self.plays, cast("Callable[[str], AbstractAsyncContextManager[Service]]", self.serving), self.told.append)

    @asynccontextmanager
    async def serving(self, board: str) -> AsyncIterator["Wait"]:
        opening, later = (self.plays[board].pop(0), self.plays[board].pop(0)) if self.plays[board] else (None, None)
        if isinstance(opening, Exception):
            raise opening
        try:
            yield Wait(later)
        finally:
            self.closed.append(board)


class Wait:
    """A service whose end is written down."""

    def __init__(self, later: Exception | str | None) -> None:
        self.later = later

    async def wait(self) -> None:
        if isinstance(self.later, Exception):
            raise self.later
        await asyncio.Event().wait()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AGAIN", (0.001, 0.001))


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not reached():  # noqa: ASYNC110 - no event is for a test alone
            await asyncio.sleep(0.001)


async def test_a_board_that_does_not_open(caplog: pytest.LogCaptureFixture) -> None:
    """It is given up, with its reason; the others stand, and are closed when all is over."""
    played = Played(good=[], bad=[Damaged("torn"), None])
    async with played.upkeep() as upkeep:
        assert played.told == [{"bad": "torn"}]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await upkeep.ended()
        assert played.closed == []
    assert played.closed == ["good"]
    assert "board bad is given up: torn" in caplog.text


async def test_one_that_cannot_stand_yet() -> None:
    """What may pass by itself gives no board up that stands beside others, also from the beginning; where none stands, it is raised."""
    played = Played(good=[], bad=[NoAnswer("away"), NoAnswer("away"), None])
    async with played.upkeep():
        await until(lambda: {} in played.told)
    with pytest.raises(NoAnswer, match="away"):
        async with Played(bad=[NoAnswer("away"), None]).upkeep():
            pass


async def test_none_that_opens() -> None:
    """Then the first reason is raised, by itself."""
    with pytest.raises(Damaged, match="torn"):
        async with Played(bad=[Damaged("torn"), None], worse=[StoreError("gone"), None]).upkeep():
            pass


async def test_a_board_that_stops_is_put_up_again() -> None:
    """Once at least; where it stands then, all is well."""
    played = Played(good=[], bad=[None, LogMismatch("cut")])
    async with played.upkeep():
        await until(lambda: {} in played.told)
    assert played.told == [{"bad": "cut"}, {}]
    assert sorted(played.closed) == ["bad", "bad", "good"]


async def test_one_that_stops_again_at_once() -> None:
    """For the same reason, it is given up; for another, it is not. Once none is left, the reason is raised."""
    played = Played(bad=[None, LogMismatch("cut"), None, Damaged("torn"), LogMismatch("cut"), None, LogMismatch("cut again"), None])
    async with played.upkeep() as upkeep:
        with pytest.raises(LogMismatch, match="cut again"):
            await upkeep.ended()


async def test_one_that_has_stood_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """May stop for the same reason again."""
    monkeypatch.setattr(module, "AT_ONCE", 0.0)
    played = Played(bad=[None, LogMismatch("cut")] * 20)
    async with played.upkeep():
        await until(lambda: len(played.told) == 40)


async def test_what_may_pass_is_waited_for() -> None:
    """A server that is away is no reason to give a board up, however often."""
    played = Played(bad=[None, LogMismatch("cut"), *[NoAnswer("away"), None] * 5, *[Unreachable("away"), None] * 5])
    async with played.upkeep():
        await until(lambda: {} in played.told)


async def test_cancelled_while_it_opens() -> None:
    """All that stands is closed."""
    played = Played(good=[])

    @asynccontextmanager
    async def hanging(board: str) -> AsyncIterator[Wait]:
        if board == "bad":
            await asyncio.Event().wait()
        async with played.serving(board) as wait:
            yield wait

    upkeep = Upkeep(("good", "bad"), cast("Callable[[str], AbstractAsyncContextManager[Service]]", hanging), lambda *_: None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), upkeep:
            pass
    assert played.closed == ["good"]


async def test_as_a_user_meets_it(tmp_path: Path) -> None:
    """A board whose log is gone does not take the other down; `stats` and `doctor` say why. Once none is left, `up` ends with that."""
    with started(tmp_path, "up", "shop", "lab") as up:
        url = address_in(line_of(up))
        for board in ("shop", "lab"):
            assert pheroboard(tmp_path, "deposit", board, "x", "--shared").code == 0
        bus = await NatsBus.connect(url, credentials=find(tmp_path / "keys", names.HOST))
        await bus._connection.api("STREAM.DELETE.PB_OBS_lab", {})
        while "board lab is given up" not in error_line_of(up):
            pass
        assert pheroboard(tmp_path, "deposit", "shop", "y", "--shared").code == 0
        stats = pheroboard(tmp_path, "stats", "lab")
        assert (stats.code, stats.out) == (1, "")
        assert stats.err.startswith("pheroboard: board 'lab' does not stand: there is no stream")
        doctor = pheroboard(tmp_path, "doctor")
        assert doctor.code == 1
        wrong = [line for line in doctor.out.splitlines() if line.startswith("WRONG")]
        assert all(line.startswith("WRONG  lab: ") for line in wrong)
        assert any("does not stand: there is no stream" in line for line in wrong)
        await bus._connection.api("STREAM.DELETE.PB_OBS_shop", {})
        await bus.aclose()
        assert up.wait(20) == 1
        assert up.stderr is not None
        assert up.stderr.read().splitlines()[-1].startswith("pheroboard: there is no stream")
    assert not (tmp_path / "serving.json").exists()
