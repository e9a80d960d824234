"""What a cycle writes down as it goes: each finished unit of work is one entry, and nothing else is remembered of it.

Entries of two sorts lie in two places: those that say who has the cycle and how it ended (``Claim``), of all cycles together, and a cycle's
own work (``Work``). Both are plain data, and read from JSON strictly.
"""

from msgspec import Struct

from agents.evolution.evaluation import Evaluation, Tried
from agents.evolution.selecting import Selected
from agents.evolution.strategies import Diagnosis, Strategy
from blackboard.errors import BadValue


class Settings(Struct, frozen=True, omit_defaults=True):
    """What a cycle is to do, and what it may spend. Raises ``BadValue``, which names the field."""

    failures: int = 20
    """At most so many are learned from."""
    aside: float = 0.25
    """The share of tasks that take no part in the evolution; candidates are tried on them."""
    generalises: bool = True
    """Whether a candidate must hold on those. Without, one that fits its failures alone gets through."""
    candidates: int = 8
    """At most so many are tried."""
    retries: int = 1000
    """The budget, in retries of tasks."""
    tokens: int | None = None
    """The budget, in a model's tokens, of retries and of the analyst. None: whatever they have themselves."""
    each: int = 200
    """Retries for one candidate, at most."""

    def __post_init__(self) -> None:
        for name in ("failures", "candidates", "retries", "tokens", "each"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise BadValue(f"{name} {value!r}: give a number of at least 1")
        if not 0 <= self.aside < 1:
            raise BadValue(f"aside {self.aside!r}: the share of tasks that take no part is at least 0 and below 1")


class Spent(Struct, frozen=True, omit_defaults=True):
    """What was spent."""

    retries: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.retries + other.retries, self.tokens + other.tokens, self.seconds + other.seconds)


# ---- who has it -------------------------------------------------------------------------------------------------------------------------


class Began(Struct, frozen=True, tag="began", omit_defaults=True):
    """A cycle is begun, if none is under way."""

    cycle: str
    hold: str
    """A token that whoever works on it drew: what is said under another is not counted."""
    by: str
    at: float
    """Unix seconds."""
    settings: Settings = Settings()


class TakenUp(Struct, frozen=True, tag="taken up", omit_defaults=True):
    """A cycle that somebody left is gone on with, if ``former`` has it still."""

    cycle: str
    hold: str
    former: str
    by: str
    at: float


class Ended(Struct, frozen=True, tag="ended", omit_defaults=True):
    """A cycle is over."""

    cycle: str
    hold: str
    at: float
    why: str
    """What came of it, in a sentence."""
    learned: tuple[str, ...] = ()
    """Ids of the failures that were learned from: later cycles do not take them again."""
    turned_down: tuple[str, ...] = ()
    """The ``changes.identity`` of candidates that did not hold: while the same is in force, later cycles do not try them again."""
    live: tuple[str, ...] = ()
    """What was in force, as *name@version*."""
    proposed: tuple[str, ...] = ()
    """Candidates that await review, as *name@version*."""
    spent: Spent = Spent()


Claim = Began | TakenUp | Ended


# ---- its work ---------------------------------------------------------------------------------------------------------------------------


class Chosen(Struct, frozen=True, tag="chosen", omit_defaults=True):
    """Which tasks it is about. From here on what happens beside it does not matter to it."""

    failures: tuple[Selected, ...]
    successes: tuple[str, ...] = ()
    """Ids of tasks that went well, the newest first."""
    aside: tuple[str, ...] = ()
    """Ids of tasks that take no part."""
    live: tuple[str, ...] = ()
    """The strategies in force, as *name@version*."""
    spent: Spent = Spent()


class Analysed(Struct, frozen=True, tag="analysed", omit_defaults=True):
    """One failure was looked into."""

    task: str
    diagnosis: Diagnosis | None
    trouble: str = ""
    """Why there is none."""
    spent: Spent = Spent()


class Varied(Struct, frozen=True, tag="varied", omit_defaults=True):
    """What is to be tried."""

    candidates: tuple[Strategy, ...]
    changes: tuple[str, ...] = ()
    """What each does otherwise than what is in force, in words."""
    left_out: tuple[str, ...] = ()
    """What was not made into one, and why."""
    spent: Spent = Spent()


class Retried(Struct, frozen=True, tag="retried", omit_defaults=True):
    """Some tasks were done once more."""

    tried: tuple[Tried, ...]
    spent: Spent = Spent()


class Judged(Struct, frozen=True, tag="judged", omit_defaults=True):
    """What a candidate came to."""

    candidate: str
    """Its ``changes.identity``."""
    evaluation: Evaluation
    spent: Spent = Spent()


class Proposed(Struct, frozen=True, tag="proposed", omit_defaults=True):
    """A candidate that held is in the library, where it awaits review."""

    candidate: str
    ref: str
    spent: Spent = Spent()


class Stopped(Struct, frozen=True, tag="stopped", omit_defaults=True):
    """Nothing is begun any more that spends."""

    why: str
    spent: Spent = Spent()


class Alive(Struct, frozen=True, tag="alive", omit_defaults=True):
    """A sign of life, where a unit of work takes long."""

    spent: Spent = Spent()


Work = Chosen | Analysed | Varied | Retried | Judged | Proposed | Stopped | Alive
