"""Claims about condensing in the background."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

import blackboard
from agents import Agent, Crew
from agents.memory import compressor
from agents.memory.essentials import Essence, essence
from agents.memory.memory import Memory
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, ToolCall, Turn, Verdict
from agents.memory.summarising import Extractive
from blackboard.testing import running_board

WITHIN = 30.0
SAID = "Do not use a log scale."


async def work(memory: Memory, id: str) -> None:  # noqa: A002 - the task's
    """A task of two steps and something more."""
    async with memory.task("Sales", id=id) as task:
        await task.step(SAID, by="user")
        for n in range(7):
            await task.step(f"look {n}", calls=[ToolCall("query", {"n": n}, ["row"] * 100)])
        task.succeed()


async def test_tasks_are_condensed_while_they_run_and_when_they_end() -> None:
    """In the working set at once, on the board with a later turn; and all that was folded is reachable from what it came to."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.compressing(), memory.task("Sales") as task:
            await task.step(SAID, by="user")
            for n in range(3):
                await task.step(f"look {n}", calls=[ToolCall("query", {"n": n}, ["row"] * 100)])
            await memory.settled()
            assert [(step.first, step.last) for step in task.steps] == [(0, 3)]
            assert "row" not in task.context(200)
            assert SAID in task.context(200)
            assert await memory.journal.steps(task.id) == []
            await task.step("done")
            assert await memory.journal.steps(task.id) == list(task.steps)
            task.succeed()
        [record] = await memory.journal.tasks()
        assert await memory.journal.steps(task.id) == list(record.steps)
        assert [(step.first, step.last) for step in record.steps] == [(0, 3), (4, 4)]
        assert record.kept == (SAID,)
        log = await memory.journal.log(record.id)
        assert [turn.text for turn in log.turns[record.steps[0].first : record.steps[0].last + 1]] == [SAID, "look 0", "look 1", "look 2"]


async def test_turns_are_read_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, and before its step is whole: so no turn pays for the reading of a whole step. What is in a step is kept no longer."""
    read: list[str] = []

    def noted(turn: Turn) -> Essence:
        read.append(turn.text)
        return essence(turn)

    monkeypatch.setattr(compressor, "essence", noted)
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.compressing(), memory.task("Sales") as task:
            texts = [SAID, "look 0", "look 1", "x" * 2 * compressor.LONG, "look 3"]
            for number, text in enumerate(texts):
                await task.step(text, calls=[ToolCall("query", {}, "rows")] if number else ())
                await memory.settled()
                assert read == texts[: number + 1]
            assert [(step.first, step.last) for step in task.steps] == [(0, 3)]
            assert list(task.read) == [4]


async def test_what_is_left_is_taken_up() -> None:
    """What was recorded while nobody condensed, once somebody does; each once, and each agent its own."""
    async with running_board("ada", "bob") as running:
        ada, bob = Memory(running["ada"]), Memory(running["bob"])
        await work(ada, "a")
        await work(bob, "b")
        assert await ada.journal.tasks() == []
        for _ in range(2):
            async with Memory(running["ada"]).compressing():
                pass
        assert [record.id for record in await ada.journal.tasks()] == ["a"]
        assert len(await running["ada"].history("task", "a")) == 3
        await bob.compress()
        assert [record.id for record in await ada.journal.tasks()] == ["a", "b"]


async def test_compressing_by_hand_condenses_tasks_under_way() -> None:
    """And puts what that came to on the board; whoever goes on with the task has it."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.task("Sales", id="s1") as task:
            for n in range(3):
                await task.step(f"look {n}", calls=[ToolCall("query")])
            await memory.compress()
            assert await memory.journal.steps("s1") == list(task.steps)
        async with Memory(running["ada"]).task("Sales", id="s1") as again:
            assert again.steps == task.steps
            assert len(again.steps) == 1


async def test_a_crew_condenses_for_its_agents(tmp_path: Path) -> None:
    """Whatever waits is finished before the crew ends."""

    class Ada(Agent):
        async def run(self) -> None:
            await work(self.memory, "a")

    await Crew([Ada()], board=str(tmp_path / "board")).run()
    async with blackboard.open(str(tmp_path / "board"), agent="eve") as board:
        assert [record.id for record in await Memory(board).journal.tasks()] == ["a"]


async def test_an_error_beside_it_comes_out_as_it_is() -> None:
    """Not in a group."""
    async with running_board("ada") as running:
        with pytest.raises(ZeroDivisionError):
            async with Memory(running["ada"]).compressing():
                raise ZeroDivisionError


