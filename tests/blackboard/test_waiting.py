"""Which items wait for a summary, and which of them belong together (chapter 2, "Forgetting is three things")."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.waiting import LONGEST, MOST, summary_of


def network_of(*said: dict[str, Any]) -> tuple[PheromoneNetwork, list[ContextItem]]:
    """A network whose items have all faded."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(**{"content": f"note {n}", "owner": "ann", **each})) for n, each in enumerate(said)]
    network.evaporate(rate=0.9)
    return network, items


def groups(network: PheromoneNetwork, limit: int = 100) -> list[list[int]]:
    return [[item.ordinal for item in group] for group in network.foldings(limit)]


def test_one_key_joins_and_so_does_an_edge_and_both_go_on_from_one_to_the_next() -> None:
    """a and b by their key, b and c by an edge: one group. What has no relative is in none."""
    network = PheromoneNetwork(summariser=None)
    keys = ["cat", "cat", None, "dog", None]
    items = [network.deposit(ContextItem(f"note {n}", key=key, owner="ann")) for n, key in enumerate(keys)]
    network.connect(items[1], items[2])
    network.evaporate(rate=0.8)
    assert [item.status for item in items] == ["archived"] * 5
    assert groups(network) == groups(network) == [[0, 1, 2]]
    network.connect(items[3], items[4])
    assert groups(network) == [[0, 1, 2], [3, 4]]
    assert groups(network, 1) == [[0, 1, 2]]


@pytest.mark.parametrize("other", [{"owner": "bob"}, {"scope": "shared"}, {"key": "dog"}, {"kind": "preference"}, {"kind": "state"}])
def test_what_is_not_of_one_owner_partition_and_key_stays_apart(other: dict[str, Any]) -> None:
    """Nor does anything wait whose kind is not folded."""
    network, _ = network_of({"key": "cat"}, {"key": "cat", **other})
    assert groups(network) == []


def test_an_edge_that_others_do_not_see_joins_nothing_shared() -> None:
    """A summary of shared items would tell everyone of it."""
    network = PheromoneNetwork(summariser=None)
    a, b = (network.deposit(ContextItem(content, owner="ann", scope="shared")) for content in "ab")
    network.connect(a, b, owner="ann", scope="private")
    network.evaporate(rate=0.8)
    assert groups(network) == []
    network.connect(a, b, owner="ann", scope="shared")
    assert groups(network) == [[0, 1]]


def test_what_ends_at_a_time_of_its_own_or_is_too_long_does_not_wait() -> None:
    """A summary would outlive the one, and has no room for the other."""
    network, _ = network_of({"key": "k"}, {"key": "k", "expires_at": 99.0}, {"key": "k", "content": "x" * (LONGEST + 1)})
    assert groups(network) == []


def test_who_comes_back_waits_no_longer() -> None:
    """Used, deposited again, superseded or retracted: the others may still be a group, or not."""
    network, items = network_of(*[{"key": "k"}] * 6)
    network.use(items[0])
    network.deposit(ContextItem("note 1", key="k", owner="ann"))
    network.retract(items[2], by="ann")
    network.withdraw(items[3], "superseded", "supersede")
    assert groups(network) == [[4, 5]]
    network.use(items[4])
    assert groups(network) == []
    network.evaporate(rate=0.9)
    assert groups(network) == [[0, 1, 4, 5]]


def test_an_item_that_passes_to_another_owner_waits_among_that_owner_s() -> None:
    """Its first asserter took it back."""
    network = PheromoneNetwork(summariser=None)
    for owner, content in (("ann", "a"), ("ann", "b"), ("bob", "a"), ("bob", "c")):
        network.deposit(ContextItem(content, key="k", owner=owner, scope="shared"))
    network.evaporate(rate=0.9)
    assert groups(network) == [[0, 1]]
    network.retract(network.all_items()[0] if network.all_items() else network.history("k")[0], by="ann")
    assert groups(network) == [[0, 2]]


def test_a_group_is_no_larger_than_one_summary_holds() -> None:
    """What is left over is the next group, in the same look already."""
    network, _ = network_of(*[{"key": "k"}] * (2 * MOST + 1))
    assert list(map(len, network.foldings(9))) == [MOST, MOST]
    network, _ = network_of(*({"key": "k", "content": f"{n}" * LONGEST} for n in range(5)))
    assert groups(network) == [[0, 1], [2, 3]]


def test_a_summary_has_what_its_items_agree_in() -> None:
    """Owner and scope; key and target where all have the same."""
    alike = [ContextItem("a", key="k", target="t", owner="ann"), ContextItem("b", key="k", target="u", owner="ann")]
    summary = summary_of(tuple(alike), "a, b")
    assert (summary.kind, summary.key, summary.target, summary.partition) == ("summary", "k", None, "private:ann")


def test_groups_come_in_order_of_making() -> None:
    """Whichever of their items was stirred: so they come as they do from a network that was restored."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(f"{n}", owner="ann")) for n in range(4)]
    network.connect(items[0], items[3])
    network.connect(items[1], items[2])
    network.withdraw(items[0], "archived", "archive")
    assert groups(network) == []
    for item in items[1:]:
        network.withdraw(item, "archived", "archive")
    assert groups(network) == [[0, 3], [1, 2]]


@given(st.data())
def test_groups_are_the_related_ones(data: st.DataObject) -> None:
    """However items fade, come back and are joined: the groups are the connected parts of two or more, restored or not."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(f"{n}", key=data.draw(st.sampled_from([None, "k", "l"])), owner="ann")) for n in range(8)]
    joined: set[tuple[int, int]] = set()
    for _ in range(data.draw(st.integers(1, 12))):
        a, b = data.draw(st.sampled_from(items)), data.draw(st.sampled_from(items))
        match data.draw(st.sampled_from(["fade", "use", "join", "look"])):
            case "fade":
                network.withdraw(a, "archived", "archive") if a.standing else None
            case "use":
                network.use(a)
            case "join" if a is not b:
                network.connect(a, b)
                joined.add((a.ordinal, b.ordinal))
            case _:
                groups(network)
    waiting = {item.ordinal for item in items if item.status == "archived"}
    parts = {n: {n} for n in waiting}
    for a in items:
        for b in items:
            alike = a.key == b.key is not None or (a.ordinal, b.ordinal) in joined
            if alike and {a.ordinal, b.ordinal} <= waiting and parts[a.ordinal] is not parts[b.ordinal]:
                parts[a.ordinal] |= parts[b.ordinal]
                for each in parts[b.ordinal]:
                    parts[each] = parts[a.ordinal]
    expected = sorted({tuple(sorted(part)) for part in parts.values() if len(part) > 1})
    assert sorted(map(tuple, groups(network))) == expected
    restored = PheromoneNetwork(summariser=None)
    restored.restore(network.snapshot(full=True))
    assert groups(restored) == groups(network)
