"""The plan of a template, with its variables filled: text for text, and nothing else.

Laws: a variable is its name in braces, *{table}*; no format, no attribute, no index is read, so that a strategy cannot reach into anything.
Texts are filled once: what a value says is never read again. Braces about anything else stand for themselves.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from agents.evolution.strategies import PlanStep, Template
from blackboard.errors import BadValue

_VARIABLE = re.compile(r"\{([^\W\d]\w*)\}")


def unknown(template: Template, given: Mapping[str, Any]) -> list[str]:
    """The variables that a template names and neither it nor ``given`` has a value for, as they come."""
    known = template.variables.keys() | given.keys()
    return [name for name in dict.fromkeys(mentioned(template)) if name not in known]


def filled(template: Template, given: Mapping[str, Any]) -> list[PlanStep]:
    """Its steps, with what ``given`` says of a variable, or else the template. A parameter that is a variable and no more is its value.

    Raises ``BadValue`` where there is none.
    """
    if names := unknown(template, given):
        raise BadValue(f"no value for {', '.join(f'{{{name}}}' for name in names)}: give one, or state it as a fact of the task")
    values = {**template.variables, **given}

    def fill(text: str) -> str:
        return _VARIABLE.sub(lambda found: _as_text(values[found[1]]), text)

    def value_of(text: str) -> Any:
        alone = _VARIABLE.fullmatch(text)
        return values[alone[1]] if alone else fill(text)

    return [
        PlanStep(say=fill(step.say), tool=step.tool, parameters={name: _each(each, value_of) for name, each in step.parameters.items()})
        for step in template.steps
    ]


def mentioned(template: Template) -> Iterator[str]:
    """The variables that its texts name, each as often as they do."""
    for step in template.steps:
        for text in (step.say, *_texts(step.parameters)):
            yield from _VARIABLE.findall(text)


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _texts(each)
        case list() | tuple():
            for each in value:
                yield from _texts(each)


def _each(value: Any, of: Callable[[str], Any]) -> Any:
    """``value``, with ``of`` each text in it."""
    match value:
        case str():
            return of(value)
        case Mapping():
            return {name: _each(each, of) for name, each in value.items()}
        case list() | tuple():
            return [_each(each, of) for each in value]
        case _:
            return value


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
