"""Claims about conversations on a board: what comes of scents, what is recalled, and whose it is."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from blackboard import conversation, conversations
from blackboard.board import Board
from blackboard.entry import Entry
from blackboard.kinds import SLOT
from blackboard.scent.settings import tutoring
from bus.messages import (
    AnyObservation,
    BeginTask,
    Deposit,
    EndTask,
    Erase,
    EraseOwned,
    Fact,
    Facts,
    Field,
    FieldView,
    HandOver,
    History,
    Recall,
    RenameKey,
    Retract,
    Scent,
    Scents,
    Share,
)
from tests.blackboard.driver import Driver
from tests.blackboard.scent.said import CHATTER, CONFIRMATION, CONTINUATION, directive, rule, slot


def say(board: Driver, *scents: Scent, agent: str = "ada", conversation: str = "", **how: Any) -> None:
    board.say(agent, Scents(scents, conversation, **how))
    assert not board.refusals(agent)


def recall(board: Driver, types: str, conversation: str = "", *, agent: str = "ada", limit: int = 5) -> Facts:
    facts = board.ask(agent, Recall(types, conversation, limit))
    assert isinstance(facts, Facts)
    return facts


def field(board: Driver, conversation: str = "", agent: str = "ada") -> FieldView:
    view = board.ask(agent, Field(conversation))
    assert isinstance(view, FieldView)
    return view


def test_the_newer_value_of_a_slot_wins_and_others_are_untouched() -> None:
    """Shanghai, no, Beijing: the recalled address is Beijing with no blend, and the billing address stays."""
    board = Driver()
    say(board, slot("shipping_address", "Shanghai"), slot("billing_address", "Hangzhou"))
    say(board, slot("shipping_address", "Beijing"))
    facts = recall(board, "*_address")
    assert {fact.type: fact.value for fact in facts} == {"shipping_address": "Beijing", "billing_address": "Hangzhou"}
    [fact] = recall(board, "shipping_*")
    item = board.get("ada", fact.item or "")
    assert (item.kind, item.key, item.value, item.strength) == ("slot", "shipping_address", "Beijing", 4.0)
    assert item.content == "shipping_address: Beijing"
    assert (fact.confidence, fact.round, fact.staleness, fact.confirm) == (0.75, 2, 0, False)
    history = board.ask("ada", History("shipping_address")).items
    assert [(each.value, each.status) for each in history] == [("Shanghai", "superseded"), ("Beijing", "standing")]


def test_a_standing_rule_is_a_soft_constraint_and_a_request_a_state() -> None:
    """Both with the sentence as content, about the entity that they name."""
    board = Driver()
    say(board, rule("keep", "keep it, please", target="A1"), directive("cancel", "cancel it, please", target="B2"))
    [state, constraint] = sorted(board.top("ada"), key=lambda item: item.strength)
    assert (constraint.kind, constraint.content, constraint.target, constraint.hard) == ("constraint", "keep it, please", "A1", False)
    assert (state.kind, state.key, state.content, state.target) == ("state", "cancel", "cancel it, please", "B2")
    assert {(fact.value, fact.target) for fact in recall(board, "directive")} == {("keep", "A1"), ("cancel", "B2")}


def test_what_has_no_kind_leaves_no_item() -> None:
    """Small talk is in the field alone."""
    board = Driver()
    say(board, CHATTER, Scent("general", 0.3, 0.75))
    assert not board.top("ada")
    assert field(board).concentrations == {"general": 0.3, "chatter": 0.1}


def test_a_value_that_is_asked_counts_once_it_is_confirmed() -> None:
    """Ship it to Beijing? – nothing. – Yes, right. – it stands. A bare ok confirms nothing."""
    board = Driver()
    say(board, slot("shipping_address", "Shanghai"))
    say(board, slot("shipping_address", "Beijing", asked=True), turn=False)
    say(board, CHATTER)
    assert recall(board, "shipping_address").value == "Shanghai"
    say(board, slot("shipping_address", "Beijing", asked=True), turn=False)
    say(board, CONFIRMATION)
    assert recall(board, "shipping_address").value == "Beijing"


def test_what_is_confirmed_is_released_again_and_its_item_is_confirmed() -> None:
    """It is as fresh as when it was said, and the item grows by a confirmation."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"))
    say(board, CONFIRMATION)
    [fact] = recall(board, "shipping_address")
    assert (fact.round, fact.staleness) == (2, 0)
    assert board.get("ada", fact.item or "").strength == 4.5


