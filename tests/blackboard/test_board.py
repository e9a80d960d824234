"""Claims about the board: chapter 1's table of restatements, supersession, time, expiry, sharing, asserters."""

from typing import Any

import pytest
from msgspec.structs import replace

from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.errors import BadValue, NotInView, UnknownKind
from blackboard.exchange import Format, read, write
from bus import names
from bus.messages import (
    Confirm,
    Deposit,
    EdgesOf,
    EndRound,
    Experts,
    Explain,
    Fold,
    Get,
    History,
    Kinds,
    Link,
    Reinforce,
    Retract,
    SetKinds,
    Share,
    Stats,
    Tick,
    Use,
    UseAll,
)
from tests.blackboard.driver import Driver


def test_saying_it_again_confirms_it() -> None:
    """A second deposit, by anyone, and ``confirm``: max(S, S0) + 0.5; never a twin."""
    driver = Driver()
    item = driver.deposit("a", "basis", scope="shared")
    assert driver.deposit("b", "  basis ", scope="shared") == item
    assert driver.get("a", item).strength == 4.5
    driver.say("c", Confirm(item))
    assert driver.get("a", item).strength == 5.0
    assert len(driver.top("a")) == 1


def test_a_hundred_agents_that_assert_one_constraint_leave_it_at_57_5() -> None:
    """One item, a hundred asserters, 8 + 99 × 0.5."""
    driver = Driver()
    for n in range(100):
        item = driver.deposit(f"agent-{n}", "budget at most 50,000", kind="constraint", scope="shared")
    assert driver.get("x", item).strength == 57.5
    assert len(driver.get("x", item).asserters) == 100
    assert len(driver.top("x")) == 1


def test_reinforcing_adds_its_delta_and_a_link_moves_no_item() -> None:
    """``reinforce(item, Δ)``: S + Δ. ``link`` again: the edge max(S, 1) + 0.2, its ends nothing."""
    driver = Driver()
    a, b = driver.deposit("x", "a"), driver.deposit("x", "b")
    driver.say("x", Reinforce(a, 0.5))
    driver.say("y", Reinforce(a, 0.3))
    assert driver.get("x", a).strength == 4.5, "another agent does not see the private item"
    driver.say("x", Link(a, b))
    driver.say("x", Link(a, b))
    changes = driver.changes("private.x")
    assert [(c.old, c.new) for c in changes if c.cause == "link"] == [(0.0, 1.0), (1.0, 1.2)]
    assert [driver.get("x", i).strength for i in (a, b)] == [4.5, 4.0]


def test_two_agents_that_reinforce_at_once_sum_exactly() -> None:
    """8.0, +0.5 and +0.3: 8.8."""
    driver = Driver()
    item = driver.deposit("a", "budget", kind="constraint", scope="shared")
    driver.say("a", Reinforce(item, 0.5))
    driver.say("b", Reinforce(item, 0.3))
    assert driver.get("c", item).strength == pytest.approx(8.8, abs=1e-12)


def test_sharing_onto_a_twin_joins_the_two() -> None:
    """max of the two + 0.5; contributions and asserters joined; both old ids lead to the one item."""
    driver = Driver()
    shared = driver.deposit("a", "basis", scope="shared")
    private = driver.deposit("b", "basis")
    driver.say("b", Reinforce(private, 2.0))
    driver.say("b", Share(private))
    item = driver.get("b", private)
    assert (item.id, item.strength, set(item.asserters)) == (shared, 6.5, {"a", "b"})
    assert {c.agent for c in item.contributions} == {"a", "b"}
    assert len(driver.top("b")) == 1


def test_retracting_withdraws_ones_own_assertion_and_the_last_removes_the_item() -> None:
    """The item stands while anyone asserts it; then it is history."""
    driver = Driver()
    item = driver.deposit("a", "basis", key="basis", scope="shared")
    driver.deposit("b", "basis", key="basis", scope="shared")
    driver.say("a", Retract(item))
    assert driver.get("c", item).status == "standing"
    assert driver.get("c", item).asserters == ("b",)
    driver.say("b", Retract(item))
    assert driver.top("c") == ()
    assert [i.status for i in driver.ask("c", History("basis")).items] == ["released"]


