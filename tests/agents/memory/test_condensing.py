"""Claims about step records, and what 50 turns come to."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.condensing import condense, due
from agents.memory.essentials import bindings, numbers, plain_number
from agents.memory.guard import lost
from agents.memory.records import StepRecord, TaskLog, ToolCall, Turn, Verdict
from agents.memory.tasks import summarised
from agents.memory.telling import told_step, told_turn
from blackboard.tokens import count_tokens

TALK = Turn("ada", "hm")
CALL = Turn("ada", calls=(ToolCall("q"),))
DONE = Turn("ada", "there", done=True)


@pytest.mark.parametrize(
    ("turns", "steps"),
    [
        ([], []),
        ([TALK] * 9, []),
        ([TALK, CALL, CALL], []),
        ([TALK, CALL, CALL, TALK, CALL, TALK], [(0, 4)]),
        ([CALL] * 7, [(0, 2), (3, 5)]),
        ([TALK, DONE, CALL, DONE], [(0, 1), (2, 3)]),
        ([Turn("tool", "x")] * 3, [(0, 2)]),
    ],
)
def test_a_step_ends_where_a_sub_step_does_or_after_three_turns_with_a_call(turns: list[Turn], steps: list[tuple[int, int]]) -> None:
    """From wherever it is asked; what remains waits, until the task has ended."""
    assert due(turns) == steps
    whole = due(turns, ended=True)
    assert [number for first, last in whole for number in range(first, last + 1)] == list(range(len(turns)))
    for first, last in steps:
        assert due(turns, first)[0] == (first, last)


def test_a_step_record_says_what_was_wanted_done_and_reached() -> None:
    """Greetings go; results are left in the turns, but for one that is short; errors stay."""
    turns = [
        Turn("user", "Hello! I need the sales by month. Do not use a log scale."),
        Turn("ada", "Thank you. Let me see.", (ToolCall("query", {"by": "month", "n": 3}, ["row"] * 100),)),
        Turn("ada", "", (ToolCall("plot", {"kind": "bars"}, error="no display"),)),
        Turn("ada", "The mean is 4.5. It was drawn in 1,250 ms.", (ToolCall("mean", {"of": [1, 2]}, 4.5),)),
    ]
    step = condense(turns, 7)
    assert step == StepRecord(
        first=7,
        last=10,
        intent="I need the sales by month.",
        actions=(
            ToolCall("query", {"by": "month", "n": 3}),
            ToolCall("plot", {"kind": "bars"}, error="no display"),
            ToolCall("mean", {"of": [1, 2]}),
        ),
        state="mean gave 4.5; The mean is 4.5.",
        kept=("Do not use a log scale.",),
        figures=("1,250",),
    )
    assert told_step(step).splitlines() == [
        "[turns 7–10] I need the sales by month.",
        "→ query(by=month, n=3)",
        "→ plot(kind=bars) failed: no display",
        "→ mean(of=[1, 2])",
        "= mean gave 4.5; The mean is 4.5.",
        "figures: 1,250",
        "! Do not use a log scale.",
    ]


# ---- a task of 50 turns -----------------------------------------------------------------------------------------------------------------

WANTS = st.sampled_from(
    ["Plot the revenue by region.", "Now for the second table, please.", "把每个地区的销售额画出来。", "Compare it with last year."]
)
BINDS = st.sampled_from(
    [
        "Do not use a log scale.", "Never email the customers.", "It must be done before Friday.", "Only use the table sales_2024.",
        "Keep it below 1,500 dollars.", "千万别用对数坐标。", "预算不要超过5000元。", "The report has to be shorter than 12 pages.",
    ]
)  # fmt: skip
SAYS = st.sampled_from(
    [
        "Let me look at the data.", "I looked them up, as you asked.", "Thank you, that helps a lot.", "Here is what I found so far.",
        "I will send you the chart on Monday.", "It is done, the chart looks as it should.", "The second region cannot be read.",
    ]
)  # fmt: skip
FIGURES = st.integers(13, 99_999).map(lambda n: f"The total is ${n:,}.")
NAMES = st.sampled_from(["north", "south", "sales_2024", "by month", "客户", "a 'quoted' name", 'SELECT "x" FROM t WHERE y = 3'])
VALUES = st.one_of(NAMES, st.integers(0, 10_000), st.booleans(), st.floats(0, 100, allow_nan=False), st.lists(NAMES, max_size=3))
PARAMETERS = st.dictionaries(st.sampled_from(["table", "by", "limit", "where", "columns"]), VALUES, min_size=1, max_size=3)


def _result(seed: int) -> list[dict[str, Any]]:
    """From 10 to 40 rows, as a query gives them: some 250 to 1,000 tokens."""
    rows = 10 + seed % 31
    return [{"region": f"r{n}", "month": f"2024-{n % 12 + 1:02}", "revenue": (seed * 7919 + n * 104729) % 100_000} for n in range(rows)]


@st.composite
def exchanges(draw: st.DrawFn) -> list[Turn]:
    """Five turns: somebody wants something, the agent calls tools and says what came of it."""
    calls = [
        ToolCall(draw(st.sampled_from(["query_sales", "plot", "export"])), draw(PARAMETERS), _result(draw(st.integers(0, 999))))
        for _ in range(3)
    ]
    if draw(st.booleans()):
        calls[1] = ToolCall(calls[1].name, calls[1].parameters, error="Timeout: the database did not answer within 30 seconds")
    return [
        Turn("user", f"Hello! {draw(WANTS)} {draw(st.one_of(BINDS, st.just('')))}"),
        *(Turn("ada", draw(SAYS), (call,)) for call in calls),
        Turn("ada", f"{draw(SAYS)} {draw(FIGURES)}", done=draw(st.booleans())),
    ]


TASKS = st.lists(exchanges(), min_size=10, max_size=10).map(lambda parts: tuple(turn for part in parts for turn in part))


@settings(max_examples=40, deadline=None)
@given(TASKS)
def test_fifty_turns_have_a_fifth_of_the_tokens_and_nothing_that_counts_is_lost(turns: tuple[Turn, ...]) -> None:
    """Whatever binds to the letter, every number that people and agents say, every parameter; by step records and by the task's own."""
    assert len(turns) == 50
    record = summarised(TaskLog("t1", "ada", "Plot the revenue.", turns=turns, verdict=Verdict("success")))
    before = count_tokens("\n".join(told_turn(turn, number) for number, turn in enumerate(turns)))
    after = "\n".join(map(told_step, record.steps))
    assert count_tokens(after) <= 0.2 * before
    for step in record.steps:
        assert lost(turns[step.first : step.last + 1], step) == []
    # Once more without the guard, by what was put in.
    told = {plain_number(each) for each in numbers(after)}
    assert all(action.parameters == call.parameters for action, call in zip(_actions(record.steps), _calls(turns), strict=True))
    for turn in turns:
        assert all(sentence in after and sentence in record.kept for sentence in bindings(turn))
        assert {plain_number(each) for each in numbers(turn.text)} <= told
    assert "Hello" not in after
    # And all that was folded is reachable.
    assert [number for step in record.steps for number in range(step.first, step.last + 1)] == list(range(50))


def _actions(steps: tuple[StepRecord, ...]) -> list[ToolCall]:
    return [action for step in steps for action in step.actions]


def _calls(turns: tuple[Turn, ...]) -> list[ToolCall]:
    return [call for turn in turns for call in turn.calls]


def test_what_was_wanted_is_told_in_few_words_unless_it_binds() -> None:
    """A sentence that binds is told to the letter, once; greetings and questions are no state."""
    long = "to plot all the sales of all the regions " * 10
    assert condense([Turn("user", f"Hello! I want {long}.")]).intent == f"I want {' '.join(long.split())}"[:160].rsplit(" ", 1)[0] + "…"
    binds = f"You must not ask me {long.strip()}."
    assert condense([Turn("user", binds)]).intent == binds
    said = Turn("ada", "Hello! Shall I go on? I must not plot the north. I found the table.")
    assert condense([said]).state == "I found the table."
