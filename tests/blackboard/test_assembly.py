"""Claims about what goes into a prompt under a budget."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard import assembly
from blackboard.archive import Said
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import RECORDS
from blackboard.network import PheromoneNetwork
from blackboard.section import OPENING, Line, line
from blackboard.tokens import count_tokens
from bus.messages import Assemble, Assembled
from tests.blackboard.network.lone import put, rounds

LANGUAGES = (
    "Doudou the cat must never eat chocolate",
    "猫咪豆豆绝对不能吃巧克力",
    "고양이 두두는 초콜릿을 먹으면 안 된다",
    "🐈‍⬛🍫🚫 cat 豆豆",
    "القطة لا تأكل الشوكولاتة cat",
    "def feed(cat: Cat) -> None:\n    assert food is not Food.CHOCOLATE\n",
)


def look(network: PheromoneNetwork, query: str, max_tokens: int = 2000, reserved_tokens: int = 0, **more: Any) -> Assembled:
    """Assembled, and nothing used."""
    return network.assemble(query, max_tokens, reserved_tokens, use=False, **more)


def chosen(assembled: Assembled) -> list[str]:
    return [hit.item.content for hit in assembled.chosen]


def left(assembled: Assembled) -> dict[str, str]:
    return {each.item.content: each.reason for each in assembled.left_out}


def never(network: PheromoneNetwork, content: str, **fields: Any) -> ContextItem:
    return put(network, content, kind="constraint", hard=True, **fields)


def test_hard_constraints_go_first_then_what_binds_then_the_rest() -> None:
    """Whatever the query, and however weak they are; of the rest only what has to do with the query."""
    network = PheromoneNetwork()
    put(network, "the cat is shedding", 100.0)
    put(network, "no cat hair", kind="preference")
    put(network, "rather a grey cat", kind="constraint")
    never(network, "never pay by card")
    put(network, "the dog barks")
    found = look(network, "cat")
    assert chosen(found)[0] == "never pay by card"
    assert set(chosen(found)[1:3]) == {"no cat hair", "rather a grey cat"}
    assert chosen(found)[3:] == ["the cat is shedding"]
    assert [hit.why.relevance > 0 for hit in found.chosen] == [False, True, True, True]
    assert look(network, "pay").chosen[0].why.terms == ("pay",)
    assert left(found) == {"the dog barks": "not relevant"}


def test_what_the_prompt_has_besides_is_not_said_again() -> None:
    """Word for word, whatever the white space, and from where a word begins; a hard constraint all the same."""
    network = PheromoneNetwork()
    put(network, "the cat is shedding")
    put(network, "cat 50")
    put(network, "猫咪豆豆掉毛 cat")
    never(network, "never feed the cat chocolate")
    beside = "user: the  cat\nis shedding. cat 500 never feed the cat chocolate 「猫咪豆豆掉毛 cat」"
    found = look(network, "cat", beside=beside)
    assert chosen(found) == ["never feed the cat chocolate", "cat 50"]
    assert left(found) == {"the cat is shedding": "in the prompt", "猫咪豆豆掉毛 cat": "in the prompt"}
    assert chosen(look(network, "cat", beside="the cat is shedding…, cat 500, cat 50")) == [
        "never feed the cat chocolate", "猫咪豆豆掉毛 cat",
    ]  # fmt: skip
    alone = PheromoneNetwork()
    put(alone, "the cat  is\nshedding")
    assert look(alone, "cat", beside="the cat is shedding").why_empty == "what has to do with the query stands in the prompt already"


@pytest.mark.parametrize(
    ("text", "said", "there"),
    [
        ("50", "50", True),
        ("500", "50", False),
        ("150", "50", False),
        ("150, 50", "50", True),
        ("not「50」but", "「50」", True),
        ("xa a a", "a a", True),
        ("50", "", False),
    ],
)
def test_what_a_text_says(text: str, said: str, *, there: bool) -> None:
    """Its words, from where one begins to where one ends; signs begin and end anywhere; nothing is said nowhere."""
    assert assembly.has(text, said) is there


def test_an_archived_hard_constraint_binds_from_there() -> None:
    """Nobody has taken it back."""
    network = PheromoneNetwork()
    limit = never(network, "at most 50,000")
    rounds(network, 1000)
    assert limit.status == "archived"
    assert chosen(look(network, "what to buy")) == ["at most 50,000"]
    network.retract(limit, by="")
    assert chosen(look(network, "what to buy")) == []


def test_what_does_not_fit_is_skipped_and_the_next_is_tried() -> None:
    """Nothing is cut in the middle; what stays out is named, hard constraints apart."""
    network = PheromoneNetwork()
    never(network, "never " * 100)
    never(network, "never chocolate")
    put(network, "cat " + "purrs and purrs " * 50)
    put(network, "a cat purrs")
    found = look(network, "cat purrs", 60)
    assert chosen(found) == ["never chocolate", "a cat purrs"]
    assert set(left(found).values()) == {"over budget"}
    assert [item.content for item in found.missing] == ["never " * 100]
    assert found.tokens <= found.budget == 60


def test_a_heading_needs_room_too() -> None:
    """What would fit but for the heading of its group stays out, and the next is tried."""
    network = PheromoneNetwork()
    never(network, "never chocolate")
    put(network, "no cat hair", kind="preference")
    put(network, "a cat")
    budget = look(network, "cat").tokens - count_tokens("Limits and preferences:\n- no cat hair\n")
    assert chosen(look(network, "cat", budget)) == ["never chocolate", "a cat"]
    assert look(network, "cat", budget).tokens == budget


def test_the_reserve_is_left_free() -> None:
    """Memory gets what is not reserved, and no more."""
    network = PheromoneNetwork()
    for n in range(100):
        put(network, f"the cat purrs for the {n}th time")
    found = look(network, "cat", 500, 300)
    assert found.budget == 200
    assert 180 < found.tokens <= 200
    assert count_tokens(found.text) == found.tokens


@pytest.mark.parametrize(
    ("max_tokens", "reserved_tokens", "says"),
    [(-1, 0, "max_tokens -1"), (10.5, 0, "max_tokens 10.5"), (True, 0, "True"), (10, -1, "reserved_tokens -1"), (10, 11, "reserve less")],
)
def test_a_budget_that_cannot_be(max_tokens: int, reserved_tokens: int, says: str) -> None:
    """Named with its value and the cure."""
    with pytest.raises(BadValue, match=says):
        look(PheromoneNetwork(), "cat", max_tokens, reserved_tokens)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"max_tokens": 10**30}, "0 to 1,000,000,000"), ({"min_strength": float("nan")}, "min_strength nan"),
        ({"min_strength": "a"}, "min_strength 'a'"), ({"max_candidates": 0}, "max_candidates 0"),
        ({"max_candidates": None}, "max_candidates None"), ({"today": "2026-05-11"}, "today is a date, not str"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(more: dict[str, Any], says: str) -> None:
    """Likewise."""
    with pytest.raises(BadValue, match=says):
        PheromoneNetwork().assemble("cat", **more)


def test_the_least_budget_is_told_as_it_is() -> None:
    """The item of the shortest content may stand in the longest line."""
    network = PheromoneNetwork()
    put(network, "cat", kind="constraint", key="number of cats in the house", op="<=", value=50_000, unit="animals", hard=True)
    put(network, "the cat purrs")
    why = look(network, "cat", 24).why_empty
    assert "a section has 25" in why
    assert look(network, "cat", 25).why_empty == ""


def test_nothing_says_why() -> None:
    """No error, each case in words of its own, and no tags around nothing."""
    empty, network = PheromoneNetwork(), PheromoneNetwork()
    put(network, "the cat purrs")
    cases: list[tuple[Assembled, str]] = [
        (look(empty, "cat"), "nothing in view yet"),
        (look(network, ""), "query is empty"),
        (look(network, " \n"), "query is empty"),
        (look(network, "zeppelin"), "nothing that is in view has to do"),
        (look(network, "cat", 0), "budget is 0 tokens"),
        (look(network, "cat", 50, 50), "of which 50 are reserved"),
        (look(network, "cat", 5), "too small: with the shortest item alone a section has 25"),
        (look(network, "cat", min_strength=5.0), "weaker than min_strength 5"),
    ]
    for found, why in cases:
        assert (found.text, found.tokens, found.prefix, found.chosen) == ("", 0, 0, ())
        assert why in found.why_empty
    assert look(network, "cat", 25).tokens == 25
    assert look(network, "cat", 25).why_empty == ""


def test_only_the_newer_value_goes_in() -> None:
    """Ship to Shanghai … no, Beijing: the former is history; what fills no slot is never overturned."""
    network = PheromoneNetwork()
    order: dict[str, Any] = {"key": "ship_to", "target": "A789", "kind": "slot"}
    put(network, "ship it to Shanghai", value="Shanghai", **order)
    put(network, "Shanghai is humid")
    put(network, "ship the other to Shanghai", **(order | {"target": "B12", "value": "Shanghai"}))
    put(network, "no, ship it to Beijing", value="Beijing", **order)
    found = look(network, "where to ship")
    assert set(chosen(found)) == {"no, ship it to Beijing", "ship the other to Shanghai"}
    assert left(found)["ship it to Shanghai"] == "superseded"
    assert [item.content for item in network.history("ship_to", "A789")] == ["ship it to Shanghai", "no, ship it to Beijing"]
    assert "Shanghai is humid" in chosen(look(network, "Shanghai weather"))


def test_drafts_go_in_when_they_are_asked_for() -> None:
    """A trace is a thought in between."""
    network = PheromoneNetwork()
    put(network, "the cat may be grey", kind="trace")
    assert chosen(look(network, "cat")) == []
    found = look(network, "cat", traces=True)
    assert chosen(found) == ["the cat may be grey"]
    assert "Drafts:" in found.text
    put(network, "a strong thought", 9.0, kind="trace")
    assert (look(network, "cat", fill=True).chosen, look(network, "cat").left_out) == ((), ())
    assert chosen(look(network, "cat", fill=True, traces=True)) == ["the cat may be grey", "a strong thought"]


@pytest.mark.parametrize("kind", sorted(RECORDS))
def test_what_agents_keep_of_their_work_goes_in_when_it_is_asked_for(kind: str) -> None:
    """A log, a lesson or a strategy is found by who looks for it, and fills no prompt."""
    network = PheromoneNetwork()
    put(network, "a report about the cat", 9.0, kind=kind)
    put(network, "the cat is grey")
    assert chosen(look(network, "cat", fill=True)) == ["the cat is grey"]
    assert set(chosen(look(network, "cat", traces=True))) == {"a report about the cat", "the cat is grey"}
    assert [item.content for item in network.search("report")] == ["a report about the cat"]


def test_what_is_too_weak_stays_out_if_that_is_asked_for() -> None:
    """Otherwise even what is archived may come back; a hard constraint binds at any strength."""
    network = PheromoneNetwork()
    never(network, "never bring a cat", strength=1.5)
    old = put(network, "the old cat", kind="preference")
    rounds(network, 200)
    put(network, "the new cat")
    assert old.status == "archived"
    assert set(chosen(look(network, "cat"))) == {"never bring a cat", "the old cat", "the new cat"}
    found = look(network, "cat", min_strength=3.0)
    assert set(chosen(found)) == {"never bring a cat", "the new cat"}
    assert left(found) == {"the old cat": "too weak"}


def test_what_remains_is_filled_only_if_asked() -> None:
    """Then the strongest follow, of the core alone."""
    network = PheromoneNetwork()
    put(network, "the cat purrs")
    put(network, "strong", 9.0)
    put(network, "stronger", 10.0)
    put(network, "weak", 2.0)
    found = look(network, "cat")
    assert chosen(found) == ["the cat purrs"]
    assert left(found) == {"stronger": "not relevant", "strong": "not relevant"}
    filled = look(network, "cat", fill=True)
    assert chosen(filled) == ["the cat purrs", "stronger", "strong"]
    assert left(filled) == {}
    assert chosen(look(network, "", fill=True))[0] == "stronger"


def test_what_says_the_same_goes_in_once() -> None:
    """One's own copy of what another has shared; but not what the same words say of something else."""
    network = PheromoneNetwork()
    put(network, "the price is 40", owner="finance", scope="shared")
    put(network, "the  price is 40", owner="me")
    put(network, "price as agreed", key="price", target="A", value=40, owner="me")
    put(network, "price as agreed", key="price", target="B", value=50, owner="me")
    found = look(network, "price", by="me")
    assert len(found.chosen) == 3
    assert left(found) == {}


