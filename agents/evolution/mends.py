"""What might mend a failure: small changes, each with where it was seen (chapter 5, "The evolution cycle", analyse).

Three sources, in this order: what was expected (``Verdict.expected``), what the tool itself said, what successes of the same type did
otherwise. What a request itself names (a region, a date) belongs to its task and is never suggested for others. The last resort is an
advice, in words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgspec

from agents.conditions import Situation, meets, of_calls
from agents.evolution.changes import Fields, changed
from agents.evolution.deviations import Deviation
from agents.evolution.signs import Sign, asked, brief, says
from agents.evolution.strategies import Mend, Parameters, PlanStep, Rule, Strategy, Template
from agents.memory.records import TaskLog, ToolCall

_NONE = object()


@dataclass(frozen=True)
class Case:
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
        if not _plain(value) or says(asked(self.failure), value):
            return True
        is_id = isinstance(value, str) and any(map(str.isdigit, value))
        return is_id and any(says(_text(call.result), value) for call in made(self.failure))


def mends(case: Case) -> tuple[Mend, ...]:
    """All that are found, the most promising first, each once."""
    found = [*_expected(case), *_said(case), *_parameters(case), *_other_tool(case), *_steps(case), *_narrower(case), *_advice(case)]
    return tuple({msgspec.json.encode(mend, order="deterministic"): mend for mend in reversed(found)}.values())[::-1]


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


# --- what was expected ----------------------------------------------------------------------------------------------------------------


def _expected(case: Case) -> Iterator[Mend]:
    """Of every call that parts from those expected: it may be the first alone that matters, or another."""
    for sign in case.signs:
        if sign.deviation and sign.deviation.expected:
            yield from _as_expected(case, sign.deviation, sign.deviation.expected)


def _as_expected(case: Case, deviation: Deviation, wanted: ToolCall) -> Iterator[Mend]:
    made = deviation.made
    if made is None:
        yield from _step(case, wanted, None, "it was expected")
        return
    others = {
        name: value for name, value in wanted.parameters.items() if made.parameters.get(name, _NONE) != value and not case.belongs(value)
    }
    note = f"{wanted.name} was expected" + (
        f" with {', '.join(f'{name}={brief(value)}' for name, value in others.items())}" if others else ""
    )
    if planned := _planned(case, made, wanted, others, note):
        yield planned
    elif deviation.kind == "tool":
        yield _instead(case, made, wanted.name, note, others)
    else:
        for name, value in others.items():
            yield _with(case, made, name, value, note)
        if len(others) > 1 and not others.keys() & made.parameters.keys():
            yield Mend(None, Rule(defaults=others), {"tool": {"==": made.name}}, case.types, note)


# --- what the tool said ---------------------------------------------------------------------------------------------------------------

_MEANT = re.compile(r"(?:did you mean|perhaps you meant|use|是不是)\s*:?\s*[`'\"“‘]([^`'\"”’]{1,80})[`'\"”’]", re.IGNORECASE)
_AT_MOST = re.compile(r"(?:at most|max(?:imum)?(?: is| of|:)?|no more than|up to|不超过|最多)\s*(\d+)", re.IGNORECASE)
_AT_LEAST = re.compile(r"(?:at least|min(?:imum)?(?: is| of|:)?|no less than|不少于|至少)\s*(\d+)", re.IGNORECASE)
_OF_ALL = re.compile(r"\bof\s+(\d+)\b|共\s*(\d+)", re.IGNORECASE)
_NAMED = re.compile(
    r"""(?: \b(?:set|give|pass|raise|increase|lower|specify)\s+(?:the\s+|an?\s+)?(?:parameter\s+|argument\s+)?
          | \b(?:parameter|argument)s?:?\s+ | 请指定\s* | 缺少参数\s* ) [`'"]? ([A-Za-z_]\w*)""",
    re.IGNORECASE | re.VERBOSE,
)


def _said(case: Case) -> Iterator[Mend]:
    if not (case.sign and case.sign.call and case.sign.text):
        return
    call, text = case.sign.call, case.sign.text
    bad = [name for name, value in sorted(call.parameters.items()) if says(text, value)]
    if meant := _MEANT.search(text):
        for name in bad:
            if call.parameters[name] != meant[1]:
                yield _with(case, call, name, meant[1], f"{call.name} says that {meant[1]!r} is meant")
    named = [name for name in dict.fromkeys([*_NAMED.findall(text), *call.parameters]) if says(text, name)]
    for bound, operator in ((_AT_MOST, ">"), (_AT_LEAST, "<")):
        if limit := bound.search(text):
            for name in named or bad:
                value = call.parameters.get(name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield _with(case, call, name, int(limit[1]), f"{call.name} says so: {brief(text)}", operator=operator)
    known = {name for _, other in case.those(call.name) for name in other.parameters}
    for name in named:
        if whole := _OF_ALL.search(text):
            yield _with(case, call, name, int(whole[1] or whole[2]), f"{call.name} says how many there are: {brief(text)}")
        elif name not in call.parameters and name not in known:
            yield _advised(case, call.name, f"give {call.name} its {name}: {brief(text)}")


# --- what successes did otherwise -----------------------------------------------------------------------------------------------------


def _parameters(case: Case) -> Iterator[Mend]:
    """Parameters that all successes give alike, and that the failure left out, or gave otherwise."""
    feedback = case.failure.verdict.feedback if case.failure.verdict else ""
    for call in case.calls():
        others = case.those(call.name)
        seen = f"so do {len(others)} tasks that went well"
        for name in sorted({name for _, other in others for name in other.parameters}):
            given = [(log, other.parameters[name]) for log, other in others if name in other.parameters]
            common, times = _most_common([value for log, value in given if _plain(value) and not says(log.request, value)])
            if common is None or common == call.parameters.get(name) or case.belongs(common):
                continue
            if name in call.parameters:
                is_better = not case.belongs(call.parameters[name]) and times == len(others) > 1
            else:
                is_better = len(given) == len(others) and 2 * times >= len(given)
            if is_better or says(feedback, common):
                yield _with(case, call, name, common, f"{seen}, with {name}={brief(common)}")


def _other_tool(case: Case) -> Iterator[Mend]:
    """A tool that successes called where this one failed, and that takes what this one was given."""
    for call in case.calls():
        if call.error is None or (case.sign and case.sign.cause != "environment"):
            continue
        takes: dict[str, set[str]] = {}
        times: Counter[str] = Counter()
        for log in case.successes:
            calls = made(log)
            failed = [at for at, each in enumerate(calls) if each.name == call.name and each.error]
            if any(each.name == call.name and not each.error for each in calls):
                continue  # it did its work there
            for each in calls[failed[0] if failed else 0 :]:
                if each.name != call.name and not each.error:
                    takes.setdefault(each.name, set()).update(each.parameters)
            times.update({each.name for each in calls if each.name != call.name and not each.error})
        at_hand = set(case.failure.tools)
        for tool in sorted(takes, key=lambda tool: (-times[tool], tool)):
            if tool in at_hand and not any(each.name == tool for each in made(case.failure)):
                if call.parameters.keys() <= takes[tool]:
                    yield _instead(case, call, tool, f"{times[tool]} tasks went well with {tool}")
                elif call.parameters.keys() & takes[tool]:
                    yield _advised(case, call.name, f"where {call.name} fails, {tool} may do: {times[tool]} tasks went well with it")


def _steps(case: Case) -> Iterator[Mend]:
    """A tool that all successes call before this one, and that the failure did not."""
    own = [each.name for each in made(case.failure)]
    for call in case.calls():
        before: Counter[str] = Counter()
        example: dict[str, list[ToolCall]] = {}
        count = 0
        for log in case.successes:
            names = [each.name for each in made(log) if not each.error]
            if call.name in names:
                count += 1
                first = names.index(call.name)
                for name in set(names[:first]):
                    before[name] += 1
                    example.setdefault(name, []).append(next(each for each in made(log) if each.name == name and not each.error))
        earlier = own[: own.index(call.name)] if call.name in own else own
        for tool in sorted(name for name, times in before.items() if times == count > 1 and name not in earlier):
            alike = [each.parameters for each in example[tool]]
            step = {name: value for name, value in alike[0].items() if _plain(value) and all(each.get(name) == value for each in alike)}
            yield from _step(case, ToolCall(tool, step), call, f"{count} tasks that went well called {tool} before {call.name}")


def _narrower(case: Case) -> Iterator[Mend]:
    """A strategy that made the call what it was may be good elsewhere: that it is left alone here is a change of its conditions alone."""
    for call in case.calls():
        for strategy in case.strategies:
            if acted(strategy, call) and isinstance(strategy.body, Rule):
                yield Mend(
                    strategy.name,
                    strategy.body,
                    strategy.when,
                    strategy.types,
                    f"not here: {case.sign.reason if case.sign else 'it failed'}",
                )


def _advice(case: Case) -> Iterator[Mend]:
    if case.sign:
        yield _advised(case, case.sign.call.name if case.sign.call else None, f"mind that {case.sign.reason}")


# --- as mends -------------------------------------------------------------------------------------------------------------------------


def _with(case: Case, call: ToolCall, name: str, value: Any, note: str, *, operator: str = "==") -> Mend:
    """``call`` with another parameter: by the strategy that gave it, or by one that speaks about all such calls, or else by a new one."""
    is_given = name in call.parameters
    old = call.parameters.get(name)
    if planned := _planned(case, call, ToolCall(call.name, call.parameters | {name: value}), {name: value}, note):
        return planned
    for strategy in case.strategies:
        match strategy.body:
            case Rule(defaults=given, set=fixed) if is_given and acted(strategy, call) and old in (fixed.get(name), given.get(name)):
                place = "set" if name in fixed else "defaults"
                return _changed(strategy, {("body", place, name): value}, note)
            case Parameters(values=values) if is_given and name in values and values[name] == old and _plain(value):
                return _changed(strategy, {("body", "values", name): value}, note)
    when: dict[str, dict[str, Any]] = {"tool": {"==": call.name}}
    if not is_given:
        for strategy in case.strategies:
            if isinstance(strategy.body, Rule) and strategy.when == when and strategy.types == case.types and name not in strategy.body.set:
                return _changed(strategy, {("body", "defaults", name): value}, note)
        return Mend(None, Rule(defaults={name: value}), when, case.types, note)
    if _plain(old):
        when[f"parameters.{name}"] = {operator: value if operator != "==" else old}
    return Mend(None, Rule(set={name: value}), when, case.types, note)


def _planned(case: Case, made: ToolCall, wanted: ToolCall, others: Mapping[str, Any], note: str) -> Mend | None:
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


def _instead(case: Case, call: ToolCall, tool: str, note: str, defaults: Mapping[str, Any] = MappingProxyType({})) -> Mend:
    for strategy in case.strategies:
        if isinstance(strategy.body, Rule) and strategy.body.use == call.name and acted(strategy, call):
            return _changed(strategy, {("body", "use"): tool}, note)
    return Mend(None, Rule(use=tool, defaults=dict(defaults)), {"tool": {"==": call.name}}, case.types, note)


def _step(case: Case, wanted: ToolCall, before: ToolCall | None, note: str) -> Iterator[Mend]:
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
    yield _advised(
        case, before.name if before else None, f"call {wanted.name}" + (f" before {before.name}" if before else "") + f": {note}"
    )


def _advised(case: Case, tool: str | None, advice: str) -> Mend:
    return Mend(None, Rule(advice=advice), {"tools": {"has": tool}} if tool else {}, case.types, advice)


def _changed(strategy: Strategy, by: Fields, note: str) -> Mend:
    child = changed(strategy, by)
    return Mend(strategy.name, child.body, child.when, child.types, note)


def _most_common(values: Sequence[Any]) -> tuple[Any, int]:
    """The value that most have, of equals the greatest number or the first text, and how often; None: there is none."""
    counts = Counter((type(value).__name__, value) for value in values)
    if not counts:
        return None, 0
    (_, value), times = min(
        counts.items(), key=lambda each: (-each[1], -each[0][1] if isinstance(each[0][1], int | float) else 0, str(each[0][1]))
    )
    return value, times


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and (not isinstance(value, str) or len(value) <= 80)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=repr).decode()


def situation(log: TaskLog, call: ToolCall | None = None) -> Situation:
    """That in which a task was begun, or in which one of its calls was made."""
    return Situation(log.request, log.type, log.tools, log.facts, call.name if call else None, call.parameters if call else {})


def about(when: Mapping[str, Mapping[str, Any]], log: TaskLog) -> list[Situation]:
    """The situations of a task that conditions hold in: of its calls, if they ask about calls, or else its own."""
    if not of_calls(when):
        return [each for each in [situation(log)] if meets(when, each)]
    return [each for each in (situation(log, call) for call in made(log)) if meets(when, each)]
