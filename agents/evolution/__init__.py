"""Strategies, and how they change by what failed (chapter 5).

Names are loaded when they are first asked for.
"""

from typing import TYPE_CHECKING

from blackboard.lazy import lazy

if TYPE_CHECKING:
    from agents.evolution.account import Account
    from agents.evolution.analysis import RuleAnalyst
    from agents.evolution.analyst import Analyst, Retry
    from agents.evolution.apart import apart
    from agents.evolution.attribution import attribute
    from agents.evolution.cycle import evolve
    from agents.evolution.entries import Settings
    from agents.evolution.evolver import Evolver
    from agents.evolution.files import read_strategies
    from agents.evolution.lessons import Lessons, learn, trial
    from agents.evolution.library import Library
    from agents.evolution.llm_analyst import LLMAnalyst
    from agents.evolution.matcher import Picked, pick
    from agents.evolution.release import Test
    from agents.evolution.strategies import Diagnosis, Lineage, Mend, Parameters, PlanStep, Release, Rule, Strategy, Template
    from agents.evolution.watching import watch

__all__ = [
    "Account",
    "Analyst",
    "Diagnosis",
    "Evolver",
    "LLMAnalyst",
    "Lessons",
    "Library",
    "Lineage",
    "Mend",
    "Parameters",
    "Picked",
    "PlanStep",
    "Release",
    "Retry",
    "Rule",
    "RuleAnalyst",
    "Settings",
    "Strategy",
    "Template",
    "Test",
    "apart",
    "attribute",
    "evolve",
    "learn",
    "pick",
    "read_strategies",
    "trial",
    "watch",
]

_HOMES = {
    "Account": "account",
    "Analyst": "analyst",
    "Diagnosis": "strategies",
    "Evolver": "evolver",
    "LLMAnalyst": "llm_analyst",
    "Lessons": "lessons",
    "Library": "library",
    "Lineage": "strategies",
    "Mend": "strategies",
    "Parameters": "strategies",
    "Picked": "matcher",
    "PlanStep": "strategies",
    "Release": "strategies",
    "Retry": "analyst",
    "Rule": "strategies",
    "RuleAnalyst": "analysis",
    "Settings": "entries",
    "Strategy": "strategies",
    "Template": "strategies",
    "Test": "release",
    "apart": "apart",
    "attribute": "attribution",
    "evolve": "cycle",
    "learn": "lessons",
    "pick": "matcher",
    "read_strategies": "files",
    "trial": "lessons",
    "watch": "watching",
}

__getattr__, __dir__ = lazy(__name__, _HOMES)
