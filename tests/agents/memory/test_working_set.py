"""Claims about what of a task goes into a prompt."""

import pytest

from agents.memory.condensing import condense
from agents.memory.records import TaskLog, ToolCall, Turn
from agents.memory.working_set import working_set
from blackboard.errors import BadValue
from blackboard.tokens import count_tokens

TURNS = (
    Turn("user", "Do not use a log scale."),
    Turn("ada", "I look.", (ToolCall("query", {"by": "month"}, ["row"] * 500),)),
    Turn("user", "Only the north. Be quick."),
    Turn("ada", "I look again.", (ToolCall("query", {"by": "week"}, [7]),)),
)
LOG = TaskLog("t1", "ada", "Sales", turns=TURNS)
STEP = condense(TURNS[:2])


def test_step_records_take_the_place_of_their_turns() -> None:
    """And the turns behind them stand as they were, results included."""
    assert working_set(LOG, [STEP], 1000).splitlines() == [
        "Task: Sales",
        "[turns 0–1] Do not use a log scale.",
        "→ query(by=month)",
        "= I look.",
        "[turn 2] user: Only the north. Be quick.",
        "[turn 3] ada: I look again.",
        "→ query(by=week)",
        "= [7]",
    ]


@pytest.mark.parametrize("steps", [[], [STEP]])
def test_it_stays_within_its_tokens_and_keeps_what_binds(steps: list[object]) -> None:
    """At every size, until what must be kept alone is too much: that is an error, which says how much it takes."""
    enough = [n for n in range(1, 200) if _told(steps, n) is not None]
    assert enough == list(range(enough[0], 200))
    for n in enough:
        text = _told(steps, n)
        assert text is not None
        assert count_tokens(text) <= n
        assert "Do not use a log scale." in text
        assert "Only the north." in text
    with pytest.raises(
        BadValue, match=f"task 't1': its request and what must be kept of it are {enough[0]} tokens: max_tokens 2 is too little"
    ):
        working_set(LOG, [STEP], 2)


def test_the_newest_goes_in_first() -> None:
    """And that older ones are left out is said."""
    text = working_set(LOG, [], 100)
    assert "(2 earlier steps and turns are left out)" in text
    assert "row" not in text
    assert text.index("! Do not use a log scale.") < text.index("[turn 2]") < text.index("[turn 3]")


def _told(steps: list[object], max_tokens: int) -> str | None:
    try:
        return working_set(LOG, steps, max_tokens)  # type: ignore[arg-type]
    except BadValue:
        return None
