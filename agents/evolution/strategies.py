"""Strategies: how tasks of some type are gone about, in versions that know where they come from (chapter 5, "Strategies").

A strategy is data: nothing in it is ever run. A version never changes; what becomes of it (it is tried, in force, retired) is the library's
business.
"""

from typing import Any, Literal

from msgspec import Struct

from agents.memory.records import Cause


class Rule(Struct, frozen=True, tag="rule", omit_defaults=True):
    """Under its strategy's conditions, another tool or other parameters.

    Which calls it is about the conditions say: ``{"tool": {"==": "query_sales"}}``.
    """

    use: str | None = None
    """The tool to call instead."""
    defaults: dict[str, Any] = {}
    """Parameters for a call that does not give them."""
    set: dict[str, Any] = {}
    """Parameters whatever a call gives."""
    advice: str = ""
    """What to mind, for whoever plans."""


class PlanStep(Struct, frozen=True, omit_defaults=True):
    """A step of a plan. Texts, also in parameters, may name variables: *{table}*."""

    say: str
    tool: str | None = None
    parameters: dict[str, Any] = {}


class Template(Struct, frozen=True, tag="template", omit_defaults=True):
    """A plan with variables."""

    steps: tuple[PlanStep, ...]
    variables: dict[str, Any] = {}
    """Name → its value, unless the task has a fact of that name."""


class Parameters(Struct, frozen=True, tag="parameters", omit_defaults=True):
    """Settings: a temperature, limits."""

    values: dict[str, str | int | float | bool]


Body = Rule | Template | Parameters


class Lineage(Struct, frozen=True, omit_defaults=True):
    """Where a version comes from."""

    parents: tuple[str, ...] = ()
    """As *name@version*."""
    failures: tuple[str, ...] = ()
    """Ids of the tasks that it was made for."""
    cycle: str = ""
    reason: str = ""
    """What speaks for it: the note of the mend that it is made of."""


class Strategy(Struct, frozen=True, omit_defaults=True):
    """One version of a strategy."""

    name: str
    body: Body
    version: int = 1
    types: tuple[str, ...] = ()
    """The types of task that it is for; none: all."""
    when: dict[str, dict[str, Any]] = {}
    """The conditions under which it applies, as ``agents.conditions`` reads them."""
    priority: int = 0
    """Of several that speak about the same thing the highest has its way."""
    note: str = ""
    lineage: Lineage = Lineage()

    @property
    def ref(self) -> str:
        """How it is named: *name@version*."""
        return f"{self.name}@{self.version}"


Status = Literal["candidate", "canary", "active", "retired", "rejected"]
"""What becomes of a version: proposed; in force for a share of tasks; in force; no longer; never."""


class Release(Struct, frozen=True, omit_defaults=True):
    """A version, and what has become of it."""

    strategy: Strategy
    status: Status
    share: float = 0.0
    """Of tasks, for which a canary is in force: above 0 and below 1."""
    by: str = ""
    """Who decided so: a person, for whatever goes live."""
    scores: dict[str, float] = {}
    """What it was measured by."""
    why: str = ""


class Mend(Struct, frozen=True, omit_defaults=True):
    """A change that might mend a failure."""

    strategy: str | None
    """The name of the strategy at fault; None: none spoke about it, and this is a new one."""
    body: Body
    when: dict[str, dict[str, Any]] = {}
    types: tuple[str, ...] = ()
    note: str = ""
    """Why this change: what was seen that speaks for it. A diagnosis has one reason, and may suggest mends of several things."""


class Diagnosis(Struct, frozen=True, omit_defaults=True):
    """Why a task failed, as far as can be told."""

    task: str
    cause: Cause
    agent: str
    """Whose decisive mistake it was."""
    turn: int
    """At which turn of its log."""
    reason: str
    confidence: float = 0.0
    """0…1."""
    mends: tuple[Mend, ...] = ()
    """The most promising first."""
