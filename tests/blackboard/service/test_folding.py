"""A host folds what has faded, through the log: a summary is kept as what was written once."""

import asyncio
from collections.abc import Sequence

from blackboard.board import Board as PureBoard
from blackboard.clock import ManualClock
from blackboard.intake import entry_of
from blackboard.items import ContextItem
from blackboard.store import MemoryStore
from blackboard.testing import RunningBoard, running_board
from bus.memory import MemoryBus
from bus.messages import decode_post
from tests.blackboard.hosting import host, killed, state


class Numbered:
    """A summariser that never says the same twice, and remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[list[str]] = []

    async def summarise(self, items: Sequence[ContextItem]) -> str:
        await asyncio.sleep(0)
        self.given.append([item.content for item in items])
        return f"summary {len(self.given)}"


async def faded(running: RunningBoard, agent: str, *, scope: str) -> None:
    """Two related facts of ``agent`` are deposited, and fade."""
    board = running[agent]
    for n in range(2):
        await board.deposit(f"{scope} note {n} of {agent}", key="cat", strength=1.01, scope=scope)
    await board.wait_applied()
    for _ in range(5):
        await board.end_round()


async def until_folded(running: RunningBoard, agent: str, content: str) -> ContextItem:
    """Wait for the change that tells of a summary."""
    async for change in running[agent].changes(since="shared=0 private=0"):
        if change.cause == "fold" and change.new > 0 and change.ends is None:
            item = await running[agent].get(change.item)
            if item.content == content:
                return item
    raise AssertionError


async def test_what_fades_is_folded_in_its_owner_s_name() -> None:
    """Its owner hears of it, and finds the originals at the edges; nobody else hears of a private one."""
    summariser = Numbered()
    async with running_board("ann", "bob", summariser=summariser) as running:
        await faded(running, "ann", scope="private")
        summary = await until_folded(running, "ann", "summary 1")
        assert (summary.kind, summary.key, summary.owner, summary.scope, summary.strength) == ("summary", "cat", "ann", "private", 3.0)
        edges = await running["ann"].edges_of(summary)
        assert [edge.relation for edge in edges] == ["folded", "folded"]
        originals = [await running["ann"].get(edge.b) for edge in edges]
        assert sorted((item.content, item.status) for item in originals) == [
            ("private note 0 of ann", "archived"), ("private note 1 of ann", "archived"),
        ]  # fmt: skip
        assert summariser.given == [[item.content for item in originals]]
        await faded(running, "bob", scope="shared")
        assert (await until_folded(running, "ann", "summary 2")).owner == "bob"
        assert [item.content for item in await running["bob"].top(9)] == ["summary 2"]
        await running["ann"].use(originals[0])
        assert {item.content for item in await running["ann"].top(9)} == {"summary 1", "summary 2", "private note 0 of ann"}


async def test_a_replay_needs_no_summariser() -> None:
    """The board that comes back, from a checkpoint or from its journal alone, has the summary that was written."""
    store, clock = MemoryStore(), ManualClock()
    async with running_board("ann", store=store, clock=clock, summariser=Numbered()) as running:
        await faded(running, "ann", scope="shared")
        await until_folded(running, "ann", "summary 1")
        await running["ann"].wait_applied()
        image, was = killed(store), state(running.service)
    for kept in (image, store):
        async with host(kept, bus=MemoryBus(clock.now)) as service:
            assert state(service) == was
    rebuilt = PureBoard(running.service.board.config)
    for message in await store.journal(0):
        rebuilt.apply(entry_of(message, decode_post(message.data)))
    assert rebuilt.snapshot(full=True) == was


async def test_what_was_not_folded_in_time_is_folded_when_the_board_comes_back() -> None:
    """A host that was killed over a summary leaves the items waiting."""

    class Hanging:
        async def summarise(self, items: Sequence[ContextItem]) -> str:
            begun.set()
            await asyncio.Event().wait()
            return f"never {items}"

    begun, store = asyncio.Event(), MemoryStore()
    async with running_board("ann", store=store, summariser=Hanging()) as running:
        await faded(running, "ann", scope="shared")
        await begun.wait()
        await running["ann"].wait_applied()
    async with running_board("ann", store=store, summariser=Numbered()) as running:
        assert (await until_folded(running, "ann", "summary 1")).standing


async def test_a_summary_that_is_outdated_is_written_anew() -> None:
    """By the host, of what is left."""
    async with running_board("ann", summariser=Numbered()) as running:
        board = running["ann"]
        items = [await board.deposit(f"note {n}", key="cat", strength=1.01) for n in range(3)]
        await board.wait_applied()
        for _ in range(5):
            await board.end_round()
        former = await until_folded(running, "ann", "summary 1")
        await board.retract(items[1])
        summary = await until_folded(running, "ann", "summary 2")
        edges = await board.edges_of(summary)
        assert {edge.b for edge in edges} == {items[0].id, items[2].id}
        assert [item.content for item in await board.top(9)] == ["summary 2"]
        assert (await board.get(former)).status == "superseded"
