"""Pages: only what changed is written again, and all of it comes back."""

import msgspec

from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.storage import ROWS, Pages, items_of


def test_only_pages_that_changed_are_written() -> None:
    """One item of many dirties one page; asking again gives none."""
    network = PheromoneNetwork()
    items = [network.deposit(ContextItem(str(n))) for n in range(3 * ROWS)]
    assert set(network.snapshot()) == {"network", "items/0000000000", "items/0000000001", "items/0000000002"}
    assert network.snapshot() == {}
    network.reinforce(items[ROWS], 1.0)
    assert set(network.snapshot()) == {"items/0000000001"}


def test_decay_dirties_no_item() -> None:
    """A round of evaporation is one small page, however many items there are."""
    network = PheromoneNetwork()
    for n in range(2 * ROWS):
        network.deposit(ContextItem(str(n), kind="constraint"))
    for _ in range(4):
        network.evaporate()
    network.snapshot()
    network.evaporate()
    assert set(network.snapshot()) == {"network"}


def test_a_page_that_is_gone_is_said_to_be() -> None:
    """When all rows of a page were discarded, its bytes are empty; what the pages then hold is the whole state."""
    network = PheromoneNetwork()
    pages: dict[str, bytes] = {}
    for n in range(ROWS):
        network.deposit(ContextItem(str(n), kind="trace"))
    network.deposit(ContextItem("stays", kind="constraint"))
    for _ in range(12):
        network.evaporate()
        pages.update(network.snapshot())
    assert pages["items/0000000000"] == b""
    assert {name: page for name, page in pages.items() if page} == network.snapshot(full=True)


def test_asking_for_everything_is_no_last_call() -> None:
    """A full snapshot for comparison loses no page of the next checkpoint."""
    network = PheromoneNetwork()
    network.deposit(ContextItem("x"))
    network.snapshot(full=True)
    assert set(network.snapshot()) == {"network", "items/0000000000"}


def test_rows_come_back_in_order() -> None:
    """Ordinals, not the order in which pages arrive, say what was first."""
    network = PheromoneNetwork()
    for n in range(2 * ROWS):
        network.deposit(ContextItem(str(n)))
    pages = dict(reversed(network.snapshot(full=True).items()))
    assert [item.content for item in items_of(pages, network.archive, "")] == [str(n) for n in range(2 * ROWS)]


def test_records_are_found_by_their_numbers() -> None:
    """Each record has the next number; once the last of a page is gone, so is the page."""
    pages: Pages[ContextItem] = Pages("items")
    items = [ContextItem(str(n)) for n in range(ROWS + 1)]
    for each in items:
        pages.append(each)
    assert [pages[n] for n in range(ROWS + 1)] == items
    pages.remove(items[ROWS])
    assert set(pages.all_pages()) == {"items/0000000000"}


def test_rows_of_version_0_1_do_not_say_whose_former_ids_are() -> None:
    """It is found out: each leads whoever shared the item, and nobody else."""
    network = PheromoneNetwork(board="b")
    for owner in ("ann", "bob"):
        network.share(network.deposit(ContextItem("x", key="k", owner=owner)), by=owner)
    [item] = network.all_items()
    pages = network.snapshot(full=True)
    [row] = msgspec.msgpack.decode(pages["items/0000000000"])
    row[10] = list(row[10])
    [again] = items_of({"items/0000000000": msgspec.msgpack.encode([row])}, network.archive, "b")
    assert again.formerly == item.formerly
    assert set(item.formerly.values()) == {"private:ann", "private:bob"}
