"""What may be asked of a network, and that asking moves nothing (chapter 2)."""

from typing import Any

import pytest

from blackboard.errors import BadValue, UnknownKind
from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork


def put(network: PheromoneNetwork, content: str, strength: float | None = None, **said: Any) -> ContextItem:
    return network.deposit(ContextItem(content, **said), initial_strength=strength)


def test_reads_change_nothing() -> None:
    """Whatever is asked, at whatever time: the state's bytes are the same afterwards."""
    network = PheromoneNetwork()
    items = [put(network, f"item {n % 7} {n}", 1 + n % 9, key="k", value=n, owner=f"a{n}") for n in range(300)]
    network.connect(items[0], items[1])
    network.advance(10)
    before = network.snapshot(full=True)
    network.top(200, at=50.0)
    network.search("item 3", at=20.0)
    network.find_by_content("item 0 0")
    network.edges_of(items[0])
    network.history("k")
    list(network.about("k"))
    network.slot("private:a1", "fact", "k", None, None)
    network.explain(items[0])
    network.tier(items[0])
    network.stats()
    network.next_due()
    network.falls_below(items[0], 0.5)
    network.all_items()
    network.of_kind("fact")
    assert network.snapshot(full=True) == before


def test_the_strongest_come_first() -> None:
    """Over kinds, protected or not; ties in order of making."""
    network = PheromoneNetwork()
    weak, first = put(network, "a", 2.0), put(network, "b")
    second, strong = put(network, "c", kind="slot"), put(network, "d", kind="constraint")
    assert network.top(3) == [strong, first, second]
    assert network.top(9, kind="fact") == [first, weak]
    assert network.top(0) == []
    with pytest.raises(UnknownKind, match="'rumour'"):
        network.top(1, kind="rumour")


def test_the_order_may_be_that_of_another_time() -> None:
    """A fast kind falls behind; a read at its own stamp sees that, and what only an advance may do has not happened."""
    network = PheromoneNetwork()
    state, fact = put(network, "state", 5.0, kind="state"), put(network, "fact", 4.0)
    network.advance(3)
    assert network.top(2) == [state, fact]
    assert network.top(2, at=30.0) == [fact, state]
    assert network.strength(state, at=30.0) == pytest.approx(5 * 0.95**27)
    late = put(network, "late")
    assert network.strength(late, at=30.0) == 4.0


def test_partitions_are_kept_apart() -> None:
    """Every question is answered from the partitions that it names."""
    network = PheromoneNetwork()
    ann, bob = put(network, "cat", key="k", owner="ann"), put(network, "cat", key="k", owner="bob")
    shared = put(network, "cat dog", key="k", owner="bob", scope="shared")
    seen = ("shared", "private:ann")
    assert network.top(9, partitions=seen) == network.all_items(seen) == [ann, shared]
    assert set(network.search("cat", partitions=seen)) == {ann, shared}
    assert network.search("cat", partitions=["private:cy"]) == []
    assert network.history("k", partitions=seen) == [ann, shared]
    assert network.stats(seen) == {
        "items": 2,
        "edges": 0,
        "kinds": {"fact": 2},
        "tiers": {"core": 2, "working": 0, "archived": 0},
        "owners": {"ann": 1, "bob": 1},
    }
    assert network.all_items() == [ann, bob, shared]


def test_others_words_do_not_weigh_in_a_search() -> None:
    """What one sees is found in the same order, whatever somebody else keeps."""

    def found(others: int) -> list[str]:
        network = PheromoneNetwork()
        for content in ("red cat", "red dog", "blue cat", "cat"):
            put(network, content, owner="ann")
        for n in range(others):
            put(network, f"cat {n}", owner="bob")
        return [item.content for item in network.search("red cat", 2, partitions=["private:ann"])]

    assert found(0) == found(100)


def test_relevance_says_who_enters_and_strength_who_goes_first() -> None:
    """Of what shares words with the query, the most relevant enter, and the strongest of them leads."""
    network = PheromoneNetwork()
    exact, strong, weak = put(network, "red cat", 2.0), put(network, "cat", 9.0), put(network, "cat cat", 1.0)
    put(network, "dog", 9.0)
    assert network.search("a red cat") == [strong, exact, weak]
    assert network.search("a red cat", 1) == [exact]


def test_search_finds_by_key_and_target_and_in_the_archive() -> None:
    """A light index of what was archived stays; what was superseded is found in the history only."""
    network = PheromoneNetwork()
    archived = put(network, "at 15:00", 1.01, key="meeting", target="A789")
    old = put(network, "old", key="shipping_address", value=1)
    put(network, "new", key="shipping_address", value=2)
    network.advance(6)
    assert archived.status == "archived"
    assert network.search("meeting") == network.search("15:00") == network.search("a789") == [archived]
    assert [item.content for item in network.search("shipping address")] == ["new"]
    assert network.history("shipping_address")[0] is old