def test_the_newer_value_of_a_slot_supersedes_and_history_keeps_both() -> None:
    """One owner, one scope, same kind, key and target, both with a value."""
    driver = Driver()
    old = driver.deposit("a", "ship to Shanghai", key="address", target="A1", value="Shanghai")
    driver.deposit("a", "ship to Beijing", key="address", target="A1", value="Beijing")
    driver.deposit("a", "ship to Xi'an", key="address", target="B2", value="Xi'an")
    assert {i.value for i in driver.top("a")} == {"Beijing", "Xi'an"}
    assert [(i.value, i.status) for i in driver.ask("a", History("address", "A1")).items] == [
        ("Shanghai", "superseded"),
        ("Beijing", "standing"),
    ]
    driver.say("a", Confirm(old))
    assert "superseded" in driver.refusals("a")[0].message
    driver.deposit("a", "ship to Shanghai", key="address", target="A1", value="Shanghai")
    assert {i.value for i in driver.top("a")} == {"Shanghai", "Xi'an"}


def test_what_carries_no_value_is_never_superseded_and_supersedes_nothing() -> None:
    """However alike: same kind, key, target and owner."""
    driver = Driver()
    driver.deposit("a", "cat sleeps", key="cat")
    driver.deposit("a", "cat is 3", key="cat", value=3)
    driver.deposit("a", "cat eats", key="cat")
    driver.deposit("a", "cat is 4", key="cat", value=4)
    assert {i.content for i in driver.top("a")} == {"cat sleeps", "cat eats", "cat is 4"}


def test_one_agents_value_never_supersedes_anothers() -> None:
    """Different owners with different values both stand; a value said again by another agent is that agent's from then on."""
    driver = Driver()
    driver.deposit("a", "basis 40", key="basis", value=40, scope="shared")
    driver.deposit("b", "basis 47", key="basis", value=47, scope="shared")
    assert {i.value for i in driver.top("c")} == {40, 47}
    driver.deposit("a", "basis 42", key="basis", value=42, scope="shared")
    assert {i.value for i in driver.top("c")} == {42, 47}
    driver.deposit("b", "basis 40", key="basis", value=40, scope="shared")
    assert {i.value for i in driver.top("c")} == {42, 40}, "b's own 47 is superseded, a's 42 is not"


def test_a_newer_value_withdraws_ones_own_assertion_only() -> None:
    """Another who says the older value keeps it, and the slot is contested; nobody says two values at once."""
    driver = Driver()
    said: dict[str, Any] = {"kind": "constraint", "key": "budget", "op": "<=", "hard": True, "scope": "shared"}
    first = driver.deposit("a", "50", value=50, **said)
    driver.deposit("b", "50", value=50, **said)
    driver.deposit("a", "90", value=90, **said)
    assert {i.value: (i.owner, i.asserters) for i in driver.top("c")} == {50: ("b", ("b",)), 90: ("a", ("a",))}
    assert [s.evidence.values for s in driver.signals("contested")] == [{"a": 90, "b": 50}]
    driver.deposit("b", "90", value=90, **said)
    assert {i.value: i.asserters for i in driver.top("c")} == {90: ("a", "b")}
    assert driver.get("c", first).status == "superseded"


def test_three_agents_that_end_round_7_end_it_once() -> None:
    """``EndRound(n)`` moves the clock only if n is the current round."""
    driver = Driver()
    driver.rounds(7)
    for agent in ("a", "b", "c"):
        driver.say(agent, EndRound(7))
    assert driver.board.now == 8
    assert driver.refusals("a") == driver.refusals("b") == []


def test_an_item_ends_at_its_expiry_whatever_its_strength() -> None:
    """A coupon of great strength is gone at once at its round, and stays in the history."""
    driver = Driver()
    driver.deposit("a", "coupon", key="coupon", strength=1_000.0, expires_at=2, scope="shared")
    driver.rounds(1)
    assert len(driver.top("b")) == 1
    driver.rounds(1)
    assert driver.top("b") == ()
    assert [i.status for i in driver.ask("b", History("coupon")).items] == ["expired"]
    assert driver.changes()[-1].cause == "expire"


@pytest.mark.parametrize(("first", "then"), [(5, 9), (9, 5)])
def test_a_restatement_may_move_the_expiry(first: int, then: int) -> None:
    """Later or earlier: the item ends at the expiry that was said last, once."""
    driver = Driver()
    item = driver.deposit("a", "coupon", expires_at=first)
    driver.deposit("a", "coupon", expires_at=then)
    driver.rounds(then - 1)
    assert driver.get("a", item).status == "standing"
    driver.rounds(1)
    assert driver.get("a", item).status == "expired"


