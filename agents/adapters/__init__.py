"""The board as a memory service beside the frameworks that people use: one small contract, and an adapter for each.

No framework is imported with this package: each adapter is a module of its own, behind an extra of its own.
"""

from typing import TYPE_CHECKING

from blackboard.lazy import lazy

if TYPE_CHECKING:
    from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
    from agents.adapters.service import MemoryService

__all__ = ["AgentSaid", "Event", "MemoryService", "ToolReturned", "UserSaid"]

_HOMES = {"AgentSaid": "events", "Event": "events", "MemoryService": "service", "ToolReturned": "events", "UserSaid": "events"}

__getattr__, __dir__ = lazy(__name__, _HOMES)
