"""Claims about the items that records lie as."""

from agents.memory.layout import LINE, PART, UNIT, log_items, record_items, task_items, turn_items, units
from agents.memory.records import TaskLog, TaskRecord, ToolCall, Turn, Verdict


def test_a_line_says_what_it_is_about() -> None:
    """To people: who, what, and which tools; on one line that is not long, with a digest of all of it."""
    turn = Turn("ada", "I look\nthem up", (ToolCall("q"), ToolCall("r", error="no")))
    [item] = turn_items("t1", 3, turn)
    assert item.line.rpartition(" #")[0] == "3. ada: I look them up [q, r failed]"
    [item] = task_items(TaskLog("t1", "ada", "Sales", verdict=Verdict("failure")))
    assert item.line.rpartition(" #")[0] == "ada: Sales → failure"
    told = TaskRecord("t1", "ada", "Sales", "failure", "f", lesson="ask which table")
    assert [item.line.rpartition(" #")[0] for item in record_items(told)] == ["Sales → failure: ask which table"]
    [long] = turn_items("t1", 3, Turn("ada", "x" * 5000))
    assert len(long.line) <= LINE + 10


def test_what_differs_has_another_line() -> None:
    """Also where people would read the same."""
    lines = {item.line for n in range(3) for item in turn_items("t1", 0, Turn("ada", "x" * 5000, tokens=n))}
    assert len(lines) == 3


def test_the_last_part_alone_fills_the_slot() -> None:
    """So a task whose head is in parts does not stand as ended before all of it is there."""
    items = task_items(TaskLog("t1", "ada", "x" * 3 * PART, verdict=Verdict("success")))
    assert [item.said.get("value") for item in items] == [None, None, None, "success"]
    assert len({item.line for item in items}) == 4


def test_turns_come_before_the_task_that_has_them() -> None:
    """Whoever sees a task that was put whole sees its turns."""
    items = log_items(TaskLog("t1", "ada", "Sales", turns=(Turn("ada", "a"), Turn("ada", "b"))))
    assert [item.said["kind"] for item in items] == ["turn", "turn", "task"]


def test_units_are_no_larger_than_may_be_said_together() -> None:
    """In order, as many together as fit; of nothing there is none."""
    items = [item for n in range(9) for item in turn_items("t1", n, Turn("ada", "x" * PART))]
    found = list(units(items))
    assert [item for unit in found for item in unit] == items
    assert all(sum(item.size for item in unit) <= UNIT for unit in found)
    assert len(found) < len(items)
    assert list(units([])) == []
