"""What a query recalls from a network, over edges, too, and why."""

from datetime import UTC, date, datetime
from itertools import pairwise

import numpy as np
import pytest

from blackboard.items import ContextItem
from blackboard.network import PheromoneNetwork
from blackboard.recall import weight
from blackboard.walks import BACKWARD, FORWARD, WALKED
from tests.blackboard.dictionary import Dictionary


def put(network: PheromoneNetwork, content: str, *, owner: str = "ann", **more: object) -> ContextItem:
    return network.deposit(ContextItem(content, owner=owner, **more))  # type: ignore[arg-type]


def chain(network: PheromoneNetwork, *said: str, strength: float = 1.0) -> list[ContextItem]:
    """Items, each linked with the one before it."""
    items = [put(network, each) for each in said]
    for before, after in pairwise(items):
        network.connect(before, after, initial_strength=strength)
    return items


def test_what_is_linked_comes_back_with_what_is_hit() -> None:
    """And says from which item, over which edge; "cat" brings back its name and its allergy."""
    network = PheromoneNetwork()
    cat, name, allergy = put(network, "she has a cat"), put(network, "it is called Doudou"), put(network, "never any chocolate")
    put(network, "the weather is fine")
    edge, further = network.connect(cat, name), network.connect(name, allergy)
    found = {hit.item: hit for hit in network.hits("cat")}
    assert found.keys() == {cat, name, allergy}
    assert next(iter(found)) is cat
    assert (found[cat].why.terms, found[cat].why.via, found[cat].edges) == (("cat",), (), ())
    assert ([via.item for via in found[name].why.via], found[name].edges) == ([cat.id], (edge.id,))
    assert found[allergy].edges == (edge.id, further.id)
    assert found[name].why.terms == ()
    assert 0 < found[name].why.via[0].share == pytest.approx(found[name].why.relevance)


def test_a_trace_goes_three_edges_far_and_tells_directions_apart() -> None:
    """What one, two and three edges pass on, forward and back; what is four away is not near."""
    network = PheromoneNetwork()
    items = chain(network, "a", "b", "c", "d", "hit", "e", "f", "g", "h")
    found = {hit.item.content: hit.why.relevance for hit in network.hits("hit")}
    assert set(found) == {"b", "c", "d", "hit", "e", "f", "g"}
    for content, passed in zip(["e", "f", "g", "d", "c", "b"], [*FORWARD, *BACKWARD], strict=True):
        assert found[content] == pytest.approx(passed / (0.4 + passed))
    assert items[0].content not in found


def test_what_is_reached_back_and_forth_is_reached_back() -> None:
    """Two answers to one question: the one leaves on the other what two edges back pass on."""
    network = PheromoneNetwork()
    question, answer, other = put(network, "question"), put(network, "hit"), put(network, "other")
    network.connect(question, answer)
    network.connect(question, other)
    found = {hit.item: hit.why.relevance for hit in network.hits("hit")}
    assert found[other] == pytest.approx(BACKWARD[1] / (0.4 + BACKWARD[1]))


def test_a_trace_is_left_on_so_many_at_most() -> None:
    """The nearest, however much is behind them."""
    network = PheromoneNetwork()
    hub = put(network, "hub")
    near = [put(network, f"near {n}") for n in range(8)]
    for each in near:
        network.connect(hub, each)
        for n in range(7):
            network.connect(each, put(network, f"{each.content}, far {n}"))
    reached = {hit.item for hit in network.hits("hub", 100)} - {hub}
    assert len(reached) == WALKED
    assert reached > set(near)


def test_a_weak_edge_passes_on_little() -> None:
    """A new one all that there is to pass on; a strong one less than twice that."""
    relevance = {}
    for strength in (0.2, 1.0, 100.0):
        network = PheromoneNetwork()
        chain(network, "hit", "other", strength=strength)
        relevance[strength] = {hit.item.content: hit.why.relevance for hit in network.hits("hit")}["other"]
    passed = {strength: 0.4 * found / (1 - found) for strength, found in relevance.items()}
    assert passed == pytest.approx({0.2: FORWARD[0] / 3, 1.0: FORWARD[0], 100.0: FORWARD[0] * 200 / 101})


@pytest.mark.parametrize("strong", ["shared", "private"])
def test_of_several_edges_the_strongest_is_walked(strong: str) -> None:
    """Whoever drew it, of those that the asker sees."""
    network = PheromoneNetwork()
    one, other = (put(network, each, scope="shared") for each in ("hit", "other"))
    edges = {
        scope: network.connect(one, other, initial_strength=5.0 if scope == strong else 0.5, owner="ann", scope=scope)
        for scope in ("shared", "private")
    }
    [_, hit] = network.hits("hit", partitions=["shared", "private:ann"])
    assert hit.edges == (edges[strong].id,)
    assert hit.why.relevance == pytest.approx(FORWARD[0] * 10 / 6 / (0.4 + FORWARD[0] * 10 / 6))


