"""Claims about who sees what."""

import pytest

from blackboard.errors import NotInView
from bus import names
from bus.messages import (
    Confirm,
    Deposit,
    EdgesOf,
    Erase,
    EraseOwned,
    Export,
    HandOver,
    History,
    Link,
    Reinforce,
    RenameKey,
    Retract,
    Search,
    Share,
    Stats,
    UseAll,
)
from tests.blackboard.driver import Driver


def test_a_view_is_ones_own_private_items_and_the_shared_ones() -> None:
    """Each agent sees its own private items and all shared ones, and nothing else."""
    driver = Driver()
    driver.deposit("finance", "our margin is thin", key="margin")
    driver.deposit("procurement", "the supplier quoted 47", key="quote")
    driver.deposit("finance", "the price basis is 40", key="supplier_price", scope="shared")
    assert {i.content for i in driver.top("finance")} == {"our margin is thin", "the price basis is 40"}
    assert {i.content for i in driver.top("procurement")} == {"the supplier quoted 47", "the price basis is 40"}
    assert {i.content for i in driver.top("latecomer")} == {"the price basis is 40"}


def test_an_id_out_of_view_gives_one_error_whether_it_exists_or_not() -> None:
    """A private id of another's and an id that never was are refused in the same words."""
    driver = Driver()
    secret = driver.deposit("procurement", "the supplier quoted 47")
    for item in (secret, "0" * 32):
        for observation in (Confirm(item), Reinforce(item, 1.0), Retract(item), Share(item), Link(item, item)):
            driver.say("finance", observation)
        with pytest.raises(NotInView, match=r"^not in your view$"):
            driver.get("finance", item)
    refused = driver.refusals("finance")
    assert len(refused) == 10
    assert {(r.code, r.message) for r in refused} == {("NotInView", "not in your view")}


def test_the_id_from_before_sharing_leads_its_owner_on_and_nobody_else() -> None:
    """After ``share`` the owner may go on using the private id; to others it does not exist."""
    driver = Driver()
    private = driver.deposit("finance", "margin 4 %")
    driver.say("finance", Share(private))
    assert driver.get("finance", private).scope == "shared"
    with pytest.raises(NotInView):
        driver.get("procurement", private)


def test_another_s_private_edge_is_no_way() -> None:
    """Although it joins what everybody sees: whoever names it in a use moves nothing."""
    driver = Driver()
    one, other = (driver.deposit("finance", each, scope="shared") for each in ("budget 50,000", "price 40"))
    driver.say("procurement", Link(one, other, scope="private"))
    [edge] = driver.ask("procurement", EdgesOf(one)).edges
    driver.say("finance", UseAll((), (edge.id,)))
    assert driver.ask("procurement", EdgesOf(one)).edges == (edge,)
    driver.say("procurement", UseAll((), (edge.id,)))
    assert driver.ask("procurement", EdgesOf(one)).edges[0].strength > edge.strength


def test_edges_are_seen_with_both_their_ends() -> None:
    """A private edge onto a shared item is its owner's alone, whoever looks from the shared end."""
    driver = Driver()
    shared = driver.deposit("finance", "budget 50,000", scope="shared")
    quote = driver.deposit("procurement", "quote 47")
    driver.say("procurement", Link(quote, shared))
    assert len(driver.ask("procurement", EdgesOf(shared)).edges) == 1
    assert driver.ask("finance", EdgesOf(shared)).edges == ()


def test_search_history_and_statistics_count_the_view_only() -> None:
    """Hits, slots and counts of another's private items stay its own."""
    driver = Driver()
    driver.deposit("procurement", "zebra quote", key="quote", value=47)
    driver.deposit("finance", "zebra shared", key="quote", scope="shared")
    assert [i.content for i in driver.ask("finance", Search("zebra")).items] == ["zebra shared"]
    assert [i.content for i in driver.ask("finance", History("quote")).items] == ["zebra shared"]
    assert driver.ask("finance", Stats()).stats.items == 1
    assert driver.ask("finance", Stats()).stats.owners == {"finance": 1}


