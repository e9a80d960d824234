"""Claims about what is refused: by name, before anything moves, and whole units at a time."""

from typing import Any

import pytest

from bus import names
from bus.messages import (
    AnyObservation,
    Confirm,
    Deposit,
    EdgesOf,
    EndRound,
    Erase,
    EraseOwned,
    Fold,
    HandOver,
    Link,
    Reinforce,
    RenameKey,
    Retract,
    SetKinds,
    Share,
    Tick,
    Use,
    UseAll,
)
from tests.blackboard.driver import Driver


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    """The cure is in the message."""
    driver = Driver()
    driver.say("a", Deposit("x", kind="opinion"))
    (refusal,) = driver.refusals("a")
    assert refusal.code == "UnknownKind"
    assert "'opinion'" in refusal.message
    assert "preference" in refusal.message


def test_a_refused_unit_leaves_nothing_behind_and_stops_nobody() -> None:
    """All or nothing; what comes right behind it is applied."""
    driver = Driver()
    driver.say("a", Deposit("one"), Deposit("two"), Reinforce("0" * 32, 1.0))
    driver.say("a", Deposit("three"))
    assert [i.content for i in driver.top("a")] == ["three"]
    (refusal,) = driver.refusals("a")
    assert "number 3 of 3" in refusal.message


def test_a_unit_may_build_on_what_it_did_itself() -> None:
    """Deposit, link, share, confirm and retract in one unit: each sees what those before it will have done."""
    driver = Driver()
    a, b = Deposit("a"), Deposit("b")
    a_id, b_id = driver.id_of("x", a), driver.id_of("x", b)
    driver.say("x", a, b, Link(a_id, b_id), Share(a_id), Confirm(a_id), Retract(b_id))
    assert driver.refusals("x") == []
    (item,) = driver.top("y")
    assert (item.content, item.confirmations, item.scope) == ("a", 1, "shared")
    assert driver.get("x", b_id).status == "released"


@pytest.mark.parametrize(
    "unit",
    [
        (Deposit("a", key="k", value=1), Deposit("b", key="k", value=2), "confirm the first"),
        (Deposit("a", key="k", value=1), "retract the first", "confirm the first"),
        (Deposit("a", key="k", value=1), "retract the first", "retract the first"),
        (Deposit("a", key="k", value=1), "share the first", Deposit("b", key="k", value=2, scope="shared"), "use the first"),
    ],
)
def test_a_unit_is_held_against_what_it_did_itself(unit: tuple[Any, ...]) -> None:
    """Confirming what the unit has superseded or withdrawn is refused, and the unit with it."""
    driver = Driver()
    first = driver.id_of("x", unit[0])
    verbs = {"confirm": Confirm, "retract": Retract, "share": Share, "use": Use}
    said: list[Any] = [verbs[step.split()[0]](first) if isinstance(step, str) else step for step in unit]
    driver.say("x", *said)
    assert len(driver.refusals("x")) == 1
    assert driver.top("x") == ()


def test_only_the_owner_shares_and_only_asserters_retract() -> None:
    """``NotYours`` for a thing in view that is another's."""
    driver = Driver()
    item = driver.deposit("a", "basis", scope="shared")
    driver.say("b", Retract(item))
    driver.say("b", Share(item))
    assert [r.code for r in driver.refusals("b")] == ["NotYours", "NotYours"]


def test_a_shared_edge_needs_shared_ends() -> None:
    """A shared edge would show that its private end exists."""
    driver = Driver()
    private, shared = driver.deposit("a", "mine"), driver.deposit("a", "ours", scope="shared")
    driver.say("a", Link(private, shared, scope="shared"))
    driver.say("a", Link(shared, shared))
    assert [r.code for r in driver.refusals("a")] == ["BadValue", "BadValue"]


@pytest.mark.parametrize("said", [Tick(), Fold(("x", "y"), "both")])
def test_only_the_host_tells_the_time_and_folds(said: AnyObservation) -> None:
    """A ``Tick`` or a ``Fold`` of an agent's is refused."""
    driver = Driver()
    driver.say("a", said)
    assert [r.code for r in driver.refusals("a")] == ["NotYours"]


def test_what_has_expired_already_is_refused() -> None:
    """An item that would end at once is a mistake, and is said to be one."""
    driver = Driver()
    driver.rounds(3)
    driver.say("a", Deposit("coupon", expires_at=3))
    assert [r.code for r in driver.refusals("a")] == ["BadValue"]