def test_what_was_said_nine_turns_ago_is_not_lost_but_uncertain() -> None:
    """The standing value is given, with the confidence that has remained, to be confirmed first. In the field it is gone."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"))
    for turn in range(1, 10):
        say(board, Scent("general", 0.3, 0.75))
        [fact] = recall(board, "shipping_address")
        assert fact.confirm == (turn >= 2)
    assert (fact.value, fact.staleness, fact.round, fact.confirm) == ("Beijing", 9, 1, True)
    assert fact.confidence == pytest.approx(0.75 * 0.9**9)
    assert "shipping_address" not in field(board).concentrations


def test_an_unknown_type_is_empty() -> None:
    """No guess: no value, confidence 0."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"))
    nothing = recall(board, "return_address")
    assert (len(nothing), nothing.value, nothing.confidence) == (0, None, 0.0)


def test_a_value_that_is_withdrawn_is_no_fact_any_more() -> None:
    """The value is the board's: the field makes none up."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"))
    board.say("ada", Retract(recall(board, "shipping_address")[0].item or ""))
    assert not recall(board, "shipping_address").facts


def test_a_value_that_was_deposited_is_the_fact_and_no_turn_has_said_it() -> None:
    """It came to the slot beside the conversation: so it is to be confirmed."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"))
    board.deposit("ada", "Guangzhou it is", kind=SLOT, key="shipping_address", value="Guangzhou")
    [fact] = recall(board, "shipping_address")
    assert (fact.value, fact.confidence, fact.confirm) == ("Guangzhou", 0.0, True)


def test_conversations_of_one_owner_keep_apart() -> None:
    """Two customers of one clerk: neither's address supersedes the other's, and each recalls its own."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"), conversation="li")
    say(board, slot("shipping_address", "Shanghai"), slot("status", "paid", target="A1"), conversation="wang")
    assert [(fact.value, fact.target) for fact in recall(board, "shipping_address", "li")] == [("Beijing", "li")]
    assert [(fact.value, fact.target) for fact in recall(board, "*", "wang")] == [("Shanghai", "wang"), ("paid", "A1")]
    assert not recall(board, "status", "li").facts
    assert {fact.value for fact in recall(board, "shipping_address")} == {"Beijing", "Shanghai"}, "the one without a name sees all"


def test_an_order_is_a_slot_of_its_own() -> None:
    """What is about an entity supersedes what is about it alone."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing", target="A1"), slot("shipping_address", "Xiamen", target="B2"))
    say(board, slot("shipping_address", "Shanghai", target="A1"))
    assert {fact.target: fact.value for fact in recall(board, "shipping_address")} == {"A1": "Shanghai", "B2": "Xiamen"}


@pytest.mark.parametrize("conversation", ["", "li"])
def test_what_was_said_before_an_order_was_named_gives_way_to_what_is_said_of_it(conversation: str) -> None:
    """Or two addresses would stand where the user thinks of one; of another type, and of the task before, nothing gives way."""
    board = Driver()
    say(board, slot("shipping_address", "Wuhan"), conversation=conversation)
    board.say("ada", BeginTask("order", conversation))
    say(board, slot("shipping_address", "Shanghai"), slot("phone", "7"), conversation=conversation)
    say(board, slot("shipping_address", "Beijing", target="A1"), conversation=conversation)
    facts = recall(board, "*", conversation)
    assert [(fact.value, fact.target, fact.confidence > 0) for fact in facts][:2] == [
        ("Beijing", "A1", True),
        ("7", conversation or None, True),
    ]
    assert "Shanghai" not in {fact.value for fact in facts}
    history = board.ask("ada", History("shipping_address")).items
    assert [(each.value, each.status) for each in history][1:] == [("Shanghai", "superseded"), ("Beijing", "standing")]


def test_what_was_taken_back_before_an_order_was_named_stays_taken_back() -> None:
    """The value that is said of the order takes no place of it."""
    board = Driver()
    say(board, slot("shipping_address", "Shanghai"))
    board.say("ada", Retract(recall(board, "shipping_address")[0].item or ""))
    say(board, slot("shipping_address", "Beijing", target="A1"))
    history = board.ask("ada", History("shipping_address")).items
    assert [(each.value, each.status) for each in history] == [("Shanghai", "released"), ("Beijing", "standing")]


