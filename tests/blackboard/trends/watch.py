"""One item under one detector, driven as a board drives it."""

from collections.abc import Callable, Iterable

from blackboard.trends import Detector, Finding, Moment

UNIX = 1_700_000_000


def never(_threshold: float) -> float | None:
    """A policy that takes the item nowhere."""
    return None


class Watch:
    """One item under one detector, as a board on rounds drives it: what is due first, then the unit."""

    def __init__(
        self,
        detector: Detector,
        *,
        t: float = 0,
        strength: float = 4.0,
        kind: str = "fact",
        falls_below: Callable[[float], float | None] = never,
    ) -> None:
        self.detector, self.strength, self.kind, self.falls_below = detector, strength, kind, falls_below
        self.found: list[tuple[float, Finding]] = []
        fresh = Moment(t, 0.0, strength, kind=kind, fresh=True)
        self.state = detector.begin(fresh)
        self.notice(fresh)

    def notice(self, moment: Moment) -> None:
        finding = self.detector.notice(self.state, moment)
        if finding is not None:
            self.found.append((moment.t, finding))
        self.strength = moment.after

    def until(self, t: float) -> None:
        """Let time pass."""
        due = self.detector.due(self.state, self.falls_below)
        while due is not None and due <= t:
            self.notice(Moment(due, self.strength, self.strength, kind=self.kind))
            due = self.detector.due(self.state, self.falls_below)

    def confirm(self, t: float, *agents: str, delta: float = 0.5) -> None:
        """One unit in which each of ``agents`` confirms."""
        self.until(t)
        after = self.strength + delta * len(agents)
        self.notice(Moment(t, self.strength, after, tuple((agent, delta) for agent in agents), self.kind))

    def use(self, t: float, added: float = 0.25) -> None:
        self.until(t)
        self.notice(Moment(t, self.strength, self.strength + added, kind=self.kind))

    def stand(self, t: float, strength: float, *agents: str) -> None:
        """Be at ``strength``, by confirmations of ``agents`` or without any."""
        self.notice(Moment(t, self.strength, strength, tuple((agent, 0.5) for agent in agents), self.kind))

    @property
    def times(self) -> list[float]:
        return [t for t, _ in self.found]


def every(step: int, rounds: Iterable[int], watch: Watch, *agents: str) -> None:
    """``agents`` confirm in every ``step``-th of ``rounds``."""
    for t in rounds:
        if t % step == 0:
            watch.confirm(t, *agents)
