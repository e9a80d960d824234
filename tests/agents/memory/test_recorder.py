"""Claims about recording a task as it goes."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

import blackboard
from agents.evolution.library import Library
from agents.evolution.matcher import Call, Picked
from agents.evolution.strategies import Rule, Strategy
from agents.memory.memory import Memory
from agents.memory.records import Experience, ToolCall, Turn, Verdict
from blackboard.errors import BadValue, BoardClosed
from blackboard.testing import ManualClock, running_board

WITHIN = 30.0


async def test_a_task_is_recorded() -> None:
    """Its turns and calls, what they cost and took by the clock that is given, and its verdict."""
    clock = ManualClock(100.0)
    async with running_board("ada", "bob") as running:
        async with Memory(running["ada"], clock=clock).task(
            "Sales", type="report", tools=["b", "a"], facts={"n": 1}, critical=True
        ) as task:
            clock.advance(2.0)
            assert await task.step("not in a log scale", by="user") == 0
            clock.advance(3.0)
            assert await task.step(calls=[ToolCall("query", {"by": ("month",)}, {"rows": 3})], tokens=70, done=True) == 1
            assert await task.step("there it is", seconds=0.5) == 2
            task.succeed("thanks", by="user")
            clock.advance(5.0)
        log = await Memory(running["bob"]).journal.log(task.id)
        assert log == task.log
        assert (log.agent, log.request, log.type, log.tools, log.facts, log.critical) == (
            "ada",
            "Sales",
            "report",
            ("a", "b"),
            {"n": 1},
            True,
        )
        assert (log.began, log.ended, log.verdict) == (100.0, 110.0, Verdict("success", "thanks", by="user"))
        assert log.turns == (
            Turn("user", "not in a log scale", seconds=2.0),
            Turn("ada", calls=(ToolCall("query", {"by": ["month"]}, {"rows": 3}),), tokens=70, seconds=3.0, done=True),
            Turn("ada", "there it is", seconds=0.5),
        )


async def test_a_turn_is_there_once_step_has_returned() -> None:
    """Before the task ends; until then it is seen as open."""
    async with running_board("ada", "bob") as running:
        memory, journal = Memory(running["ada"]), Memory(running["bob"]).journal
        async with memory.task("Sales") as task:
            assert [left.id for left in await memory.left()] == [task.id]
            for n in range(3):
                await task.step(f"turn {n}")
                assert len((await journal.log(task.id)).turns) == n + 1


async def test_an_exception_is_a_failure_and_goes_on() -> None:
    """Unless there is a verdict already."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        with pytest.raises(ZeroDivisionError):
            async with memory.task("Sales") as task:
                raise ZeroDivisionError("by nought")
        with pytest.raises(ZeroDivisionError):  # noqa: PT012 - what is raised and where is the claim
            async with memory.task("Sales") as done:
                done.succeed()
                raise ZeroDivisionError
        assert (await memory.journal.log(task.id)).verdict == Verdict("failure", "ZeroDivisionError: by nought", by="ada")
        assert (await memory.journal.log(done.id)).verdict == Verdict("success", by="ada")


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "said"), [(ValueError("caf\udce9"), "ValueError: caf\\udce9"), (Mute(), "Mute"), (ValueError(), "ValueError")]
)
async def test_a_failure_is_recorded_whatever_the_exception_says(error: Exception, said: str) -> None:
    """Half of a surrogate pair, as names of files have them, or no word at all."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        with pytest.raises(type(error)):
            async with memory.task("Sales") as task:
                raise error
        assert (await memory.journal.log(task.id)).verdict == Verdict("failure", said, by="ada")


async def test_a_step_that_was_cancelled_may_be_recorded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have arrived all the same: it is one turn."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.task("Sales", id="x") as task:
            put = memory.journal.put_turn

            async def put_and_wait(*given: Any) -> None:
                await put(*given)
                cancelled.cancel()
                await anyio.lowlevel.checkpoint()

            with anyio.CancelScope() as cancelled, monkeypatch.context() as patched:
                patched.setattr(memory.journal, "put_turn", put_and_wait)
                await task.step("one", seconds=1.0)
            assert cancelled.cancelled_caught
            await task.step("one", seconds=2.0)
            await task.step("two")
        assert [turn.text for turn in task.log.turns] == ["one", "two"]
        assert await memory.journal.log("x") == task.log


async def test_a_task_that_was_left_goes_on() -> None:
    """Without a verdict it stays open, as it does where it was cancelled; who gives its id has its turns, and may end it."""
    clock = ManualClock(10.0)
    async with running_board("ada") as running:
        memory = Memory(running["ada"], clock=clock)
        with anyio.CancelScope() as scope:
            async with memory.task("Sales", id="s1", facts={"a": 1}) as task:
                await task.step("first")
                assert not task.resumed
                scope.cancel()
                await anyio.lowlevel.checkpoint()
        clock.advance(1000.0)
        [left] = await memory.left()
        async with memory.task(left.request, id=left.id) as task:
            assert (task.resumed, task.log.facts, len(task.log.turns)) == (True, {"a": 1}, 1)
            clock.advance(2.0)
            assert await task.step("second") == 1
            task.fail("left")
        assert await memory.left() == []
        log = await memory.journal.log("s1")
        assert [(turn.text, turn.seconds) for turn in log.turns] == [("first", 0.0), ("second", 2.0)]
        assert (log.began, log.ended, log.verdict) == (10.0, 1012.0, Verdict("failure", "left", by="ada"))


async def test_turns_at_once_are_all_there() -> None:
    """Each with a number of its own, in the order in which they began."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.task("Sales") as task, anyio.create_task_group() as steps:
            for n in range(20):
                steps.start_soon(task.step, f"turn {n}")
        assert [turn.text for turn in (await memory.journal.log(task.id)).turns] == [f"turn {n}" for n in range(20)]
        assert task.log == await memory.journal.log(task.id)


