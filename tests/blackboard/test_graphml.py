"""A document as GraphML."""

import io
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.document import Document, from_json
from blackboard.errors import BadValue
from blackboard.graphml import from_graphml, to_graphml
from blackboard.network import PheromoneNetwork
from bus.messages import EdgeRecord, ItemRecord
from tests.blackboard.network.lone import lived

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
FIGURES = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def test_a_network_comes_back_to_the_bit() -> None:
    """What is exported again is the same text."""
    text = lived().export_graphml()
    again = PheromoneNetwork(board="b")
    again.import_graphml(text)
    assert again.export_graphml() == text
    assert again.export_json() == lived().export_json()


@given(content=TEXTS, key=TEXTS | st.none(), value=VALUES, meta=st.dictionaries(TEXTS, VALUES, max_size=2), strength=FIGURES, t=FIGURES)
def test_whatever_is_said(content: str, key: str | None, value: Any, meta: dict[str, Any], strength: float, t: float) -> None:
    """Texts that XML does not carry, numbers to the last bit, and values of any structure."""
    item = ItemRecord(
        id="1", content=content, kind=content, key=key, value=value, meta=meta, strength=strength, made=t, asserters=(content, ""), unit=key
    )  # fmt: skip
    edge = EdgeRecord(id="2", a="1", b="1", strength=strength, relation=key, owner=content, touched=t)
    document = Document(board=content, now=t, items=(item,), edges=(edge,))
    text = to_graphml(document)
    assert repr(from_graphml(text)) == repr(document)
    nx.parse_graphml(text)


def test_networkx_opens_it() -> None:
    """Attributes have their types; parallel edges and relations are kept; what it writes is read again, to the bit."""
    document = from_json(lived().export_json())
    graph = nx.read_graphml(io.BytesIO(to_graphml(document).encode()))
    assert len(graph) == len(document.items)
    assert graph.number_of_edges() == len(document.edges)
    for item in document.items:
        seen = graph.nodes[item.id]
        assert (seen["strength"], seen["kind"], seen["hard"], seen["confirmations"]) == (
            item.strength, item.kind, item.hard, item.confirmations,
        )  # fmt: skip
    assert sorted(data["strength"] for *_, data in graph.edges(data=True)) == sorted(edge.strength for edge in document.edges)
    written = io.BytesIO()
    nx.write_graphml(graph, written)
    again = PheromoneNetwork(board="b")
    again.import_graphml(written.getvalue())
    assert again.export_json() == lived().export_json()


def test_a_strange_attribute_is_passed_over() -> None:
    """Other programs add colours and places."""
    text = to_graphml(Document(items=(ItemRecord(id="1", content="x", kind="fact", strength=1.0),)))
    coloured = text.replace("<graph ", '<key id="r" for="node" attr.name="r" attr.type="int"/><graph ').replace(
        "</node>", '<data key="r">255</data></node>'
    )
    assert from_graphml(coloured) == from_graphml(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no GraphML"),
        ("<graphml>", "no GraphML"),
        ("<svg/>", "no graph in it"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "document type"),
        ('<graphml><graph><node id="1"/></graph></graphml>', "ItemRecord '1'.*content"),
        ('<graphml><graph><data key="now">soon</data></graph></graphml>', "Document.*soon"),
        ('<graphml><graph><edge source="1" target="2"><data key="strength">1</data></edge></graph></graphml>', "'1' is no item"),
    ],
)
def test_what_is_no_export(text: str, sentence: str) -> None:
    """It says what is wrong, with which element."""
    with pytest.raises(BadValue, match=sentence):
        from_graphml(text)