def test_others_see_shared_values_and_no_field() -> None:
    """A field is its owner's; the shared item is everybody's, to be confirmed by who has not heard it."""
    board = Driver()
    say(board, slot("price", 1), scope="shared")
    say(board, slot("secret", 2))
    [fact] = recall(board, "*", agent="bob")
    assert (fact.type, fact.value, fact.confidence, fact.confirm) == ("price", 1, 0.0, True)
    assert field(board, agent="bob") == FieldView()


def test_another_task_clears_the_field_and_the_one_before_can_be_continued() -> None:
    """The bridge brings the values back, in the field and on the board, to be confirmed."""
    board = Driver()
    board.say("ada", BeginTask("first order"))
    say(board, slot("shipping_address", "Beijing"), slot("user_id", "u7"), directive("cancel", "cancel it"))
    board.say("ada", EndTask())
    board.say("ada", BeginTask("second order"))
    assert field(board).concentrations == {"user_id": 0.75}
    assert field(board).snapshots == ("first order",)
    say(board, slot("shipping_address", "Xiamen"))
    [fact] = recall(board, "shipping_address")
    assert (fact.value, fact.confirm) == ("Xiamen", False)
    before = len(board.changes("private.ada"))
    say(board, CONTINUATION)
    [fact] = recall(board, "shipping_address")
    assert (fact.value, fact.confirm) == ("Beijing", True)
    assert fact.confidence == pytest.approx(0.6)
    assert "state" not in {change.kind for change in board.changes("private.ada")[before:]}, "what was asked for is not asked for again"
    assert recall(board, "user_id").value == "u7"


def test_of_a_former_task_the_board_still_knows_the_value() -> None:
    """It is given with no confidence, to be confirmed."""
    board = Driver()
    say(board, slot("shipping_address", "Beijing"), slot("user_id", "u7"))
    board.say("ada", BeginTask("another"))
    assert {fact.value: (fact.confidence, fact.confirm) for fact in recall(board, "*")} == {"Beijing": (0.0, True), "u7": (0.75, False)}


def test_settings_travel_with_the_conversation() -> None:
    """They hold from the message that gives them on."""
    board = Driver()
    say(board, CHATTER, settings=tutoring)
    say(board, CHATTER)
    assert field(board).settings == tutoring


SECRET = "Reed Street 7"


def test_what_is_erased_is_in_no_field_and_no_snapshot() -> None:
    """Neither as a value that stands, nor as one that was superseded, asked, or ended with a task."""
    board = Driver()
    say(board, slot("shipping_address", SECRET), slot("spare_address", "B"))
    board.say("ada", EndTask())
    say(board, slot("shipping_address", SECRET), slot("shipping_address", SECRET, asked=True))
    board.say("ada", Erase(recall(board, "shipping_address")[0].item or ""))
    assert SECRET.encode() not in b"".join(board.board.snapshot(full=True).values())
    assert recall(board, "*").value == "B"


@pytest.mark.parametrize("scope", ["private", "shared"])
def test_what_is_shared_is_forgotten_by_all_and_what_is_private_by_its_owner(scope: str) -> None:
    """What others said to themselves stays theirs, though they said the same."""
    board = Driver()
    for agent in ("ada", "bob"):
        say(board, slot("price", 7), agent=agent, scope=scope)
    board.say("ada", Erase(recall(board, "price")[0].item or ""))
    assert "price" not in field(board).concentrations
    assert ("price" in field(board, agent="bob").concentrations) == (scope == "private")


def test_an_owners_conversations_go_or_pass_on_with_what_is_private() -> None:
    """Where both have one of a name, the one that is there stays."""
    board = Driver()
    say(board, slot("price", 7), conversation="li")
    say(board, slot("price", 8), conversation="wang")
    say(board, slot("price", 9), conversation="wang", agent="bob")
    board.say("_board", HandOver("ada", "bob"))
    assert field(board, "li") == FieldView()
    assert recall(board, "price", "li", agent="bob").confidence == 0.75
    assert recall(board, "price", "wang", agent="bob").value == 9
    board.say("_board", EraseOwned("bob"))
    assert field(board, "wang", "bob") == FieldView()
    assert b"wang" not in b"".join(board.board.snapshot(full=True).values())


