"""What a board is made with: its origin, kept with its log, so that a replay begins from the same place."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from blackboard.errors import BadValue
from blackboard.kinds import DEFAULTS, EDGE, Policy, configured, wall_clock
from blackboard.limits import Limits
from blackboard.trends import Detector, defaults
from blackboard.trends.detector import positive
from bus.messages import Time


class BoardConfig(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A board's settings. Times are in rounds; on a wall-clock board a round counts as ``round_seconds``."""

    name: str
    time: Time = "rounds"
    round_seconds: float = 60.0
    core: float = 3.0
    """Items at or above this strength are *core* (chapter 2)."""
    patience: float = 10.0
    """K of chapter 1: how long a constraint may go without a confirmation."""
    kinds: dict[str, Policy] = {}
    """Kinds beside, or in place of, the defaults; on a wall-clock board in seconds. *edge* is how edges fade."""
    rate: float | None = 2000.0
    """Observations a second that one agent may say to a board that is served; None: as many as it likes."""
    burst: float = 2000.0
    """So many more at once."""
    detectors: tuple[str, ...] = ()
    """Name and version of the detectors that the log was made with; empty: not settled yet."""

    def __post_init__(self) -> None:
        """Raises ``BadValue``, which names the setting; what is read back is what was written down, to the type of a number."""
        for setting in ("round_seconds", "core", "patience", "rate", "burst"):
            value = getattr(self, setting)
            if value is not None:
                force_setattr(self, setting, float(positive(f"board {self.name!r}", setting, value)))

    @property
    def scale(self) -> float:
        """The board's unit of time in rounds: 1, or the seconds of a round."""
        return 1.0 if self.time == "rounds" else self.round_seconds

    @property
    def limits(self) -> Limits | None:
        """How fast one agent may speak; None: as fast as it likes."""
        return None if self.rate is None else Limits(self.rate, self.burst)

    def policies(self) -> Mapping[str, Policy]:
        """Every kind that the board knows."""
        table = {**self._defaults(), **self.kinds}
        del table[EDGE.name]
        return table

    def edge_policy(self) -> Policy:
        """The decay of edges."""
        return self.kinds.get(EDGE.name) or self._defaults()[EDGE.name]

    def with_kinds(self, tables: Mapping[str, Any]) -> "BoardConfig":
        """The same board with these kinds beside, or in place of, the defaults, and no others. Raises ``BadValue``, which names the key."""
        return replace(self, kinds=configured(tables, self._defaults()))

    def _defaults(self) -> dict[str, Policy]:
        table = {**DEFAULTS, EDGE.name: EDGE}
        return table if self.time == "rounds" else wall_clock(table, self.round_seconds)

    def with_detectors(self, given: tuple[Detector, ...] | None) -> tuple["BoardConfig", tuple[Detector, ...]]:
        """Settle the detectors: the defaults if none are given. ``BadValue`` if the log was made with others."""
        detectors = defaults(self.scale, patience=self.patience, core=self.core) if given is None else given
        labels = tuple(label(d) for d in detectors)
        if self.detectors and self.detectors != labels:
            raise BadValue(
                f"board {self.name!r} was made with the detectors {', '.join(self.detectors)}, not {', '.join(labels)}: "
                "give the same ones, since a replay must raise the same signals"
            )
        return replace(self, detectors=labels), detectors


def label(detector: Detector) -> str:
    """``name/version``, as the log records it."""
    return f"{detector.name}/{detector.version}"
