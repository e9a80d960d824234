"""The scent field (chapter 3): messages in, facts with a confidence out. It needs no board, and is part of one.

text ─► observe ─► scents ─► ContextGovernor ─► PheromoneField ─► RecallKernel ─► facts
"""

from blackboard.scent.field import PheromoneField
from blackboard.scent.governor import ContextGovernor
from blackboard.scent.kernel import RecallKernel
from blackboard.scent.observing import observe
from blackboard.scent.rules import Rules
from blackboard.scent.rules_file import load_rules
from blackboard.scent.settings import UnusualSettings, commerce, tutoring
from blackboard.scent.superposition import superpose
from blackboard.scent.tables import BadRule
from blackboard.scent.traces import Snapshot
from bus.messages import Fact, Facts, FieldSettings, Scent

__all__ = [
    "BadRule",
    "ContextGovernor",
    "Fact",
    "Facts",
    "FieldSettings",
    "PheromoneField",
    "RecallKernel",
    "Rules",
    "Scent",
    "Snapshot",
    "UnusualSettings",
    "commerce",
    "load_rules",
    "observe",
    "superpose",
    "tutoring",
]
