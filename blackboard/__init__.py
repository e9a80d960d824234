"""A pheromone blackboard: shared memory for crews of agents.

``PheromoneNetwork`` is the network alone, without a bus and without an event loop; ``open`` and ``open_sync`` give an agent its board.
Names are loaded when they are first asked for, so that importing the package stays quick, and the network never loads an event loop.
"""

from typing import TYPE_CHECKING

from blackboard.lazy import lazy

if TYPE_CHECKING:
    from blackboard.config import BoardConfig
    from blackboard.decay import half_life_to_rate, rate_to_half_life
    from blackboard.errors import BlackboardError, Refused
    from blackboard.items import ContextItem, Edge
    from blackboard.kinds import Policy, policy
    from blackboard.network import PheromoneNetwork
    from blackboard.opening import open  # noqa: A004 - blackboard.open, as one opens a file
    from blackboard.section import without_memory
    from blackboard.summaries import Extractive, Summariser
    from blackboard.sync import open_sync
    from blackboard.trends import Detector, Evidence, Finding, Moment

__all__ = [
    "BlackboardError",
    "BoardConfig",
    "ContextItem",
    "Detector",
    "Edge",
    "Evidence",
    "Extractive",
    "Finding",
    "Moment",
    "PheromoneNetwork",
    "Policy",
    "Refused",
    "Summariser",
    "half_life_to_rate",
    "open",
    "open_sync",
    "policy",
    "rate_to_half_life",
    "without_memory",
]

_HOMES = {
    "BlackboardError": "errors",
    "BoardConfig": "config",
    "ContextItem": "items",
    "Detector": "trends",
    "Edge": "items",
    "Evidence": "trends",
    "Extractive": "summaries",
    "Finding": "trends",
    "Moment": "trends",
    "PheromoneNetwork": "network",
    "Policy": "kinds",
    "Refused": "errors",
    "Summariser": "summaries",
    "half_life_to_rate": "decay",
    "open": "opening",
    "open_sync": "sync",
    "policy": "kinds",
    "rate_to_half_life": "decay",
    "without_memory": "section",
}

__getattr__, __dir__ = lazy(__name__, _HOMES)