def test_who_takes_conversations_over_keeps_no_more_than_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of both, by when they spoke."""
    monkeypatch.setattr(conversations, "MAX_CONVERSATIONS", 2)
    board = Driver()
    for agent, name in (("bob", "a"), ("ada", "b"), ("bob", "c"), ("ada", "d")):
        say(board, CHATTER, agent=agent, conversation=name)
    board.say("_board", HandOver("ada", "bob"))
    assert [field(board, name, "bob").round for name in "abcd"] == [0, 0, 1, 1]


def test_a_key_that_is_renamed_is_renamed_in_fields() -> None:
    """The type is the key."""
    board = Driver()
    say(board, slot("price", 7))
    board.say("_board", RenameKey("price", "cost"))
    assert recall(board, "cost").confidence == 0.75
    assert not recall(board, "price").facts


def test_an_item_that_was_shared_is_still_what_was_said() -> None:
    """Its former id leads to it."""
    board = Driver()
    say(board, slot("price", 7))
    for _ in range(9):
        say(board, CHATTER)
    board.say("ada", Share(recall(board, "price")[0].item or ""))
    assert recall(board, "price")[0].staleness == 9


@pytest.mark.parametrize(
    ("said", "names"),
    [
        (Scents((slot("a", 1, concentration=1.5),)), "concentration 1.5"),
        (Scents((slot("a", 1, concentration=float("nan")),)), "concentration nan"),
        (Scents((Scent("a", 0.5, -0.1),)), "decay -0.1"),
        (Scents((Scent("", 0.5, 0.5),)), "type"),
        (Scents((Scent("a", 0.5, 0.5, None, None, "a: ?", "slot"),)), "no value"),
        (Scents((Scent("a", 0.5, 0.5, None, 1, "", "slot"),)), "content"),
        (Scents((Scent("a", 0.5, 0.5, None, 1, "do it", "state"),)), "request has the value 1"),
        (Scents((Scent("a", 0.5, 0.5, None, 1, "do it", "fact"),)), "kind 'fact'"),
        (Scents((Scent("a", 0.5, 0.5, None, None, "x" * 300),)), "300 characters"),
        (Scents((CHATTER,) * 257), "257 scents"),
        (Scents((CHATTER,), scope="group"), "scope 'group'"),
        (Scents((CHATTER,), "x" * 300), "conversation of 300"),
        (Scents((CHATTER,), settings=msgspec.structs.replace(tutoring, sharpness=float("nan"))), "sharpness nan"),
        (BeginTask(""), "task"),
        (EndTask("x\n"), "conversation"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_no_trace(said: AnyObservation, names: str) -> None:
    """The error names what is wrong, with the value."""
    board = Driver()
    board.say("ada", said)
    [refusal] = board.refusals("ada")
    assert names in refusal.message
    assert field(board) == FieldView()
    assert not board.top("ada")


@pytest.mark.parametrize("said", [Scents((CHATTER,)), BeginTask("t"), EndTask()])
def test_a_conversation_speaks_in_units_of_its_own(said: AnyObservation) -> None:
    """What it comes to depends on the field, and what is beside it could not be checked."""
    board = Driver()
    board.say("ada", Deposit("x"), said)
    assert "a unit of its own" in board.refusals("ada")[0].message
    assert not board.top("ada")


@pytest.mark.parametrize(
    "change",
    [
        lambda board: say(board, slot("price", 8)),
        lambda board: board.say("ada", BeginTask("next")),
        lambda board: board.say("ada", Erase(recall(board, "price")[0].item or "")),
        lambda board: board.say("_board", HandOver("ada", "bob")),
        lambda board: board.say("_board", EraseOwned("ada")),
        lambda board: board.say("_board", RenameKey("price", "cost")),
    ],
)
def test_a_checkpoint_holds_what_changed_since_the_last(change: Callable[[Driver], None]) -> None:
    """Over the pages from before it gives the same board."""
    board = Driver()
    say(board, slot("price", 7))
    board.say("ada", EndTask())
    pages = board.board.snapshot()
    assert not [name for name in board.board.snapshot() if name.startswith("conversation:")], "what has not changed is not written again"
    change(board)
    pages = {name: page for name, page in {**pages, **board.board.snapshot()}.items() if page}
    restored = Board.restore(board.board.config, pages, archive=board.board.archive)
    assert restored.snapshot(full=True) == board.board.snapshot(full=True)


def test_over_the_pages_from_before_nothing_is_left_of_what_was_erased() -> None:
    """Of no conversation that had it, whoever's it is, named or silent since."""
    board = Driver()
    for agent, name in (("ada", ""), ("ada", "li"), ("bob", "li")):
        say(board, slot("shipping_address", SECRET), agent=agent, conversation=name, scope="shared")
    pages = board.board.snapshot()
    assert SECRET.encode() in b"".join(data for name, data in pages.items() if name.startswith("conversation:"))
    for item in board.top("ada"):
        board.say("ada", Erase(item.id))
    pages |= {**dict(board.board.ahead(anew=True)), **dict(board.board.take())}
    assert SECRET.encode() not in b"".join(pages.values())