@pytest.mark.parametrize("verb", [Confirm, Use, Retract, Share])
def test_what_a_unit_says_of_an_item_after_a_rounds_end_is_refused(verb: Any) -> None:
    """Whether it still stands then is not known before; whoever's it is, and whether there is one, the words are the same."""
    driver = Driver()
    item = driver.deposit("a", "page", kind="state", strength=1.01)
    driver.rounds(3)
    for unknown in (item, "0" * 32):
        driver.say("a", EndRound(3), verb(unknown))
    assert len({r.message for r in driver.refusals("a")}) == 1
    assert driver.board.now == 3


def test_a_unit_may_go_on_after_a_rounds_end() -> None:
    """With what it says then; and what expires by then is refused."""
    driver = Driver()
    fact = Deposit("fact")
    item = driver.id_of("a", fact)
    driver.say("a", fact, EndRound(0), fact, Confirm(item), EndRound(1), EndRound(7), fact, Retract(item))
    assert driver.refusals("a") == []
    assert (driver.board.now, driver.get("a", item).status) == (2, "released")
    driver.say("a", EndRound(2), Deposit("coupon", expires_at=3))
    assert "has passed" in driver.refusals("a")[0].message


def test_a_unit_foresees_what_becomes_of_the_archive() -> None:
    """What it uses stands from then on; what it supersedes there does not come back."""
    driver = Driver()
    old, fact = driver.deposit("a", "v1", key="k", value=1), driver.deposit("a", "fact")
    driver.rounds(90)
    driver.say("a", Use(fact), Confirm(fact))
    assert driver.refusals("a") == []
    driver.say("a", Deposit("v2", key="k", value=2), Use(old))
    assert "superseded" in driver.refusals("a")[0].message


def test_meta_may_name_the_kind() -> None:
    """``meta={"type": …}`` is understood as the kind, where none is given."""
    driver = Driver()
    driver.say("a", Deposit("no coriander", meta={"type": "preference"}), Deposit("cat", kind="fact", meta={"type": "preference"}))
    assert {i.content: i.kind for i in driver.top("a")} == {"no coriander": "preference", "cat": "fact"}
    driver.say("a", Deposit("x", meta={"type": 5}))
    assert [r.code for r in driver.refusals("a")] == ["BadValue"]


def test_only_the_host_changes_kinds() -> None:
    """In a unit of its own; a bad table is refused by its key, and a kind that has items does not go."""
    driver = Driver()
    driver.say("a", SetKinds({}))
    assert [refusal.code for refusal in driver.refusals("a")] == ["NotYours"]
    driver.say(names.HOST, SetKinds({"rumour": {"initial": 2, "rate": 0.1}}))
    driver.deposit("a", "psst", kind="rumour")
    driver.say(names.HOST, SetKinds({"fact": {"half_life": -1}}))
    driver.say(names.HOST, SetKinds({}), EndRound(0))
    driver.say(names.HOST, SetKinds({"fact": {"half_life": 3}}))
    driver.say(names.HOST, SetKinds({"rum\nour": {"initial": 2, "rate": 0.1}}))
    said = [refusal.message for refusal in driver.refusals(names.HOST)]
    for sentence, expected in zip(said, ["kinds.fact.half_life: it is", "unit of its own", "kinds.rumour: it has", "control"], strict=True):
        assert expected in sentence
    assert driver.board.config.kinds["rumour"].initial == 2


def test_an_item_is_its_owners_to_erase_and_the_hosts() -> None:
    """Others are told so, if they see it; the host reaches what it does not see."""
    driver = Driver()
    shared, private = Deposit("shared", scope="shared"), Deposit("private")
    shared_id, private_id = driver.id_of("x", shared), driver.id_of("x", private)
    driver.say("x", shared, private)
    driver.say("y", shared)
    driver.say("y", Erase(shared_id))
    driver.say("y", Erase(private_id))
    assert [refusal.code for refusal in driver.refusals("y")] == ["NotYours", "NotInView"]
    driver.say("x", Erase(shared_id))
    driver.say("_board", Erase(private_id), Erase(private_id))
    driver.say("_board", Confirm(private_id))
    assert [refusal.code for refusal in driver.refusals("_board")] == ["NotInView", "NotInView"]
    driver.say("_board", Erase(private_id))
    assert driver.board.erased == (private_id,)
    assert driver.top("x") == ()
    assert driver.refusals("x") == []


@pytest.mark.parametrize("after", [Confirm, Use, Retract, Erase, Share])
def test_what_a_unit_has_erased_is_not_in_view(after: Any) -> None:
    """Naming it again is refused as what never was; saying it again makes it anew."""
    driver = Driver()
    said = Deposit("a", key="k", value=1)
    item = driver.id_of("x", said)
    driver.say("x", said, Erase(item), after(item))
    (refusal,) = driver.refusals("x")
    assert (refusal.code, driver.top("x")) == ("NotInView", ())
    driver.say("x", said, Erase(item), said, Deposit("b", key="k", value=2))
    assert len(driver.refusals("x")) == 1
    assert [each.content for each in driver.top("x")] == ["b"]