def test_an_edge_shows_nothing_that_the_asker_does_not_see() -> None:
    """Neither what is private, where a shared edge leads to it, nor that somebody has linked in private what all see."""
    network = PheromoneNetwork()
    one, secret = put(network, "hit", scope="shared"), put(network, "secret", owner="bob")
    behind = put(network, "behind", scope="shared")
    network.connect(one, secret, scope="shared")
    network.connect(secret, behind, scope="shared")
    assert [hit.item for hit in network.hits("hit", partitions=["shared"])] == [one]
    assert {hit.item for hit in network.hits("hit")} == {one, secret, behind}
    network.connect(one, behind, owner="bob")
    assert [hit.item for hit in network.hits("hit", partitions=["shared", "private:ann"])] == [one]


def test_a_hub_is_walked_along_its_strongest_edges() -> None:
    """However many there are; and once another is stronger, along that."""
    network = PheromoneNetwork()
    hub = put(network, "hub")
    others = [put(network, f"other {n}") for n in range(40)]
    edges = [network.connect(hub, other, initial_strength=1 + n / 100) for n, other in enumerate(others)]
    reached = {hit.item for hit in network.hits("hub", 100)} - {hub}
    assert reached == set(others[-8:])
    network.reinforce_edge(edges[0], delta=1.0)
    assert {hit.item for hit in network.hits("hub", 100)} - {hub} == {others[0], *others[-7:]}


def test_edges_that_come_and_go_are_followed() -> None:
    """Between one query and the next."""
    network = PheromoneNetwork()
    one, other = put(network, "hit"), put(network, "other")
    third = put(network, "third")
    network.connect(one, other, initial_strength=0.2)
    assert {hit.item for hit in network.hits("hit")} == {one, other}
    network.connect(one, third)
    assert {hit.item for hit in network.hits("hit")} == {one, other, third}
    network.evaporate(rate=0.6)  # the weak one is gone with that
    assert {hit.item for hit in network.hits("hit")} == {one, third}


def test_on_the_wall_clock_yesterday_is_the_day_before_the_question() -> None:
    """Whether or not anything has happened since; unless who asks says which day it is."""
    made = datetime(2026, 5, 8, 12, tzinfo=UTC).timestamp()
    network = PheromoneNetwork(wall_clock=True, now=made)
    walk = put(network, "a walk")
    assert network.hits("yesterday") == []
    assert [hit.item for hit in network.hits("yesterday", at=made + 86_400)] == [walk]
    assert [hit.item for hit in network.hits("yesterday", today=date(2026, 5, 9))] == [walk]


def test_what_does_not_stand_passes_nothing_on() -> None:
    """What was superseded or released is neither found nor walked through; what is archived is."""
    network = PheromoneNetwork()
    one, middle, _ = chain(network, "hit", "between", "behind")
    network.retract(middle, by="ann")
    assert [hit.item for hit in network.hits("hit")] == [one]
    network.withdraw(one, "archived", "archive")
    assert [(hit.item, hit.item.status) for hit in network.hits("hit")] == [(one, "archived")]


def test_strength_and_freshness_weigh_in() -> None:
    """Of two that are as relevant the stronger goes first, of two as strong the fresher; the archive's last."""
    network = PheromoneNetwork()
    weak, strong = put(network, "a cat sat", kind="state"), put(network, "a cat ran", kind="constraint")
    assert [hit.item for hit in network.hits("cat")] == [strong, weak]
    assert network.hits("cat")[0].score == pytest.approx(network.hits("cat")[0].why.relevance * weight(8.0, 1.0, half=3.0))
    assert weight(3.0, 0.0, half=3.0) == 1.5
    assert weight(0.0, 0.0, half=0.0) == 1.0
    assert weight(8.0, 1.0, half=3.0) > weight(8.0, 0.5, half=3.0) > weight(3.0, 0.5, half=3.0)


def test_what_was_confirmed_lately_is_fresh() -> None:
    """Not what was merely used: of two that are as strong, the one that was said last goes first."""
    network = PheromoneNetwork()
    old = put(network, "a cat sat")
    for _ in range(20):
        network.evaporate()
    network.use(old)
    new = network.deposit(ContextItem("a cat ran", owner="ann"), initial_strength=old.strength)
    found = network.hits("cat")
    assert [hit.item for hit in found] == [new, old]
    freshness = (1.0, np.exp(-network.kinds["fact"].rate * 20))
    expected = [weight(old.strength, fresh, half=3.0) for fresh in freshness]
    assert [hit.score / hit.why.relevance for hit in found] == pytest.approx(expected)


