"""Pages and slips: taking what changed costs what changed, and all of it comes back."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from blackboard.housekeeping import AHEAD
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.storage import ROWS, Pages, items_of


class Kept:
    """Takes as a host does, and lays that over what was taken before, as a store does."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}

    def take(self, network: PheromoneNetwork, meanwhile: Iterable[Callable[[], object]] = (), *, anew: bool = False) -> dict[str, bytes]:
        taken, acts = {}, iter(meanwhile)
        for again in range(AHEAD):
            for name, data in network.ahead(anew=anew and not again):
                taken[name] = data
                next(acts, lambda: None)()
        taken.update(network.take())
        self.pages = {name: data for name, data in {**self.pages, **taken}.items() if data}
        return taken

    def restored(self) -> PheromoneNetwork:
        network = PheromoneNetwork()
        network.restore(self.pages)
        return network

    @property
    def slips(self) -> list[str]:
        return sorted(name for name in self.pages if "+/" in name)


def test_taking_costs_what_changed() -> None:
    """One item of many is one row on a slip, beside one page that is written again; asking again gives none."""
    network, kept = PheromoneNetwork(), Kept()
    items = [network.deposit(ContextItem(str(n))) for n in range(3 * ROWS)]
    assert set(kept.take(network)) == {"network", "items/0000000000", "items/0000000001", "items/0000000002"}
    assert kept.take(network) == {}
    network.reinforce(items[ROWS], 1.0)
    assert set(kept.take(network)) == {"network", "items+/0000000001", "items/0000000000"}
    assert kept.restored().snapshot(full=True) == network.snapshot(full=True)


def without_network(pages: dict[str, bytes]) -> dict[str, bytes]:
    """All but the page that counts slips, too."""
    return {name: data for name, data in pages.items() if name != "network"}


def test_a_page_that_changed_mostly_is_written_itself() -> None:
    """It needs no slip; and what an older slip says of its records holds no longer."""
    network, kept = PheromoneNetwork(), Kept()
    items = [network.deposit(ContextItem(str(n))) for n in range(9 * ROWS)]
    kept.take(network)
    network.reinforce(items[3 * ROWS], 1.0)
    kept.take(network)
    for item in items[3 * ROWS : 4 * ROWS]:
        network.reinforce(item, 1.0)
    assert set(kept.take(network)) == {"items/0000000003"}
    assert kept.slips == ["items+/0000000001"]
    assert kept.restored().snapshot(full=True) == network.snapshot(full=True)


def test_a_page_that_is_gone_stays_gone() -> None:
    """A record that an older slip speaks of, and that a page written later has not, does not come back when that page goes."""
    network, kept = PheromoneNetwork(), Kept()
    items = [network.deposit(ContextItem(str(n))) for n in range(9 * ROWS)]
    kept.take(network)
    first, *rest = items[3 * ROWS : 4 * ROWS]
    network.reinforce(first, 1.0)
    kept.take(network)
    network.erase(first)
    for item in rest:
        network.reinforce(item, 1.0)
    kept.take(network)
    for item in rest:
        network.erase(item)
    kept.take(network)
    assert "items+/0000000001" in kept.slips
    assert kept.restored().snapshot(full=True) == network.snapshot(full=True)


def test_slips_go_once_all_pages_were_written_again() -> None:
    """However often what changed is taken, no more is kept than two goings-around leave."""
    network, kept = PheromoneNetwork(), Kept()
    item, *_ = [network.deposit(ContextItem(str(n))) for n in range(5 * ROWS)]
    kept.take(network)
    for _ in range(30):
        network.reinforce(item, 1.0)
        kept.take(network)
        assert len(kept.slips) <= 2 * 5
    assert len(kept.slips) >= 4


def _do(network: PheromoneNetwork, act: str, step: int, n: int) -> None:
    items = network.all_items()
    match act:
        case "reinforce" if items:
            network.reinforce(items[-n % len(items)], 1.0)
        case "deposit":
            network.deposit(ContextItem(f"meanwhile {step} {n}"))
        case "erase" if items:
            network.erase(items[n * 67 % len(items)])
        case "evaporate":
            network.evaporate()


@given(st.data())
@settings(max_examples=60)
def test_what_is_kept_is_what_is(data: st.DataObject) -> None:
    """Whatever is done between one taking and the next, and meanwhile, and wherever it is opened again, pages and slips give all of it."""
    network, kept, sample = PheromoneNetwork(), Kept(), data.draw(st.randoms(use_true_random=False)).sample
    for n in range(6 * ROWS):
        network.deposit(ContextItem(str(n), kind="trace" if n % 3 else "constraint"))
    kept.take(network)
    for step in range(data.draw(st.integers(1, 12), "steps")):
        act = data.draw(st.sampled_from(["reinforce", "deposit", "erase", "connect", "evaporate", "reopen", "anew"]))
        items = network.all_items()
        some = sample(range(len(items)), min(data.draw(st.sampled_from([2, 9, ROWS, 2 * ROWS])), len(items)))
        match act:
            case "reinforce":
                for n in some:
                    network.reinforce(items[n], 1.0)
            case "deposit":
                for n in some:
                    network.deposit(ContextItem(f"{step} {n}"))
            case "erase":
                for n in some:
                    network.erase(items[n])
            case "connect":
                for a, b in pairwise(some):
                    network.connect(items[a], items[b])
            case "evaporate":
                network.evaporate()
            case "reopen":
                network = kept.restored()
        later = data.draw(st.lists(st.sampled_from(["reinforce", "deposit", "erase", "evaporate"]), max_size=8))
        before = set(kept.slips)
        kept.take(network, [partial(_do, network, each, step, n) for n, each in enumerate(later)], anew=act == "anew")
        assert act != "anew" or not before & set(kept.slips)
        assert kept.restored().snapshot(full=True) == network.snapshot(full=True)
        if act == "anew" and not later:
            assert without_network(kept.pages) == without_network(network.snapshot(full=True))


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
    network, kept = PheromoneNetwork(), Kept()
    for n in range(ROWS):
        network.deposit(ContextItem(str(n), kind="trace"))
    network.deposit(ContextItem("stays", kind="constraint"))
    for _ in range(12):
        network.evaporate()
        kept.take(network)
    assert "items/0000000000" not in kept.pages
    assert kept.pages == network.snapshot(full=True)


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
