"""agents.agent: a name and a board."""

import pytest

from agents import Agent
from agents.memory import Memory
from blackboard.testing import running_board
from bus.errors import BadName


class Finance(Agent): ...


class SupplyChain(Agent): ...


class HTTPProbe2(Agent): ...


def test_names() -> None:
    """An agent bears its class's name in kebab case, or the name it is given."""
    assert [cls().name for cls in (Finance, SupplyChain, HTTPProbe2)] == ["finance", "supply-chain", "http-probe2"]
    assert Finance("controlling").name == "controlling"
    assert repr(Finance("controlling")) == "Finance('controlling')"


def test_bad_name() -> None:
    """A name that cannot be a token of a subject is refused, with the value."""
    with pytest.raises(BadName, match=r"'a\.b'"):
        Finance("a.b")


def test_without_board() -> None:
    """An agent that no crew has taken up says so, with the cure."""
    with pytest.raises(RuntimeError, match="'finance' has no board yet"):
        _ = Finance().board


async def test_an_agent_may_make_another_memory() -> None:
    """What it keeps of its work is then its own, and the crew condenses that."""

    class Discreet(Agent):
        def make_memory(self) -> Memory:
            return Memory(self.board, scope="private")

    async with running_board("ann", "bob") as running:
        agent = Discreet("ann", running["ann"])
        async with agent.task("Sales of May") as task:
            await task.step("I look them up")
        assert [turn.scope for turn in await running["ann"].history(f"task:{task.id}")] == ["private"]
        assert await running["bob"].history(f"task:{task.id}") == []
        assert agent.memory is agent.memory
