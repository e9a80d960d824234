"""What items say that do not stand is looked up by their numbers, wherever it lies."""

import pytest

from blackboard.archive import Archive, Unwritten
from blackboard.errors import BadValue, Damaged
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import lived, put, rounds
from tests.blackboard.shelf import Shelf


def shelved(n: int) -> tuple[PheromoneNetwork, Shelf]:
    """A network of ``n`` items that have faded, and the shelf that has what they say."""
    shelf = Shelf()
    network = PheromoneNetwork(archive=Archive(shelf), summariser=None)
    for number in range(n):
        put(network, f"item {number}", 1.01, kind="preference", meta={"n": number})
    rounds(network, 5)
    shelf.write(network.archive)
    return network, shelf


def test_what_came_is_found_before_it_is_written_and_after() -> None:
    """It goes to the shelf once, and is looked up there from then on."""
    shelf = Shelf()
    archive = Archive(shelf)
    archive.put(3, ("a cat", {"n": 1}))
    assert (archive.look(3), shelf.looks) == (("a cat", {"n": 1}), 0)
    assert set(shelf.write(archive).came) == {3}
    assert (archive.look(3), shelf.looks) == (("a cat", {"n": 1}), 1)
    assert archive.unwritten() == Unwritten()


def test_what_left_is_told_unless_it_came_again() -> None:
    """The shelf hears of what stands again or is gone; of what came and left in between it need not."""
    shelf = Shelf()
    archive = Archive(shelf)
    for ordinal in range(3):
        archive.put(ordinal, (str(ordinal), {}))
    shelf.write(archive)
    assert [archive.take(ordinal) for ordinal in (0, 1)] == [("0", {}), ("1", {})]
    archive.put(1, ("1", {}))
    archive.put(4, ("4", {}))
    archive.take(4)
    unwritten = archive.unwritten()
    assert (set(unwritten.came), set(unwritten.left)) == ({1}, {0, 4})
    shelf.write(archive)
    assert archive.unwritten() == Unwritten()


def test_in_memory_things_are_as_they_were_given() -> None:
    """A lone network takes a ``meta`` of anything, and gives it back; what left takes up nothing."""
    network = PheromoneNetwork()
    thing = object()
    item = put(network, "a cat", 1.01, kind="preference", meta={"of": thing, "pair": (1, 2)})
    rounds(network, 5)
    assert item.shelved
    assert (item.content, item.meta) == ("a cat", {"of": thing, "pair": (1, 2)})
    network.use(item)
    assert not item.shelved
    assert (item.content, item.meta) == ("a cat", {"of": thing, "pair": (1, 2)})
    assert network.archive.unwritten() == Unwritten()


def test_what_is_lost_is_said_to_be() -> None:
    """Reading on would be making things up."""
    network, shelf = shelved(2)
    del shelf.rows[1]
    first, second = network.made_after(-1)
    assert first.content == "item 0"
    with pytest.raises(Damaged, match="does not have what item number 1 says: restore a backup"):
        second.content  # noqa: B018 - it is looked up
    with pytest.raises(Damaged, match="item number 7"):
        Archive().look(7)


def test_a_checkpoint_has_nothing_of_it_and_is_taken_up_without_a_look() -> None:
    """Neither writing it nor restoring it looks up anything, however much is archived and waits to be folded."""
    shelf = Shelf()
    network = PheromoneNetwork(archive=Archive(shelf), summariser=None)
    for number in range(200):
        put(network, f"item {number}", 1.01, meta={"n": number})  # facts, which wait for a relative
    rounds(network, 5)
    shelf.write(network.archive)
    pages = network.snapshot()
    restored = PheromoneNetwork(archive=Archive(shelf), summariser=None)
    restored.restore(pages)
    assert len(restored.foldings()) == 0
    assert shelf.looks == 0
    assert not any(b"item 1" in page for page in pages.values())
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert restored.snapshot() == {"network": pages["network"]}


def test_a_search_looks_once_for_many() -> None:
    """The first after a restore indexes everything; the next ones look up only what they found, and not even that."""
    network, shelf = shelved(1000)
    restored = PheromoneNetwork(archive=Archive(shelf))
    restored.restore(network.snapshot())
    (found,) = restored.search("733")
    assert shelf.looks == 1
    assert found.content == "item 733"
    assert shelf.looks == 2
    restored.search("734")
    assert shelf.looks == 2


def test_what_goes_is_out_of_the_index() -> None:
    """Words of what was dropped, or superseded, out of the archive lead nowhere, whether they were indexed before or not."""
    network, _ = shelved(4)
    items = list(network.made_after(-1))
    network.erase(items[0])
    network.withdraw(items[1], "superseded", "supersede")
    assert [each.content for each in network.search("item")] == ["item 2", "item 3"]
    network.erase(items[2])
    network.withdraw(items[3], "superseded", "supersede")
    assert network.search("item") == []
    assert [each.content for each in items] == ["item 0", "item 1", "item 2", "item 3"]
    assert [each.shelved for each in items] == [False, True, False, True]


@pytest.mark.parametrize("full", [True, False])
def test_no_answer_depends_on_where_it_lies(full: bool) -> None:
    """Of a network with everything in it, restored over a shelf, from a full snapshot or from its changes: every read is the same."""
    network, shelf = lived(), Shelf()
    rounds(network, 120)
    restored = PheromoneNetwork(board="b", archive=Archive(shelf))
    shelf.rows.update(network.archive.unwritten().came if not full else {})
    restored.restore(network.snapshot(full=full))
    shelf.write(restored.archive)
    assert len(shelf.rows) > 5
    assert restored.export_json() == network.export_json()
    assert restored.export_graphml() == network.export_graphml()
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    assert restored.stats() == network.stats()
    for item in network.made_after(-1):
        twin = restored.get(item)
        assert (twin.content, twin.meta, twin.length) == (item.content, item.meta, len(item.content))
        same = restored.find_by_content(item.content)
        assert same is not None
        assert same.content.split() == item.content.split()
    for word in ("private", "value", "巧克", "noon", "secret", "k"):
        assert [each.id for each in restored.search(word)] == [each.id for each in network.search(word)]


def test_a_record_of_no_network_has_what_it_says() -> None:
    """Whatever its status: a copy that was read from a board is its reader's."""
    item = ContextItem("a cat", meta={"n": 1})
    item.status = "archived"
    assert not item.shelved
    assert (item.content, item.meta, item.length) == ("a cat", {"n": 1}, 5)


def test_what_one_network_has_archived_another_does_not_take() -> None:
    """Its record does not have what it says; once it is dropped, it has, and may be said elsewhere."""
    network, _ = shelved(1)
    (item,) = network.made_after(-1)
    with pytest.raises(BadValue, match="is in another network already"):
        PheromoneNetwork().deposit(item)
    assert network.deposit(item) is item
    assert item.content == "item 0"
    network.erase(item)
    assert PheromoneNetwork().deposit(item).content == "item 0"
