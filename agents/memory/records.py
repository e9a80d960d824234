"""What is kept about an agent's work: turns, steps, tasks, and what many of them came to (chapter 5, "Compression, three tiers").

A record is what it says: it never changes, and two that say the same are equal. All are plain data, and read from JSON strictly: a field of
another type raises ``BadValue`` with its path.
"""

from typing import Any, Literal

from msgspec import Struct

Outcome = Literal["success", "failure"]
NOT_AGENTS = frozenset({"user", "system", "tool"})
"""Who takes turns in a log and is no agent."""
Cause = Literal["plan", "tool", "misunderstanding", "environment"]
"""What a failure comes from: a flaw of the plan, a tool misused, a request misunderstood, or the environment."""


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A tool was called: with which parameters, and what came of it."""

    name: str
    parameters: dict[str, Any] = {}
    result: Any = None
    error: str | None = None
    """What went wrong, as the tool said it; None: nothing did."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """One turn of a task: something that somebody said or did. A turn's number is its place in its log, from 0."""

    by: str
    """*user*, *system*, *tool*, or an agent's name."""
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    tokens: int = 0
    """What it cost; 0: not known."""
    seconds: float = 0.0
    done: bool = False
    """A sub-step ends with it."""


class Verdict(Struct, frozen=True, omit_defaults=True):
    """How a task ended, and who says so."""

    outcome: Outcome
    feedback: str = ""
    """What whoever judged it said, to the letter."""
    by: str = ""
    expected: tuple[ToolCall, ...] | None = None
    """The calls that ought to have been made, where that is known: of a test, say."""


class TaskLog(Struct, frozen=True, omit_defaults=True):
    """A task as it went, turn by turn."""

    id: str
    agent: str
    request: str
    type: str = ""
    turns: tuple[Turn, ...] = ()
    verdict: Verdict | None = None
    """None: it is under way, or was left."""
    critical: bool = False
    tools: tuple[str, ...] = ()
    """Those that were at hand, sorted; those that were called are in the turns."""
    facts: dict[str, Any] = {}
    """What the agent knows of the task beside the request: flat, for conditions to ask about."""
    strategies: tuple[str, ...] = ()
    """Those in force, as *name@version*."""
    recalled: tuple[str, ...] = ()
    """Ids of the experiences that went into it."""
    began: float = 0.0
    ended: float = 0.0
    """Unix seconds."""


class StepRecord(Struct, frozen=True, omit_defaults=True):
    """What several turns came to (tier 1)."""

    first: int
    last: int
    """Their numbers, both counted in."""
    intent: str
    actions: tuple[ToolCall, ...] = ()
    """What was called, with parameters as they were; results are left in the turns."""
    state: str = ""
    """What had been reached at the end of it."""
    kept: tuple[str, ...] = ()
    """Sentences that must not be lost, to the letter: what must or must not be, and what was promised."""
    figures: tuple[str, ...] = ()
    """Numbers that agents said and that stand in none of the above, as they said them."""


class TaskRecord(Struct, frozen=True, omit_defaults=True):
    """What a task came to (tier 2)."""

    id: str
    agent: str
    request: str
    outcome: Outcome
    fingerprint: str
    """Equal for tasks that went the same way: see ``agents.memory.tasks``."""
    type: str = ""
    steps: tuple[StepRecord, ...] = ()
    path: tuple[str, ...] = ()
    """The key sequence of its steps: the tools that were called, in order, each run of one once."""
    failed_at: int | None = None
    """The turn at which it went wrong, as far as it is known."""
    cause: Cause | None = None
    lesson: str = ""
    tools: tuple[str, ...] = ()
    """Those that were called, sorted."""
    kept: tuple[str, ...] = ()
    feedback: str = ""
    critical: bool = False
    facts: dict[str, Any] = {}
    strategies: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    turns: int = 0
    tokens: int = 0
    seconds: float = 0.0
    began: float = 0.0
    ended: float = 0.0


class Experience(Struct, frozen=True, omit_defaults=True):
    """What many tasks came to (tier 3): a path that is recommended, or one that failed, and when that applies."""

    id: str
    outcome: Outcome
    lesson: str
    request: str = ""
    """That of a task behind it, the one that is most like the others."""
    about: tuple[str, ...] = ()
    """The words that the requests of all of them have, as they stand in ``request``; not those that say nothing."""
    type: str = ""
    when: dict[str, dict[str, Any]] = {}
    """The conditions under which it applies, as ``agents.conditions`` reads them."""
    path: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    """Ids of the tasks behind it, sorted."""
