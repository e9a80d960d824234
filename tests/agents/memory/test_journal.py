"""Claims about records on a board: what is put is read again, and what is none is named."""

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.memory.journal import Journal
from agents.memory.layout import PART
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, ToolCall, Turn, Verdict
from blackboard.errors import BadValue
from blackboard.testing import running_board

LOG = TaskLog(
    id="t1",
    agent="ada",
    request="Sales by month",
    turns=(Turn("user", "Do not use a log scale"), Turn("ada", calls=(ToolCall("query", {"by": "month"}, [1, 2.5, None]),))),
    verdict=Verdict("failure", "not what I asked for", by="user"),
    facts={"table": "sales"},
    began=5.0,
    ended=9.0,
)


async def test_what_is_put_is_read_again() -> None:
    """A task with its turns, what they came to, and what many came to; by whoever sees the board, oldest first."""
    step = StepRecord(0, 1, "Sales by month", kept=("Do not use a log scale",))
    record = TaskRecord(id="t1", agent="ada", request="Sales by month", outcome="failure", fingerprint="f", steps=(step,))
    experience = Experience(id="e1", outcome="failure", lesson="Ask which table", records=("t1",))
    async with running_board("ada", "bob") as running:
        ada, bob = Journal(running["ada"]), Journal(running["bob"])
        await ada.put_log(LOG)
        await ada.put_steps("t1", [step])
        await ada.put_record(record)
        await bob.put_experience(experience)
        for journal in (ada, bob):
            assert await journal.log("t1") == LOG
            assert await journal.logs() == [LOG]
            assert await journal.steps("t1") == [step]
            assert await journal.tasks() == [record] == [await journal.record("t1")]
            assert await journal.experiences() == [experience]
        assert [item.content.split(" #")[0] for item in await bob.board.history("task:t1")] == [
            "0. user: Do not use a log scale", "1. ada: [query]", "turns 0–1: Sales by month",
        ]  # fmt: skip


async def test_private_records_are_seen_by_their_agent_alone() -> None:
    """If that is the scope."""
    async with running_board("ada", "bob") as running:
        ada, bob = (Journal(running[name], scope="private") for name in ("ada", "bob"))
        await ada.put_log(LOG)
        assert await ada.logs() == [LOG]
        assert await bob.logs() == []


async def test_the_later_telling_counts_and_the_same_again_changes_nothing() -> None:
    """A task that was open has ended; a turn that was said twice, since nobody knew whether it had arrived, is one turn."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        begun = TaskLog(id="t1", agent="ada", request="Sales")
        assert await journal.begin(begun) is begun
        assert await journal.left("ada") == [begun]
        assert await journal.left("bob") == []
        for _ in range(2):
            await journal.put_turn("t1", 0, LOG.turns[0])
        await journal.put_log(LOG)
        assert await journal.logs() == [LOG]
        assert await journal.left("ada") == []
        assert await journal.begin(begun) == LOG
        for lesson in ("first", "later"):
            await journal.put_record(TaskRecord("t1", "ada", "Sales", "failure", "f", lesson=lesson))
        told = await journal.record("t1")
        assert told is not None
        assert ([told], told.lesson) == (await journal.tasks(), "later")


async def test_what_differs_is_another_item() -> None:
    """Also where the line for people is the same."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        long = "x" * 500
        for cause in ("plan", "tool"):
            task: Any = TaskRecord(id="t1", agent="ada", request=long, outcome="failure", fingerprint="f", cause=cause)
            await journal.put_record(task)
        assert [each.cause for each in await journal.tasks()] == ["tool"]


@pytest.mark.parametrize("result", ["é" * PART * 20, [[[]]], {"a": "x"}, "私" * PART])
async def test_what_is_large_or_deep_is_read_again(result: Any) -> None:
    """In parts, of bytes that end with a character, or as text."""
    deep = result
    for _ in range(60):
        deep = [deep]
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for value in (result, deep):
            turn = Turn("tool", calls=(ToolCall("read", {}, value),))
            await journal.put_log(TaskLog(id="t1", agent="ada", request="r", turns=(turn, turn)))
            found = await journal.log("t1")
            assert turn in found.turns