def test_an_item_is_found_by_what_it_says() -> None:
    """But for white space, exactly; what stands goes before what does not."""
    network = PheromoneNetwork()
    old, new = put(network, "Beijing", key="a", value=1), put(network, "Beijing", key="a", value=2)
    assert network.find_by_content(" Beijing\n") is new
    network.retract(new, by="")
    assert network.find_by_content("Beijing") is old
    assert network.find_by_content("beijing") is None


def test_a_slot_shows_every_owners_value() -> None:
    """In order of making, whoever said it; only what stands, and carries a value."""
    network = PheromoneNetwork()
    said: dict[str, Any] = {"key": "price", "scope": "shared"}
    put(network, "40", value=40, owner="ann", **said)
    bob, ann = put(network, "41", value=41, owner="bob", **said), put(network, "42", value=42, owner="ann", **said)
    put(network, "about forty", owner="ann", **said)
    assert network.slot("shared", "fact", "price", None, None) == [bob, ann]
    assert network.slot("shared", "fact", "price", "A1", None) == []


def test_history_is_about_a_key() -> None:
    """And a target, if one is named; whatever became of it, in order of making."""
    network = PheromoneNetwork()
    one, two = put(network, "1", key="k", target="a", value=1), put(network, "2", key="k", target="b", value=1)
    three = put(network, "3", key="k", target="a", value=2)
    assert network.history(" k ") == [one, two, three]
    assert network.history("k", "a") == [one, three]
    assert list(network.about("k", "state")) == network.history("none") == []


def test_items_of_a_kind_are_listed_whatever_their_status() -> None:
    """In order of making."""
    network = PheromoneNetwork()
    items = [put(network, str(n), kind="constraint", key="k", op="<=", value=n) for n in range(3)]
    put(network, "fact")
    network.retract(items[2], by="")
    assert network.of_kind("constraint") == items
    assert {item.status for item in items} == {"superseded", "released"}


def test_tiers_follow_from_strength() -> None:
    """Core from 3.0 on; the figures agree with the items."""
    network = PheromoneNetwork(core=3.0)
    at, below, gone = put(network, "at", 3.0), put(network, "below", 2.999), put(network, "gone", 1.01)
    assert [network.tier(each) for each in (at, below, gone)] == ["core", "working", "working"]
    network.connect(at, below)
    network.advance(4)
    assert [network.tier(each) for each in (at, below, gone)] == ["working", "working", "archived"]
    assert network.stats()["tiers"] == {"core": 0, "working": 2, "archived": 1}
    assert network.stats()["edges"] == 1
    assert network.stats()["owners"] == {"": 2}


def test_hard_constraints_are_listed_while_they_bind() -> None:
    """Standing or archived, in order of making, of the partitions asked about; a soft one is not, nor one that was taken back."""
    network = PheromoneNetwork()
    shared: dict[str, Any] = {"kind": "constraint", "scope": "shared"}
    faded = put(network, "at most 40", 1.01, owner="ann", hard=True, **shared)
    put(network, "rather 30", owner="ann", **shared)
    mine = put(network, "never at night", kind="constraint", owner="bob", hard=True)
    gone = put(network, "never on Sunday", owner="ann", hard=True, **shared)
    network.advance(10)
    network.retract(gone, by="ann")
    assert faded.status == "archived"
    assert network.binding() == [faded, mine]
    assert network.binding(["shared"]) == [faded]
    put(network, "rather 30", owner="bob", hard=True, **shared)
    assert [item.content for item in network.binding(["shared"])] == ["at most 40", "rather 30"]


def test_what_was_superseded_in_a_slot_is_found() -> None:
    """The latest first; only of that very slot, and not what was taken back."""
    network = PheromoneNetwork()
    said: dict[str, Any] = {"key": "price", "owner": "ann"}
    former = [put(network, str(n), value=n, **said) for n in range(3)]
    put(network, "of another", value=9, target="A1", **said)
    latest = put(network, "3", value=3, **said)
    assert network.superseded(latest) == former[::-1]
    assert network.superseded(put(network, "about the price", **said)) == []
    network.retract(latest, by="ann")
    assert latest not in network.superseded(latest)


def test_what_items_say_is_there_whether_archived_or_not() -> None:
    """By ordinals."""
    network = PheromoneNetwork()
    items = [put(network, "archived", 1.01, kind="preference", meta={"n": 1}), put(network, "standing")]
    network.advance(10)
    assert items[0].shelved
    assert network.said(items) == {0: ("archived", {"n": 1}), 1: ("standing", {})}


@pytest.mark.parametrize("query", [None, 5, b"cat", ["cat"]])
def test_a_query_that_is_no_text_is_named(query: Any) -> None:
    """By whichever verb it comes."""
    network = PheromoneNetwork()
    for ask in (network.hits, network.search, network.assemble):
        with pytest.raises(BadValue, match="a query is a text, not"):
            ask(query)
