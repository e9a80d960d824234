"""Claims about one conversation by itself: what items come of it, and which facts it makes of items."""

from typing import Any

import pytest

from blackboard.conversation import Conversation
from blackboard.wire import from_deposit
from bus.messages import Deposit, Recall, Scent, Scents
from tests.blackboard.scent.said import directive, rule, slot


def deposits(conversation: Conversation, *scents: Scent, **how: Any) -> list[Deposit]:
    """What comes of one message."""
    return [deposit for _, deposit in conversation.release(Scents(scents, **how))]


def test_a_sentence_that_binds_twice_is_one_rule_and_one_that_asks_twice_two_requests() -> None:
    """A message is no confirmation of itself; said again it is one."""
    conversation, sentence = Conversation(""), "It must stay and never change"
    message = [rule("must", sentence), rule("never", sentence), directive("cancel", "cancel it all"), directive("delete", "cancel it all")]
    for _ in range(2):
        assert [(each.kind, each.key) for each in deposits(conversation, *message)] == [
            ("constraint", None),
            ("state", "cancel"),
            ("state", "delete"),
        ]


def test_a_value_that_is_taken_back_within_a_message_stands_again() -> None:
    """To Beijing – no, Shanghai – no, Beijing: it is said last."""
    said = [slot("shipping_address", value) for value in ("Beijing", "Shanghai", "Beijing")]
    assert [each.value for each in deposits(Conversation(""), *said)] == ["Beijing", "Shanghai", "Beijing"]


@pytest.mark.parametrize(("name", "target", "about"), [("", None, None), ("li", None, "li"), ("li", "A1", "A1"), ("", "A1", "A1")])
def test_what_names_no_entity_is_about_the_conversation(name: str, target: str | None, about: str | None) -> None:
    """If that has a name."""
    message = [slot("price", 7, target=target), directive("cancel", "cancel it", target=target), rule("keep", "keep it", target=target)]
    assert [each.target for each in deposits(Conversation(name), *message)] == [about] * 3


def test_of_a_request_it_is_not_known_when_a_value_was_stated() -> None:
    """It gives no slot a value, and takes the place of none."""
    conversation = Conversation("")
    for scent, deposit in conversation.release(Scents((directive("cancel", "cancel it"), slot("price", 7)))):
        conversation.note(scent, from_deposit(deposit, "ada"))
    assert list(conversation.said) == [("price", None)]


def test_a_type_that_is_renamed_is_as_old_as_it_was() -> None:
    """And no other is touched, however long ago it was said."""
    conversation = Conversation("")
    message = (slot("price", 7), slot("size", "L"))
    items = {}
    for scent, deposit in conversation.release(Scents(message)):
        items[scent.type] = from_deposit(deposit, "ada")
        conversation.note(scent, items[scent.type])
    for _ in range(9):
        conversation.governor.release([])
    conversation.rename("price", "cost")
    items["price"].key = "cost"
    assert {fact.type: fact.staleness for fact in conversation.recall(Recall("*"), items.values())} == {"cost": 9, "size": 9}