def test_a_summary_that_is_erased_with_its_original_is_not_in_view() -> None:
    """A unit that names it afterwards is refused; a summary of what is erased by now folds nothing, and is owed to be forgotten."""
    driver = Driver()
    said = [Deposit(content, key="cat", strength=1.01) for content in ("Doudou", "grey")]
    first, second = (driver.id_of("x", each) for each in said)
    driver.say("x", *said)
    driver.rounds(6)
    driver.say(names.HOST, Fold((first, second), "Doudou is grey"))
    (summary,) = driver.top("x")
    driver.say("x", Erase(first), Confirm(summary.id))
    assert [refusal.code for refusal in driver.refusals("x")] == ["NotInView"]
    driver.say("x", Erase(summary.id), Erase(first))
    assert driver.top("x") == ()
    driver.say(names.HOST, Fold((first, second), "Doudou is grey"))
    assert driver.board.erased == (first,)
    assert driver.top("x") == ()


def test_only_the_host_renames_a_key() -> None:
    """One that has items, to another, in a unit of its own."""
    driver = Driver()
    driver.deposit("a", "x", key="k", scope="shared")
    driver.say("a", RenameKey("k", "l"))
    for unit in (
        (RenameKey("none", "l"),), (RenameKey("k", " k"),), (RenameKey("k", ""),), (RenameKey("k", "l"), RenameKey("l", "m")),
    ):  # fmt: skip
        driver.say(names.HOST, *unit)
    assert [refusal.code for refusal in driver.refusals("a")] == ["NotYours"]
    sentences = [refusal.message for refusal in driver.refusals(names.HOST)]
    for sentence, cure in zip(sentences, ("pheroboard keys BOARD", "give another", "is empty", "a unit of its own"), strict=True):
        assert cure in sentence
    assert {item.key for item in driver.top("a")} == {"k"}


def test_only_the_host_disposes_of_what_is_anothers() -> None:
    """Of agents that there may be, in a unit of its own; where there is nothing, nothing happens."""
    driver = Driver()
    driver.deposit("a", "x")
    for order in (HandOver("a", "b"), EraseOwned("a")):
        driver.say("b", order)
    for unit in (
        (HandOver("a", "a"),), (HandOver("a", "_board"),), (HandOver("a b", "c"),), (EraseOwned("_board"),), (HandOver("a", "b"), Tick()),
        (Tick(), EraseOwned("a")), (HandOver("nobody", "b"),), (EraseOwned("nobody"),),
    ):  # fmt: skip
        driver.say(names.HOST, *unit)
    assert [(refusal.code, "agent remove" in refusal.message) for refusal in driver.refusals("b")] == [("NotYours", True)] * 2
    sentences = [refusal.message for refusal in driver.refusals(names.HOST)]
    cures = ("give another", "begin with '_'", "letters, digits", "begin with '_'", "a unit of its own", "a unit of its own")
    for sentence, cure in zip(sentences, cures, strict=True):
        assert cure in sentence
    assert [item.content for item in driver.top("a")] == ["x"]


def test_a_unit_that_shares_and_erases_a_summarised_item_builds_on_no_summary_of_it() -> None:
    """By whichever of its ids it is erased: the summary goes with it."""
    for by_former_id in (True, False):
        driver = Driver()
        items, summary = folded(driver)
        driver.say("a", Use(items[0]))
        shared = driver.board._network.get(items[0]).identify("test", scope="shared")
        driver.say("a", Share(items[0]), Erase(items[0] if by_former_id else shared), Confirm(summary))
        assert [refusal.code for refusal in driver.refusals("a")] == ["NotInView"]


def test_what_faded_under_a_former_key_is_not_what_is_said_of_it() -> None:
    """The former id is free again once its item does not stand: a unit that says it anew says something new, and may build on that."""
    driver = Driver()
    item = driver.deposit("a", "x", key="k", value=1, strength=1.01)
    driver.say(names.HOST, RenameKey("k", "l"))
    driver.rounds(5)
    assert driver.get("a", item).status == "archived"
    driver.say("a", Deposit("x", key="k", value=1), Deposit("y", key="l", value=2), Confirm(item))
    assert driver.refusals("a") == []
    assert [(each.content, each.key) for each in driver.top("a")] == [("x", "k"), ("y", "l")]


