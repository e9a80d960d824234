"""Kinds of items, and what each kind's policy is (chapter 2, "Kinds and their defaults").

Policies are configuration: a board may change the defaults, and a new kind is one line of ``policy(...)``.

Law: a policy that cannot be is not made, whether it was written here, read from a file, or from a board's origin.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from blackboard.decay import half_life_to_rate, rate_to_half_life
from blackboard.errors import BadValue

CONSTRAINT = "constraint"
PREFERENCE = "preference"
TRACE = "trace"
"""The kind of drafts, and of thoughts in between."""
SLOT = "slot"
"""The kind of a value that takes the place of the one before: what a conversation states."""
STATE = "state"
"""The kind of what is the case for now: what a conversation asks for."""
SUMMARY = "summary"
"""The kind of what several faded items said together."""
TURN, STEP, TASK = "turn", "step", "task"
"""The kinds of what a task's log holds: its turns, what several of them came to, and the task as a whole."""
EXPERIENCE = "experience"
"""The kind of what many tasks came to."""
STRATEGY, CYCLE = "strategy", "cycle"
"""The kinds of how tasks are gone about, and of the work of changing that: these never fade."""
RECORDS = frozenset({TRACE, TURN, STEP, TASK, EXPERIENCE, STRATEGY, CYCLE})
"""Drafts, and what agents keep about their work: none of it enters a prompt unless it is asked for."""
STRONGEST = 1e6
"""No strength that is given, and no delta, may be above it."""

Then = Literal["archive", "fold", "discard"]


def amount(value: object, what: str) -> float:
    """A strength or a delta that may be given: above 0, at most 10⁶; else ``BadValue``."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= STRONGEST:
        raise BadValue(f"{what} {value!r}: give a number above 0 and at most {STRONGEST:,.0f}")
    return float(value)


class Policy(Struct, frozen=True, kw_only=True):
    """What becomes of a kind's items by time and by use. Times are rounds, or seconds on a wall-clock board."""

    name: str
    initial: float
    """The strength of a first deposit that gives none."""
    rate: float
    """η: what evaporates in a round (or a second)."""
    threshold: float
    """An item strictly below it fades."""
    then: Then
    """What fading means."""
    protect: float = 3.0
    """A new item does not evaporate by policy for so long."""
    confirm: float = 0.5
    """What a confirmation adds."""
    use: float = 0.5
    """δ: what a use adds at most."""

    def __post_init__(self) -> None:
        """Raises ``BadValue``, which names the kind and the field."""
        if not self.name:
            raise BadValue("a kind needs a name")
        for field in SETTINGS:
            value = getattr(self, field)
            if fault := _fault(field, value):
                raise BadValue(f"kind {self.name!r}: {field} is {fault}")
            if field != "then":
                force_setattr(self, field, float(value))  # 1 and 1.0 differ in what a replay encodes


SETTINGS = ("initial", "rate", "threshold", "then", "protect", "confirm", "use")
"""The fields of a policy, in the order in which people read them."""


def _fault(field: str, value: Any) -> str | None:
    """Why a policy's field cannot be this."""
    if field == "then":
        return None if value in get_args(Then) else f"one of {', '.join(get_args(Then))}, not {value!r}"
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"a number, not {value!r}"
    match field:
        case "rate":
            return None if 0 <= value < 1 else f"at least 0 and below 1, not {value!r}"
        case "half_life":
            return None if value > 0 else f"above 0 (inf: it never fades), not {value!r}"
        case "initial":
            return None if 0 < value <= STRONGEST else f"above 0 and at most {STRONGEST:g}, not {value!r}"
        case _:
            return None if math.isfinite(value) and value >= 0 else f"a finite number of at least 0, not {value!r}"


def policy(
    name: str,
    *,
    initial: float,
    rate: float | None = None,
    half_life: float | None = None,
    threshold: float = 1.0,
    then: Then = "archive",
    protect: float = 3.0,
    confirm: float = 0.5,
    use: float = 0.5,
) -> Policy:
    """A kind's policy, from its evaporation ``rate`` or its ``half_life``. Raises ``BadValue``, which names the field."""
    if (rate is None) == (half_life is None):
        raise BadValue(f"kind {name!r}: give either rate or half_life")
    if rate is None:
        assert half_life is not None
        rate = half_life_to_rate(half_life)
    return Policy(name=name, initial=initial, rate=rate, threshold=threshold, then=then, protect=protect, confirm=confirm, use=use)