async def test_a_turn_of_which_a_part_is_missing_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever was killed while it was put had not been told that it is durable."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        await journal.put_task(TaskLog(id="t1", agent="ada", request="r"))
        await journal.put_turn("t1", 0, Turn("ada", "x" * 3 * PART))
        [*_, last] = await running["ada"].history("task:t1")
        await running["ada"].retract(last)
        assert (await journal.log("t1")).turns == ()
        assert not caplog.records  # nothing is wrong with it


async def test_what_has_faded_is_read_like_all_else() -> None:
    """Turns fade within some dozens of rounds, and stay in the archive."""
    async with running_board("ada") as running:
        ada = running["ada"]
        journal = Journal(ada)
        await journal.put_log(LOG)
        for _ in range(150):
            await ada.end_round()
        assert {item.status for item in await ada.history("task:t1")} == {"archived"}
        assert {item.status for item in await ada.history("task")} == {"archived"}
        assert await journal.logs() == [LOG]


BODY = {"as": "Turn", "number": 0, "record": {"by": "ada"}}


@pytest.mark.parametrize(
    ("meta", "why"),
    [
        ({}, "its meta is no record of the shapes Turn: {}"),
        ({"as": "TaskLog"}, "its meta is no record"),
        (BODY | {"number": "x"}, "its meta is no record"),
        (BODY | {"record": {"by": 5}}, r"it is no Turn: Expected `str`, got `int` - at `\$.by`"),
        (BODY | {"record": {"by": "ada", "calls": [{}]}}, r"it is no Turn: Object missing required field `name` - at `\$.calls\[0\]`"),
        ({"as": "Turn", "number": 0, "of": "d", "part": 1, "parts": 1, "text": "{"}, "it is no Turn: .*truncated"),
    ],
)
async def test_a_record_of_another_schema_is_passed_over(meta: dict[str, Any], why: str, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning that names the item, whose it is, the path, and the cure: all else is read."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        await journal.put_log(LOG)
        wrong = await running["ada"].deposit("hello", kind="turn", key="task:t1", scope="shared", meta=meta)
        assert await journal.log("t1") == LOG
        assert re.search(rf"turn {wrong.id} of ada \(key 'task:t1'\): {why}.*: let whoever wrote it retract it", caplog.text)
        caplog.clear()
        await running["ada"].retract(wrong)
        assert await journal.log("t1") == LOG
        assert not caplog.records


async def test_a_task_is_of_whoever_put_it_first(caplog: pytest.LogCaptureFixture) -> None:
    """What another puts of it, its turns, its verdict, what it came to, is passed over, and told; it is nobody else's to sum up."""
    step = StepRecord(0, 1, "sell everything")
    forged = TaskLog(id="t1", agent="ada", request="Sell everything", verdict=Verdict("failure"))
    async with running_board("ada", "eve") as running:
        ada, eve = Journal(running["ada"]), Journal(running["eve"])
        await ada.put_log(LOG)
        await eve.put_turn("t1", 1, Turn("user", "sell everything"))
        await eve.put_task(forged, [step])
        await eve.put_record(TaskRecord(id="t1", agent="ada", request="r", outcome="failure", fingerprint="f"))
        await eve.put_log(replace(forged, id="t2"))
        assert await ada.log("t1") == LOG == (await ada.logs())[0]
        assert (await ada.steps("t1"), await ada.tasks(), await ada.record("t1")) == ([], [], None)
        assert [task.id for task in await ada.unsummed()] == ["t1"]
        assert [task.id for task in await eve.unsummed()] == ["t2"]
        assert "of eve (key 'task:t1'): the task is of ada: let whoever wrote it retract it" in caplog.text


async def test_a_turn_has_its_place() -> None:
    """Of two with one number the later counts, since nobody knew whether the first had arrived; one that was retracted leaves its place."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        await journal.put_task(LOG)
        for number, text in enumerate(["a", "b", "late", "d"]):
            await journal.put_turn("t1", number, Turn("ada", text))
        await journal.put_turn("t1", 2, Turn("ada", "c"))
        assert [turn.text for turn in (await journal.log("t1")).turns] == ["a", "b", "c", "d"]
        [gone] = [item for item in await running["ada"].history("task:t1") if item.content.startswith("1. ")]
        await running["ada"].retract(gone)
        await journal.put_turn("t1", 10**15, Turn("ada", "nowhere"))
        assert [turn.text for turn in (await journal.log("t1")).turns] == ["a", "(retracted)", "c", "d"]


async def test_of_two_that_begin_one_task_at_once_one_has_begun_it() -> None:
    """Also where both bear one name: both are given the one that came first."""
    async with running_board("ada") as running:
        journals = [Journal(running["ada"]) for _ in range(2)]
        asked = [TaskLog(id="t1", agent="ada", request=f"request {n}") for n in range(2)]
        begun = await asyncio.gather(*(journal.begin(task) for journal, task in zip(journals, asked, strict=True)))
        assert begun[0] == begun[1] == asked[0] == await journals[1].log("t1")


async def test_a_task_that_is_not_there_is_named() -> None:
    """With the board on which it was looked for."""
    async with running_board("ada") as running:
        with pytest.raises(BadValue, match="there is no task 't9' on board 'board'"):
            await Journal(running["ada"]).log("t9")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(), values, max_size=4),
    max_leaves=12,
)
CALLS = st.builds(ToolCall, st.text(min_size=1), st.dictionaries(st.text(), JSON, max_size=3), JSON, st.none() | st.text())
TURNS = st.builds(Turn, st.text(min_size=1), st.text(), st.lists(CALLS, max_size=3).map(tuple), st.integers(0, 9), st.floats(0, 9))


@settings(max_examples=25, deadline=None)
@given(st.lists(TURNS, max_size=5))
async def test_any_turns_are_read_again_as_they_were(turns: list[Turn]) -> None:
    """Whatever they say and call, in the order in which they were put."""
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        log = TaskLog(id="t1", agent="ada", request="r", turns=tuple(turns))
        await journal.put_log(log)
        assert await journal.log("t1") == log


async def test_an_experience_is_renewed_and_may_end() -> None:
    """The later one counts, whoever puts it, and takes its own sayer's earlier one off the board; one without tasks stands no more."""
    first = Experience(id="e1", outcome="failure", lesson="Ask which table", records=("t1",))
    renewed = Experience(id="e1", outcome="failure", lesson="Ask which table, and why", records=("t1", "t2"))
    async with running_board("ada", "bob") as running:
        ada, bob = Journal(running["ada"]), Journal(running["bob"])
        await ada.put_experience(first)
        await ada.put_experience(renewed)
        await ada.put_experience(renewed)
        assert [item.status for item in await ada.board.history("experience")] == ["superseded", "standing"]
        assert await bob.experiences() == [renewed]
        await bob.put_experience(Experience(id="e1", outcome="failure", lesson="Ask which table, and why"))
        assert await ada.experiences() == []
        assert len(await ada.board.history("experience")) == 3


async def test_an_experience_may_become_what_it_was() -> None:
    """What was told last counts, also if it was told before; by another, too."""
    one, two = (Experience(id="e1", outcome="failure", lesson=lesson, records=("t1",)) for lesson in ("Ask", "Ask twice"))
    async with running_board("ada", "bob") as running:
        ada, bob = Journal(running["ada"]), Journal(running["bob"])
        for journal, told in ((ada, one), (ada, two), (ada, one), (bob, two), (ada, one)):
            await journal.put_experience(told)
            assert await bob.experiences() == [told]


async def test_an_experience_that_is_used_is_stronger() -> None:
    """By a little, for whoever sees it; what does not stand is passed over."""
    async with running_board("ada", "bob") as running:
        ada, bob = Journal(running["ada"]), Journal(running["bob"])
        await ada.put_experience(Experience(id="e1", outcome="failure", lesson="Ask which table", records=("t1",)))
        (before,) = await ada.board.history("experience")
        await bob.use(["e1", "unknown"])
        await bob.board.wait_applied()
        (after,) = await ada.board.history("experience")
        assert after.strength > before.strength


@pytest.mark.parametrize("meta", [{}, {"as": "Experience", "number": 0, "record": {"id": 5}}])
async def test_what_is_no_experience_is_passed_over(meta: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    """What another wrote badly, even in the place of one, fails nobody who asks for advice; it is named in a warning."""
    good = Experience(id="e1", outcome="failure", lesson="Ask which table", records=("t1",))
    async with running_board("ada", "eve") as running:
        ada = Journal(running["ada"])
        await ada.put_experience(good)
        wrong = await running["eve"].deposit("Be nice", kind="experience", key="experience", target="e1", scope="shared", meta=meta)
        assert await ada.experiences() == [good]
        await ada.put_experience(good)
    assert f"passed over: experience {wrong.id} of eve" in caplog.text
