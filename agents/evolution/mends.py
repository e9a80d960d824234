"""What might mend a failure: small changes, each with where it was seen (chapter 5, "The evolution cycle", analyse).

Three sources, in this order: what was expected (``Verdict.expected``), what the tool itself said, what successes of the same type did
otherwise. What a request itself names (a region, a date) belongs to its task and is never suggested for others. The last resort is an
advice, in words.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from agents.evolution.deviations import Deviation
from agents.evolution.mending import Case, acted, advised, instead, is_plain, made, planned, with_parameter, with_step
from agents.evolution.offers import offers
from agents.evolution.signs import asked, brief, says, wished
from agents.evolution.strategies import Mend, Rule
from agents.memory.records import ToolCall

_NONE = object()


def mends(case: Case) -> tuple[Mend, ...]:
    """All that are found, the most promising first, each once."""
    by_log = [*_expected(case), *_said(case), *_offered(case)]
    found = [*by_log, *_parameters(case), *_other_tool(case), *_steps(case), *_narrower(case), *_advice(case)]
    unlike = {msgspec.json.encode(msgspec.structs.replace(mend, note=""), order="deterministic"): mend for mend in reversed(found)}
    return tuple(unlike.values())[::-1]


# --- what was expected ----------------------------------------------------------------------------------------------------------------


def _expected(case: Case) -> Iterator[Mend]:
    """Of every call that parts from those expected: it may be the first alone that matters, or another."""
    for sign in case.signs:
        if sign.deviation and sign.deviation.expected:
            yield from _as_expected(case, sign.deviation, sign.deviation.expected)


def _as_expected(case: Case, deviation: Deviation, wanted: ToolCall) -> Iterator[Mend]:
    made = deviation.made
    if made is None:
        yield from with_step(case, wanted, None, f"{wanted.name} was expected")
        return
    others = {
        name: value for name, value in wanted.parameters.items() if made.parameters.get(name, _NONE) != value and not case.belongs(value)
    }
    for name in [name for name in others if name in made.parameters and wished(case.failure, name, made.parameters[name])]:
        value = others.pop(name)
        yield with_parameter(case, made, name, value, _was_expected(made, wanted, {name: value}))
    note = _was_expected(made, wanted, others)
    if step := planned(case, made, wanted, others, note):
        yield step
    elif deviation.kind == "tool":
        yield instead(case, made, wanted.name, note, others)
    else:
        for name, value in others.items():
            yield with_parameter(case, made, name, value, _was_expected(made, wanted, {name: value}))
        if len(others) > 1 and not others.keys() & made.parameters.keys():
            yield Mend(None, Rule(defaults=others), {"tool": {"==": made.name}}, case.types, note)


def _was_expected(made: ToolCall, wanted: ToolCall, others: Mapping[str, Any]) -> str:
    given = f" with {', '.join(f'{name}={brief(value)}' for name, value in others.items())}" if others else ""
    failed = f", and {made.name} as it was called said: {brief(made.error)}" if made.error else ""
    return f"{wanted.name} was expected{given}{failed}"


# --- what the tool said ---------------------------------------------------------------------------------------------------------------

_MEANT = re.compile(r"(?:did you mean|perhaps you meant|use|是不是)\s*:?\s*[`'\"“‘]([^`'\"”’]{1,80})[`'\"”’]", re.IGNORECASE)
_AT_MOST = re.compile(r"(?:at most|max(?:imum)?(?: is| of|:)?|no more than|up to|不超过|最多)\s*(\d{1,15})\b", re.IGNORECASE)
_AT_LEAST = re.compile(r"(?:at least|min(?:imum)?(?: is| of|:)?|no less than|不少于|至少)\s*(\d{1,15})\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\bof\s+(\d{1,15})\b|共\s*(\d{1,15})", re.IGNORECASE)
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
    if (meant := _MEANT.search(text)) and "=" not in meant[1]:
        for name in bad:
            if call.parameters[name] != meant[1]:
                yield with_parameter(case, call, name, meant[1], f"{call.name} says that {meant[1]!r} is meant")
    named = [name for name in dict.fromkeys([*_NAMED.findall(text), *call.parameters]) if says(text, name)]
    for bound, operator in ((_AT_MOST, ">"), (_AT_LEAST, "<")):
        if limit := bound.search(text):
            for name in named or bad:
                value = call.parameters.get(name)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    yield with_parameter(case, call, name, int(limit[1]), f"{call.name} said: {brief(text)}", operator=operator)
    known = {name for _, other in case.those(call.name) for name in other.parameters}
    given = offers(text, {*known, *call.parameters})
    for name in (name for name in named if name not in given):
        if whole := _OF_ALL.search(text):
            yield with_parameter(case, call, name, int(whole[1] or whole[2]), f"{call.name} says how many there are: {brief(text)}")
        elif name not in call.parameters and name not in known:
            yield advised(case, call.name, f"give {call.name} its {name}: {brief(text)}", f"{call.name} said: {brief(text)}")


def _offered(case: Case) -> Iterator[Mend]:
    """What a tool said to give it, in any of its errors and remarks, unless that was done, or is this task's own."""
    for sign in case.signs:
        call = sign.call
        if call is None or sign.cause == "misunderstanding" or not sign.text:
            continue
        samples = {name: value for _, other in case.those(call.name) for name, value in other.parameters.items()} | call.parameters
        found = {
            name: str(value) if isinstance(samples.get(name), str) else value
            for name, value in offers(sign.text, samples.keys()).items()
            if not says(asked(case.failure), value)
        }
        done = [each.parameters for each in made(case.failure) if each.name == call.name]
        found = {name: value for name, value in found.items() if all(each.get(name) != value for each in done)}
        note = f"{call.name} said: {brief(sign.text)}"
        for name, value in found.items():
            yield with_parameter(case, call, name, value, note)
        if len(found) > 1 and not found.keys() & call.parameters.keys():
            yield Mend(None, Rule(defaults=dict(found)), {"tool": {"==": call.name}}, case.types, note)


