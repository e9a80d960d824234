"""What happens in an agent's turn, as a framework tells it to the board."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class UserSaid(Struct, frozen=True):
    """A person, or whoever the agent serves, said something."""

    text: str
    conversation: str = ""
    """Which of the agent's own; "" is the only one of most."""


class AgentSaid(Struct, frozen=True):
    """The agent answered: what it stated at the end of its turn."""

    text: str
    conversation: str = ""


class ToolReturned(Struct, frozen=True):
    """A tool of the agent's gave a result."""

    tool: str
    arguments: Mapping[str, Any]
    result: str
    failed: bool = False


Event = UserSaid | AgentSaid | ToolReturned
