"""Who has the cycle of a board: a fold of what was claimed, in the order of the board's log.

Laws:

- One cycle at a time: one that is begun while another is under way never was. Whoever reads the log finds the same, so of two that begin at
  once both know which it is.
- Taking a cycle over counts if it is from whoever has it then. So of two that do at once one has it, and whoever had it has it no more.
"""

from collections.abc import Iterable

from msgspec import Struct

from agents.evolution.entries import Began, Claim, Ended, TakenUp


class Cycle(Struct, frozen=True):
    """A cycle that was begun, who works on it, and how it ended."""

    began: Began
    hold: str
    """The token of whoever has it, or had it last."""
    by: str
    since: float
    """When they took it, in Unix seconds."""
    ended: Ended | None = None

    @property
    def id(self) -> str:
        """Its id."""
        return self.began.cycle


def cycles(claims: Iterable[Claim]) -> list[Cycle]:
    """The cycles of a board, oldest first; all but the last have ended."""
    found: list[Cycle] = []
    for claim in claims:
        under_way = found[-1] if found and found[-1].ended is None else None
        match claim:
            case Began():
                if under_way is None:
                    found.append(Cycle(claim, claim.hold, claim.by, claim.at))
            case TakenUp():
                if under_way and (under_way.id, under_way.hold) == (claim.cycle, claim.former):
                    found[-1] = Cycle(under_way.began, claim.hold, claim.by, claim.at)
            case Ended():
                if under_way and (under_way.id, under_way.hold) == (claim.cycle, claim.hold):
                    found[-1] = Cycle(under_way.began, under_way.hold, under_way.by, under_way.since, claim)
    return found


def under_way(claims: Iterable[Claim]) -> Cycle | None:
    """The cycle that has not ended, if there is one."""
    found = cycles(claims)
    return found[-1] if found and found[-1].ended is None else None
