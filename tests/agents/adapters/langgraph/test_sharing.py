"""What our store does more: agents share, reading is using, and nothing is lost by time; and what it refuses."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from agents.adapters.langgraph import PheromoneStore
from blackboard.errors import BadValue, TooBig
from blackboard.testing import RunningBoard
from tests.agents.adapters.langgraph.stores import ADA, names, stores, value_of


async def test_a_document_keeps_its_birthday(running: RunningBoard) -> None:
    """``created_at`` is when it was first put, until it is deleted."""
    ada, _ = stores(running)
    times = []
    for drink in ("tea", "coffee", None, "tea"):
        if drink is None:
            await ada.adelete(ADA, "1")
            continue
        await ada.aput(ADA, "1", {"memory": drink})
        found = await ada.aget(ADA, "1")
        assert found is not None
        times.append((found.created_at, found.updated_at))
    (first, _), (second, updated), (third, _) = times
    assert first == second < updated < third


async def test_a_search_without_a_query_gives_the_latest_first(running: RunningBoard) -> None:
    """As LangGraph's stores on databases do."""
    ada, _ = stores(running)
    for key in "abca":
        await ada.aput(ADA, key, {"n": key if key != "a" else len(await ada.asearch(ADA)) > 1})
    assert [each.key for each in await ada.asearch(ADA)] == ["a", "c", "b"]


async def test_what_is_shared_is_all_agents_and_the_rest_is_ones_own(running: RunningBoard) -> None:
    """By its first label, which is the store's to choose: in the other's store and prompt; a private document is in neither."""
    ada, bob = stores(running, shared={"team"})
    await ada.aput(("team", "trip"), "budget", {"memory": "The trip costs 500 EUR at most"})
    await ada.aput(ADA, "trip", {"memory": "The trip is a surprise"})
    assert await value_of(bob, ("team", "trip"), "budget") == {"memory": "The trip costs 500 EUR at most"}
    assert await bob.alist_namespaces() == [("team", "trip")]
    assert names(await bob.asearch((), query="trip")) == {"budget"}
    prompt = (await running["bob"].assemble("What of the trip?")).text
    assert '<data from="ada">team/trip: The trip costs 500 EUR at most</data>' in prompt
    assert "surprise" not in prompt
    assert "- memories/ada: The trip is a surprise\n" in (await running["ada"].assemble("What of the trip?")).text


async def test_a_document_of_several_agents_is_what_was_put_last(running: RunningBoard) -> None:
    """For all of them; the board tells that they differ, and what was put before is in its history. One deletes one's own word alone."""
    ada, bob = stores(running)
    trip = "shared", "trip"
    async with running["bob"].signals("contested") as signals:
        await ada.aput(trip, "city", {"city": "Lisbon"})
        await running.advance(1)
        await bob.aput(trip, "city", {"city": "Porto"})
        assert (await anext(signals)).evidence.values == {"ada": {"city": "Lisbon"}, "bob": {"city": "Porto"}}
    assert [await value_of(each, trip, "city") for each in (ada, bob)] == [{"city": "Porto"}] * 2
    assert len(await ada.asearch(trip)) == 1
    await running.advance(1)
    await ada.aput(trip, "city", {"city": "Faro"})
    assert [await value_of(each, trip, "city") for each in (ada, bob)] == [{"city": "Faro"}] * 2
    await bob.adelete(trip, "city")
    assert await value_of(bob, trip, "city") == {"city": "Faro"}
    await ada.adelete(trip, "city")
    assert await value_of(bob, trip, "city") is None
    told = await running["ada"].history("/shared/trip/", "city")
    assert [(item.value["city"], item.status) for item in told] == [
        ("Lisbon", "superseded"), ("Porto", "released"), ("Faro", "released"),
    ]  # fmt: skip
    await running["bob"].wait_applied()  # nothing was refused


