"""A crew on a real server whose board is killed under it."""

from contextlib import ExitStack
from pathlib import Path

import anyio

import blackboard
from agents import Agent, Crew, ScentAgent, on_change, say_message
from bus.messages import Change
from tests.agents.cli.commands import address_in, line_of, started

NAMES = ("one", "two", "three")
TIMES = 60
KILLED_AT = 20
"""How many times the first agent has said something when the board is killed."""


class Counter(Agent):
    """Strengthens an item again and again, and counts how often it hears that somebody did."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.said = self.heard = 0
        self.underway = anyio.Event()

    async def run(self) -> None:
        item = await self.board.deposit("The count", key="count", scope="shared")
        while self.said < TIMES:
            if self.said == KILLED_AT:
                self.underway.set()
            await self.board.reinforce(item, 1.0)
            self.said += 1

    @on_change(cause="reinforce")
    async def count(self, _change: Change) -> None:
        self.heard += 1


class Customer(Agent):
    """Says the same words again and again, in a conversation."""

    def __init__(self) -> None:
        super().__init__()
        self.said = 0
        self.underway = anyio.Event()

    async def run(self) -> None:
        while self.said < TIMES:
            if self.said == KILLED_AT:
                self.underway.set()
            await say_message(self.board, "Ship it to 5 Hill Road, Boston", conversation="c7")
            self.said += 1


async def test_kill_9(tmp_path: Path) -> None:
    """kill -9 of the board and its server during a run, and a restart: the crew goes on, and every sum is exact."""
    counters = [Counter(name) for name in NAMES]
    with ExitStack() as stack:
        up = stack.enter_context(started(tmp_path, "up", "sums"))
        url = address_in(await anyio.to_thread.run_sync(line_of, up))

        async def kill_and_restart() -> None:
            await counters[0].underway.wait()
            up.kill()
            up.wait()
            assert all(counter.said < TIMES for counter in counters)
            again = stack.enter_context(started(tmp_path, "up", "sums", "--port", url.rpartition(":")[2]))
            assert address_in(await anyio.to_thread.run_sync(line_of, again)) == url

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_and_restart)
            report = await Crew(counters, f"{url}/sums").run()
        assert report.failures == ()
        async with blackboard.open(f"{url}/sums", agent="auditor") as board:
            [item] = await board.history("count")
            assert item.strength == 4.0 + 2 * 0.5 + 3 * TIMES
            assert {expert.agent: expert.count for expert in await board.experts("count")} == dict.fromkeys(NAMES, TIMES + 1)
        assert [counter.heard for counter in counters] == [3 * TIMES] * 3


async def test_a_conversation_through_kill_9(tmp_path: Path) -> None:
    """kill -9 of the board and its server in the midst of a conversation, and a restart: each message counts once in the field."""
    customer, reader = Customer(), ScentAgent()
    with ExitStack() as stack:
        up = stack.enter_context(started(tmp_path, "up", "desk"))
        url = address_in(await anyio.to_thread.run_sync(line_of, up))

        async def kill_and_restart() -> None:
            await customer.underway.wait()
            up.kill()
            up.wait()
            assert customer.said < TIMES
            again = stack.enter_context(started(tmp_path, "up", "desk", "--port", url.rpartition(":")[2]))
            assert address_in(await anyio.to_thread.run_sync(line_of, again)) == url

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_and_restart)
            await Crew([customer, reader], f"{url}/desk").run()
        async with blackboard.open(f"{url}/desk", agent=reader.name) as board:
            assert (await board.field("c7")).round == TIMES
            [item] = await board.top(kind="slot")
            assert (item.value, item.confirmations) == ("5 Hill Road, Boston", TIMES - 1)
