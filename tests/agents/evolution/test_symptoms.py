"""Claims about symptoms: each is there where its form is, in English and Chinese, and not where it is not."""

import pytest

from agents.evolution.symptoms import SYMPTOMS, leader, symptoms
from agents.memory.records import TaskLog, ToolCall, Turn

LONG = "so the work goes on with the next of the things that the request asks for"
"""What makes a turn more than a formality, and says nothing."""


def call(result: object = "12 rows", error: str | None = None) -> ToolCall:
    return ToolCall("query", {"table": "sales"}, result, error)


def of(*turns: Turn, number: int | None = None, request: str = "How many were sold?") -> frozenset[str]:
    """The symptoms of the last turn, or of that with the number."""
    return symptoms(TaskLog("t", "ann", request, turns=turns))[len(turns) - 1 if number is None else number]


OPENING = Turn("ann", f"Let us begin, {LONG}")


@pytest.mark.parametrize(
    ("symptom", "there", "not_there"),
    [
        ("by hand", "From memory it was a good year", "By the table it was a good year"),
        ("by hand", "据我所知，那是个好年份", "根据表格，那是个好年份"),
        ("assumes", "Let's assume that sales are even", "The sales are even"),
        ("assumes", "这里先用占位数据", "这里用表格的数据"),
        ("complains", "I was unable to open the file", "I opened the file"),
        ("complains", "文件打开失败", "文件打开了"),
        ("concludes", "The result is verified", "The result is in the table"),
        ("concludes", "综上，结果如下", "结果如下"),
        ("asks", "Which table is it?", "It is that table."),
        ("asks", "是哪张表？", "是这张表。"),
        ("unsourced", "We sold 731 of them", "We sold some of them"),
    ],
)
def test_words_tell(symptom: str, there: str, not_there: str) -> None:
    """Of a turn after the first; what opens the work repeats what was asked."""
    assert symptom in of(OPENING, Turn("bob", there))
    assert symptom not in of(OPENING, Turn("bob", not_there))
    if symptom != "asks":
        assert symptom not in of(Turn("bob", there))


@pytest.mark.parametrize(
    ("symptom", "reply", "other"),
    [
        ("accepted", "Confirmed, the answer is final", "Next the other table"),
        ("accepted", "已经确认", "接着看另一张表"),
        ("doubted", "The query failed", "The query ran"),
        ("doubted", "查询出现错误", "查询有结果"),
        ("stuck", "We are in a loop", "We go on"),
        ("stuck", "目前没有进展", "目前进展顺利"),
    ],
)
def test_what_the_next_agent_says_tells(symptom: str, reply: str, other: str) -> None:
    """A person's or a tool's turn between them does not hide it."""
    before, between = Turn("ann", LONG), Turn("tool", "done")
    assert symptom in of(before, between, Turn("bob", reply), number=0)
    assert symptom not in of(before, between, Turn("bob", other), number=0)
    assert symptom not in of(before, Turn("user", reply), number=0)


def test_calls_tell() -> None:
    """Whether one was made, failed, brought nothing; the first of them, and what came after it."""
    log = TaskLog(
        "t",
        "ann",
        "?",
        turns=(
            Turn("ann", LONG, (call(),)),
            Turn("bob", LONG, (call(error="no such table"),)),
            Turn("ann", LONG, (call(error="no such table"),)),
            Turn("bob", LONG, (call(" "),)),
            Turn("ann", LONG),
        ),
    )
    found = symptoms(log)
    about = {"calls", "first call", "fails", "first failure", "comes to nothing", "after a failure"}
    assert [found[number] & about for number in range(5)] == [
        {"calls", "first call"},
        {"calls", "fails", "first failure"},
        {"calls", "fails", "after a failure"},
        {"calls", "comes to nothing", "after a failure"},
        set(),
    ]


def test_a_turn_of_which_one_call_brought_something_came_to_something() -> None:
    """Only where no call of a turn brought anything did it come to nothing."""
    assert "comes to nothing" not in of(OPENING, Turn("bob", calls=(call(""), call())))
    assert "comes to nothing" in of(OPENING, Turn("bob", calls=(call(""), call(None))))


