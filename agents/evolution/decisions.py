"""What has become of a strategy's versions, as a fold of what was decided about them, in the log's order.

Laws:
1. At most one version of a name is active. One that becomes so retires the one before it: there is no moment with two, or with none.
2. Nothing goes live without somebody's name: a decision that would, and has none, is passed over, whoever wrote it.
3. Of decisions made at the same time the one that the log has last counts.
"""

from collections.abc import Sequence
from math import isfinite

from msgspec import Struct
from msgspec.structs import replace

from agents.evolution.strategies import Status
from agents.evolution.validity import HIGHEST
from blackboard.errors import BadValue

LIVE: frozenset[Status] = frozenset({"canary", "active"})
"""What is in force, for all tasks or for some."""
LATEST = 253_402_300_799.0
"""The end of the year 9999, in Unix seconds: what is said to be later has no date."""


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


def validated(said: Decision) -> Decision:
    """``said``, if it can be a decision. Raises ``BadValue``."""
    if not 1 <= said.version <= HIGHEST:
        raise BadValue(f"version {said.version!r}: versions are counted from 1 to {HIGHEST:,}")
    if not said.by.strip():
        raise BadValue(f"by: nothing becomes {said.status} without somebody who says so: give a name")
    if said.status == "canary" and not 0 < said.share < 1:
        raise BadValue(f"share {said.share!r}: a canary is in force for a share of tasks above 0 and below 1")
    if said.status != "canary" and said.share:
        raise BadValue(f"share {said.share!r}: only a canary has a share of tasks, and this would be {said.status}")
    for name, score in said.scores.items():
        if not isfinite(score):
            raise BadValue(f"scores.{name}: {score!r} is no finite number")
    if not 0 <= said.at <= LATEST:
        raise BadValue(f"at {said.at!r}: give Unix seconds")
    return said


def standing(decisions: Sequence[Decision]) -> dict[int, Decision]:
    """Version → what has become of it, in the order of the versions."""
    state: dict[int, Decision] = {}
    for decision in decisions:
        if decision.status in LIVE and not decision.by:
            continue
        if decision.status == "active":
            for version, other in state.items():
                older_canary = other.status == "canary" and version < decision.version
                if version != decision.version and (other.status == "active" or older_canary):
                    why = f"version {decision.version} took its place"
                    state[version] = replace(decision, version=version, status="retired", scores=other.scores, why=why)
        before = state.get(decision.version)
        # What was measured is told until something is measured anew.
        state[decision.version] = replace(decision, scores=decision.scores or (before.scores if before else {}))
    return dict(sorted(state.items()))


def earlier(decisions: Sequence[Decision], version: int) -> int | None:
    """The version that was in force for all tasks before this one took its place; None: there is none.

    Where an earlier version came back, those in force since then are out of the way: who goes back again goes further back. So is what
    was retired or rejected.
    """
    were: list[int] = []
    for said in decisions:
        if said.status in {"retired", "rejected"} and said.version in were:
            were.remove(said.version)
        elif said.status == "active" and said.by:
            were = [*(were[: were.index(said.version)] if said.version in were else were), said.version]
    before = were[: were.index(version)] if version in were else []
    return before[-1] if before else None