def test_private_changes_go_to_their_owner_alone() -> None:
    """What moves a private item is told on its owner's channel only."""
    driver = Driver()
    item = driver.deposit("procurement", "quote 47")
    driver.say("procurement", Reinforce(item, 1.0))
    assert [c.cause for c in driver.changes("private.procurement")] == ["deposit", "reinforce"]
    assert driver.changes("shared") == []
    assert driver.changes("private.finance") == []


def test_former_ids_lead_those_who_saw_them() -> None:
    """After a key was renamed, a shared item's former id leads everyone there, and a private one's its owner alone, shared since or not."""
    driver = Driver()
    shared = driver.deposit("finance", "budget 50,000", key="budgte", scope="shared")
    private = driver.deposit("finance", "margin 4 %", key="budgte")
    driver.say(names.HOST, RenameKey("budgte", "budget"))
    for _ in range(2):
        assert driver.get("procurement", shared).key == driver.get("finance", private).key == "budget"
        with pytest.raises(NotInView):
            driver.get("procurement", private)
        driver.say("finance", Share(private))
    page = driver.ask("finance", Export())
    assert [set(item.formerly.values()) for item in page.items] == [{"shared"}, {"private:finance"}]
    assert [set(item.formerly.values()) for item in driver.ask("procurement", Export()).items] == [{"shared"}, set()]
    assert {change.cause for change in driver.changes("shared")} == {"deposit", "rename", "share"}


def test_what_is_handed_over_is_the_new_owners_alone() -> None:
    """By its former ids, too; whoever had it sees it no more, and is told nothing of it, as nobody else is."""
    driver = Driver()
    shared = driver.deposit("finance", "budget 50,000", scope="shared")
    quote, spare = driver.deposit("procurement", "quote 47"), driver.deposit("procurement", "spare")
    driver.say("procurement", Link(quote, shared))
    driver.say("procurement", Share(spare))
    heard = {audience: len(events) for audience, events in driver.heard.items()}
    driver.say(names.HOST, HandOver("procurement", "finance"))
    assert {audience: len(events) - heard.get(audience, 0) for audience, events in driver.heard.items()} == {
        "shared": 0, "private.procurement": 0, "private.finance": 1,
    }  # fmt: skip
    assert [change.cause for change in driver.changes("private.finance")] == ["handover"] * 2
    assert driver.get("finance", quote).owner == "finance"
    assert driver.get("finance", spare).owner == "procurement"
    assert len(driver.ask("finance", EdgesOf(shared)).edges) == 1
    for former in (quote, spare):
        for agent in ("procurement", "schedule"):
            with pytest.raises(NotInView):
                driver.get(agent, former)
    driver.say("finance", Confirm(quote), Retract(quote))
    assert driver.refusals("finance") == []


def test_what_is_said_again_after_it_was_handed_over_is_ones_own() -> None:
    """Two agents mean two items by one id, and neither learns of the other's: nor from an erasure."""
    driver = Driver()
    quote = driver.deposit("procurement", "quote 47")
    driver.say(names.HOST, HandOver("procurement", "finance"))
    again = driver.deposit("procurement", "quote 47")
    driver.say("procurement", Confirm(again), Deposit("quote 47"))
    driver.say("finance", Reinforce(quote, 5.0))
    assert again == quote
    assert [(driver.get(agent, quote).owner, driver.get(agent, quote).confirmations) for agent in ("procurement", "finance")] == [
        ("procurement", 2), ("finance", 1),
    ]  # fmt: skip
    driver.say("finance", Erase(quote))
    assert driver.get("procurement", quote).owner == "procurement"
    driver.say(names.HOST, EraseOwned("procurement"))
    assert driver.ask("procurement", Stats()).stats.items == 0
    assert driver.board.bereft == ("procurement",)
