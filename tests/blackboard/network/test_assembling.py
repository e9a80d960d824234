"""Claims about a lone network that is used by what is assembled from it."""

import pytest

from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.section import without_memory
from tests.blackboard.network.lone import Moves, put, rounds


def test_what_goes_in_is_used_and_nothing_else() -> None:
    """A candidate that does not go in stays as it was, to the last bit; so does all the rest."""
    moves = Moves()
    network = PheromoneNetwork(recorder=moves)
    cat, long = put(network, "the cat purrs"), put(network, "the cat " + "purrs and purrs " * 100)
    dog = put(network, "the dog barks")
    rounds(network, 7)
    moves.items.clear()
    before = [(each.s, each.d, each.touched) for each in (long, dog)]
    strength = cat.strength
    found = network.assemble("cat", 60, by="me")
    assert [hit.item.content for hit in found.chosen] == ["the cat purrs"]
    assert found.chosen[0].item.strength == strength
    assert [(content, cause, by) for content, cause, _, _, by, _ in moves.items] == [("the cat purrs", "use", "me")]
    assert cat.strength == pytest.approx(strength + 0.5 * (1 - strength / 8.0))
    assert [(each.s, each.d, each.touched) for each in (long, dog)] == before


def test_looking_only_uses_nothing() -> None:
    """The state stays as it was, to the byte."""
    network = PheromoneNetwork()
    network.connect(put(network, "the cat purrs"), put(network, "the cat sleeps"))
    before = network.export_json()
    looked = network.assemble("cat", use=False)
    assert network.export_json() == before
    assert network.assemble("cat") == looked
    assert network.export_json() != before


def test_what_is_archived_comes_back_when_it_goes_in() -> None:
    """At half its kind's initial strength."""
    network = PheromoneNetwork()
    item = put(network, "no coriander", kind="preference")
    rounds(network, 200)
    found = network.assemble("coriander")
    assert [hit.item.status for hit in found.chosen] == ["archived"]
    assert (item.status, item.strength) == ("standing", 3.0)


def test_each_edge_that_was_walked_is_used_once() -> None:
    """However many items were reached over it; and none over which only what stayed out was reached."""
    network = PheromoneNetwork()
    cat, name, allergy, essay = (put(network, each) for each in ("the cat", "Doudou", "no fish", "essay " * 500))
    walked = [network.connect(cat, name), network.connect(name, allergy)]
    aside = network.connect(cat, essay)
    found = network.assemble("cat", 100)
    assert {hit.item.content: hit.edges for hit in found.chosen} == {
        "the cat": (),
        "Doudou": (walked[0].id,),
        "no fish": (walked[0].id, walked[1].id),
    }
    assert [edge.strength for edge in walked] == pytest.approx([1.0 + 0.2 * 0.5] * 2)
    assert aside.strength == 1.0


def test_a_hundred_turns_do_not_grow_the_network_by_what_was_injected() -> None:
    """Each deposits its whole prompt, without the section in it: what stands twice is confirmed, and only news is new."""
    network = PheromoneNetwork()
    for said in ("the cat is called Doudou", "it never gets chocolate", "two lines\nabout the cat"):
        put(network, said, owner="user")
    for turn in range(100):
        prompt = f"{network.assemble('cat').text}\n\nuser: what does the cat eat?"
        network.deposit(ContextItem(without_memory(prompt), kind="tool_result"))
        for hit in network.assemble("cat").chosen:
            network.deposit(ContextItem(hit.item.content, kind=hit.item.kind, owner=hit.item.owner))
        assert network.stats()["items"] == 4, turn