def test_what_has_the_words_itself_was_not_reached() -> None:
    """Walking to it is of no use, then; and a search has it before what is only near, however strong that is."""
    network = PheromoneNetwork()
    one, other, near = put(network, "a cat"), put(network, "another cat"), put(network, "Doudou", kind="constraint")
    edges = network.connect(one, other), network.connect(other, near)
    assert {hit.item: hit.edges for hit in network.hits("cat")} == {one: (), other: (), near: tuple(edge.id for edge in edges)}
    assert network.search("cat") == [one, other, near]


@pytest.mark.parametrize("linked", [False, True])
def test_what_others_keep_in_private_shows_in_nothing(linked: bool) -> None:
    """Not in what is recalled, in no figure, to the bit: though it has the words, and is linked with what both see."""

    def told(others: int) -> list[tuple[str, float, object]]:
        network = PheromoneNetwork()
        items = [put(network, f"price of part {n}", scope=("shared", "private")[n % 2]) for n in range(10)]
        for before, after in pairwise(items):
            network.connect(before, after, owner="ann")
        private = [put(network, f"price of lot {n}", owner="bob") for n in range(others)]
        for each in private if linked else ():
            network.connect(items[0], each, owner="bob", initial_strength=9.0)
        return [(hit.item.content, hit.score, hit.why) for hit in network.hits("the price of part 3", partitions=["shared", "private:ann"])]

    assert told(200 if linked else 10_000) == told(0)
    assert len(told(0)) == 10


def test_reading_moves_nothing() -> None:
    """Not a bit of a strength, of the items nor of the edges."""
    network = PheromoneNetwork()
    items = chain(network, "a cat", "a dog", "a bird")
    network.evaporate()
    before = network.snapshot(full=True)
    network.hits("cat and dog")
    network.search("bird")
    assert network.snapshot(full=True) == before
    assert all(item.confirmations == 0 for item in items)


def test_what_is_near_in_meaning_is_recalled_too() -> None:
    """Without a word in common; it says how much of it that is. What comes and goes is followed, and nothing is embedded twice."""
    embedder = Dictionary()
    network = PheromoneNetwork(embedder=embedder)
    network.retract(put(network, "a cat that came and went"), by="ann")
    kitten = put(network, "a kitten of three months")
    others = [put(network, f"invoice {n}") for n in range(9)]
    (hit,) = network.hits("which pets are there?")
    assert (hit.item, hit.why.terms) == (kitten, ())
    assert hit.why.meaning == pytest.approx(hit.why.relevance) == pytest.approx(0.15 * 3)
    read = len(embedder.seen)
    assert network.hits("which pets are there?") == [hit]
    assert len(embedder.seen) == read + 2  # the question alone
    network.retract(kitten, by="ann")
    assert network.hits("which pets are there?") == []
    network.connect(others[0], others[1])
    late = put(network, "a cat too")
    network.connect(others[1], late)
    assert network.hits("which pets are there?")[0].item is late
    assert "ann: invoice 0\nann: invoice 1\nann: a cat too" in embedder.seen


def test_an_item_is_embedded_with_what_is_around_it() -> None:
    """And after it, of its own partition, as far as it is there still; a circle is walked once."""
    embedder = Dictionary()
    network = PheromoneNetwork(embedder=embedder)
    gone, secret = put(network, "gone", scope="shared"), put(network, "secret")
    one, two, alone = (put(network, each, scope="shared") for each in ("one", "two", "alone"))
    network.connect(gone, alone, scope="shared")
    network.connect(secret, alone, scope="shared")
    network.connect(one, two, scope="shared")
    network.connect(two, one, scope="shared", relation="answers")
    network.retract(gone, by="ann")
    network.hits("which?", partitions=["shared"])
    assert set(embedder.seen) >= {"ann: alone", "ann: two\nann: one\nann: two", "ann: one\nann: two\nann: one"}
    assert not any("gone" in text or "secret" in text for text in embedder.seen)


def test_a_question_is_embedded_as_whoever_it_names_would_answer_it() -> None:
    """Of those that said anything in what the asker sees."""
    embedder = Dictionary()
    network = PheromoneNetwork(embedder=embedder)
    put(network, "a cat")
    put(network, "a cat too", owner="bob")
    network.hits("Which cat does ann have, and which does bob?", partitions=["private:ann"])
    assert "cat does I have, and which does bob" in embedder.seen