# --- what successes did otherwise -----------------------------------------------------------------------------------------------------


def _parameters(case: Case) -> Iterator[Mend]:
    """Parameters that all successes give alike, and that the failure left out, or gave otherwise."""
    feedback = case.failure.verdict.feedback if case.failure.verdict else ""
    for call in case.calls():
        others = case.those(call.name)
        for name in sorted({name for _, other in others for name in other.parameters}):
            given = [(log, other.parameters[name]) for log, other in others if name in other.parameters]
            common, times = _most_common([value for log, value in given if is_plain(value) and not says(log.request, value)])
            if common is None or common == call.parameters.get(name) or case.belongs(common):
                continue
            if name in call.parameters:
                is_better = not case.belongs(call.parameters[name]) and times == len(others) > 1
            else:
                is_better = len(given) == len(others) and 2 * times >= len(given)
            if is_better or says(feedback, common):
                seen = f"{times} tasks that went well called {call.name} with {name}={brief(common)}"
                yield with_parameter(case, call, name, common, seen)


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
                    yield instead(case, call, tool, f"{times[tool]} tasks went well with {tool}")
                elif call.parameters.keys() & takes[tool]:
                    seen = f"{times[tool]} tasks went well with {tool}"
                    yield advised(case, call.name, f"where {call.name} fails, {tool} may do: {seen}", seen)


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
            step = {name: value for name, value in alike[0].items() if is_plain(value) and all(each.get(name) == value for each in alike)}
            yield from with_step(case, ToolCall(tool, step), call, f"{count} tasks that went well called {tool} before {call.name}")


def _narrower(case: Case) -> Iterator[Mend]:
    """A strategy that made the call what it was may be good elsewhere: that it is left alone here is a change of its conditions alone."""
    for call in case.calls():
        for strategy in case.strategies:
            if acted(strategy, call) and isinstance(strategy.body, Rule):
                why = case.sign.reason if case.sign and case.sign.call == call else f"the task failed, with {call.name} as it makes it"
                yield Mend(strategy.name, strategy.body, strategy.when, strategy.types, f"not here: {why}")


def _advice(case: Case) -> Iterator[Mend]:
    if case.sign:
        yield advised(case, case.sign.call.name if case.sign.call else None, f"mind that {case.sign.reason}", case.sign.reason)


def _most_common(values: Sequence[Any]) -> tuple[Any, int]:
    """The value that most have, of equals the greatest number or the first text, and how often; None: there is none."""
    counts = Counter((type(value).__name__, value) for value in values)
    if not counts:
        return None, 0
    (_, value), times = min(
        counts.items(), key=lambda each: (-each[1], -each[0][1] if isinstance(each[0][1], int | float) else 0, str(each[0][1]))
    )
    return value, times
