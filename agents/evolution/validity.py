"""What cannot be a strategy, found before it is kept.

Each error says what is wrong, with its place in the strategy, the value and the cure.
"""

import re
from collections.abc import Iterator
from math import isfinite
from reprlib import repr as shown
from typing import Any

import msgspec

from agents.conditions import of_calls
from agents.conditions import validated as validated_conditions
from agents.evolution.plans import mentioned
from agents.evolution.strategies import Parameters, Rule, Strategy, Template
from blackboard.errors import BadValue
from blackboard.identity import composed

LARGEST = 48 * 1024
"""Bytes of a strategy, encoded: with its names it fits into an item."""
HIGHEST = 999_999_999
"""A version, and a priority."""
DEEPEST = 16
"""Levels of lists and mappings in what a strategy gives."""
MENTIONS = 200
"""Variables in a template's texts: each may stand for a long value, and all of them are filled."""
_NAME = re.compile(r"[\w.\-]{1,100}")
_REF = re.compile(r"([\w.\-]{1,100})@([1-9]\d{0,8})")


def validated(strategy: Strategy) -> Strategy:
    """``strategy``, if it can be one. Raises ``BadValue``, which names the place, as in *when.request.matches*."""
    valid_name(strategy.name)
    for at, fault in _faults(strategy):
        raise BadValue(f"{at}: {fault}")
    try:
        size = len(msgspec.json.encode(strategy))
    except UnicodeEncodeError as error:
        raise BadValue(f"strategy {strategy.name}: {error.object[error.start : error.end]!r} in it is half of a character") from None
    if size > LARGEST:
        raise BadValue(f"strategy {strategy.name}: it has more than {LARGEST:,} bytes: say less, or make two of it")
    return strategy


def valid_name(name: str) -> str:
    """``name``, if a strategy may have it. Raises ``BadValue``."""
    if not _NAME.fullmatch(name) or composed(name, "NFC") != name:
        raise BadValue(f"name: a strategy's name is 1 to 100 letters and digits of any script, '_', '-' and '.', in NFC, not {shown(name)}")
    return name


def parsed_ref(ref: str) -> tuple[str, int | None]:
    """The name and the version of *name@version*, or of a name alone. Raises ``BadValue``."""
    if found := _REF.fullmatch(ref):
        return valid_name(found[1]), int(found[2])
    if "@" in ref:
        raise BadValue(f"{shown(ref)} names no version: give NAME@VERSION, as in sales@2")
    return valid_name(ref), None


def _faults(strategy: Strategy) -> Iterator[tuple[str, str]]:
    when = validated_conditions(strategy.when)
    if not 1 <= strategy.version <= HIGHEST:
        yield "version", f"versions are counted from 1 to {HIGHEST:,}, not {strategy.version}"
    if abs(strategy.priority) > HIGHEST:
        yield "priority", f"give one from -{HIGHEST:,} to {HIGHEST:,}, not {strategy.priority}"
    if not all(strategy.types):
        yield "types", "a type has a name"
    match strategy.body:
        case Rule() as rule:
            if rule == Rule():
                yield "rule", "it says nothing: give it use, defaults, set or advice"
            if rule.use == "":
                yield "rule.use", "a tool has a name"
            yield from _unlike_json(rule.defaults, "rule.defaults")
            yield from _unlike_json(rule.set, "rule.set")
        case Template() as template:
            if not template.steps:
                yield "template.steps", "a plan has at least one step"
            if (mentions := sum(1 for _ in mentioned(template))) > MENTIONS:
                yield "template.steps", f"they name variables {mentions:,} times, and {MENTIONS} is the most: say less, or make two plans"
            for number, step in enumerate(template.steps):
                if step.tool == "":
                    yield f"template.steps[{number}].tool", "a tool has a name"
                yield from _unlike_json(step.parameters, f"template.steps[{number}].parameters")
            for name in template.variables:
                if not name.isidentifier():
                    yield f"template.variables.{name}", "a variable's name is letters, digits and '_', and begins with none of the digits"
            yield from _unlike_json(template.variables, "template.variables")
        case Parameters() as settings:
            if not settings.values:
                yield "parameters", "it says nothing: give it a setting"
            yield from _unlike_json(settings.values, "parameters")
    if not isinstance(strategy.body, Rule) and (asked := of_calls(when)):
        yield f"when.{next(iter(asked))}", "only a rule is asked about calls"


def _unlike_json(value: Any, at: str, level: int = 0) -> Iterator[tuple[str, str]]:
    """What in a value JSON does not have, or would not give back as it was."""
    match value:
        case None | bool() | str():
            pass
        case int():
            if not -(2**63) <= value < 2**64:
                yield at, f"{value} does not fit in 64 bits: give it as text"
        case float():
            if not isfinite(value):
                yield at, f"{value!r} is no finite number"
        case list() | dict() if level >= DEEPEST:
            yield at, f"it nests more than {DEEPEST} levels deep: flatten it"
        case list():
            for number, each in enumerate(value):
                yield from _unlike_json(each, f"{at}[{number}]", level + 1)
        case dict():
            for name, each in value.items():
                if not isinstance(name, str):
                    yield f"{at}.{name}", f"the key {name!r} is no text"
                yield from _unlike_json(each, f"{at}.{name}", level + 1)
        case _:
            yield at, f"{type(value).__name__} is nothing that JSON has: give texts, numbers, true, false, null, lists and mappings"