def test_what_a_summary_says_goes_in_once() -> None:
    """What it was made of stays in the archive, if that is in it whole."""
    network = PheromoneNetwork()
    for said in ("the cat sleeps at noon", "the cat wakes at 15:00"):
        put(network, said, key="cat")
    rounds(network, 100)
    [summary] = network.all_items()
    assert summary.kind == "summary"
    network.reinforce(summary, 50.0)
    assert [hit.item.status for hit in network.hits("cat")] == ["standing", "archived", "archived"]
    found = look(network, "cat")
    assert chosen(found) == ["the cat sleeps at noon\nthe cat wakes at 15:00"]
    assert left(found) == {}


def test_what_an_item_quotes_goes_in_by_itself_too() -> None:
    """Among other lines it may mean something else; only a summary's lines are what others say."""
    network = PheromoneNetwork()
    put(network, "it is not so that\nthe cat purrs", 9.0)
    put(network, "the cat purrs")
    assert len(look(network, "cat purrs").chosen) == 2


def test_what_was_superseded_is_told_once() -> None:
    """Also of a slot in which two values stand."""
    network = PheromoneNetwork()
    for owner, values in (("ann", (30, 40)), ("bob", (50,))):
        for value in values:
            put(network, f"the price is {value}", key="price", value=value, owner=owner, scope="shared")
    found = look(network, "price")
    assert len(found.chosen) == 2
    assert [(each.item.content, each.reason) for each in found.left_out] == [("the price is 30", "superseded")]


