"""agents.agent: a name and a board."""

import pytest

from agents import Agent
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