def test_of_those_that_spoke_in_one_entry_the_first_is_silent_for_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also across a restart, whichever way their pages come: so all hosts forget the same."""
    monkeypatch.setattr(conversations, "MAX_CONVERSATIONS", 2)
    board = Driver()
    units = tuple((Scents((CHATTER,), name),) for name in ("b", "a"))
    board.board.apply(Entry(seq=1, stamp=0.0, agent="ada", epoch="ada", post=1, units=units))
    restarted = Driver(board=Board.restore(board.board.config, dict(sorted(board.board.snapshot(full=True).items()))))
    for each in (board, restarted):
        each.log.append(None)  # type: ignore[arg-type]  # its number is taken
        say(each, CHATTER, conversation="c")
        assert [field(each, name).round for name in "abc"] == [1, 0, 1]


def test_conversations_are_bounded_by_forgetting_the_most_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also across a restart, after which the order of silence is known still."""
    monkeypatch.setattr(conversations, "MAX_CONVERSATIONS", 3)
    board = Driver()
    for name in ("a", "b", "c", "a"):
        say(board, slot("price", 7), conversation=name)
    board = Driver(board=Board.restore(board.board.config, board.board.snapshot(full=True)))
    board.log += [None] * 4  # type: ignore[list-item]  # their numbers are taken
    say(board, CHATTER, conversation="d")
    assert [field(board, name).round for name in "abcd"] == [2, 0, 1, 1]
    assert recall(board, "price", "b").value == 7, "what it said stands on the board"


def test_the_slots_of_a_conversation_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the one that was said longest ago the board alone knows."""
    monkeypatch.setattr(conversation, "MAX_SLOTS", 2)
    board = Driver()
    for number in range(3):
        say(board, slot(f"s{number}", number))
    for _ in range(9):
        say(board, CHATTER)
    facts: dict[str, Fact] = {fact.type: fact for fact in recall(board, "*")}
    assert facts["s0"].confidence == 0.0 < facts["s1"].confidence < facts["s2"].confidence


def test_no_more_than_asked_for_of_each_type() -> None:
    """The most confident, then the freshest."""
    board = Driver()
    for number in range(4):
        say(board, slot("price", number, target=f"A{number}"))
    assert [fact.target for fact in recall(board, "price", limit=2)] == ["A3", "A2"]


@pytest.mark.parametrize("scopes", [("private", "shared"), ("shared", "private")])
def test_what_is_said_in_private_and_shared_is_one_fact(scopes: tuple[str, str]) -> None:
    """As sure as when it was said last."""
    board = Driver()
    for scope in scopes:
        say(board, slot("price", 7), scope=scope)
    for _ in range(9):
        say(board, CHATTER)
    [fact] = recall(board, "price")
    assert (fact.staleness, board.get("ada", fact.item or "").scope) == (9, scopes[1])
    assert fact.confidence > 0


def test_one_sentence_may_bid_several_things() -> None:
    """Each is a fact."""
    board = Driver()
    say(board, rule("must", "You must cancel A1", target="A1"), directive("cancel", "You must cancel A1", target="A1"))
    assert {fact.value for fact in recall(board, "directive")} == {"must", "cancel"}


def test_what_is_as_fresh_as_another_is_as_certain() -> None:
    """However few are asked for."""
    board = Driver()
    say(board, slot("price", 7, target="A1"), slot("price", 8, target="B2"))
    assert [fact.confirm for limit in (1, 2) for fact in recall(board, "price", limit=limit)] == [False] * 3


def test_what_others_keep_to_themselves_crowds_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of it there is: an answer that depended on it would tell of it."""
    monkeypatch.setattr(conversations, "RECENT", 2)
    board = Driver()
    say(board, slot("price", 7), scope="shared")
    for number in range(3):
        say(board, slot("price", number, target=f"B{number}"), agent="eve")
    assert [fact.value for fact in recall(board, "price", agent="bob")] == [7]


