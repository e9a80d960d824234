"""Folding: a summary lives on for what faded, which stays reachable from it (chapter 2, "Forgetting is three things")."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import DEFAULTS, EDGE
from blackboard.network import PheromoneNetwork
from tests.blackboard.network.lone import Moves


def faded() -> tuple[PheromoneNetwork, list[ContextItem]]:
    """A network in which three items of one key wait."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(content, key="cat", owner="ann")) for content in ("Doudou", "is grey", "is 4")]
    network.evaporate(rate=0.9)
    return network, items


def test_a_network_folds_what_has_faded_and_is_related() -> None:
    """It says what they said, at its kind's initial strength; they are in the archive, each at an edge of it."""
    network = PheromoneNetwork()
    items = [network.deposit(ContextItem(content, key="cat", owner="ann")) for content in ("Doudou is a cat.", "It never eats fish.")]
    network.evaporate(rate=0.9)
    [summary] = network.top(5)
    assert (summary.content, summary.kind, summary.key, summary.owner) == (
        "Doudou is a cat.\nIt never eats fish.", "summary", "cat", "ann",
    )  # fmt: skip
    assert summary.strength == 3.0
    assert [network.tier(item) for item in (summary, *items)] == ["core", "archived", "archived"]
    assert network.stats()["tiers"] == {"core": 1, "working": 0, "archived": 2}
    assert {network.get(edge.b) for edge in network.edges_of(summary)} == set(items)
    assert {(edge.relation, edge.owner, edge.scope) for edge in network.edges_of(summary)} == {("folded", "ann", "private")}
    assert [act.cause for act in network.explain(summary).acts] == ["fold"]
    assert [act.cause for act in network.explain(items[0]).acts] == ["deposit", "archive", "fold"]
    assert summary.contributions == {}
    network.reinforce(summary, 1.0)
    assert summary.strength == 4.0


def test_one_without_a_relative_waits_until_there_is_one() -> None:
    """Alone it is archived; with the next that fades it is folded."""
    network = PheromoneNetwork()
    first = network.deposit(ContextItem("a", key="k"))
    network.evaporate(rate=0.9)
    assert network.top(5) == []
    second = network.deposit(ContextItem("b", key="k"))
    network.evaporate(rate=0.9)
    [summary] = network.top(5)
    assert {edge.b for edge in network.edges_of(summary)} == {first.id, second.id}


def test_the_way_back_is_never_forgotten() -> None:
    """The edges to the originals grow weak with time, and stay; other edges fade."""
    network, items = faded()
    network.connect(items[0], items[1])
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    network.advance(2_000)
    assert summary.status == "archived"
    assert {network.get(edge.b) for edge in network.edges_of(summary)} == set(items)
    assert len(network.edges_of(items[0])) == 1
    restored = PheromoneNetwork()
    restored.restore(network.snapshot(full=True))
    restored.advance(4_000)
    assert len(restored.edges_of(summary.id)) == 3


def test_what_was_folded_is_exported_as_that() -> None:
    """Taken up again it does not wait anew, nor has the edge to it gone, however weak it is by then."""
    network, items = faded()
    summary = network.fold(items[:2], "a grey cat")
    assert summary is not None
    network.advance(50_000)
    network.confirm(network.use(summary))
    for export, take_up in (("export_json", "import_json"), ("export_graphml", "import_graphml")):
        other = PheromoneNetwork(summariser=None)
        getattr(other, take_up)(getattr(network, export)())
        assert getattr(other, export)() == getattr(network, export)()
        assert other.foldings() == network.foldings() == []
        assert {edge.b for edge in other.edges_of(summary.id)} == {item.id for item in items[:2]}


def test_a_kind_that_is_folded_from_now_on() -> None:
    """What was archived before waits, too; and no longer, if it is not folded any more."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(content, key="k", kind="preference")) for content in "ab"]
    network.evaporate(rate=0.9)
    kinds = {**DEFAULTS, "preference": replace(DEFAULTS["preference"], then="fold")}
    assert network.foldings() == []
    network.set_kinds(kinds, EDGE)
    assert network.foldings() == [tuple(items)]
    network.set_kinds(DEFAULTS, EDGE)
    assert network.foldings() == []
    assert network.fold(items, "a, b") is None


def test_an_original_that_is_used_comes_back_whole() -> None:
    """At half its kind's initial strength; the summary stays."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    used = network.use(network.edges_of(summary)[0].b)
    assert (used.content, used.strength, used.folded) == ("Doudou", 2.0, False)
    assert summary.standing


