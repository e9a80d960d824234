"""A host lets each agent say so much: over a real server, and not within one process."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from blackboard.client import Board
from blackboard.errors import BadValue, NotYours, TooFast
from blackboard.opening import open, serving, set_limits  # noqa: A004 - it is what is used
from blackboard.sqlite import inspect
from bus.messages import Limited, Post, Reinforce, SetLimits, encode
from bus.nats import NatsBus
from bus.server import running_server
from tests.blackboard.hosting import CAT


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncIterator[NatsBus]:
    (tmp_path / "data").mkdir()
    async with running_server(tmp_path / "nats") as server:
        connected = await NatsBus.connect(server.url)
        yield connected
        await connected.aclose()


async def test_a_flood_is_refused_and_told(bus: NatsBus, tmp_path: Path) -> None:
    """Whoever ignores the limits is told what they are; others are not concerned; and what it owes survives the host."""
    async with serving(bus, "board", tmp_path / "data", rate=100.0, burst=50.0), Board(bus, "board", "quiet") as quiet:
        item = await quiet.deposit("counted", scope="shared", strength=1.0)
        async with Board(bus, "board", "flooder") as flooder:
            sender = flooder._sender
            await flooder.confirm(item)
            sender._limits = None  # a client that does not care
            for _ in range(3):
                async with flooder.batch() as batch:
                    for _ in range(1000):
                        await batch.reinforce(item, 1.0)
            with pytest.raises(ExceptionGroup) as told:
                await flooder.wait_applied()
            assert all(isinstance(each, TooFast) for each in told.value.exceptions)
            assert "flooder may say 100 observations a second and 50 more at once" in str(told.value.exceptions[0])
            assert (await flooder.limits()).owed == pytest.approx(1003, abs=100)
        await quiet.reinforce(item, 1.0)
        await quiet.wait_applied()
        [stood] = await quiet.top()
        assert [each.count for each in stood.contributions.values() if each.cause == "reinforce"] == [1000, 1]
    assert inspect(tmp_path / "data" / "board.db").dead == {"TooFast": 2}
    async with serving(bus, "board", tmp_path / "data") as service, Board(bus, "board", "flooder") as flooder:
        assert service.board.config.rate == 100.0
        assert ((await flooder.limits()).owed or 0.0) > 800
        await bus.publish("board", "flooder", encode(Post("another", 1, ((Reinforce(item.id, 1.0),),))))
        await service._progress.until(lambda: service._progress.has("flooder", "another", 1))
        [*_, last] = await flooder.refusals()
        assert (last.code, last.epoch) == ("TooFast", "another")


async def test_limits_are_changed_by_an_entry(bus: NatsBus, tmp_path: Path) -> None:
    """By the operator alone; they stand with the log, through a checkpoint and for whoever replays it."""
    async with serving(bus, "board", tmp_path / "data", rate=100.0, burst=50.0), Board(bus, "board", "finance") as board:
        address = f"{bus._connection.address}/board"
        await board.deposit("x")
        await set_limits(address, None, 70.0)
        assert await board.limits() == Limited(None, 70.0, 0.0)
        await set_limits(address, 10, 70.0)
        with pytest.raises(BadValue, match="burst -1"):
            await set_limits(address, 10, -1)
    for name in ("board.db", "board.state.db"):
        async with serving(bus, "board", tmp_path / "data") as service:
            assert (service.board.config.rate, service.board.config.burst) == (10.0, 70.0)
        for file in (tmp_path / "data").glob(f"{name}*"):
            file.unlink()
    with pytest.raises(BadValue, match=r"has other limits: .*pheroboard limits board --rate RATE"):
        async with serving(bus, "board", tmp_path / "data", rate=11.0):
            pass


async def test_within_a_process_nobody_counts(tmp_path: Path) -> None:
    """An embedded board has the settings for the day on which it is served, and takes what it is given."""
    async with open(tmp_path / "board", agent="finance", rate=1.0, burst=1.0) as board:
        for _ in range(20):
            await board.deposit(CAT.content)
        await board.wait_applied()
        assert await board.limits() == Limited(1.0, 1.0, None)


async def test_an_operator_s_word_is_not_an_agent_s(tmp_path: Path) -> None:
    """Only the host's channel changes limits."""
    async with open(tmp_path / "board", agent="mallory") as board:
        await board.say(SetLimits(None, 1.0))
        with pytest.raises(NotYours, match="only a board's host changes them"):
            await board.wait_applied()