def test_an_answer_has_room_for_so_many_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most confident, of whatever types."""
    monkeypatch.setattr(conversation, "MAX_FACTS", 2)
    board = Driver()
    say(board, *(slot(f"s{number}", number, concentration=number / 10) for number in range(6, 10)))
    assert [fact.value for fact in recall(board, "*")] == [9, 8]


def in_chinese(value: str) -> Scent:
    return Scent("shipping_address", 0.75, 0.9, None, value, f"收货地址: {value}", SLOT)


def test_a_value_in_two_languages_is_one_item() -> None:
    """Which the second confirms."""
    board = Driver()
    say(board, slot("shipping_address", "Leeds"))
    say(board, in_chinese("Leeds"))
    [fact] = recall(board, "shipping_address")
    assert (fact.content, fact.staleness, fact.confirm, fact.confidence) == ("shipping_address: Leeds", 0, False, 1.0)
    assert board.get("ada", fact.item or "").strength == 4.5
    assert len(board.ask("ada", History("shipping_address")).items) == 1


def test_what_is_erased_is_gone_in_every_language() -> None:
    """It is the value that is not to be known any more."""
    board = Driver()
    say(board, slot("shipping_address", SECRET))
    say(board, in_chinese(SECRET), slot("return_address", SECRET))
    board.say("ada", Erase(recall(board, "shipping_address")[0].item or ""))
    assert list(field(board).concentrations) == ["return_address"], "of another type it was not erased"


def test_what_only_looks_equal_is_another_value() -> None:
    """In the words of its own: 1 is not true."""
    board = Driver()
    say(board, slot("gift", 1))
    say(board, slot("gift", True))
    [fact] = recall(board, "gift")
    assert (fact.value, fact.content) == (True, "gift: True")


def test_of_values_that_a_conversation_has_not_stated_the_latest_are_recalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many stand; what it has stated comes beside them."""
    monkeypatch.setattr(conversations, "RECENT", 2)
    board = Driver()
    say(board, slot("price", 0, target="A0"))
    for number in range(1, 5):
        board.deposit("ada", f"price {number}", kind=SLOT, key="price", target=f"A{number}", value=number)
    assert {fact.value for fact in recall(board, "price")} == {0, 3, 4}


def test_keys_and_conversations_are_the_same_however_they_are_composed() -> None:
    """An accent may be a sign of its own: what is about them is found, and a key that is renamed is another from then on."""
    board = Driver()
    board.deposit("bob", "paid", kind=SLOT, key="caf\u00e9", target="Zo\u00eb", value="paid", scope="shared")
    say(board, CHATTER, conversation="Zoe\u0308")
    assert recall(board, "cafe\u0301", "Zoe\u0308").value == "paid"
    say(board, slot("caf\u00e9", 7))
    board.say("_board", RenameKey("cafe\u0301", "the\u0301"))
    assert list(field(board).concentrations) == ["th\u00e9"]


def test_a_restart_changes_no_page() -> None:
    """Hosts that restarted and hosts that did not write the same."""
    board = Driver()
    say(board, slot("price", 7), conversation="a")
    restarted = Driver(board=Board.restore(board.board.config, board.board.snapshot(full=True)))
    restarted.log += board.log
    for each in (board, restarted):
        say(each, slot("price", 8), conversation="b")
    assert restarted.board.snapshot(full=True) == board.board.snapshot(full=True)


@pytest.mark.parametrize("written", ["caf\u00e9", "cafe\u0301"])
def test_a_type_is_one_however_its_letters_are_composed(written: str) -> None:
    """As a key is: it is recalled, renamed and forgotten under either."""
    board = Driver()
    say(board, slot("cafe\u0301", 7))
    assert [(fact.type, fact.confidence) for fact in recall(board, written)] == [("caf\u00e9", 0.75)]
    board.say("_board", RenameKey(written, "bar"))
    assert [(fact.type, fact.confidence) for fact in recall(board, "*")] == [("bar", 0.75)]
    board.say("ada", Erase(recall(board, "bar")[0].item or ""))
    assert field(board).concentrations == {}
