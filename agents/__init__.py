"""What acts: agents, crews that run them, and the command line.

Names are loaded when they are first asked for, so that a command loads no more than it needs.
"""

from typing import TYPE_CHECKING

from blackboard.lazy import lazy

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.chat_agent import ChatAgent
    from agents.crew import Crew, Report, run_agent
    from agents.handlers import every, on_change, on_signal
    from agents.member import Failure
    from agents.scent_agent import ScentAgent, say_message, say_task

__all__ = [
    "Agent",
    "ChatAgent",
    "Crew",
    "Failure",
    "Report",
    "ScentAgent",
    "every",
    "on_change",
    "on_signal",
    "run_agent",
    "say_message",
    "say_task",
]

_HOMES = {
    "Agent": "agent",
    "ChatAgent": "chat_agent",
    "Crew": "crew",
    "Failure": "member",
    "Report": "crew",
    "ScentAgent": "scent_agent",
    "every": "handlers",
    "on_change": "handlers",
    "on_signal": "handlers",
    "run_agent": "crew",
    "say_message": "scent_agent",
    "say_task": "scent_agent",
}

__getattr__, __dir__ = lazy(__name__, _HOMES)
