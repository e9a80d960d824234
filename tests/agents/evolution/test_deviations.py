from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.deviations import Known, deviations, known
from agents.memory.records import ToolCall
from tests.agents.evolution.cases import call, task, went_well

SLOTS = call("find_slots", doctor="Wang", day="2026-03-02")
BOOKED = call("book", doctor="Wang", hour=9, reminder=True)


def test_calls_as_expected_are_no_deviation() -> None:
    """Whatever was looked up beside them, and whatever was tried and refused."""
    made = [call("list_doctors"), call("book", "no such hour", doctor="Wang", hour=8), SLOTS, BOOKED]
    assert deviations(task("t", *made, expected=(SLOTS, BOOKED))) == []


def test_where_nothing_is_known_to_be_expected_nothing_parts_from_it() -> None:
    """No list is not the empty one: there, each call of a tool that counts is needless."""
    assert deviations(task("t", BOOKED)) == []
    (needless,) = deviations(task("t", call("list_doctors"), BOOKED, expected=()), Known(frozenset({"book"})))
    assert (needless.kind, needless.turn, needless.made) == ("needless", 1, BOOKED)


def test_another_parameter_is_told_by_its_name() -> None:
    """Also one that is not given, or is given too much."""
    made = call("book", doctor="Wang", hour=10, urgent=True)
    (found,) = deviations(task("t", SLOTS, made, expected=(SLOTS, BOOKED)))
    assert (found.kind, found.turn, found.made, found.expected) == ("parameter", 1, made, BOOKED)
    assert found.parameters == ("hour", "reminder", "urgent")


def test_a_like_call_of_another_tool_is_the_wrong_tool() -> None:
    """If half of what was expected was given to it."""
    made = call("slots_of_week", doctor="Wang", day="2026-03-02")
    (found,) = deviations(task("t", made, BOOKED, expected=(SLOTS, BOOKED)))
    assert (found.kind, found.turn, found.made, found.expected) == ("tool", 0, made, SLOTS)


def test_a_call_that_was_left_out_is_missing_where_the_next_one_stands() -> None:
    """Or at the end."""
    first, last = deviations(task("t", call("list_doctors"), BOOKED, call("list_doctors"), expected=(SLOTS, BOOKED, call("send", to="Li"))))
    assert (first.kind, first.turn, first.expected) == ("missing", 1, SLOTS)
    assert (last.kind, last.turn) == ("missing", 2)


def test_the_call_that_is_most_alike_is_compared() -> None:
    """Not the one that comes first."""
    far, near = call("book", doctor="Li", hour=7), call("book", doctor="Wang", hour=9, reminder=False)
    wrong, needless = deviations(task("t", near, far, expected=(BOOKED,)))
    assert (wrong.kind, wrong.made) == ("parameter", near)
    assert (needless.kind, needless.made) == ("needless", far)


def test_what_tasks_that_went_well_did_as_they_liked_is_no_deviation() -> None:
    """To look up doctors does no harm, and not to look is no harm: a success did, and one did not, whatever was expected."""
    looked = call("list_doctors")
    free = [went_well("w1", looked, BOOKED, expected=(BOOKED,)), went_well("w2", BOOKED, expected=(looked, BOOKED))]
    assert known(free) == Known(frozenset({"book", "list_doctors"}), frozenset({"list_doctors"}))
    assert [each.kind for each in deviations(task("t", looked, BOOKED, expected=(looked,)), known(free))] == ["needless"]
    assert deviations(task("t", BOOKED, expected=(looked, BOOKED)), known(free)) == []


calls = st.builds(ToolCall, st.sampled_from(["book", "send"]), st.dictionaries(st.sampled_from("ab"), st.integers(0, 2)))


@given(st.lists(calls, max_size=6), st.lists(calls, max_size=6))
def test_every_call_is_accounted_for_once(made: list[ToolCall], expected: list[ToolCall]) -> None:
    """What is expected was made, or made wrongly, or is missing; of tools that count, what was made was expected, or is needless."""
    found = deviations(task("t", *made, expected=tuple(expected)))
    wanted = [each.expected for each in found if each.expected]
    met = len(expected) - len(wanted)
    tools = {each.name for each in expected}
    assert met >= 0
    assert sum(each.name in tools for each in made) == met + sum(bool(each.made and each.made.name in tools) for each in found)
    assert [each.turn for each in found] == sorted(each.turn for each in found)
    assert deviations(task("t", *expected, expected=tuple(expected))) == []
