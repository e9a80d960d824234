"""What one agent found good comes first for the others: strengths on passages that LlamaIndex retrieves."""

import asyncio
from math import isclose
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo

from agents.adapters.llamaindex import PheromonePostprocessor
from blackboard.client import Board
from blackboard.items import ContextItem
from blackboard.recall import weight
from blackboard.testing import RunningBoard
from blackboard.tokens import count_tokens
from tests.agents.adapters.llamaindex.fakes import BUS, METRO, Found, found, standing


async def test_what_one_agent_confirmed_comes_first_for_the_other(running: RunningBoard) -> None:
    """Through a query engine; what was found keeps its own score."""
    retriever = Found((BUS, 0.8), (METRO, 0.7))
    engine = RetrieverQueryEngine.from_args(
        retriever, llm=MockLLM(max_tokens=1), node_postprocessors=[PheromonePostprocessor(running["travel"], "travel")]
    )
    answer = await engine.aquery("How?")
    assert [(node.text, node.score) for node in answer.source_nodes] == [(BUS, 0.8), (METRO, 0.7)]
    assert await standing(running["finance"]) == {}
    await PheromonePostprocessor(running["finance"], "finance").aconfirm(answer.source_nodes[1:])
    await running["finance"].wait_applied()
    first, second = (await engine.aquery("How?")).source_nodes
    assert (first.text, second.text) == (METRO, BUS)
    assert first.score is not None
    assert isclose(first.score, 0.7 * weight(4.0, 0.0, half=3.0))
    assert second.score == 0.8
    assert [node.score for node in retriever.nodes] == [0.8, 0.7]


async def test_the_score_goes_by_the_strength_and_comes_back_as_it_fades(running: RunningBoard) -> None:
    """Higher with each confirmation, never the double, lower with each round, and in the end what it was."""
    sources, nodes = PheromonePostprocessor(running["travel"], "travel"), found((METRO, 0.5))

    async def score() -> float:
        (node,) = await sources.apostprocess_nodes(nodes)
        return node.get_score()

    scores = [await score()]
    for _ in range(5):
        await sources.aconfirm(nodes)
        scores.append(await score())
    assert scores[0] == 0.5
    assert scores == sorted(set(scores))
    assert scores[-1] < 1.0
    faded = []
    for _ in range(200):
        await running["travel"].end_round()
        faded.append((await standing(running["travel"])).get(METRO))
    strengths = [item.strength for item in faded if item is not None]
    assert 0 < len(strengths) < 200  # it is gone from what stands
    assert strengths[3:] == sorted(set(strengths[3:]), reverse=True)
    assert await score() == 0.5
    assert await standing(running["travel"]) == {}


async def test_what_is_returned_is_used_and_what_is_not_is_not(running: RunningBoard) -> None:
    """The facts of the first ``top_n`` are reinforced a little, in one unit; and nothing is deposited by looking."""
    nodes = found((BUS, 0.8), (METRO, 0.7), ("On foot.", 0.9))
    sources = PheromonePostprocessor(running["travel"], "travel", top_n=1)
    await sources.aconfirm(nodes[:2])
    before = await standing(running["travel"])
    assert [node.text for node in await sources.apostprocess_nodes(nodes)] == [BUS]
    now = await standing(running["travel"])
    assert set(now) == {BUS, METRO}
    assert now[BUS].strength > before[BUS].strength
    assert now[METRO].strength == before[METRO].strength


async def test_any_score_is_moved_the_right_way_and_equals_keep_their_order(running: RunningBoard) -> None:
    """Below 0, 0 and none; a node without text is no fact."""
    sources = PheromonePostprocessor(running["travel"], "travel")
    await sources.aconfirm(found((METRO, None), ("", 1.0)))
    await running["travel"].wait_applied()
    for score in (-0.5, 0.0, None):
        one, two, known = await sources.apostprocess_nodes(found(("a", score), ("b", score), (METRO, score)))
        if score == 0.0:
            assert (one.text, two.text, known.text) == ("a", "b", METRO)
        else:
            assert (one.text, two.text, known.text) == (METRO, "a", "b")
    assert await sources.apostprocess_nodes([]) == []
    assert [node.text for node in await sources.apostprocess_nodes(found(("", 1.0)))] == [""]


async def test_a_long_passage_is_known_by_its_beginning(running: RunningBoard) -> None:
    """Its fact is short enough to be recalled; what was deposited in the same words is the same fact, and says where it is from."""
    long = "The red metro line takes 25 minutes. " * 200
    sources, nodes = PheromonePostprocessor(running["travel"], "travel"), found((long, 0.5))
    nodes[0].node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="guide.pdf")
    await sources.aconfirm(nodes)
    ((content, item),) = (await standing(running["travel"])).items()
    assert count_tokens(content) < 420
    assert item.meta == {"source": "guide.pdf"}
    assert (item.kind, item.scope) == ("fact", "shared")
    await running["finance"].deposit(BUS, scope="shared")
    await running["finance"].wait_applied()
    weighed = await sources.apostprocess_nodes([*nodes, *found((BUS, 0.5), (METRO, 0.5))])
    assert [node.get_score() > 0.5 for node in weighed] == [True, True, False]


async def test_sources_may_be_private(running: RunningBoard) -> None:
    """What is confirmed in the agent's own scope guides nobody else, and is seen by nobody."""
    nodes = found((BUS, 0.8), (METRO, 0.7))
    own = PheromonePostprocessor(running["finance"], "finance", scope="private")
    await own.aconfirm(nodes[1:])
    await running["finance"].wait_applied()
    assert [node.text for node in await own.apostprocess_nodes(nodes)] == [METRO, BUS]
    for scope in ("private", "shared"):
        other = PheromonePostprocessor(running["travel"], "travel", scope=scope)
        assert [node.text for node in await other.apostprocess_nodes(nodes)] == [BUS, METRO]
    assert await standing(running["travel"]) == {}


async def test_strengths_are_asked_for_all_at_once(running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """None waits for another."""
    nodes = found(*((f"passage {n}", 0.5) for n in range(20)))
    get, asked, all_asked = Board.get, 0, asyncio.Event()

    async def together(board: Board, item: Any) -> ContextItem:
        nonlocal asked
        asked += 1
        if asked == len(nodes):
            all_asked.set()
        await all_asked.wait()
        return await get(board, item)

    monkeypatch.setattr(Board, "get", together)
    assert await PheromonePostprocessor(running["travel"], "travel").apostprocess_nodes(nodes) == nodes
