"""Constraints: what a predicate means, whether a value keeps it, and how a constraint stands (chapter 1, "Constraint tracking").

A constraint is an item; its predicate, if it has one, is ``(op, value, unit)`` on the quantity that its ``key`` names. Checking is advice,
never a lock.
"""

from collections.abc import Callable
from typing import Any

from blackboard.errors import BadValue, UnitMismatch
from blackboard.items import ContextItem
from blackboard.patterns import pattern
from bus.messages import ConstraintStatus

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda value, bound: bool(value <= bound),
    "<": lambda value, bound: bool(value < bound),
    ">=": lambda value, bound: bool(value >= bound),
    ">": lambda value, bound: bool(value > bound),
}
OPERATORS = (*_ORDERINGS, "==", "!=", "in", "not_in", "matches")


def check_predicate(op: str, value: Any) -> None:
    """Raise ``BadValue`` unless ``op`` is an operator and ``value`` a bound that it can take."""
    if op not in OPERATORS:
        raise BadValue(f"operator {op!r}: use one of {' '.join(OPERATORS)}")
    if value is None:
        raise BadValue(f"a constraint with operator {op!r} needs a value to compare with")
    if op in _ORDERINGS and not _ordered(value):
        raise BadValue(f"{op!r} compares numbers or texts: {value!r} is neither")
    if op in {"in", "not_in"} and not isinstance(value, (list, tuple)):
        raise BadValue(f"{op!r} takes a list of values: {value!r} is none")
    if op == "matches":
        if not isinstance(value, str):
            raise BadValue(f"'matches' takes a regular expression: {value!r} is none")
        pattern(value)


def holds(op: str, bound: Any, value: Any) -> bool | None:
    """Does ``value`` keep ``op bound``? ``None`` where the two cannot be compared (a text against a number)."""
    if op in _ORDERINGS:
        if not _ordered(value) or isinstance(value, str) != isinstance(bound, str):
            return None
        return _ORDERINGS[op](value, bound)
    if op == "matches":
        return pattern(bound).search(value) is not None if isinstance(value, str) else None
    if op in {"in", "not_in"}:
        return any(same(value, each) for each in bound) == (op == "in")
    return same(value, bound) == (op == "==")


def same(a: Any, b: Any) -> bool:
    """Equal as JSON values: 5 is 5.0, and ``true`` is not 1."""
    return type(a) is type(b) and bool(a == b) if isinstance(a, bool) or isinstance(b, bool) else bool(a == b)


def _ordered(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)


def binds(constraint: ContextItem, target: str | None) -> bool:
    """Does it speak of values for ``target``? One without a target speaks of all."""
    return constraint.target is None or constraint.target == target


def breaks(constraint: ContextItem, value: Any, unit: str | None) -> bool:
    """Does a quantity break this constraint? What cannot be compared, or is in another unit, does not: nobody can say."""
    if constraint.op is None or (unit is not None and constraint.unit is not None and unit != constraint.unit):
        return False
    return holds(constraint.op, constraint.value, value) is False


def require_comparable(constraint: ContextItem, key: str, value: Any, unit: str | None) -> None:
    """Raise ``UnitMismatch`` or ``BadValue`` where a quantity cannot be held against a constraint. A bare number is in its unit."""
    if constraint.op is None:
        return
    if unit is not None and unit != constraint.unit:
        raise UnitMismatch(
            f"{key}={value!r} is in {unit!r}, and the constraint {rule(constraint)!r} is in {constraint.unit!r}: "
            f"convert it, or give the bare number if it is in {constraint.unit!r} already"
        )
    if holds(constraint.op, constraint.value, value) is None:
        raise BadValue(f"{key}={value!r} cannot be compared with {rule(constraint)!r}: give a value of the constraint's type")


def rule(constraint: ContextItem) -> str:
    """The predicate in words; the content where there is none."""
    if constraint.op is None:
        return constraint.content
    return " ".join(str(part) for part in (constraint.key, constraint.op, constraint.value, constraint.unit) if part is not None)


def status(constraint: ContextItem, now: float, patience: float) -> ConstraintStatus:
    """How it stands at ``now``; ``patience`` is K of chapter 1, in the board's time."""
    if constraint.status == "superseded":
        return "superseded"
    if constraint.status in {"released", "expired"}:
        return "released"
    return "fading" if constraint.status == "archived" or now >= constraint.confirmed + patience else "active"


def in_force(constraint: ContextItem, now: float, patience: float) -> bool:
    """Is a value that breaks it worth a ``violated``? A faded soft one may be relaxed, a hard one binds until it is released."""
    standing = status(constraint, now, patience)
    return standing == "active" or (standing == "fading" and constraint.hard)


def concerns(constraint: ContextItem, now: float, patience: float) -> bool:
    """Does ``check`` name it? All in force, and a soft one that faded but still stands: as relaxable."""
    return in_force(constraint, now, patience) or (constraint.status == "standing" and not constraint.hard)
