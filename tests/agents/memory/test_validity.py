"""The claims of ``agents.memory.validity``."""

import pytest

from agents.memory.records import TaskLog, ToolCall, Turn
from agents.memory.validity import require_turn, validated, validated_log
from blackboard.errors import BadValue

BAD = [
    (Turn("ada"), "a turn by 'ada' says nothing and calls nothing: leave it out"),
    (Turn("ada", " \n"), "says nothing"),
    (Turn(" ", "Hello"), "a turn by ' ': name who spoke"),
    (Turn("ada", calls=(ToolCall(""),)), "a call of the tool '': name it"),
    (Turn("ada", "Hello", tokens=-1), "a turn's tokens are -1: give a number of at least 0"),
    (Turn("ada", "Hello", seconds=-0.5), "a turn's seconds are -0.5"),
]


@pytest.mark.parametrize(("turn", "says"), BAD)
def test_a_turn_is_refused_alone_as_in_its_log(turn: Turn, says: str) -> None:
    """With the same words; in a log its place stands before them."""
    for refuse in (validated, require_turn):
        with pytest.raises(BadValue) as alone:
            refuse(turn)
        assert says in str(alone.value)
    with pytest.raises(BadValue) as within:
        validated_log(TaskLog("t", "ada", "Sales", turns=(Turn("user", "Sales"), turn)))
    assert str(within.value) == f"$.turns[1]: {alone.value}"


@pytest.mark.parametrize(
    ("log", "says"),
    [
        (TaskLog("", "ada", "Sales"), "a task's id is ''"),
        (TaskLog("t", "", "Sales"), "a task's agent is '': name whose task it is"),
        (TaskLog("t", "ada", "\n"), r"a task's request is '\n': say what is asked for"),
        (TaskLog("t", "ada", "Sales", facts={"n": object()}), "facts.n is a object"),
    ],
)
def test_a_log_says_whose_it_is_and_what_was_asked(log: TaskLog, says: str) -> None:
    """And has an id that can be one; and all of it is JSON."""
    with pytest.raises(BadValue) as caught:
        validated_log(log)
    assert says in str(caught.value)


def test_what_can_be_recorded_is_given_as_it_will_be_read() -> None:
    """A call is enough for a turn, and no turn for a log; what JSON has no word for comes as what it has."""
    turn = Turn("ada", calls=(ToolCall("query", {"by": ("month", "year")}),))
    assert validated(turn).calls[0].parameters == {"by": ["month", "year"]}
    assert validated_log(TaskLog("t", "ada", "Sales", turns=(turn,))).turns == (validated(turn),)
    assert validated_log(TaskLog("t", "ada", "Sales")).turns == ()