@pytest.mark.parametrize("empty", [None, "", "\n", [], {}])
def test_nothing_is_nothing(empty: object) -> None:
    """Whatever form it has; 0 is something."""
    assert "comes to nothing" in of(Turn("ann", calls=(call(empty),)))
    assert "comes to nothing" not in of(Turn("ann", calls=(call(0),)))


def test_a_figure_has_a_source_where_it_was_given() -> None:
    """By the request, by whoever spoke, or by a tool; the number of a point in a list is none."""
    assert "unsourced" not in of(OPENING, Turn("bob", "We sold 731"), request="Were 731 sold?")
    assert "unsourced" not in of(OPENING, Turn("user", "731, I think"), Turn("bob", "We sold 731"))
    assert "unsourced" not in of(Turn("ann", LONG, (call({"sold": 731}),)), Turn("bob", "We sold 731"))
    assert "unsourced" not in of(OPENING, Turn("bob", "1. We sold some\n2. We sold more"))
    assert "unsourced" not in of(OPENING, Turn("bob", "We sold 731", (call(),)))


def test_place_tells() -> None:
    """Who opens, who is early, who has the last word, formalities aside."""
    turns = (*(Turn(by, f"{LONG} {number}") for number, by in enumerate(("ann", "bob", "cid", "bob", "cid"))), Turn("ann", "Goodbye"))
    found = symptoms(TaskLog("t", "ann", "?", turns=turns))
    about = {"opens", "early", "last", "formal"}
    assert [found[number] & about for number in range(6)] == [{"opens"}, {"early"}, {"early"}, set(), {"last"}, {"formal"}]


def test_repeats_tell() -> None:
    """Of the same agent."""
    assert "repeats" in of(Turn("ann", LONG), Turn("bob", "Yes"), Turn("ann", f"{LONG}, now"))
    assert "repeats" not in of(Turn("ann", LONG), Turn("bob", LONG))


def led(*last: Turn) -> tuple[Turn, ...]:
    rounds = [
        Turn("ann", f"Think, {LONG}"),
        Turn("ann", f"Do the first thing, {LONG}"),
        Turn("ann", "Next is bob"),
        Turn("bob", LONG, (call(),)),
    ]
    return (*rounds, *rounds, *last)


def test_who_speaks_between_the_others_leads() -> None:
    """Unless it calls tools itself, or is alone; among those led the early ones come after their first."""
    assert leader(led()) == "ann"
    assert leader([Turn("ann", LONG)] * 9) is None
    assert leader([Turn("ann", LONG, (call(),)), *led()]) is None
    assert leader([Turn("ann", LONG), Turn("bob", LONG)] * 3) is None
    found = symptoms(TaskLog("t", "ann", "?", turns=led()))
    assert [number for number, signs in found.items() if "leads" in signs] == [0, 1, 2, 4, 5, 6]
    assert [number for number, signs in found.items() if "early" in signs] == [7]


def test_a_leader_that_took_it_for_done_is_marked() -> None:
    """In every turn: the fault may have been before."""
    settled = symptoms(TaskLog("t", "ann", "?", turns=led(Turn("ann", f"The request is satisfied, {LONG}"))))
    assert {number for number, signs in settled.items() if "settles" in signs} == {0, 1, 2, 4, 5, 6, 8}
    assert not any("settles" in signs for signs in symptoms(TaskLog("t", "ann", "?", turns=led())).values())
    chinese = symptoms(TaskLog("t", "ann", "?", turns=led(Turn("ann", "请求已满足，可以给出回答了"))))
    assert "settles" in chinese[0]


def test_every_symptom_has_words() -> None:
    """And no other is found."""
    turns = led(Turn("bob", "404, assume 5, final, by hand?"))
    assert frozenset.union(*symptoms(TaskLog("t", "ann", "?", turns=turns)).values()) <= SYMPTOMS.keys()
