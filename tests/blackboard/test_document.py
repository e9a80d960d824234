"""What is exported, to the bit; as JSON."""

import math
from typing import Any

import pytest
from msgspec.structs import replace

from blackboard.document import Document, check, from_json, rebuilt, to_json
from blackboard.errors import BadValue, UnknownKind
from blackboard.items import ContextItem
from blackboard.kinds import DEFAULTS
from blackboard.network import PheromoneNetwork
from bus.messages import ItemRecord
from tests.blackboard.network.lone import lived, put, rounds


def test_a_network_comes_back_to_the_bit() -> None:
    """Every figure of it, and what is exported again is the same text; reading changed nothing."""
    network = lived()
    before = network.snapshot(full=True)
    text = network.export_json()
    assert network.snapshot(full=True) == before
    again = PheromoneNetwork(board="b")
    again.import_json(text)
    assert again.export_json() == text
    assert [(item.id, item.strength) for item in again.top(99)] == [(item.id, item.strength) for item in network.top(99)]
    assert again.stats() == network.stats()


def test_what_came_back_goes_on() -> None:
    """It fades when the original does, protection and expiry hold, and what is said again meets its twin, by a former id too."""
    network = lived()
    again = PheromoneNetwork(board="b")
    again.import_json(network.export_json())
    for each in (network, again):
        rounds(each, 2)
        each.deposit(ContextItem("was a secret", owner="ann", meta={"n": 1}))
        put(each, "private 1", kind="preference", key="k", value=1, owner="ann")
        rounds(each, 30)
    ours, theirs = again.all_items(), network.all_items()
    assert [item.id for item in ours] == [item.id for item in theirs]
    assert [item.strength for item in ours] == pytest.approx([item.strength for item in theirs], abs=1e-12)
    assert [(item.status, item.confirmations, item.hard) for item in again.made_after(-1)] == [
        (item.status, item.confirmations, item.hard) for item in network.made_after(-1)
    ]


def test_what_was_folded_stays_folded() -> None:
    """A summary goes on standing for its originals, and is not made again; what waits, waits."""
    network = PheromoneNetwork(board="b")
    originals = [put(network, f"fact {n}", 1.2, key="k", owner="ann") for n in range(3)]
    put(network, "alone", 1.2, key="other", owner="ann")
    rounds(network, 20)
    assert [item.kind for item in network.all_items()] == ["summary"]
    again = PheromoneNetwork(board="b")
    again.import_json(network.export_json())
    assert again.export_json() == network.export_json()
    for each in (network, again):
        rounds(each, 2)
        assert len(each.edges_of(originals[0])) == 1
        put(each, "company", 1.2, key="other", owner="ann")
        rounds(each, 20)
    assert [item.content for item in again.made_after(-1)] == [item.content for item in network.made_after(-1)]
    assert len([item for item in again.made_after(-1) if item.kind == "summary"]) == 2


def test_on_another_board_ids_are_its_own() -> None:
    """Edges follow; former ids stay behind."""
    network, other = lived(), PheromoneNetwork(board="other")
    other.import_json(network.export_json())
    ours, theirs = list(other.made_after(-1)), list(network.made_after(-1))
    assert [item.content for item in ours] == [item.content for item in theirs]
    assert {item.id for item in ours}.isdisjoint(item.id for item in theirs)
    assert all(item.id == item.identify("other") for item in ours)
    assert [len(other.edges_of(item)) for item in ours] == [len(network.edges_of(item)) for item in theirs]
    assert other.aliases == {}


def test_only_a_new_network_takes_an_export() -> None:
    """And one that knows its kinds; a refused one leaves it as it was."""
    text = lived().export_json()
    full, poor = lived(), PheromoneNetwork(kinds={"fact": DEFAULTS["fact"]})
    for network, error in ((full, BadValue), (poor, UnknownKind)):
        before = network.snapshot(full=True)
        with pytest.raises(error):
            network.import_json(text)
        assert network.snapshot(full=True) == before


def test_what_json_does_not_carry() -> None:
    """A lone network takes what it is given; its export says what cannot go."""
    for value in (math.inf, {1: 2}, [math.nan]):
        network = PheromoneNetwork()
        put(network, value=value)
        with pytest.raises(BadValue, match="its value"):
            network.export_json()
        with pytest.raises(BadValue, match="its value"):
            network.export_graphml()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"items": 3}', '{"items": [{"id": "x"}]}', b"\xff", "[" * 100_000])
def test_what_is_no_export(text: str | bytes) -> None:
    """It says so."""
    with pytest.raises(BadValue, match="no export as JSON"):
        from_json(text)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("status", "discarded", "it was discarded"),
        ("scope", "public", "scope 'public'"),
        ("strength", math.inf, "strength inf"),
        ("strength", 0.0, "strength 0.0"),
        ("strength", -1.0, "strength -1.0"),
    ],
)
def test_an_item_that_cannot_be(field: str, value: Any, sentence: str) -> None:
    """It is named."""
    document = from_json(lived().export_json())
    bad = replace(document, items=(replace(document.items[0], **{field: value}), *document.items[1:]))
    with pytest.raises(BadValue, match=f"item '{document.items[0].id}': {sentence}"):
        check(bad)


def test_a_document_that_cannot_be() -> None:
    """Of a later format, of no time, with an end that is missing, or with what is there twice."""
    item = ItemRecord(id="1", content="x", kind="fact", strength=1.0)
    document = from_json(lived().export_json())
    for bad, sentence in (
        (replace(document, pheroboard=2), "upgrade"),
        (replace(document, now=math.nan), "nan"),
        (replace(document, items=document.items[:1]), "is no item of the export"),
        (replace(document, items=(item, item)), "two of that id"),
    ):
        with pytest.raises(BadValue, match=sentence):
            check(bad)
    with pytest.raises(BadValue, match="says the same"):
        rebuilt(Document(items=(item, replace(item, id="2"))), "b")
    edge = document.edges[0]
    with pytest.raises(BadValue, match="joins the same"):
        rebuilt(replace(document, edges=(edge, edge)), "b")


def test_a_document_is_read_as_it_was_written() -> None:
    """An empty one, too."""
    for document in (Document(), from_json(lived().export_json())):
        assert from_json(to_json(document)) == document
