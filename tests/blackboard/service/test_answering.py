"""What a host does at length, it does while it answers."""

import asyncio

import pytest

from blackboard import trying
from blackboard.board import Entry
from blackboard.clock import ManualClock
from blackboard.outcome import Addressed
from bus.memory import MemoryBus
from bus.messages import Stats
from tests.blackboard.hosting import CAT, Held, ask, host, post


async def test_questions_are_answered_within_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes while many entries are applied together waits for a few of them, not for all."""
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    bus, store = MemoryBus(ManualClock().now), Held()
    happened: list[str] = []
    asking: list[asyncio.Task[None]] = []

    async def question() -> None:
        await ask(bus, "finance", Stats())
        happened.append("answered")

    async with host(store, bus=bus) as service, asyncio.timeout(5):
        apply = service.board.apply

        def applying(entry: Entry) -> list[Addressed]:
            if entry.seq == 2:
                asking.append(asyncio.create_task(question()))
            happened.append(f"applied {entry.seq}")
            return apply(entry)

        monkeypatch.setattr(service.board, "apply", applying)
        publishing = [asyncio.create_task(bus.publish("board", "finance", post(1, CAT)))]
        await store.asked.wait()
        publishing += [asyncio.create_task(bus.publish("board", "finance", post(number, CAT))) for number in (2, 3, 4)]
        await asyncio.sleep(0)  # until they are in the log
        store.let.set()
        await asyncio.gather(*publishing, *asking)
    assert happened == ["applied 1", "applied 2", "answered", "applied 3", "applied 4"]
