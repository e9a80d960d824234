"""Hosts boards for the tests of the shells, and breaks things under them."""

import asyncio
import copy
from collections.abc import Iterable
from typing import Any

from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.service import Service
from blackboard.store import Batch, MemoryStore, Store
from bus.memory import MemoryBus
from bus.messages import (
    Answer,
    AnyObservation,
    AnyQuery,
    AnyReply,
    Ask,
    Deposit,
    Post,
    decode_answer,
    encode,
)
from bus.port import Bus

CAT = Deposit("the cat is called Doudou", scope="shared")


def host(store: Store, *, bus: Bus | None = None, clock: ManualClock | None = None, name: str = "board", **settings: Any) -> Service:
    """A service over a bus of its own, not yet started."""
    clock = clock or ManualClock()
    return Service(name, bus or MemoryBus(clock.now), store, clock, settings=settings)


class Held(MemoryStore):
    """A disk that writes when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let = asyncio.Event(), asyncio.Event()

    async def commit(self, batch: Batch) -> None:
        self.asked.set()
        await self.let.wait()
        await super().commit(batch)

    def hold(self) -> None:
        """Write nothing from now on."""
        self.asked.clear()
        self.let.clear()


def killed(store: MemoryStore) -> MemoryStore:
    """What a kill -9 at this moment would leave on the disk."""
    return copy.deepcopy(store)


def post(number: int, *observations: AnyObservation, epoch: str = "e") -> bytes:
    """A post of one unit."""
    return encode(Post(epoch, number, (observations,)))


def state(service: Service) -> dict[str, bytes]:
    """The whole state of the board."""
    return service.board.snapshot(full=True)


async def ask(bus: Bus, agent: str, query: AnyQuery | bytes, *, epoch: str = "", seq: int = 0) -> AnyReply:
    """A raw question."""
    data = query if isinstance(query, bytes) else encode(Ask(query, epoch, seq))
    answer: Answer = decode_answer(await bus.ask("board", agent, data))
    return answer.reply


async def some_life(boards: Iterable[Board]) -> None:
    """A course of events that touches every table: shared and private items, links, fading, refusals."""
    for board in boards:
        shared = await board.deposit("the price is the basis", key="price", scope="shared")
        own = await board.deposit(f"a note of {board.agent}", kind="trace", key="price", value=len(board.agent))
        await board.constrain("budget", "<=", 50_000, unit="CNY", hard=False)
        await board.link(own, shared)
        await board.reinforce(shared, 0.75)
        await board.retract("f" * 32)
        for _ in range(4):
            await board.end_round()
        async with board.batch() as batch:
            await batch.confirm(shared)
            await batch.deposit("a state", kind="state", scope="shared")