def test_what_fades_is_archived_or_discarded_by_its_kind() -> None:
    """A constraint goes to the archive and a state is gone; the change says which."""
    driver = Driver()
    state = driver.deposit("a", "on the order page", kind="state")
    fact = driver.deposit("a", "has a cat")
    driver.rounds(80)
    with pytest.raises(NotInView):
        driver.get("a", state)
    assert driver.get("a", fact).status == "archived"
    assert [c.cause for c in driver.changes("private.a")][-2:] == ["discard", "archive"]
    driver.say("a", Use(fact))
    assert driver.get("a", fact).strength == 2.0, "half its kind's initial strength"
    assert driver.changes("private.a")[-1].cause == "revive"


def test_a_shared_item_tells_who_strengthened_it_and_not_what_they_wrote() -> None:
    """``experts(key)``: agents by how much they added, with count and recency."""
    driver = Driver()
    item = driver.deposit("finance", "basis", key="supplier_price", scope="shared")
    driver.deposit("procurement", "secret quote", key="supplier_price")
    driver.rounds(2)
    driver.say("procurement", Reinforce(item, 1.0))
    driver.say("procurement", Reinforce(item, 1.0))
    experts = driver.ask("x", Experts("supplier_price")).experts
    assert [(e.agent, e.amount, e.count, e.last) for e in experts] == [("finance", 4.0, 1, 0.0), ("procurement", 2.0, 2, 2.0)]


def wall() -> Driver:
    return Driver(BoardConfig(name="clock", time="wall"))


def test_a_wall_clock_board_decays_by_elapsed_time_alone() -> None:
    """After its 180 s of protection a fact loses 2 % a minute, however often anyone speaks or looks."""
    seldom, often = wall(), wall()
    items = [driver.deposit("a", "fact") for driver in (seldom, often)]
    for second in range(1, 780, 7):
        often.say("b", Deposit(f"noise {second}", kind="trace"), at=1_000.0 + second)
        often.get("a", items[1])
    for driver in (seldom, often):
        driver.say("_board", Tick(), at=1_000.0 + 180 + 600)
    strengths = [driver.get("a", item).strength for driver, item in zip((seldom, often), items, strict=True)]
    assert strengths[0] == pytest.approx(4 * 0.98**10, abs=1e-9)
    assert strengths[1] == pytest.approx(strengths[0], abs=1e-12)


def test_a_question_is_answered_as_of_its_own_stamp() -> None:
    """A read between two entries sees the decay until then, and moves nothing."""
    driver = wall()
    item = driver.deposit("a", "fact")
    driver.say("_board", Tick(), at=1_180.0)
    before = driver.board.snapshot(full=True)
    assert driver.ask("a", Get(item), at=1_180.0 + 600).items[0].strength == pytest.approx(4 * 0.98**10, abs=1e-9)
    assert driver.board.snapshot(full=True) == before


def test_a_clock_set_back_stands_still() -> None:
    """Stamps are clamped to be monotone."""
    driver = wall()
    driver.deposit("a", "fact")
    driver.say("a", Deposit("later"), at=5_000.0)
    driver.say("a", Deposit("set back"), at=2_000.0)
    assert driver.board.now == 5_000.0


def test_a_wall_clock_board_says_when_a_tick_is_due() -> None:
    """The end of protection, then the fading signal of a constraint, come up as due points; a board of rounds never asks for a tick."""
    driver = wall()
    driver.deposit("a", "rule", kind="constraint", scope="shared")
    assert driver.board.next_due() == 1_180.0
    driver.say("_board", Tick(), at=1_180.0)
    assert driver.board.next_due() == 1_600.0
    driver.say("_board", Tick(), at=1_600.0)
    assert [s.signal for s in driver.signals()] == ["fading"]
    assert Driver().board.next_due() is None


def test_a_wall_clock_board_has_no_rounds() -> None:
    """``EndRound`` is refused there, with the reason."""
    driver = wall()
    driver.say("a", EndRound(0))
    assert "wall-clock" in driver.refusals("a")[0].message


def test_wall_clock_precision_holds_at_todays_unix_time() -> None:
    """Strengths are right to 1e-9 at 1.8e9 seconds since the epoch."""
    driver = wall()
    start = 1.8e9 + 0.25
    driver.say("a", Deposit("fact"), at=start)
    item = driver.id_of("a", Deposit("fact"))
    driver.say("_board", Tick(), at=start + 180 + 600)
    assert driver.get("a", item).strength == pytest.approx(4 * 0.98**10, abs=1e-9)


