"""Claims about what a summary has lost."""

import pytest

from agents.memory.condensing import condense
from agents.memory.guard import lost, lost_sentences, turned
from agents.memory.records import ToolCall, Turn

TURNS = [
    Turn("user", "Plot the revenue by month. Do not use a log scale."),
    Turn("ada", "I found 4.5 on average.", (ToolCall("plot", {"by": "month", "n": 3}, [1, 2, 3]),)),
]
WHOLE = "plot by=month n=3, 4.5. Do not use a log scale."


def test_a_whole_summary_has_lost_nothing() -> None:
    """In its own words, as long as what must be kept stands in it."""
    assert lost(TURNS, WHOLE) == []
    assert lost(TURNS, condense(TURNS)) == []


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        ("千万不要用对数坐标", ["一定用对数坐标", "请使用对数坐标", "必须用对数坐标轴", "采用对数坐标系", "用了对数坐标"]),
        (
            "Plot May. do not use a log scale",
            ["Use a log scale.", "The user wants log scales used.", "a log scale is used", "Plot it with a log scale"],
        ),
    ],
)
def test_a_denial_that_is_turned_is_found_however_it_is_said(kept: str, says: list[str]) -> None:
    """More or less strongly, and where the sentences before it do not end as sentences do."""
    assert [list(turned([kept], each)) for each in says] == [[each] for each in says]


def test_what_is_asserted_beside_a_denial_is_none() -> None:
    """Also where a clause is a word."""
    assert list(turned(["Well, use a log scale.", "Do not plot the north."], "Then use a log scale.")) == []


def test_whose_numbers_count() -> None:
    """Those of people and of agents; what a tool says stays in its turn."""
    for by, missing in (("user", ["number: 7"]), ("ada", ["number: 7"]), ("tool", [])):
        assert [str(loss) for loss in lost([Turn(by, "Thanks for the 7")], "thanks") if loss.what == "number"] == missing


@pytest.mark.parametrize(
    ("summary", "missing"),
    [
        (WHOLE.replace("not ", ""), ["constraint: Do not use a log scale.", "negation: Do use a log scale."]),
        (WHOLE.replace("4.5", "some"), ["number: 4.5"]),
        (WHOLE.replace("n=3", "n"), ["parameter: plot.n=3"]),
        (WHOLE.replace("month", "day"), ["parameter: plot.by=month"]),
        (WHOLE + " The axis has a log scale, so use it.", ["negation: The axis has a log scale"]),
        (WHOLE + " The plot must use a log scale.", ["negation: The plot must use a log scale."]),
        (WHOLE + " Then use a log scale!", ["negation: Then use a log scale!"]),
        ("", ["constraint: Do not use a log scale.", "number: 4.5", "parameter: plot.by=month", "parameter: plot.n=3"]),
    ],
)
def test_what_is_missing_is_named(summary: str, missing: list[str]) -> None:
    """A constraint, a number, a parameter; and what is said without its "not", also beside the sentence that has it."""
    assert list(map(str, lost(TURNS, summary))) == missing


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("千万别用对数坐标。", "用对数坐标画图。"),
        ("不要超过预算。", "超过预算。"),
        ("Never email the customers.", "Email the customers."),
        ("Don't delete the old table.", "Delete the old table."),
        ("You must not, under any circumstances, share the report.", "Share the report."),
        ("The flight cannot be changed.", "The flight can be changed."),
        ("避免使用对数坐标。", "使用对数坐标。"),
        ("Refrain from using a log scale.", "It uses a log scale."),
    ],
)
def test_a_lost_negation_is_caught(said: str, summary: str) -> None:
    """In English and in Chinese."""
    turns = [Turn("user", said)]
    assert [loss.what for loss in lost(turns, summary)] == ["constraint", "negation"]
    assert [loss.what for loss in lost(turns, f"{said}\n\n{summary}")] == ["negation"]


def test_what_was_asserted_too_may_be_asserted() -> None:
    """The same words may be denied of one thing and asserted of another."""
    turns = [Turn("user", "Do not use a log scale for the revenue. Use a log scale for the costs.")]
    assert lost(turns, "Use a log scale for the costs. Do not use a log scale for the revenue.") == []


def test_lost_sentences_are_named_once() -> None:
    """White space aside, to the letter."""
    assert lost_sentences(["Do  not run.", "Never."], "do not run.\nDo not\nrun.") == ["Never."]
    assert lost_sentences(["Never.", "Never."], "") == ["Never."]
