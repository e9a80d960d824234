"""The claims of ``agents.memory.summarising``."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from agents.errors import BudgetSpent
from agents.memory.condensing import condense
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, ToolCall, Turn
from agents.memory.summarising import Extractive, Guarded
from tests.agents.memory.made import record

LOG = "Do not use a log scale."
TURNS = (
    Turn("user", f"Plot the sales, please. {LOG} I pay 40 EUR."),
    Turn("analyst", "I plot 12 rows.", calls=(ToolCall("plot", {"table": "sales", "limit": 12}, "ok"),)),
)
STEP = condense(TURNS)


class Says:
    """A summariser that gives what it was made with, or raises it."""

    def __init__(self, said: str | Exception, **more: object) -> None:
        self.said, self.more = said, more

    def _said(self) -> str:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:  # noqa: ARG002 - a summariser's
        return replace(extracted, intent=self._said(), state="", **self.more)

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:  # noqa: ARG002 - a summariser's
        return replace(extracted, lesson=self._said(), **self.more)

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:  # noqa: ARG002 - a summariser's
        return replace(extracted, lesson=self._said(), **self.more)


TASK = TaskLog("1", "analyst", "Plot the sales", turns=TURNS)
RECORD = record("1", "Plot the sales", kept=(LOG,), lesson="Never plot before you look.")
MANY = Experience("e", "success", "“Plot the sales” and 2 like it went well by plot", kept=(LOG,), records=("1", "2", "3"))


async def worded(guarded: Guarded) -> tuple[StepRecord, TaskRecord, Experience]:
    return await guarded.step(TURNS, STEP), await guarded.task(TASK, RECORD), await guarded.experience([RECORD], MANY)


async def test_the_default_changes_nothing() -> None:
    """It needs no model: what was extracted stands, at every tier."""
    guarded = Guarded(Extractive())
    assert await worded(guarded) == (STEP, RECORD, MANY)
    assert (guarded.worded, guarded.fallen_back) == (0, {})


async def test_the_same_words_count_as_nothing() -> None:
    """A summariser that says what was extracted has neither worded it nor failed."""
    guarded = Guarded(Says(RECORD.lesson))
    assert await guarded.task(TASK, RECORD) == RECORD
    assert (guarded.worded, guarded.fallen_back) == (0, {})


async def test_better_words_are_taken_and_nothing_else() -> None:
    """Intent, state and lesson are; sentences, actions, tasks and outcomes that a summariser leaves out or adds are not."""
    guarded = Guarded(Says("A picture of sales"))
    step, task, many = await worded(guarded)
    assert (step.intent, task.lesson, many.lesson) == ("A picture of sales",) * 3
    assert guarded.worded == 3
    assert (await Guarded(Says("A picture", kept=(), actions=())).step(TURNS, STEP)).kept == STEP.kept
    assert (await Guarded(Says("A picture", kept=(), outcome="failure")).task(TASK, RECORD)) == replace(RECORD, lesson="A picture")
    assert (await Guarded(Says("A picture", records=())).experience([], MANY)).records == MANY.records


async def test_numbers_of_words_that_are_replaced_stay() -> None:
    """What only the old words said, in figures, is a figure of the record now."""
    turns = (Turn("analyst", "I have loaded 40712 rows"),)
    step = await Guarded(Says("Rows were loaded")).step(turns, condense(turns))
    assert step.intent == "Rows were loaded"
    assert "40712" in step.figures


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Use a log scale.", "negation"),
        ("It took 99 rows", "number made up"),
        ("so " * 300, "too long"),
        (" ", "empty"),
    ],
)
async def test_words_that_do_not_hold_are_rejected(said: str, why: str) -> None:
    """A lost "not", a number that nobody said, a page, nothing: at every tier the record stands as it was extracted, and it is counted."""
    guarded = Guarded(Says(said))
    assert await worded(guarded) == (STEP, RECORD, MANY)
    assert (guarded.worded, guarded.fallen_back) == (0, {why: 3})


async def test_a_lesson_is_not_turned_into_its_opposite() -> None:
    """What the extracted lesson denies, a worded one may not assert."""
    guarded = Guarded(Says("Plot before you look."))
    assert await guarded.task(TASK, RECORD) == RECORD
    assert await guarded.experience([RECORD], MANY) == MANY
    assert guarded.fallen_back == {"negation": 2}


async def test_whatever_it_raises_the_record_stands() -> None:
    """A spent budget, and a fault of its own."""
    for error in (BudgetSpent("spent"), ZeroDivisionError()):
        guarded = Guarded(Says(error))
        assert await worded(guarded) == (STEP, RECORD, MANY)
        assert guarded.fallen_back == {type(error).__name__: 3}