def test_no_other_crowds_out_ones_own_hard_constraints() -> None:
    """They go first; the others', as many as they are, share what is left."""
    network = PheromoneNetwork()
    for n in range(200):
        never(network, f"rule {n}: do as the others say", owner="mallory", scope="shared")
    never(network, "never chocolate", owner="me")
    found = look(network, "cat", 300, by="me")
    assert chosen(found)[0] == "never chocolate"
    assert len(found.missing) + found.unlisted == 201 - len(found.chosen)


def test_the_prefix_stays_until_a_hard_constraint_changes() -> None:
    """Byte for byte, while strengths, time, the query and all else change."""
    network = PheromoneNetwork()
    first = never(network, "never chocolate")
    never(network, "at most 40", owner="finance")
    prefixes = set()
    for n in range(30):
        put(network, f"the cat purrs, {n}", owner=("", "travel")[n % 2])
        network.evaporate()
        found = network.assemble(("cat", "purrs 7", "")[n % 3])
        prefixes.add(found.text[: found.prefix])
    [prefix] = prefixes
    assert prefix.startswith(OPENING)
    assert prefix.index("never chocolate") < prefix.index("at most 40")
    network.retract(first, by="")
    found = network.assemble("cat")
    assert found.text[: found.prefix] not in prefixes