def folded(driver: Driver, *also: str, **fields: Any) -> tuple[list[str], str]:
    """Two items of a's that were folded, the first of which others have said, too; and their summary."""
    items = [driver.deposit("a", content, key="k", strength=1.01, **fields) for content in "xy"]
    for agent in also:
        driver.deposit(agent, "x", key="k", **fields)
    driver.rounds(100)
    [group] = driver.board.foldings()
    driver.say(names.HOST, Fold(tuple(item.id for item in group), "x, y"))
    [summary] = [item.id for item in driver.top("a")]
    return items, summary


def test_a_unit_that_withdraws_an_original_builds_on_no_summary_of_it() -> None:
    """Whether that stands is seen when it is applied; erasing either is another matter."""
    driver = Driver()
    items, summary = folded(driver, scope="shared")
    driver.say("a", Retract(items[0]), Confirm(summary))
    assert "the item is outdated" in driver.refusals("a")[-1].message
    driver.say("a", Retract(items[0]), Confirm(items[1]))
    assert "the item is archived" in driver.refusals("a")[-1].message
    assert driver.get("b", summary).status == "standing"
    driver.say("a", Retract(items[0]), Erase(items[0]))
    assert len(driver.refusals("a")) == 2
    assert driver.top("b") == ()


def test_a_unit_may_build_on_a_summary_while_anybody_says_its_originals() -> None:
    """One who takes back what another says withdraws nothing from it."""
    driver = Driver()
    items, summary = folded(driver, "b", scope="shared")
    driver.say("a", Retract(items[0]), Confirm(summary))
    assert driver.refusals("a") == []
    assert driver.get("b", summary).confirmations == 1


def test_a_summary_that_one_does_not_see_is_in_nobodys_way() -> None:
    """It is private to one who has shared an original since; nor is one that the unit has erased."""
    driver = Driver()
    items, summary = folded(driver)
    driver.say("a", Use(items[0]))
    driver.say("a", Share(items[0]))
    shared = driver.get("a", items[0]).id
    driver.say("b", Confirm(shared), Deposit("x", key="k", scope="shared"))
    driver.say("a", Retract(shared))
    driver.say("b", Retract(shared), Deposit("z"))
    assert driver.refusals("b") == []
    driver.say("a", Erase(summary), Retract(items[1]))
    assert driver.refusals("a") == []


def test_whoever_says_what_stands_or_faded_does_not_own_it() -> None:
    """Under a former id of it, too; what is history is its next sayer's."""
    driver = Driver()
    renamed, faded, past = (Deposit(text, key="k", strength=1.01, scope="shared", kind="preference") for text in ("x", "y", "z"))
    for said in (renamed, faded, past):
        driver.say("ann", said)
    ids = [driver.id_of("ann", said) for said in (renamed, faded, past)]
    driver.say("ann", Retract(ids[2]))
    driver.rounds(5)
    driver.say("bob", faded, Erase(ids[1]))
    assert "only its owner erases" in driver.refusals("bob")[-1].message
    driver.say("bob", past, Erase(ids[2]))
    assert len(driver.refusals("bob")) == 1
    driver.say("ann", renamed)
    driver.say(names.HOST, RenameKey("k", "l"))
    driver.say("bob", renamed, Erase(ids[0]))
    assert "only its owner erases" in driver.refusals("bob")[-1].message
    assert driver.get("bob", ids[0]).owner == "ann"


def test_of_what_is_used_together_that_which_is_gone_is_passed_over() -> None:
    """Between a question and the use of its answer much may happen: none of it is an error, and nothing tells what another has."""
    driver = Driver()
    kept, gone, erased = (driver.deposit("a", each, scope="shared") for each in ("kept", "gone", "erased"))
    driver.say("a", Link(kept, gone), Retract(gone), Erase(erased))
    secrets = driver.deposit("b", "one"), driver.deposit("b", "other")
    driver.say("b", Link(*secrets))
    [edge] = driver.ask("b", EdgesOf(secrets[0])).edges
    driver.say("a", UseAll((gone, erased, *secrets, "0" * 32, kept), (edge.id, "0" * 32)))
    assert driver.refusals("a") == []
    assert driver.get("a", kept).strength > 4.0
    assert driver.get("a", gone).status == "released"
    assert driver.get("b", secrets[0]).strength == 4.0
    assert driver.ask("b", EdgesOf(secrets[0])).edges[0].strength == 1.0


def test_a_unit_foresees_what_is_used_together() -> None:
    """What comes back from the archive stands from then on; after the end of a round nobody knows what there is to use."""
    driver = Driver()
    old = driver.deposit("a", "old")
    driver.rounds(90)
    driver.say("a", UseAll((old,)), Confirm(old))
    assert driver.refusals("a") == []
    assert driver.get("a", old).strength == 4.5
    driver.say("a", EndRound(90), UseAll((old,)))
    assert "in a unit of its own" in driver.refusals("a")[0].message
