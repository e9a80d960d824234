"""How a call is changed by a strategy: by the one that made it what it was, or else by a new one; in as few fields as can be."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from agents.evolution.changes import Fields, changed
from agents.evolution.signs import Sign, asked, brief, says, wished
from agents.evolution.strategies import Mend, Parameters, PlanStep, Rule, Strategy, Template
from agents.memory.records import TaskLog, ToolCall


class Case(Struct, frozen=True):
    """A failure, its signs, the most telling first, and what there is to compare it with."""

    failure: TaskLog
    signs: Sequence[Sign]
    successes: Sequence[TaskLog]
    strategies: Sequence[Strategy]

    @property
    def sign(self) -> Sign | None:
        """The one that is followed."""
        return next(iter(self.signs), None)

    @property
    def types(self) -> tuple[str, ...]:
        return (self.failure.type,) if self.failure.type else ()

    def calls(self) -> list[ToolCall]:
        """Those of the failure that may be at fault, each tool's last one: the sign's, or, where it is silent, all."""
        if self.sign and self.sign.call and not (self.sign.deviation and self.sign.deviation.kind == "missing"):
            return [self.sign.call]
        return list({call.name: call for turn in self.failure.turns for call in turn.calls}.values())

    def those(self, tool: str) -> list[tuple[TaskLog, ToolCall]]:
        """The last call of a tool in each success that called it and had no error."""
        return [
            (log, calls[-1]) for log in self.successes if (calls := [each for each in made(log) if each.name == tool and not each.error])
        ]

    def belongs(self, value: Any) -> bool:
        """Is it this task's own: named by its request, or, if there is a figure in it (an id, a date), by what a tool told?"""
        if not is_plain(value) or says(asked(self.failure), value):
            return True
        is_id = isinstance(value, str) and any(map(str.isdigit, value))
        return is_id and any(says(_text(call.result), value) for call in made(self.failure))


def made(log: TaskLog) -> list[ToolCall]:
    """All the calls of a task, in order."""
    return [call for turn in log.turns for call in turn.calls]


def acted(strategy: Strategy, call: ToolCall) -> bool:
    """Did a strategy that was in force make a call what it was? As far as the call shows it."""
    body = strategy.body
    match body:
        case Rule(use=use):
            target = use or strategy.when.get("tool", {}).get("==", call.name)
            given = body.defaults | body.set
            return call.name == target and bool(use or given) and all(call.parameters.get(name) == value for name, value in given.items())
        case Template(steps=steps):
            return any(step.tool == call.name for step in steps)
    return False


def with_parameter(case: Case, call: ToolCall, name: str, value: Any, note: str, *, operator: str = "==") -> Mend:
    """``call`` with another parameter: by the strategy that gave it, or by one that speaks about all such calls, or else by a new one.

    What the user wished for has its way: there is an advice then, for whoever can ask them.
    """
    is_given = name in call.parameters
    old = call.parameters.get(name)
    if is_given and wished(case.failure, name, old):
        return advised(case, call.name, f"mind {name} of {call.name}, which was asked for as {brief(old)}: {note}", note)
    if step := planned(case, call, ToolCall(call.name, call.parameters | {name: value}), {name: value}, note):
        return step
    for strategy in case.strategies:
        match strategy.body:
            case Rule(defaults=given, set=fixed) if is_given and acted(strategy, call) and old in (fixed.get(name), given.get(name)):
                place = "set" if name in fixed else "defaults"
                return _changed(strategy, {("body", place, name): value}, note)
            case Parameters(values=values) if is_given and name in values and values[name] == old and is_plain(value):
                return _changed(strategy, {("body", "values", name): value}, note)
    when: dict[str, dict[str, Any]] = {"tool": {"==": call.name}}
    if not is_given:
        for strategy in case.strategies:
            if isinstance(strategy.body, Rule) and strategy.when == when and strategy.types == case.types and name not in strategy.body.set:
                return _changed(strategy, {("body", "defaults", name): value}, note)
        return Mend(None, Rule(defaults={name: value}), when, case.types, note)
    if is_plain(old):
        when[f"parameters.{name}"] = {operator: value if operator != "==" else old}
    return Mend(None, Rule(set={name: value}), when, case.types, note)


def planned(case: Case, made: ToolCall, wanted: ToolCall, others: Mapping[str, Any], note: str) -> Mend | None:
    """The step of a plan in force that led to a call, so that it leads to the one that is wanted; None if no plan said what is wrong.

    What both calls have is the step's, variables and all; ``others`` is what it says anew.
    """
    for strategy in case.strategies:
        if not isinstance(strategy.body, Template):
            continue
        steps = strategy.body.steps
        for at, step in enumerate(steps):
            if step.tool == made.name and (wanted.name != made.name or others.keys() <= step.parameters.keys()):
                kept = {name: value for name, value in step.parameters.items() if name in wanted.parameters}
                mended = msgspec.structs.replace(step, tool=wanted.name, parameters=kept | dict(others))
                if mended != step:
                    body = msgspec.structs.replace(strategy.body, steps=(*steps[:at], mended, *steps[at + 1 :]))
                    return Mend(strategy.name, body, strategy.when, strategy.types, note)
    return None


def instead(case: Case, call: ToolCall, tool: str, note: str, defaults: Mapping[str, Any] = MappingProxyType({})) -> Mend:
    for strategy in case.strategies:
        if isinstance(strategy.body, Rule) and strategy.body.use == call.name and acted(strategy, call):
            return _changed(strategy, {("body", "use"): tool}, note)
    return Mend(None, Rule(use=tool, defaults=dict(defaults)), {"tool": {"==": call.name}}, case.types, note)


def with_step(case: Case, wanted: ToolCall, before: ToolCall | None, note: str) -> Iterator[Mend]:
    """A step more in the plan that is in force, ahead of the call that it was to come before; or a plan of the two."""
    own = {name: value for name, value in wanted.parameters.items() if not case.belongs(value)}
    step = PlanStep(f"call {wanted.name}", wanted.name, own)
    for strategy in case.strategies:
        if isinstance(strategy.body, Template):
            steps = strategy.body.steps
            if all(each.tool != wanted.name for each in steps):
                at = next((n for n, each in enumerate(steps) if before and each.tool == before.name), len(steps))
                body = msgspec.structs.replace(strategy.body, steps=(*steps[:at], step, *steps[at:]))
                yield Mend(strategy.name, body, strategy.when, strategy.types, note)
            return
    if before:
        yield Mend(None, Template((step, PlanStep(f"call {before.name}", before.name))), types=case.types, note=note)
    advice = f"call {wanted.name}" + (f" before {before.name}" if before else "") + f": {note}"
    yield advised(case, before.name if before else None, advice, note)


def advised(case: Case, tool: str | None, advice: str, note: str) -> Mend:
    return Mend(None, Rule(advice=advice), {"tools": {"has": tool}} if tool else {}, case.types, note)


def _changed(strategy: Strategy, by: Fields, note: str) -> Mend:
    child = changed(strategy, by)
    return Mend(strategy.name, child.body, child.when, child.types, note)


def is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and (not isinstance(value, str) or len(value) <= 80)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=repr).decode()
