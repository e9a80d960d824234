"""What a cycle did, for people: what was selected and why, what was tried, what came of it, and what it cost."""

from msgspec import Struct

from agents.evolution.changes import identity
from agents.evolution.claims import Cycle
from agents.evolution.entries import Settings, Spent
from agents.evolution.evaluation import Evaluation
from agents.evolution.selecting import Selected
from agents.evolution.state import State
from agents.evolution.strategies import Diagnosis, Strategy


class Candidate(Struct, frozen=True):
    """A candidate, and what became of it."""

    strategy: Strategy
    change: str
    """What it does otherwise than what is in force."""
    evaluation: Evaluation | None
    """None: the budget did not reach that far, or another candidate of the name held before."""
    ref: str = ""
    """As *name@version*, if it awaits review."""


class Account(Struct, frozen=True):
    """A cycle, as far as it is."""

    cycle: str
    by: str
    began: float
    ended: float | None
    """Unix seconds; None: it is under way."""
    why: str
    """What came of it."""
    settings: Settings
    spent: Spent
    selected: tuple[Selected, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    unexplained: dict[str, str] = {}
    """Failures without a diagnosis → why there is none."""
    candidates: tuple[Candidate, ...] = ()
    left_out: tuple[str, ...] = ()
    trouble: str = ""
    """Why no retry at all gave a verdict; empty: some did, or none was tried."""

    @property
    def proposed(self) -> tuple[str, ...]:
        """The candidates that await review, as *name@version*."""
        return tuple(candidate.ref for candidate in self.candidates if candidate.ref)


def account(cycle: Cycle, state: State) -> Account:
    """What a cycle with this state did."""
    chosen, varied = state.chosen, state.varied
    judged = {candidate: each.evaluation for candidate, each in state.judged.items()}
    analysed = state.analysed.values()
    return Account(
        cycle=cycle.id,
        by=cycle.by,
        began=cycle.began.at,
        ended=cycle.ended.at if cycle.ended else None,
        why=cycle.ended.why if cycle.ended else "it is under way",
        settings=state.settings,
        spent=state.spent,
        selected=chosen.failures if chosen else (),
        diagnoses=tuple(each.diagnosis for each in analysed if each.diagnosis),
        unexplained={each.task: each.trouble for each in analysed if each.diagnosis is None},
        candidates=tuple(
            Candidate(each, change, judged.get(identity(each)), state.proposed.get(identity(each), ""))
            for each, change in (zip(varied.candidates, varied.changes, strict=True) if varied else ())
        ),
        left_out=varied.left_out if varied else (),
        trouble=state.trouble,
    )


def scores(evaluation: Evaluation) -> dict[str, float]:
    """In figures, to be kept with the version: the share of each set that succeeded, before and after."""
    sets = {"failures": evaluation.failures, "successes": evaluation.successes, "aside": evaluation.aside}
    return {
        f"{name} {when}": getattr(counts, when) / counts.judged
        for name, counts in sets.items()
        if counts and counts.judged
        for when in ("before", "after")
    }
