"""The scent field (chapter 3): messages in, facts with a confidence out. It needs no board, and is part of one.

text ─► observe ─► scents ─► ContextGovernor ─► PheromoneField ─► RecallKernel ─► facts
"""

from blackboard.scent.field import PheromoneField
from blackboard.scent.governor import ContextGovernor
from blackboard.scent.kernel import RecallKernel
from blackboard.scent.settings import UnusualSettings, commerce, tutoring
from blackboard.scent.superposition import superpose
from blackboard.scent.traces import Snapshot
from bus.messages import Fact, Facts, FieldSettings, Scent

__all__ = [
    "ContextGovernor",
    "Fact",
    "Facts",
    "FieldSettings",
    "PheromoneField",
    "RecallKernel",
    "Scent",
    "Snapshot",
    "UnusualSettings",
    "commerce",
    "superpose",
    "tutoring",
]