class Slow(Extractive):
    """A summariser that takes as long as it is let, and words intents and lessons."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self.may_go_on = anyio.Event()

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:  # noqa: ARG002
        self.asked.set()
        await self.may_go_on.wait()
        return replace(extracted, intent="in other words", kept=())

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:  # noqa: ARG002
        return replace(extracted, lesson="look twice", kept=())


async def test_a_task_waits_for_no_summariser() -> None:
    """It goes on and ends beside one; of what that says only the wording is taken."""
    slow = Slow()
    async with running_board("ada") as running:
        memory = Memory(running["ada"], summariser=slow)
        async with memory.compressing():
            with anyio.fail_after(WITHIN):
                await work(memory, "a")
                await slow.asked.wait()
                assert await memory.journal.tasks() == []
                slow.may_go_on.set()
                await memory.settled()
        [record] = await memory.journal.tasks()
        assert (record.lesson, record.kept) == ("look twice", (SAID,))
        assert {step.intent for step in record.steps} == {"in other words"}


class Broken(Extractive):
    """A summariser that fails."""

    async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:  # noqa: ARG002
        raise RuntimeError("no model")

    async def task(self, log: TaskLog, extracted: TaskRecord) -> TaskRecord:  # noqa: ARG002
        raise RuntimeError("no model")

    async def experience(self, records: Sequence[TaskRecord], extracted: Experience) -> Experience:  # noqa: ARG002
        raise RuntimeError("no model")


async def test_a_summariser_that_fails_leaves_what_was_extracted() -> None:
    """And that is counted."""
    async with running_board("ada") as running:
        broken, plain = Memory(running["ada"], summariser=Broken()), Memory(running["ada"])
        await work(broken, "a")
        await broken.compress()
        await work(plain, "b")
        await plain.compress()
        a, b = await plain.journal.tasks()
        assert (a.steps, a.lesson) == (b.steps, b.lesson)
        assert broken.summariser.fallen_back == {"RuntimeError": 4}


async def test_what_cannot_be_condensed_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A record that somebody put wrongly is told of, and other tasks are condensed."""
    async with running_board("ada", "eve") as running:
        memory = Memory(running["ada"])
        await work(memory, "a")
        wrong = await running["eve"].deposit("x", kind="turn", key="task:a", scope="shared", meta={"record": 1})
        async with memory.compressing():
            await work(memory, "b")
        assert [record.id for record in await memory.journal.tasks()] == ["a", "b"]
        assert f"turn {wrong.id} of eve" in caplog.text


async def test_a_task_that_cannot_be_summed_up_keeps_back_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """It was recorded elsewhere, say, without a request: that is told."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        await memory.journal.put_log(TaskLog("a", "elsewhere", " ", verdict=Verdict("success")))
        await work(memory, "b")
        await memory.compress()
        assert [record.id for record in await memory.journal.tasks()] == ["b"]
        assert "task a is not condensed: task record 'a': it needs an id, a request" in caplog.text


async def test_who_asks_for_it_now_and_the_worker_make_each_record_once() -> None:
    """Also where a summariser takes its time, and both come to the same step."""

    asked = list[int]()

    class Slow(Extractive):
        async def step(self, turns: Sequence[Turn], extracted: StepRecord) -> StepRecord:
            asked.append(extracted.first)
            for _ in range(50):
                await anyio.lowlevel.checkpoint()
            return await super().step(turns, extracted)

    async with running_board("ada") as running:
        memory = Memory(running["ada"], summariser=Slow())
        async with memory.task("Sales", id="left") as left:
            for n in range(7):
                await left.step(f"look {n}", calls=[ToolCall("query", {"n": n})])
            left.succeed()
        async with memory.compressing(), memory.task("Sales") as task:
            for n in range(7):
                await task.step(f"look {n}", calls=[ToolCall("query", {"n": n})])
                async with anyio.create_task_group() as asking:
                    asking.start_soon(memory.compress)
                    asking.start_soon(memory.compress)
            await memory.settled()
            assert [(step.first, step.last) for step in task.steps] == [(0, 2), (3, 5)]
        assert sorted(asked) == [0, 0, 3, 3, 6]  # of the task that was left, and of the other


async def test_nobody_waits_for_what_does_not_run() -> None:
    """Before the background condenses, and after it has; then it may begin again."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        await memory.settled()
        for name in "ab":
            async with memory.compressing():
                await work(memory, name)
            await work(memory, f"{name} later")
            await memory.settled()
        assert [record.id for record in await memory.journal.tasks()] == ["a", "a later", "b"]


async def test_what_is_condensed_of_a_task_that_is_left_is_put() -> None:
    """When the background ends, since no turn comes with which it could go."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.compressing(), memory.task("Sales") as task:
            await task.step("look", done=True)
        assert [(step.first, step.last) for step in await memory.journal.steps(task.id)] == [(0, 0)]


async def test_condensing_may_be_asked_for_where_it_is_done() -> None:
    """As in an agent's own code while its crew condenses: the inner end ends nothing."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        async with memory.compressing():
            async with memory.compressing():
                pass
            async with memory.task("Sales") as task:
                await task.step("look", done=True)
                await memory.settled()
                assert [(step.first, step.last) for step in task.steps] == [(0, 0)]


KILLED = """
import anyio, sys, blackboard
from agents.memory.memory import Memory
from agents.memory.records import ToolCall

async def main():
    async with blackboard.open(sys.argv[1], agent="ada") as board:
        memory = Memory(board)
        async with memory.compressing():
            for task in range(1000):
                async with memory.task("Sales") as t:
                    for n in range(10):
                        await t.step(f"look {n}", calls=[ToolCall("query", {"n": n}, ["row"] * 50)])
                    t.succeed()
                print(task, flush=True)

anyio.run(main)
"""


async def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    """Whenever it comes: what had not been condensed is, when the agent comes again."""
    path = str(tmp_path / "board")
    with subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220 - alone here
        assert process.stdout is not None
        for _ in range(5):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    with anyio.fail_after(WITHIN):
        async with blackboard.open(path, agent="ada") as board:
            memory = Memory(board)
            async with memory.compressing():
                await memory.settled()
            ended = [log.id for log in await memory.journal.heads() if log.verdict is not None]
            records = await memory.journal.tasks()
            assert len(ended) >= 5
            assert sorted(record.id for record in records) == sorted(ended)
            assert {tuple((step.first, step.last) for step in record.steps) for record in records} == {((0, 2), (3, 5), (6, 8), (9, 9))}
