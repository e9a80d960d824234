"""What ends by itself: TTLs."""

from agents.adapters.langgraph import PheromoneStore
from blackboard.testing import RunningBoard, running_board
from tests.agents.adapters.langgraph.stores import ADA, names, stores, value_of


async def test_a_document_ends_after_its_ttl_unless_it_is_read(running: RunningBoard) -> None:
    """Minutes after the last read that refreshes it, of whichever kind: then nothing gives it. A put without a TTL lets it stay."""
    ada, _ = stores(running)
    for key in "gsnk":
        await ada.aput(ADA, key, {"memory": f"tea {key}"}, ttl=10)
    await ada.aput(ADA, "k", {"memory": "tea k"})
    for _ in range(2):
        await running.advance(6 * 60)
        await ada.aget(ADA, "g")
        await ada.aget(ADA, "n", refresh_ttl=False)
        assert names(await ada.asearch(ADA, query="tea", filter={"memory": "tea s"})) <= {"s"}
    assert names(await ada.asearch(ADA, refresh_ttl=False)) == {"g", "s", "k"}
    await running.advance(11 * 60)
    assert names(await ada.asearch(ADA, query="tea", refresh_ttl=False)) == {"k"}
    assert await value_of(ada, ADA, "g") is None
    [ended] = await running["ada"].history("/memories/ada/", "g")
    assert ended.status == "expired"


async def test_a_read_lets_a_ttl_begin_anew_only_once_some_of_it_has_passed(running: RunningBoard) -> None:
    """Else each would be a confirmation."""
    ada, _ = stores(running)
    await ada.aput(ADA, "1", {"memory": "tea"}, ttl=10)
    for _ in range(20):
        await ada.aget(ADA, "1")
    [item] = await running["ada"].about("/memories/ada/")
    assert item.confirmations == 0
    await running.advance(120)
    await ada.aget(ADA, "1")
    [item] = await running["ada"].about("/memories/ada/")
    assert item.confirmations == 1


async def test_settings_say_what_holds_where_a_call_does_not(running: RunningBoard) -> None:
    """A TTL for what is put without one, and whether reads refresh it; a call's own word goes before."""
    ada, _ = stores(running, ttl={"default_ttl": 1, "refresh_on_read": False})
    for key in "drc":
        await ada.aput(ADA, key, {"memory": key})
    await ada.aput(ADA, "stays", {"memory": "stays"}, ttl=None)
    await running.advance(40)
    await ada.aget(ADA, "d")
    await ada.aget(ADA, "r", refresh_ttl=True)
    await running.advance(40)
    assert names(await ada.asearch(ADA)) == {"r", "stays"}


async def test_where_a_board_counts_rounds_one_stands_for_a_minute() -> None:
    """As in its kinds."""
    async with running_board("ada") as running:
        store = PheromoneStore(running["ada"], "ada")
        await store.aput(ADA, "1", {"memory": "tea"}, ttl=2)
        await running["ada"].end_round()
        assert await value_of(store, ADA, "1") == {"memory": "tea"}
        await running["ada"].end_round()
        assert await value_of(store, ADA, "1") is None


async def test_the_end_of_a_document_is_its_putters_to_move(running: RunningBoard) -> None:
    """Another's read uses a shared one, and lets it end when it was to end."""
    ada, bob = stores(running)
    await ada.aput(("shared",), "1", {"memory": "tea"}, ttl=1)
    for _ in range(2):
        await running.advance(40)
        await bob.aget(("shared",), "1")
    assert await value_of(ada, ("shared",), "1") is None
