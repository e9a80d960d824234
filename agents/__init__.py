"""What acts: agents, crews that run them, and the command line."""

from agents.agent import Agent
from agents.crew import Crew, Report, run_agent
from agents.handlers import every, on_change, on_signal
from agents.member import Failure
from agents.scent_agent import ScentAgent, say_message, say_task

__all__ = ["Agent", "Crew", "Failure", "Report", "ScentAgent", "every", "on_change", "on_signal", "run_agent", "say_message", "say_task"]