def test_a_late_tick_finds_what_one_in_time_would_have_found() -> None:
    """After days without an entry, an item that is in the archive by now has faded as a signal first, at its time."""
    driver = wall()
    driver.deposit("a", "rule", kind="constraint", scope="shared")
    driver.say("_board", Tick(), at=1e6)
    assert [(s.signal, s.t) for s in driver.signals()] == [("fading", 1_600.0), ("crossed", pytest.approx(12_920.5, abs=0.1))]
    assert driver.changes()[-1].cause == "archive"


def test_what_ends_in_private_shows_in_nobody_elses_strengths() -> None:
    """A private item that expires within a gap does not cut the gap in two for the others."""
    heard = []
    for private in (True, False):
        driver = wall()
        driver.deposit("a", "page", kind="state", scope="shared")
        driver.say("b", *([Deposit("mine", expires_at=5_000.0)] if private else []))
        driver.say("_board", Tick(), at=9_000.0)
        heard.append(driver.changes())
    assert heard[0] == heard[1]


def test_what_expired_in_the_archive_does_not_come_back() -> None:
    """Expiry is hard, wherever the item is."""
    driver = Driver()
    item = driver.deposit("a", "coupon", strength=1.1, expires_at=50)
    driver.rounds(49)
    assert driver.get("a", item).status == "archived"
    driver.rounds(1)
    driver.say("a", Use(item))
    assert driver.get("a", item).status == "expired"
    assert "expired" in driver.refusals("a")[0].message


def test_tiers_are_counted_as_of_the_questions_stamp() -> None:
    """As strengths are."""
    driver = wall()
    driver.deposit("a", "fact")
    driver.say("_board", Tick(), at=1_180.0)
    assert driver.ask("a", Stats(), at=1_180.0 + 1_800).stats.tiers == {"core": 0, "working": 1, "archived": 0}


def test_a_question_for_the_store_is_not_the_boards() -> None:
    """``Explain`` needs the journal: the board says that it does not answer it."""
    with pytest.raises(BadValue, match="explain"):
        Driver().ask("a", Explain("x"))


def test_events_are_numbered_without_a_gap_within_their_audience() -> None:
    """1, 2, 3 … for the shared ones and for each agent's own."""
    driver = Driver()
    for n in range(3):
        driver.deposit("a", f"p{n}")
        driver.deposit("b", f"s{n}", scope="shared")
    assert [e.n for e in driver.heard["shared"]] == [e.n for e in driver.heard["private.a"]] == [1, 2, 3]


def test_another_set_of_detectors_is_refused() -> None:
    """A log made with some detectors cannot be followed with others."""
    board = Board(BoardConfig(name="x"))
    with pytest.raises(BadValue, match="made with the detectors"):
        Board(board.config, detectors=())


def test_an_entry_may_hold_many_units() -> None:
    """Packed into one post, each unit stands or falls alone."""
    driver = Driver()
    units = ((Deposit("one"),), (Reinforce("0" * 32, 1.0),), (Deposit("two"),))
    letters = driver.board.apply(Entry(seq=1, stamp=0.0, agent="a", epoch="e", post=1, units=units))
    assert [len(letter.events.changes) for letter in letters] == [2]
    assert [(r.code, r.unit) for r in letters[0].events.refusals] == [("NotInView", 1)]


@pytest.mark.parametrize("time", ["rounds", "wall"])
def test_kinds_change_by_an_entry(time: Any) -> None:
    """What a board is then, its snapshot holds, and ``Kinds`` tells; what comes next is the same on a board that was restored."""
    config = BoardConfig(name="test", time=time)
    driver = Driver(config)
    item = driver.deposit("a", "x", kind="fact", scope="shared", strength=9.0)
    driver.say(names.HOST, SetKinds({"fact": {"rate": 0.25}, "rumour": {"initial": 2, "half_life": 3}, "edge": {"rate": 0.5}}))
    told = driver.ask("a", Kinds()).kinds
    assert (told["fact"]["rate"], told["rumour"]["initial"], told["edge"]["rate"], told["state"]["then"]) == (0.25, 2, 0.5, "discard")
    other = Driver(board=Board.restore(config, driver.board.snapshot(full=True)))
    other.log = list(driver.log)
    assert other.board.config == driver.board.config
    for each in (driver, other):
        each.deposit("a", "psst", kind="rumour")
        for n in range(6):
            each.say(names.HOST, Tick() if time == "wall" else EndRound(n), at=1_000.0 + 60.0 * n)
    assert other.board.snapshot(full=True) == driver.board.snapshot(full=True)
    passed, protected = (6.0, 3.0) if time == "rounds" else (300.0, 180.0)
    assert driver.get("b", item).strength == pytest.approx(9 * 0.75 ** (passed - protected))