async def test_what_was_shared_on_the_board_stays_shared(running: RunningBoard) -> None:
    """A private document that its agent shares is in the others' stores, and so is what is put in its place."""
    ada, bob = stores(running)
    await ada.aput(ADA, "1", {"memory": "tea"})
    [item] = await running["ada"].about("/memories/ada/")
    await running["ada"].share(item)
    assert await value_of(bob, ADA, "1") == {"memory": "tea"}
    await ada.aput(ADA, "1", {"memory": "coffee"})
    assert await value_of(bob, ADA, "1") == {"memory": "coffee"}
    await ada.adelete(ADA, "1")
    assert await value_of(bob, ADA, "1") is None


async def test_a_label_that_is_shared_from_now_on_leaves_nothing_behind(running: RunningBoard) -> None:
    """What is put there takes the place of what was put in private."""
    before, after = (PheromoneStore(running["ada"], "ada", shared=shared) for shared in ((), "team"))
    await before.aput(("team",), "1", {"memory": "tea"})
    await after.aput(("team",), "1", {"memory": "coffee"})
    assert [(item.scope, item.value["memory"]) for item in await running["ada"].about("/team/")] == [("shared", "coffee")]


async def test_reading_is_using(running: RunningBoard) -> None:
    """What is got, and what a search wanted, grows stronger; not with ``refresh_ttl=False``, nor what only fills a page."""
    ada, _ = stores(running)
    for key, drink in (("tea", "green tea"), ("coffee", "black coffee"), ("train", "a train")):
        await ada.aput(ADA, key, {"memory": drink})
    await running.advance(3600)
    before = {item.target: item.strength for item in await running["ada"].about("/memories/ada/")}
    await ada.aget(ADA, "coffee")
    await ada.aget(ADA, "train", refresh_ttl=False)
    assert len(await ada.asearch(ADA, query="tea")) == 3
    after = {item.target: item.strength for item in await running["ada"].about("/memories/ada/")}
    assert {key for key, strength in after.items() if strength > before[key]} == {"tea", "coffee"}


async def test_a_query_finds_its_own_namespace_among_many(running: RunningBoard) -> None:
    """However many others say the same; what is only in the namespace, and not what is asked for, has no score."""
    ada, _ = stores(running)
    drinks = {"tea": "Likes green tea", "train": "Takes the late train"}
    await ada.abatch([PutOp(("users", f"u{n}"), key, {"memory": said}) for n in range(120) for key, said in drinks.items()])
    found = await ada.asearch(("users", "u110"), query="what tea?")
    assert [(each.key, each.score is not None) for each in found] == [("tea", True), ("train", False)]
    found = await ada.asearch(("users", "u110"), query="what of u110?")
    assert all(each.score for each in found)


async def test_half_a_surrogate_pair_costs_no_search(running: RunningBoard) -> None:
    """In a query, which a model may have written, and in a label."""
    ada, _ = stores(running)
    for namespace in (ADA, ("\ud800",)):
        await ada.aput(namespace, "1", {"memory": "Likes green tea"})
        [found] = await ada.asearch(namespace, query="which tea\ud83d?")
        assert found.score


async def test_a_refresh_brings_nothing_back_over_a_put(running: RunningBoard) -> None:
    """Reads and puts at once: what was put last is there."""
    ada, _ = stores(running)
    for n in range(5):
        await ada.aput(ADA, "1", {"n": n}, ttl=10)
        await running.advance(300)
        await asyncio.gather(ada.aget(ADA, "1"), ada.aput(ADA, "1", {"n": n + 100}, ttl=10), ada.aget(ADA, "1"))
        assert await value_of(ada, ADA, "1") == {"n": n + 100}


async def test_what_has_faded_from_prompts_is_in_the_store(running: RunningBoard) -> None:
    """A store loses nothing by time; a read brings it back, and so it may be folded with others."""
    ada, _ = stores(running)
    for key in ("1", "2"):
        await ada.aput(ADA, key, {"memory": f"Gate {key} is closed"})
    await running.advance(30 * 24 * 3600)
    assert {item.status for item in await running["ada"].about("/memories/ada/") if item.kind == "fact"} == {"archived"}
    assert names(await ada.asearch(ADA, refresh_ttl=False)) == {"1", "2"}
    assert names([each for each in await ada.asearch(ADA, query="gate", refresh_ttl=False) if each.score]) == {"1", "2"}
    await ada.aget(ADA, "1")
    assert [item.status for item in await running["ada"].about("/memories/ada/", "1")] == ["standing"]