async def test_two_agents_record_at_once() -> None:
    """On one board; each has its own tasks, and of two that give one id at once the later is told whose it is."""
    async with running_board("ada", "bob") as running:

        async def work(agent: str) -> None:
            memory = Memory(running[agent])
            for _ in range(5):
                async with memory.task("Sales") as task:
                    await task.step(f"by {agent}")
                    task.succeed()

        async with anyio.create_task_group() as agents:
            agents.start_soon(work, "ada")
            agents.start_soon(work, "bob")
        logs = await Memory(running["ada"]).journal.logs()
        assert sorted((log.agent, *(turn.text for turn in log.turns)) for log in logs) == [("ada", "by ada")] * 5 + [("bob", "by bob")] * 5

        refused = list[str]()

        async def begin(agent: str) -> None:
            try:
                async with Memory(running[agent]).task("Sales", id="x") as task:
                    task.succeed()
            except BadValue as error:
                refused.append(str(error))

        async with anyio.create_task_group() as agents:
            agents.start_soon(begin, "ada")
            agents.start_soon(begin, "bob")
        [why] = refused
        [winner] = {"ada", "bob"} - {why.split("'")[-2]} if "gives another id" in why else {"?"}
        assert (await Memory(running["ada"]).journal.log("x")).agent == winner


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "a turn by 'ada' says nothing and calls nothing"),
        ({"text": "  "}, "says nothing"),
        ({"text": 5}, r"Expected `str`, got `int` - at `\$\.text`"),
        ({"text": "half \ud800"}, r"Turn\.text is not Unicode text: character 5"),
        ({"text": "x", "by": ""}, "a turn by '': name who spoke"),
        ({"text": "x", "tokens": -1}, "tokens are -1"),
        ({"text": "x", "tokens": 1.5}, r"Expected `int`, got `float` - at `\$\.tokens`"),
        ({"text": "x", "seconds": float("nan")}, r"Turn\.seconds is nan"),
        ({"calls": [ToolCall(" ")]}, "a call of the tool ' ': name it"),
        ({"calls": [ToolCall("q", {"by": {1, 2}})]}, r"Turn\.calls\[0\]\.parameters\.by is a set: .*tell it as text"),
        ({"calls": [ToolCall("q", {"by": 2**70})]}, r"Turn\.calls\[0\]\.parameters\.by is 1180591620717411303424, which does not fit"),
        ({"calls": [ToolCall("q", [1])]}, r"Expected `object`, got `array` - at `\$\.calls\[0\]\.parameters`"),  # type: ignore[arg-type]
        ({"calls": ["q"]}, r"Expected `object`, got `str` - at `\$\.calls\[0\]`"),
    ],
)
async def test_a_turn_that_cannot_be_is_named(given: dict[str, Any], why: str) -> None:
    """And is not recorded; the task goes on."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.task("Sales") as task:
            with pytest.raises(BadValue, match=why):
                await task.step(**given)
            assert await task.step("on we go") == 0
        assert [turn.text for turn in (await memory.journal.log(task.id)).turns] == ["on we go"]


async def test_what_comes_after_the_verdict_is_named() -> None:
    """A second verdict, and a step; and either before the task has begun."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        with pytest.raises(BadValue, match="the verdict 'failure' for task 'x', which is not under way"):
            memory.task("Sales", id="x").fail()
        async with memory.task("Sales", id="x") as task:
            task.succeed()
            with pytest.raises(BadValue, match="the verdict 'failure' for task 'x', which has its verdict already: success"):
                task.fail()
            with pytest.raises(BadValue, match="a step for task 'x', which has its verdict already: success"):
                await task.step("more")
        with pytest.raises(BadValue, match=r"task 'x' has ended \(success\): give another id"):
            await memory.task("Sales", id="x").__aenter__()
        async with memory.task("Sales", id="y"):
            pass
        with pytest.raises(BadValue, match="task 'y' asks for something else: 'Sales'"):
            await memory.task("Costs", id="y").__aenter__()


