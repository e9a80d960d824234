"""Claims about what of a task's turns must not be lost."""

import pytest

from agents.memory.essentials import bindings, figures, is_greeting, numbers, parameters, plain_number
from agents.memory.records import ToolCall, Turn


@pytest.mark.parametrize(
    ("by", "text", "kept"),
    [
        ("user", "Plot the revenue. Do not use a log scale.", ["Do not use a log scale."]),
        ("user", "Use bars. There are 12 months. It is for Ann.", ["There are 12 months."]),
        ("user", "把销售额画出来。千万别用对数坐标！谢谢", ["千万别用对数坐标！"]),
        ("user", "不要超过3页。要好看。", ["不要超过3页。"]),
        ("user", "No problem. Thank you!", []),
        ("user", "No.", ["No."]),
        ("system", "You answer politely. Refunds are only made within 24 hours.", ["Refunds are only made within 24 hours."]),
        ("ada", "I found 12 rows. The table cannot be changed. It looks fine.", ["The table cannot be changed."]),
        ("ada", "I will send it on Friday. It looks fine.", ["I will send it on Friday."]),
        ("ada", "我会在周五发给你。很好。", ["我会在周五发给你。"]),
        ("ada", "Is one of these what you need to have?", []),
        ("ada", "Shall I not use a log scale?", ["Shall I not use a log scale?"]),
        ("ada", "Options:\n- Rome, 12:00\n- Oslo, only by train", ["- Oslo, only by train"]),
        ("ada", "You must not:\n- smoke\n- run", ["You must not:\n- smoke\n- run"]),
        ("tool", "You must not run. 12 rows.", []),
    ],
)
def test_sentences_that_bind_are_kept(by: str, text: str, kept: list[str]) -> None:
    """To the letter, whoever says them; of people those with a number, too; no courtesy, and no tool's result."""
    assert bindings(Turn(by, text)) == kept


def test_what_an_agent_does_at_once_is_no_promise() -> None:
    """It is the call that tells of it."""
    assert bindings(Turn("ada", "I will look.", (ToolCall("look"),))) == []
    assert bindings(Turn("ada", "I will not look.", (ToolCall("look"),))) == ["I will not look."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HAT084 leaves at 15:00 for $1,250.50, i.e. 12% off (2024-05-20).", ["HAT084", "15:00", "$1,250.50", "12%", "2024-05-20"]),
        ("1. Rome\n2. Oslo 7\n  10) Bern", ["7"]),
        ("预算5000元以内，共３页", ["5000", "３"]),
        ("user sofia_kim_7287 has A1-B2", ["sofia_kim_7287", "A1-B2"]),
        ("no number", []),
        ("a" * 50_000 + " 1" + "." * 50_000, ["1"]),
        ("-12% of it, (-3.2), −7, x=-5", ["-12%", "-3.2", "−7", "-5"]),
        ("-$5 or $-5", ["-$5", "$-5"]),
        (".5 or $.50", [".5", "$.50"]),
        ("5-10, A-5, 7 - 8, - 9", ["5-10", "5", "7", "8", "9"]),
        ("气温-5度，销售30万元，1.2亿", ["-5", "30万", "1.2亿"]),
    ],
)
def test_numbers_are_found(text: str, found: list[str]) -> None:
    """Each with what it is one word with; those of points of lists are none; in the time that it takes to read the text."""
    assert numbers(text) == found


def test_figures_are_what_agents_say() -> None:
    """People's numbers stand in their sentences, and a tool's are results."""
    assert figures(Turn("ada", "7 of 12, and 7 again")) == ["7", "12"]
    assert figures(Turn("user", "7")) == figures(Turn("tool", "7")) == []


def test_how_a_number_is_written_tells_nothing() -> None:
    """With or without separators and a currency; its sign does."""
    assert plain_number("-$5") == plain_number("$-5") == plain_number("−5") != plain_number("5")
    assert plain_number("$.50") == plain_number("0.50")
    assert plain_number("$1,250.50") == plain_number("1250.50")
    assert plain_number("HAT084") == plain_number("hat084")


def test_parameters_are_those_of_all_calls() -> None:
    """Each with its tool and its name."""
    turns = [Turn("ada", calls=(ToolCall("a", {"x": 1}), ToolCall("b", {"x": [2]})))]
    assert list(parameters(turns)) == [("a", "x", 1), ("b", "x", [2])]


@pytest.mark.parametrize(
    ("text", "greets"),
    [
        ("Hello there!", True),
        ("Thanks, have a great day.", True),
        ("您好，谢谢", True),
        ("Hello, book a flight", False),
        ("!", False),
        ("No", False),
    ],
)
def test_courtesy_is_known(text: str, greets: bool) -> None:
    """If there is nothing else."""
    assert is_greeting(text) is greets
