"""Items are found by what they say, and leave nothing behind when they go."""

from blackboard.archive import Archive
from blackboard.items import ContextItem
from blackboard.register import Register, slot_of
from blackboard.text import AnalysisCache
from blackboard.waiting import Waiting
from bus.messages import Status


def item(ordinal: int, *, value: int | None = 1, kind: str = "fact", owner: str = "ann") -> ContextItem:
    made = ContextItem("a  cat", key="k", value=value, kind=kind, owner=owner, scope="shared")
    made.ordinal = ordinal
    return made


def register_of(*items: ContextItem) -> Register:
    register = Register(Waiting({}, lambda _: (), lambda _: None), Archive(), AnalysisCache())
    for each in items:
        register.learn(each)
        register.enter(each)
    return register


def become(register: Register, each: ContextItem, status: Status) -> None:
    register.leave(each)
    each.status = status
    register.enter(each)


def test_items_are_found_in_order_of_making() -> None:
    """By key over kinds, by content, by slot, whatever their status was meanwhile."""
    first, second, third = items = [item(0), item(1, kind="slot"), item(2)]
    register = register_of(*items)
    become(register, first, "superseded")
    become(register, first, "standing")
    assert list(register.about("k")) == register.saying("a cat", items) == items
    assert list(register.about("k", "fact")) == [first, third]
    slot = slot_of(first)
    assert slot is not None
    assert register.slot(slot) == [first, third]
    assert slot_of(second) != slot


def test_what_is_archived_is_present_and_what_was_superseded_is_past() -> None:
    """Words and slot lead to the archive, too; to the rest of the history only the key does."""
    archived, superseded = item(0), item(1)
    register = register_of(archived, superseded)
    become(register, archived, "archived")
    become(register, superseded, "superseded")
    (census,) = register.census(["shared", "private:nobody"])
    census.text.catch_up()
    assert census.text.having("cat").keys() == {0}
    assert (census.archived, census.owners["ann"]) == (1, 0)
    assert list(register.past("fact")) == [archived, superseded]
    assert list(register.about("k")) == [archived, superseded]


def test_what_is_gone_leaves_nothing_behind() -> None:
    """No empty groups are kept for it."""
    only = item(0)
    register = register_of(only)
    register.leave(only)
    register.forget(only)
    assert not any((register._by_key, register._by_content, register._slots, register._past))


def test_without_a_value_there_is_no_slot() -> None:
    """A slot is a key with a value."""
    assert slot_of(item(0, value=None)) is None
