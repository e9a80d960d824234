"""Claims about an agent's memory of its work."""

from typing import Any

import pytest

from agents import Agent
from agents.memory.memory import Memory
from blackboard.errors import BadValue
from blackboard.testing import running_board


async def test_an_agent_s_tasks_are_its_own() -> None:
    """``agent.task`` records on the agent's board, in its name; the tasks are those of ``agent.memory``."""
    async with running_board("ada") as running:
        agent = Agent("ada", board=running["ada"])
        assert agent.memory is agent.memory
        async with agent.task("Sales", id="s1") as task:
            await task.step("hello")
        assert [(log.id, log.agent) for log in await agent.memory.left()] == [("s1", "ada")]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"request": " \n"}, r"a task's request is ' \\n': say what is asked for"),
        ({"facts": {"a": object()}}, r"TaskLog\.facts\.a is a object"),
        ({"facts": {1: 2}}, "facts has the key 1"),
        ({"id": ""}, "a task's id is '': give up to 200 characters"),
        ({"id": "a  b"}, "a task's id is 'a  b'"),
    ],
)
async def test_a_task_that_cannot_be_is_named(given: dict[str, Any], why: str) -> None:
    """Before anything of it is on the board."""
    async with running_board("ada") as running:
        memory = Memory(running["ada"])
        with pytest.raises(BadValue, match=why):
            async with memory.task(**{"request": "Sales"} | given):
                pass
        assert await memory.journal.heads() == []


async def test_what_was_left_is_this_agent_s_own() -> None:
    """Not what others left, and not what has ended."""
    async with running_board("ada", "bob") as running:
        ada, bob = Memory(running["ada"]), Memory(running["bob"])
        for memory, id in ((ada, "a"), (bob, "b"), (ada, "c")):  # noqa: A001 - a task's
            async with memory.task("Sales", id=id) as task:
                if id == "c":
                    task.succeed()
        assert [log.id for log in await ada.left()] == ["a"]
