"""What has become of a strategy's versions, as a fold of what was decided about them, in the log's order.

Laws:
1. At most one version of a name is active. One that becomes so retires the one before it: there is no moment with two, or with none.
2. Nothing goes live without somebody's name: a decision that would, and has none, is passed over, whoever wrote it.
3. Of decisions made at the same time the one that the log has last counts.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from agents.evolution.strategies import Status

LIVE: frozenset[Status] = frozenset({"canary", "active"})
"""What is in force, for all tasks or for some."""


class Decision(Struct, frozen=True, omit_defaults=True):
    """What becomes of a version, and who says so."""

    version: int
    status: Status
    share: float = 0.0
    """Of tasks, for a canary."""
    by: str = ""
    """Who decided so."""
    scores: dict[str, float] = {}
    why: str = ""
    at: float = 0.0
    """Unix seconds."""
    said_by: str = ""
    """The agent that wrote it on the board, as the board knows it."""


def standing(decisions: Sequence[Decision]) -> dict[int, Decision]:
    """Version → what has become of it, in the order of the versions."""
    state: dict[int, Decision] = {}
    for decision in decisions:
        if decision.status in LIVE and not decision.by:
            continue
        if decision.status == "active":
            for version, other in state.items():
                if other.status == "active" and version != decision.version:
                    why = f"version {decision.version} took its place"
                    state[version] = replace(decision, version=version, status="retired", scores=other.scores, why=why)
        before = state.get(decision.version)
        # What was measured is told until something is measured anew.
        state[decision.version] = replace(decision, scores=decision.scores or (before.scores if before else {}))
    return dict(sorted(state.items()))


def earlier(decisions: Sequence[Decision], version: int) -> int | None:
    """The last version before this one that was in force for all tasks, and that nobody has rejected since; None: there is none."""
    were = {decision.version for decision in decisions if decision.status == "active" and decision.by}
    state = standing(decisions)
    return max((each for each in were if each < version and state[each].status != "rejected"), default=None)