def test_what_is_folded_waits_no_more_until_it_has_stood_again() -> None:
    """With what has faded since it makes another summary."""
    network, items = faded()
    network.fold(items, "a grey cat of 4")
    assert network.foldings() == []
    restored = PheromoneNetwork(summariser=None)
    restored.restore(network.snapshot(full=True))
    assert restored.foldings() == []
    network.use(items[0])
    network.deposit(ContextItem("purrs", key="cat", owner="ann"))
    network.evaporate(rate=0.9)
    assert [[item.content for item in group] for group in network.foldings()] == [["Doudou", "purrs"]]


@pytest.mark.parametrize("which", [(0,), (0, 0), (0, 3), (0, 4), (0, 5)])
def test_a_group_that_has_changed_is_not_folded(which: tuple[int, ...]) -> None:
    """One that is alone, said twice, another's, standing again or unknown: nothing moves."""
    network, items = faded()
    others = [network.deposit(ContextItem("other", key="cat", owner="bob"))]
    network.evaporate(rate=0.9)
    others.append(network.deposit(ContextItem("new", key="cat", owner="ann")))
    named = [*(item.id for item in (*items, *others)), "f" * 32]
    before = network.snapshot(full=True)
    assert network.fold([named[n] for n in which], "nothing") is None
    assert network.snapshot(full=True) == before


def test_the_same_summary_again_is_the_same_item() -> None:
    """It grows to what it first was, if it is weaker, and is not confirmed by that; in the archive it is revived."""
    network, items = faded()
    summary = network.fold(items[:2], "a cat")
    assert summary is not None
    network.evaporate(rate=0.5)
    network.use(items[0])
    network.evaporate(rate=0.9)
    assert summary.status == "archived"
    assert network.fold([items[0], items[2]], "a cat") is summary
    assert (summary.strength, summary.confirmations) == (3.0, 0)
    network.evaporate(rate=0.5)
    network.use(items[0])
    network.use(items[1])
    network.evaporate(rate=0.5)
    network.confirm(summary)
    network.evaporate(rate=0.5)
    assert [network.fold(items[:2], "a cat"), summary.strength, summary.confirmations] == [summary, 3.0, 1]


def test_a_summary_may_be_one_of_those_that_it_is_made_of() -> None:
    """Where summaries are folded, too, and one says it all."""
    kinds = {**DEFAULTS, "summary": DEFAULTS["fact"]}
    network = PheromoneNetwork(kinds=kinds, summariser=None)
    items = [network.deposit(ContextItem(content, key="k", kind="summary")) for content in ("a, b", "b")]
    network.evaporate(rate=0.9)
    assert network.fold(items, "a, b") is items[0]
    assert [item.status for item in items] == ["standing", "archived"]
    assert [edge.b for edge in network.edges_of(items[0])] == [items[1].id]


def test_what_was_shared_does_not_grow_from_what_is_private() -> None:
    """The summary that its owner has shared stands for more of the owner's items: only the owner hears of that."""
    network, items = faded()
    summary = network.fold(items[:2], "a cat")
    assert summary is not None
    network.share(summary, by="ann")
    network.use(items[0])
    network.evaporate(rate=0.6)
    strength = summary.strength
    network.withdraw(items[0], "archived", "archive") if items[0].standing else None
    assert network.fold([items[0], items[2]], "a cat") is summary
    assert summary.strength == strength
    assert all(edge.partition == "private:ann" for edge in network.edges_of(summary))


def test_without_a_kind_of_summaries_nothing_is_folded() -> None:
    """It stays in the archive, as what has no relative does."""
    network = PheromoneNetwork(kinds={"fact": DEFAULTS["fact"]})
    items = [network.deposit(ContextItem(content, key="k")) for content in "ab"]
    network.evaporate(rate=0.9)
    assert [item.status for item in items] == ["archived", "archived"]