DEFAULTS: Mapping[str, Policy] = {
    kind.name: kind
    for kind in (
        policy(CONSTRAINT, initial=8.0, rate=0.005),
        policy(PREFERENCE, initial=6.0, rate=0.02),
        policy("fact", initial=4.0, rate=0.02, then="fold"),
        policy(SLOT, initial=4.0, rate=0.02),
        policy("tool_result", initial=4.0, rate=0.03, then="fold"),
        policy(SUMMARY, initial=3.0, rate=0.02, threshold=0.5),
        policy(STATE, initial=2.0, rate=0.05, then="discard"),
        policy(TRACE, initial=1.0, rate=0.1, threshold=0.5, then="discard"),
        policy(TURN, initial=2.0, rate=0.05),
        policy(STEP, initial=3.0, rate=0.02),
        policy(TASK, initial=4.0, rate=0.02),
        policy(EXPERIENCE, initial=6.0, rate=0.005),
        policy(STRATEGY, initial=6.0, rate=0.0),
        policy(CYCLE, initial=6.0, rate=0.0),
    )
}
"""The kinds that a board has if it is not told otherwise, by the round."""

EDGE = policy("edge", initial=1.0, rate=0.02, threshold=0.1, then="discard", protect=0.0, confirm=0.2, use=0.2)
"""How edges fade, by the round."""


def wall_clock(kinds: Mapping[str, Policy], seconds_per_round: float = 60.0) -> dict[str, Policy]:
    """The same kinds by the second: half-lives and protection last as many seconds as those rounds take. Raises ``BadValue``."""
    if not (math.isfinite(seconds_per_round) and seconds_per_round > 0):
        raise BadValue(f"a round takes a finite number of seconds above 0, not {seconds_per_round!r}")
    return {
        name: replace(
            kind,
            rate=half_life_to_rate(rate_to_half_life(kind.rate) * seconds_per_round),
            protect=kind.protect * seconds_per_round,
        )
        for name, kind in kinds.items()
    }


def configured(tables: Mapping[str, Any], base: Mapping[str, Policy]) -> dict[str, Policy]:
    """Kinds as a board's file of kinds gives them: name → a table of ``SETTINGS``, with ``half_life`` for ``rate`` if you like.

    What a table leaves out is as in ``base``; a new kind gives its ``initial`` and its pace. A ``Policy`` will do for a table. Raises
    ``BadValue``, which names the line's key, as in ``kinds.fact.half_life``.
    """
    return {name: given if isinstance(given, Policy) else _configured(name, given, base.get(name)) for name, given in tables.items()}


def _configured(name: str, table: Any, base: Policy | None) -> Policy:
    where = f"kinds.{name}"
    if not isinstance(table, Mapping):
        raise BadValue(f"{where}: give a table of {', '.join(SETTINGS)}, not {table!r}")
    for field, value in table.items():
        if field not in {*SETTINGS, "half_life"}:
            raise BadValue(f"{where}.{field}: a kind has no such setting: there are {', '.join(SETTINGS)}, and half_life for rate")
        if fault := _fault(field, value):
            raise BadValue(f"{where}.{field}: it is {fault}")
    given = dict(table)
    if "half_life" in given:
        if "rate" in given:
            raise BadValue(f"{where}.half_life: there is a rate, too: give either")
        given["rate"] = half_life_to_rate(given.pop("half_life"))
    if base is None:
        for field, way in {"initial": "initial", "rate": "half_life (or rate)"}.items():
            if field not in given:
                raise BadValue(f"{where}.{field}: a new kind needs its {way}")
        return policy(name, **given)
    return replace(base, **given)


def table(kind: Policy) -> dict[str, Any]:
    """A policy as a table of settings, all of them."""
    return {field: getattr(kind, field) for field in SETTINGS}