KILLED = """
import anyio, sys, blackboard
from agents.memory.memory import Memory

async def main():
    async with blackboard.open(sys.argv[1], agent="ada") as board:
        async with Memory(board).task("Sales", id="s1") as task:
            for n in range(1000):
                print(await task.step(f"turn {n}"), flush=True)

anyio.run(main)
"""


async def test_what_was_recorded_before_a_kill_stands(tmp_path: Path) -> None:
    """All of which ``step`` had returned; when the agent comes again the task is seen as left, and goes on."""
    path = str(tmp_path / "board")
    with subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220 - alone here
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(10)]
        os.kill(process.pid, signal.SIGKILL)
    assert told == list(range(10))
    with anyio.fail_after(WITHIN):
        async with blackboard.open(path, agent="ada") as board:
            memory = Memory(board)
            [left] = await memory.left()
            turns = (await memory.journal.log(left.id)).turns
            assert [turn.text for turn in turns] == [f"turn {n}" for n in range(len(turns))]
            assert len(turns) >= 10
            async with memory.task(left.request, id=left.id) as task:
                assert await task.step("on we go") == len(turns)


async def test_the_strategies_in_force_are_picked_and_noted() -> None:
    """Those of the board's library that apply; whoever goes on with a task goes by those that it began with."""
    rule = Strategy("limit", Rule(defaults={"limit": 10}), when={"tool": {"==": "query"}})
    async with running_board("ada", "bob") as running:
        memory, library = Memory(running["ada"]), Library(running["bob"])
        async with memory.task("Sales", tools=["query"]) as task:
            assert task.picked.call("query", {}) == Call("query", {})
        await library.add(rule)
        await library.approve("limit@1", by="eve")
        async with memory.task("Sales", tools=["query"], id="s1") as task:
            assert task.picked.call("query", {}).parameters == {"limit": 10}
        assert (await memory.journal.log("s1")).strategies == ("limit@1",)
        await library.add(replace(rule, body=Rule(defaults={"limit": 5})))
        await library.approve("limit@2", by="eve")
        async with memory.task("Sales", tools=["query"], id="s1") as task:
            assert (task.picked.refs, task.picked.call("query", {}).parameters) == (("limit@1",), {"limit": 10})
        given = Picked.of([replace(rule, version=7)], task.situation)
        async with memory.task("Sales", tools=["query"], picked=given) as task:
            assert (task.picked, task.log.strategies) == (given, ("limit@7",))


async def test_what_was_learnt_is_recalled_and_noted() -> None:
    """At once, so that a kill does not lose what went into the task; and it grows stronger."""
    experience = Experience("e1", "success", "query → plot led there", request="Sales by month as a plot", records=("t1",))
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        await memory.journal.put_experience(experience)
        [item] = await running["ada"].top(kind="experience")
        async with memory.task("Sales by month as a plot") as task:
            found = await task.experiences()
            assert (found.ids, found.text()) == (("e1",), "What worked: query → plot led there")
            assert (await memory.journal.log(task.id)).recalled == ("e1",)
            assert (await running["ada"].get(item)).strength > item.strength
            assert (await task.experiences()).ids == ("e1",)
        async with memory.task("Book a flight to Rome") as task:
            assert (await task.experiences()).ids == ()
        assert [log.recalled for log in await memory.journal.heads()] == [("e1",), ()]


async def test_a_task_is_begun_once() -> None:
    """Not while it is under way, and not again once it has ended; one that failed to begin may be."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.task("Sales", id="x") as task:
            with pytest.raises(BadValue, match="task 'x' is under way already: begin another one, of another id"):
                await memory.task("Sales", id="x").__aenter__()
            task.succeed()
        with pytest.raises(BadValue, match="task 'x' has ended: begin another one"):
            await task.__aenter__()
        for _ in range(2):
            with pytest.raises(BadValue, match=r"task 'x' has ended \(success\)"):
                await memory.task("Sales", id="x").__aenter__()
        left = memory.task("Sales")
        for resumed in (False, True):
            async with left:
                await left.step("on we go")
                assert left.resumed is resumed
        assert len((await memory.journal.log(left.id)).turns) == 2


async def test_what_ended_a_task_goes_on_where_its_end_cannot_be_recorded(caplog: pytest.LogCaptureFixture) -> None:
    """The board is gone: that is told, and does not hide why the task ended. Without another error it is the error."""
    async with running_board("ada") as running:
        board = running["ada"]
        first, second = Memory(board).task("Sales", id="a"), Memory(board).task("Sales", id="b")
        for task in (first, second):
            await task.__aenter__()
        await board.aclose()
        second.succeed()
        error = ZeroDivisionError("by nought")
        await first.__aexit__(ZeroDivisionError, error, None)
        assert "how task a ended is not recorded" in caplog.text
        with pytest.raises(BoardClosed):
            await second.__aexit__(None, None, None)