def test_a_summariser_of_one_s_own() -> None:
    """Whatever has the method; a network alone cannot wait for it, and what it folds goes on waiting."""

    class Counting:
        def __init__(self, say: str) -> None:
            self.say = say

        def summarise(self, items: Sequence[ContextItem]) -> str:
            return self.say.format(len(items))

    network = PheromoneNetwork(summariser=Counting(" "))
    for content in "abc":
        network.deposit(ContextItem(content, key="k"))
    with pytest.raises(BadValue, match="' ': a network without a board needs a text, at once"):
        network.evaporate(rate=0.9)
    restored = PheromoneNetwork(summariser=Counting("{} notes"))
    restored.restore(network.snapshot(full=True))
    restored.evaporate()
    assert [item.content for item in restored.top(5)] == ["3 notes"]


def test_erasing_an_original_erases_what_says_it() -> None:
    """The summary, and what that went into in turn, go along; the others it stood for wait for another."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    assert network.summaries_of(items[0]) == [summary]
    assert set(network.erase(items[0])) == {items[0].id, summary.id}
    assert network.foldings() == [tuple(items[1:])]
    assert network.edges_of(items[1]) == []
    again = network.fold(items[1:], "grey, 4")
    assert again is not None
    restored = PheromoneNetwork(summariser=None)
    restored.restore(network.snapshot(full=True))
    assert restored.snapshot(full=True) == network.snapshot(full=True)
    network.erase(again)
    assert network.foldings() == []  # it is gone for good, though they still say it
    assert [network.tier(item) for item in items[1:]] == ["archived", "archived"]


def test_a_summary_gives_way_when_what_it_says_holds_no_longer() -> None:
    """What is left of it is folded anew, as strong as the former was, which is superseded by that; until then it stands."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    network.reinforce(summary, 5.0, by="bob")
    network.retract(items[2], by="ann")
    assert summary.standing
    assert network.foldings() == [tuple(items[:2])]
    restored = PheromoneNetwork(summariser=None)
    restored.restore(network.snapshot(full=True))
    assert [[item.id for item in group] for group in restored.foldings()] == [[item.id for item in items[:2]]]
    again = network.fold(items[:2], "a grey cat")
    assert again is not None
    assert (summary.status, summary.strength, again.strength, again.first) == ("superseded", 0.0, 8.0, 3.0)
    assert network.all_items() == [again]
    assert [(act.cause, act.before, act.after) for act in network.explain(again).acts] == [("fold", 0.0, 3.0), ("fold", 3.0, 8.0)]
    assert again.contributions == {}, "who strengthened the former is on record there"
    assert network.foldings() == []


def test_a_summary_of_which_one_is_left_is_superseded_at_once() -> None:
    """There is nothing to fold anew: the other is in the archive, and found there."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(f"is {n}", key="cat", value=n, target=f"{n}", owner="ann")) for n in (3, 4)]
    network.evaporate(rate=0.9)
    summary = network.fold(items, "is 3\nis 4")
    assert summary is not None
    network.deposit(ContextItem("is 5", key="cat", value=5, target="4", owner="ann"))
    assert [items[1].status, summary.status] == ["superseded", "superseded"]
    assert network.foldings() == []
    assert items[0] in network.search("3")
    assert network.use(items[0]).standing


def test_what_one_summary_said_goes_together_again() -> None:
    """Though the edges that had joined it have faded since."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(content, owner="ann")) for content in "abc"]
    edges = [network.connect(items[0], other) for other in items[1:]]
    network.evaporate(rate=0.85)
    summary = network.fold(items, "a, b, c")
    assert summary is not None
    network.confirm(summary)
    while any(edge.decay for edge in edges):
        network.evaporate()
    assert summary.standing
    network.retract(items[0], by="ann")
    assert network.foldings() == [tuple(items[1:])]


def test_an_original_that_came_back_and_ends_takes_its_summary_along() -> None:
    """Also in the very step of time in which the summary fades."""
    network, items = faded()
    summary = network.fold(items[:2], "a grey cat")
    assert summary is not None
    network.deposit(ContextItem("Doudou", key="cat", owner="ann", expires_at=90.0))
    network.advance(200)
    assert [items[0].status, items[1].status, summary.status] == ["expired", "archived", "superseded"]


