"""What a host does at length, it does while it answers."""

import asyncio

import pytest

from blackboard import questions, trying
from blackboard.clock import ManualClock
from blackboard.entry import Entry
from blackboard.outcome import Addressed
from blackboard.store import MemoryStore
from bus.memory import MemoryBus
from bus.messages import AnyQuery, Assemble, Assembled, Deposit, HitList, Hits, Items, Search, Stats
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


@pytest.mark.parametrize("search", [Search("cat", 100), Hits("cat", 100), Assemble("cat", 10_000)])
async def test_what_a_search_has_to_read_first_holds_up_nobody(search: Search | Hits | Assemble, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are answered while texts are indexed; and who asks in vain, since there are too many, finds more done when he asks again."""
    monkeypatch.setattr(trying, "STRETCH", 0.0)
    monkeypatch.setattr(questions, "PREPARED_AT_ONCE", 1)
    bus, store = MemoryBus(ManualClock().now), MemoryStore()
    answered: list[str] = []

    async def question(query: AnyQuery) -> object:
        reply = await ask(bus, "finance", query, epoch="e", seq=1)
        answered.append(type(query).__name__)
        return reply

    async with host(store, bus=bus), asyncio.timeout(5):
        await bus.publish("board", "finance", post(1, *(Deposit(f"cat {n}", scope="shared") for n in range(40))))
        found, _ = await asyncio.gather(question(search), question(Stats()))
    assert answered == ["Stats", type(search).__name__]
    match found:
        case Items(several) | HitList(several) | Assembled(chosen=several):
            assert len(several) == 40
        case _:
            pytest.fail(repr(found))