def lived(time: Any) -> Driver:
    """A board of its own kinds with something of everything."""
    driver = Driver(BoardConfig(name="test", time=time, patience=4))
    driver.say(names.HOST, SetKinds({"rumour": {"initial": 2, "half_life": 3 if time == "rounds" else 200}}))
    for agent, bound in (("ann", 50), ("bob", 60)):
        mine = driver.deposit(agent, "a note", key="note", meta={"by": agent})
        rule = driver.deposit(agent, f"at most {bound}", kind="constraint", key="budget", op="<=", value=bound, hard=True, scope="shared")
        driver.say(agent, Link(mine, rule))
        driver.say(agent, Share(mine))
        psst = driver.deposit(agent, "psst", kind="rumour", strength=3.3)
        driver.deposit(agent, "one", key="cat", strength=1.01)
        driver.deposit(agent, "two", key="cat", strength=1.02)
        for n in range(2):
            driver.say("crew", EndRound(int(driver.board.now))) if time == "rounds" else driver.say(
                names.HOST, Tick(), at=driver.stamp + 61
            )
            driver.say(agent, Reinforce(psst, 0.1 + n), Confirm(rule))
    for group in driver.board.foldings():
        driver.say(names.HOST, Fold(tuple(item.id for item in group), "one two"))
    return driver


@pytest.mark.parametrize("time", ["rounds", "wall"])
@pytest.mark.parametrize("form", ["json", "graphml"])
def test_a_board_is_made_of_an_export(time: Any, form: Format) -> None:
    """It is exported as it was, to the bit, also after a restart; it goes on as the other does, and what is contested still is."""
    driver = lived(time)
    text = write(driver.board.document(), form)
    board = Board.of_document(read(text), "test")
    assert write(board.document(), form) == text
    assert board.config == driver.board.config
    assert write(Board.restore(board.config, board.snapshot(full=True)).document(), form) == text
    other = Driver(board=board)
    other.log, other.stamp = [driver.log[0]], driver.stamp
    assert [view.contested for view in other.constraints("eve")] == [view.contested for view in driver.constraints("eve")]
    for each in (driver, other):
        for _ in range(5):
            each.say("crew", EndRound(int(each.board.now))) if time == "rounds" else each.say(names.HOST, Tick(), at=each.stamp + 61)
    assert [(item.id, item.status) for item in other.top("ann")] == [(item.id, item.status) for item in driver.top("ann")]
    assert [item.strength for item in other.top("ann")] == pytest.approx([item.strength for item in driver.top("ann")], rel=1e-12)
    assert [signal.item for signal in other.signals("fading")] == [signal.item for signal in driver.signals("fading")] != []


def test_a_board_is_made_of_an_export_under_another_name() -> None:
    """With ids of its own; of an export that has no settings, with the defaults."""
    document = lived("rounds").board.document()
    with pytest.raises(UnknownKind, match="rumour"):
        Board.of_document(replace(document, settings={}), "other")
    with pytest.raises(BadValue, match="settings are none"):
        Board.of_document(replace(document, settings={"core": "much"}), "other")
    made = Board.of_document(document, "other").document()
    assert [item.content for item in made.items] == [item.content for item in document.items]
    assert {item.id for item in made.items}.isdisjoint(item.id for item in document.items)
    assert made.board == made.settings["name"] == "other"


def test_what_went_into_a_prompt_together_is_used_each_once() -> None:
    """Items and the edges that were walked; no confirmation, so no signal; it shows in the changes with its cause."""
    driver = Driver()
    cat, name = driver.deposit("a", "cat", scope="shared"), driver.deposit("a", "Doudou", scope="shared")
    driver.say("a", Link(cat, name))
    [edge] = driver.ask("a", EdgesOf(cat)).edges
    driver.heard.clear()
    driver.say("b", UseAll((cat, name, cat), (edge.id, edge.id)))
    assert [(change.item, change.cause, change.by) for change in driver.changes()] == [(each, "use", "b") for each in (cat, name, edge.id)]
    assert driver.get("a", cat).strength == 4.0 + 0.5 * 0.5
    assert driver.ask("a", EdgesOf(cat)).edges[0].strength == pytest.approx(1.0 + 0.2 * 0.5)
    assert driver.get("a", cat).confirmations == 0
    assert driver.signals() == []