async def test_a_hundred_turns_leave_what_was_put(running: RunningBoard) -> None:
    """Putting the same again adds nothing; and of what was assembled for a prompt no copy is searched or prompted, though it is got."""
    ada, _ = stores(running)
    await running["ada"].constrain("budget", "<=", 500, unit="EUR")
    for _ in range(100):
        section = (await running["ada"].assemble("budget of the trip")).text
        await ada.aput(ADA, "trip", {"memory": "The trip is in May"})
        await ada.aput(ADA, "prompt", {"sent": section})
    document = await running["ada"].document()
    assert [item.content for item in document.items if "budget <=" in item.content] == ["budget <= 500 EUR"]
    assert len([item for item in document.items if item.key and item.target == "trip"]) == 1
    assert len(document.items) <= 5
    assert (await value_of(ada, ADA, "prompt"))["sent"] == section


def itself() -> dict[str, Any]:
    """A value that contains itself."""
    value: dict[str, Any] = {}
    value["value"] = value
    return value


@pytest.mark.parametrize(
    ("put", "error", "names"),
    [
        ({"value": {"at": datetime.now(UTC)}}, BadValue, "datetime"),
        ({"value": {"n": float("nan")}}, BadValue, "finite"),
        ({"value": {"text": "x" * 70_000}}, TooBig, "65,536"),
        ({"key": "k" * 300}, TooBig, "key of 300 characters"),
        ({"namespace": ("n" * 300,)}, TooBig, "namespace of 302 characters"),
        ({"ttl": 0.0}, BadValue, "ttl 0.0"),
        ({"value": itself()}, BadValue, "value of '1' nests too deeply, or contains itself"),
    ],
)
async def test_what_no_board_takes_raises_at_once(running: RunningBoard, put: dict[str, Any], error: type[Exception], names: str) -> None:
    """With the value and the cure; it is not taken for a board that is down. And nothing of its batch is done."""
    ada, _ = stores(running)
    op = PutOp(**{"namespace": ADA, "key": "1", "value": {"memory": "tea"}, **put})
    with pytest.raises(error, match=names):
        await ada.abatch([PutOp(ADA, "2", {"memory": "tea"}), op])
    assert await ada.asearch(()) == []


async def test_labels_are_checked_in_a_batch_too(running: RunningBoard) -> None:
    """Else one of "a.b" could be put and never got."""
    ada, _ = stores(running)
    for op in (GetOp(("a.b",), "1"), SearchOp(("",)), PutOp(("a", "b."), "1", {"n": 1})):
        with pytest.raises(InvalidNamespaceError):
            await ada.abatch([op])
    with pytest.raises(ValueError, match="infix"):
        await ada.abatch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])  # type: ignore[arg-type]


async def test_what_others_put_under_such_a_key_is_no_document(running: RunningBoard) -> None:
    """Facts of the board, of whatever shape, are passed over."""
    board = running["ada"]
    ada, _ = stores(running)
    await board.deposit("a fact", key="/memories/ada/", target="1", value={"memory": "tea"})
    await board.deposit("bad times", key="/memories/ada/", target="2", value={"a": 1}, meta={"document": {"created": "today"}})
    await board.deposit("no target", key="/memories/ada/", value={"a": 1}, unit="2026-11-30", meta={"document": {"created": "2026-11-30"}})
    await board.constrain("/memories/ada/", "<=", 5)
    assert await ada.asearch(()) == []
    assert await ada.alist_namespaces() == []


async def test_an_agent_that_a_board_is_not_of_is_refused_at_once(running: RunningBoard) -> None:
    """Where the store is made."""
    with pytest.raises(BadValue, match="bob"):
        PheromoneStore(running["ada"], "bob")