def test_who_else_says_what_a_summary_says_goes_on_saying_it() -> None:
    """It is theirs then, with its strength."""
    network = PheromoneNetwork(summariser=None)
    items = [network.deposit(ContextItem(content, key="cat", owner="ann", scope="shared")) for content in ("grey", "is 4", "old")]
    network.evaporate(rate=0.9)
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    network.deposit(ContextItem("a grey cat of 4", kind="summary", key="cat", owner="bob", scope="shared"))
    network.retract(items[2], by="ann")
    again = network.fold(items[:2], "a grey cat")
    assert again is not None
    assert (summary.strength, summary.owner, list(summary.asserters), again.strength) == (3.5, "bob", ["bob"], 3.0)


def test_what_was_shared_does_not_follow_what_is_private() -> None:
    """To others its end would tell what its owner does in private."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    network.share(summary, by="ann")
    network.retract(items[0], by="ann")
    assert summary.standing
    assert network.foldings() == []


def test_a_summary_that_says_the_rest_in_the_same_words_stays() -> None:
    """It is the new one itself."""
    network, items = faded()
    summary = network.fold(items, "a cat")
    network.retract(items[2], by="ann")
    assert network.fold(items[:2], "a cat") is summary
    assert network.all_items() == [summary]


def test_each_summary_gives_way_once() -> None:
    """To the next one; and what it had said is nobody's affair then, though it comes and goes again."""
    moves = Moves()
    network = PheromoneNetwork(summariser=None, recorder=moves)
    items = [network.deposit(ContextItem(content, key="k", owner="ann")) for content in "abcd"]
    network.evaporate(rate=0.9)
    for left in (4, 3, 2):
        assert network.fold(items[:left], f"{left} of them") is not None
        if left > 2:
            network.retract(items[left - 1], by="ann")
    network.deposit(ContextItem("d", key="k", owner="ann"))
    network.retract(items[3], by="ann")
    assert network.foldings() == []
    assert [move[0] for move in moves.items if move[1] == "supersede"] == ["4 of them", "3 of them"]
    assert [item.content for item in network.all_items()] == ["2 of them"]


@pytest.mark.parametrize("shared", [False, True])
def test_what_is_folded_again_leaves_other_summaries_that_hold(shared: bool) -> None:
    """One of which nothing is gone; and one that was shared, which private matters do not end."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    if shared:
        network.share(summary, by="ann")
        network.retract(items[0], by="ann")
    for item in items[1:]:
        network.use(item)
    network.reinforce(summary, 100.0)
    network.evaporate(rate=0.9)
    other = network.fold(items[1:], "old and grey")
    assert {item.id for item in network.all_items()} == {item.id for item in (summary, other) if item is not None}


def test_what_takes_over_grows_no_weaker_and_no_secret_strengthens_what_is_shared() -> None:
    """A former summary that is weaker than a new one adds nothing; nor does a private one to a shared one of the same words."""
    network, items = faded()
    network.fold(items, "a grey cat of 4")
    for _ in range(10):
        network.evaporate()
    network.retract(items[2], by="ann")
    again = network.fold(items[:2], "a grey cat")
    assert again is not None
    assert again.strength == 3.0
    network, items = faded()
    secret = network.fold(items, "a grey cat of 4")
    assert secret is not None
    network.reinforce(secret, 50.0)
    known = network.deposit(ContextItem("a grey cat", kind="summary", key=secret.key, target=secret.target, owner="ann"))
    network.share(known, by="ann")
    network.retract(items[2], by="ann")
    assert network.fold(items[:2], "a grey cat") is known
    assert (secret.status, known.strength) == ("superseded", 3.0)


def test_an_archived_summary_gives_way_at_once() -> None:
    """What is left of it waits for another, which has nothing to take over."""
    network, items = faded()
    summary = network.fold(items, "a grey cat of 4")
    assert summary is not None
    network.evaporate(rate=0.9)
    assert summary.status == "archived"
    network.retract(items[2], by="ann")
    assert (summary.status, network.foldings()) == ("superseded", [tuple(items[:2])])
