"""What differs between two versions of a strategy, field by field.

A field is a path: ``("body", "defaults", "limit")``, ``("when", "request", "matches")``. Steps of a plan are one field. Name, version, note
and lineage say nothing about what a strategy does, and are none.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from agents.evolution.strategies import Strategy

Field = tuple[str, ...]
Fields = dict[Field, Any]

GONE = None
"""The value, in a difference, of a field that is no longer there: no field has it."""

_DEEP: Mapping[Field, int] = {
    ("body",): 1,
    ("when",): 2,
    ("body", "defaults"): 1,
    ("body", "set"): 1,
    ("body", "variables"): 1,
    ("body", "values"): 1,
}
"""Mappings whose entries are fields, so many levels down."""


def identity(strategy: Strategy) -> str:
    """Equal for versions of one name that do the same, whatever their numbers: *name#digest*."""
    said = _encoded([[list(field), value] for field, value in sorted(fields(strategy).items())])
    return f"{strategy.name}#{sha256(said).hexdigest()[:12]}"


def in_force(strategies: Iterable[Strategy]) -> str:
    """What identifies strategies that are in force together, in whatever order they are given."""
    return sha256("\n".join(sorted(map(identity, strategies))).encode()).hexdigest()[:12]


def fields(strategy: Strategy) -> Fields:
    """All that a strategy says, by field."""
    data = msgspec.to_builtins(strategy)
    found: Fields = {}
    for name in ("body", "types", "when", "priority"):
        if name in data:
            _gather((name,), data[name], _DEEP.get((name,), 0), found)
    return found


def changes(parent: Strategy | None, child: Strategy) -> Fields:
    """What ``child`` says otherwise than ``parent``: field → its new value, or ``GONE``; of a child without a parent, all that it says."""
    old, new = fields(parent) if parent else {}, fields(child)
    changed = {field: value for field, value in new.items() if field not in old or _encoded(old[field]) != _encoded(value)}
    return changed | {field: GONE for field in old if field not in new}


def changed(parent: Strategy, by: Fields) -> Strategy:
    """``parent`` with these changes; its version, note and lineage are the parent's still. Raises ``msgspec.ValidationError``."""
    said = {field: value for field, value in (fields(parent) | by).items() if value is not GONE}
    data = msgspec.to_builtins(parent)
    for name in ("types", "when", "priority"):
        data.pop(name, None)
    data["body"] = {"values": {}} if said.get(("body", "type")) == "parameters" else {}
    for field, value in said.items():
        place = data
        for part in field[:-1]:
            place = place.setdefault(part, {})
        place[field[-1]] = value
    return msgspec.convert(data, Strategy)


def contradict(ours: Fields, theirs: Fields) -> bool:
    """Do they say different things of one field?"""
    return any(_encoded(ours[field]) != _encoded(theirs[field]) for field in ours.keys() & theirs.keys())


def told(changes: Fields) -> str:
    """In words, for people: *defaults.limit = 100, when.request.matches gone*. That a body is a rule shows in what it says."""
    said = {".".join(field[1:] if field[0] == "body" else field): value for field, value in changes.items() if field != ("body", "type")}
    return ", ".join(f"{name} {'gone' if value is GONE else f'= {value!r}'}" for name, value in sorted(said.items()))


def _encoded(value: Any) -> bytes:
    """As JSON, in which true is not 1."""
    return msgspec.json.encode(value, order="deterministic")


def _gather(field: Field, value: Any, depth: int, found: Fields) -> None:
    if depth and isinstance(value, dict):
        for name, each in value.items():
            inner = (*field, name)
            _gather(inner, each, _DEEP.get(inner, depth - 1), found)
    elif value is not None:
        found[field] = value
