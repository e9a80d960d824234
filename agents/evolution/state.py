"""How far a cycle is, and what comes next: a fold of its work.

Laws:

- What is next follows from what was written, so a cycle that was killed goes on where it was, and comes to what it would have come to.
- Of two entries about the same unit of work the first counts.
- Candidates of one name are alternatives: the first that holds is proposed, and the others are not tried.
- A candidate is tried on top of those that held before it, so that what is proposed together holds together.
- Once the budget is spent nothing is begun that spends; what is whole by then is proposed.
- A candidate for which no retry gave a verdict is the last that is tried: it is the retry that is to be mended, and nothing was learned.
"""

from collections.abc import Iterable

from msgspec import Struct, field

from agents.evolution.changes import identity
from agents.evolution.entries import Alive, Analysed, Chosen, Judged, Proposed, Retried, Settings, Spent, Stopped, Varied, Work
from agents.evolution.evaluation import Tried
from agents.evolution.strategies import Strategy


class Choose(Struct, frozen=True, tag=True):
    """Choose the failures to learn from, and the tasks to try candidates on."""


class Analyse(Struct, frozen=True, tag=True):
    """Find out why a task failed."""

    task: str


class Vary(Struct, frozen=True, tag=True):
    """Make candidates."""


class Evaluate(Struct, frozen=True, tag=True):
    """Try a candidate, as far as that is to be done, and judge it."""

    candidate: Strategy


class Propose(Struct, frozen=True, tag=True):
    """Put a candidate that holds before those who review."""

    candidate: Strategy


class End(Struct, frozen=True, tag=True):
    """End the cycle."""


Unit = Choose | Analyse | Vary | Evaluate | Propose | End


class State(Struct):
    """A cycle's work so far. Only ``take`` changes it."""

    settings: Settings
    chosen: Chosen | None = None
    analysed: dict[str, Analysed] = field(default_factory=dict)
    varied: Varied | None = None
    tried: dict[tuple[str, str], Tried] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    proposed: dict[str, str] = field(default_factory=dict)
    """Candidate → *name@version*."""
    spent: Spent = Spent()
    stopped: str = ""
    """Why nothing is begun any more that spends."""

    @classmethod
    def of(cls, settings: Settings, work: Iterable[Work]) -> "State":
        """The state that this work left."""
        state = cls(settings)
        for entry in work:
            state.take(entry)
        return state

    def take(self, entry: Work) -> None:
        """A unit of work is finished."""
        match entry:
            case Chosen():
                self.chosen = self.chosen or entry
            case Analysed():
                self.analysed.setdefault(entry.task, entry)
            case Varied():
                self.varied = self.varied or entry
            case Retried():
                for each in entry.tried:
                    self.tried.setdefault((each.task, each.strategies), each)
            case Judged():
                self.judged.setdefault(entry.candidate, entry)
                self.stopped = self.stopped or self.trouble
            case Proposed():
                self.proposed.setdefault(entry.candidate, entry.ref)
            case Stopped():
                self.stopped = self.stopped or entry.why
            case Alive():
                pass
        self.spent += entry.spent
        self.stopped = self.stopped or exceeded(self.settings, self.spent)

    @property
    def next(self) -> Unit:
        """What is to be done next."""
        if self.chosen is None:
            return Choose()
        if self.varied is None:
            waiting = [each.task for each in self.chosen.failures if each.task not in self.analysed]
            return Vary() if self.stopped or not waiting else Analyse(waiting[0])
        settled: set[str] = set()
        for candidate in self.varied.candidates:
            if candidate.name in settled:
                continue
            judged = self.judged.get(identity(candidate))
            if judged is None and not self.stopped:
                return Evaluate(candidate)
            if judged and judged.evaluation.verdict == "holds":
                settled.add(candidate.name)
                if identity(candidate) not in self.proposed:
                    return Propose(candidate)
        return End()

    @property
    def trouble(self) -> str:
        """Why no retry at all gave a verdict; empty: some did, or none was tried."""
        if not self.tried or any(each.outcome for each in self.tried.values()):
            return ""
        return f"no retry gave a verdict: {next(iter(self.tried.values())).why}"

    @property
    def holding(self) -> list[Strategy]:
        """The candidates that hold. Each one after the first was tried on top of those before it."""
        return [
            each
            for each in (self.varied.candidates if self.varied else ())
            if (judged := self.judged.get(identity(each))) and judged.evaluation.verdict == "holds"
        ]

    @property
    def steps(self) -> tuple[int, int]:
        """How many units of work are done, and how many there are as far as is known: for whoever watches."""
        done = (self.chosen is not None) + len(self.analysed) + (self.varied is not None) + len(self.judged)
        of = 2 + (len(self.chosen.failures) if self.chosen else 0) + (len(self.varied.candidates) if self.varied else 0)
        return done, max(done, of)


def exceeded(settings: Settings, spent: Spent) -> str:
    """Which budget is spent; empty: none."""
    if spent.retries >= settings.retries:
        return f"the budget of {settings.retries:,} retries is spent"
    if settings.tokens is not None and spent.tokens >= settings.tokens:
        return f"the budget of {settings.tokens:,} tokens is spent"
    return ""