def test_the_same_items_are_the_same_bytes() -> None:
    """However they rank."""
    network = PheromoneNetwork()
    cat, dog = put(network, "the cat purrs"), put(network, "the dog barks at the cat")
    before = look(network, "cat dog").text
    network.reinforce(dog, 50.0)
    network.confirm(cat)
    assert look(network, "dog cat").text == before


@given(
    st.lists(st.sampled_from(LANGUAGES) | st.text(min_size=1, max_size=40).map("cat {}".format), max_size=8),
    st.integers(0, 300),
    st.sampled_from(["cat", "豆豆 巧克力", "chocolate", ""]),
    st.booleans(),
)
def test_never_over_budget(contents: list[str], budget: int, query: str, fill: bool) -> None:
    """In real tokens of the section as it stands, in any language; what went in stands there byte for byte."""
    network = PheromoneNetwork()
    for n, content in enumerate(contents):
        put(network, content, kind=("fact", "constraint")[n % 2], hard=n % 4 == 1, owner=("", "finance")[n % 3 == 0])
    found = look(network, query, budget, fill=fill)
    assert found.tokens == count_tokens(found.text) <= found.budget == budget
    assert all(content in found.text for content in chosen(found))
    assert bool(found.chosen) != bool(found.why_empty)


@pytest.mark.parametrize(
    "count",
    [len, lambda text: len(text) ** 2 // 1000, lambda text: max(0, len(text) - 80)],
    ids=["characters", "more in the whole", "less in a line"],
)
def test_any_counter_is_kept_to(count: Callable[[str], int]) -> None:
    """Also one that finds more in the whole than in its lines: what was taken last is given back."""
    network = PheromoneNetwork()
    for n in range(50):
        put(network, f"the cat purrs for the {n}th time")
    found = look(network, "cat", 700, count=count)
    assert found.chosen
    assert count(found.text) == found.tokens <= 700
    assert len(found.chosen) + sum(reason == "over budget" for reason in left(found).values()) + found.unlisted == 50


def test_hard_constraints_that_are_given_back_are_told_first() -> None:
    """As those are that never fitted."""
    network = PheromoneNetwork()
    never(network, "never chocolate")
    put(network, "a cat")
    found = look(network, "cat", count=lambda text: 10_000 if text.count("\n") > 3 else 1)
    assert chosen(found) == []
    assert list(left(found)) == ["never chocolate", "a cat"]
    assert [item.content for item in found.missing] == ["never chocolate"]


def test_counting_is_bounded() -> None:
    """A thousand long items are not all counted to find that they do not fit, and the short one behind them still goes in."""
    network = PheromoneNetwork()
    for n in range(200):
        put(network, f"{n} the cat " + "purrs and purrs " * 200, kind="preference")
        put(network, "the cat has a value", key="cat", target=str(n), value=f"{n} " + "purrs and purrs " * 1000)
    put(network, "a cat")
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count_tokens(text)

    found = look(network, "cat", 300, max_candidates=1000, count=count)
    assert "a cat" in chosen(found)
    assert counted < 2 * assembly.MISSES * 300


def test_what_cannot_fit_is_not_looked_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is; and after all that was counted in vain, what is short is tried still."""
    monkeypatch.setattr(assembly, "MISSES", 0)
    network, rendered = PheromoneNetwork(), list[str]()
    put(network, "cat " * 10_000)
    put(network, "a cat")

    def noted(item: ContextItem, said: Said, reader: str) -> Line:
        rendered.append(said[0])
        return line(item, said, reader)

    monkeypatch.setattr(assembly, "line", noted)
    assert chosen(look(network, "cat", 60)) == rendered == ["a cat"]


def test_the_account_is_bounded() -> None:
    """A reply has to fit the transport: of each reason the first are listed, hard constraints first, and the others counted."""
    network = PheromoneNetwork()
    for n in range(100):
        put(network, f"cat {n} " + "purrs " * 1000)
    never(network, "never " * 10_000)
    found = look(network, "cat", 100)
    assert [item.content for item in found.missing] == ["never " * 10_000]
    assert sum(len(each.item.content) for each in found.left_out) <= assembly.MAX_LISTED
    assert len(found.left_out) + found.unlisted == 101


def test_of_hard_constraints_all_that_do_not_fit_are_listed() -> None:
    """However many: they bind all the same."""
    network = PheromoneNetwork()
    for n in range(3 * assembly.LISTED):
        never(network, f"never {n} " * 50)
        put(network, f"cat {n} " * 50)
    found = look(network, "cat", 60)
    assert len(found.missing) == 3 * assembly.LISTED
    assert len(found.left_out) == 4 * assembly.LISTED
    assert found.unlisted == 2 * assembly.LISTED


def test_a_walk_over_a_key_of_many_items_is_bounded() -> None:
    """What was superseded is looked for among the latest."""
    network = PheromoneNetwork()
    for n in range(300):
        put(network, f"the price is {n}", key="price", value=n)
    found = look(network, "price")
    assert chosen(found) == ["the price is 299"]
    assert list(left(found))[:2] == ["the price is 298", "the price is 297"]
    assert (len(left(found)), found.unlisted) == (assembly.LISTED, 0)


@pytest.mark.parametrize("content", LANGUAGES)
def test_every_language_comes_back_byte_for_byte(content: str) -> None:
    """And is found."""
    network = PheromoneNetwork()
    put(network, content)
    put(network, "something else altogether")
    found = look(network, content)
    assert chosen(found) == [content]
    assert content in found.text


def test_it_is_assembled_as_of_a_time() -> None:
    """As strong and as fresh as things are then, though no time has been told of meanwhile."""
    now, later = PheromoneNetwork(), PheromoneNetwork()
    for network in (now, later):
        put(network, "the cat purrs", kind="state")
        put(network, "the cat sleeps", kind="preference")
        rounds(network, 4)  # none is protected any more
    rounds(later, 5)
    asked = Assemble("cat purrs")
    then, there, before = (
        [hit.score for hit in assembly.assemble(network, asked, reader="", at=at).chosen]
        for network, at in ((now, 9.0), (later, None), (now, None))
    )
    assert then == pytest.approx(there)
    assert all(score > less for score, less in zip(before, then, strict=True))


def test_what_others_keep_private_changes_nothing() -> None:
    """Ten thousand items of another's, not a byte."""
    ours, both = PheromoneNetwork(), PheromoneNetwork()
    for network in (ours, both):
        put(network, "the cat purrs", owner="me")
        never(network, "never chocolate", owner="me")
        put(network, "the cat is grey", owner="finance", scope="shared")
    for n in range(10_000):
        put(both, f"the cat {n} is a secret", 50.0, owner="finance", kind=("fact", "constraint")[n % 2], hard=n % 2 == 1)
    seen = ("shared", "private:me")
    asked = Assemble("cat purrs", fill=True)
    alone, beside = (assembly.assemble(network, asked, reader="me", partitions=seen) for network in (ours, both))
    assert alone == beside
