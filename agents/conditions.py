"""Conditions on a task or on a call of a tool, as data: nothing in them is ever run.

    when = {"request": {"matches": "by month"}, "tools": {"has": "query_sales"}, "parameters.limit": {"<": 100}}

Laws: all of a mapping must hold, and so the empty one always does. A subject that a situation does not have meets no condition, and nothing
is less, or more, than what it cannot be compared with: a text is not 5, and neither above nor below it.
"""

from collections.abc import Mapping
from math import isfinite
from reprlib import repr as shown
from typing import Any, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from agents.memory.records import TaskLog
from blackboard import constraints
from blackboard.errors import BadValue

When = Mapping[str, Mapping[str, Any]]
"""Subject → operator → value. Subjects: *request*, *type*, *tools*, *tool*, *parameters.NAME*, *facts.NAME*; *parameters* and *facts* alone
are the names that there are. Operators: ``OPERATORS``."""

_NEGATED = {"==": "!=", "!=": "==", "<": "not <", "<=": "not <=", ">": "not >", ">=": "not >=", "in": "not in", "not_in": "in"}
_NEGATED |= {"matches": "does not match", "has": "lacks", "lacks": "has"}
OPERATORS = tuple(_NEGATED)
"""``matches`` is a regular expression (RE2) that a text has a match of, ``has`` a text within a text or a member of a list, ``lacks`` that
it has it not; ``in`` and ``not_in`` take a list. The others compare numbers or texts."""

_TEXTS = ("request", "type", "tool")
_LISTS = ("tools", "parameters", "facts")
SUBJECTS = (*_TEXTS, *_LISTS, "parameters.NAME", "facts.NAME")
_OF_CALLS = ("tool", "parameters")


class Situation(Struct, frozen=True):
    """What conditions are asked about: a task, and in it perhaps a call that is about to be made."""

    request: str = ""
    type: str = ""
    tools: tuple[str, ...] = ()
    facts: Mapping[str, Any] = {}
    tool: str | None = None
    parameters: Mapping[str, Any] = {}

    @classmethod
    def of(cls, task: TaskLog) -> Self:
        """That in which a logged task was begun."""
        return cls(request=task.request, type=task.type, tools=task.tools, facts=task.facts)

    def calling(self, tool: str, parameters: Mapping[str, Any]) -> Self:
        """The same, with a call that is about to be made."""
        return replace(self, tool=tool, parameters=parameters)


def meets(when: When, situation: Situation) -> bool:
    """Does all of ``when``, which is valid, hold in ``situation``?"""
    return all(_asked(subject, op, bound, situation) for subject, each in when.items() for op, bound in each.items())


def explain(when: When, situation: Situation) -> str:
    """Why ``meets`` says what it does: the conditions that do not hold, or, where all do, those; empty if there are none.

    As in *request does not match 'by month'; there is no facts.region*.
    """
    held: list[str] = []
    failed: list[str] = []
    for subject, each in when.items():
        for op, bound in each.items():
            holds = _asked(subject, op, bound, situation)
            (held if holds else failed).append(_told(subject, op, bound, situation, holds=holds))
    return "; ".join(failed or held)


def validated(when: object, where: str = "when") -> dict[str, dict[str, Any]]:
    """``when``, if it is conditions. Raises ``BadValue``, which names the place under ``where``, and what there is."""
    if not isinstance(when, Mapping):
        raise BadValue(f"{where}: give a mapping of subjects to conditions, as in request: {{matches: by month}}, not {shown(when)}")
    for subject, each in when.items():
        at = f"{where}.{subject}"
        if not _is_subject(subject):
            raise BadValue(f"{at}: there is no such subject: there are {', '.join(SUBJECTS)}")
        if not isinstance(each, Mapping) or not each:
            raise BadValue(f"{at}: give a mapping of operators to values, as in {{'==': 5}}, not {shown(each)}")
        for op, bound in each.items():
            _check(subject, op, bound, f"{at}.{op}")
    return {subject: dict(each) for subject, each in when.items()}


def of_task(when: When) -> When:
    """Those of the conditions that a task is asked before it begins."""
    return {subject: each for subject, each in when.items() if not _of_call(subject)}


def of_calls(when: When) -> When:
    """Those that a call is asked. With ``of_task`` they are all."""
    return {subject: each for subject, each in when.items() if _of_call(subject)}


def _of_call(subject: str) -> bool:
    return subject.partition(".")[0] in _OF_CALLS


def _is_subject(subject: object) -> bool:
    if not isinstance(subject, str):
        return False
    head, dot, name = subject.partition(".")
    return bool(head in {"parameters", "facts"} and name) if dot else subject in {*_TEXTS, *_LISTS}


def _check(subject: str, op: object, bound: Any, at: str) -> None:
    if op not in OPERATORS:
        raise BadValue(f"{at}: there is no such operator: there are {' '.join(OPERATORS)}")
    assert isinstance(op, str)
    if not comparable(bound):
        raise BadValue(f"{at}: compare with a text, a finite number (of 64 bits), true or false, or a list of them, not {shown(bound)}")
    if subject in _LISTS and op not in {"has", "lacks"}:
        raise BadValue(f"{at}: {subject} is a list of names: ask what it has, or lacks")
    if op in {"has", "lacks"}:
        if isinstance(bound, list | tuple):
            raise BadValue(f"{at}: give one text or number, not {shown(bound)}: what it has besides is a condition of its own")
        if subject in {*_TEXTS, *_LISTS} and not isinstance(bound, str):
            raise BadValue(f"{at}: {subject} has texts, not {shown(bound)}")
        return
    try:
        constraints.check_predicate(op, bound)
    except BadValue as error:
        raise BadValue(f"{at}: {error}") from None
    if subject in _TEXTS and any(not isinstance(each, str) for each in (bound if isinstance(bound, list | tuple) else (bound,))):
        raise BadValue(f"{at}: {subject} is a text: compare it with one, not with {shown(bound)}")


def comparable(bound: Any) -> bool:
    """Can a condition compare with this?"""
    if isinstance(bound, list | tuple):
        return all(not isinstance(each, list | tuple) and comparable(each) for each in bound)
    return (
        (isinstance(bound, str) and _whole(bound) == bound)
        or isinstance(bound, bool)
        or (isinstance(bound, int) and -(2**63) <= bound < 2**64)
        or (isinstance(bound, float) and isfinite(bound))
    )


def _whole(text: str) -> str:
    """A text with U+FFFD for each half of a character in it: an agent may be given such a one, and no engine takes it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _value(subject: str, situation: Situation) -> Any:
    """What a subject is in a situation; ``UNSET``: there is none."""
    match subject.partition("."):
        case "request", "", _:
            return situation.request
        case "type", "", _:
            return situation.type
        case "tools", "", _:
            return situation.tools
        case "facts", "", _:
            return tuple(situation.facts)
        case "facts", _, name if name:
            return situation.facts.get(name, UNSET)
        case (("tool" | "parameters"), _, _) if situation.tool is None:
            return UNSET
        case "tool", "", _:
            return situation.tool
        case "parameters", "", _:
            return tuple(situation.parameters)
        case "parameters", _, name if name:
            return situation.parameters.get(name, UNSET)
    raise BadValue(f"condition on {subject!r}: there is no such subject: there are {', '.join(SUBJECTS)}")


def _asked(subject: str, op: str, bound: Any, situation: Situation) -> bool:
    return bool(_holds(op, bound, _value(subject, situation)))


def _holds(op: str, bound: Any, value: Any) -> bool | None:
    """None: nobody can say."""
    if op not in OPERATORS:
        raise BadValue(f"operator {op!r}: there are {' '.join(OPERATORS)}")
    if isinstance(value, UnsetType):
        return None
    if op not in {"has", "lacks"}:
        return constraints.holds(op, bound, _whole(value) if isinstance(value, str) else value)
    if isinstance(value, str):
        return (bound in value) == (op == "has") if isinstance(bound, str) else None
    if isinstance(value, Mapping | list | tuple):
        return any(constraints.same(each, bound) for each in value) == (op == "has")
    return None


def _told(subject: str, op: str, bound: Any, situation: Situation, *, holds: bool) -> str:
    if holds:
        return f"{subject} {op.replace('_', ' ')} {_short(bound)}"
    value = _value(subject, situation)
    if isinstance(value, UnsetType):
        return f"there is no {subject}"
    if _holds(op, bound, value) is None:
        return f"{subject} is {_short(value)}, of which {op} {_short(bound)} cannot be asked"
    known = subject == "request" or subject in _LISTS  # long, and before whoever reads it
    return f"{subject} {_NEGATED[op]} {_short(bound)}" + ("" if known else f": it is {_short(value)}")


def _short(value: Any) -> str:
    text = _whole(value) if isinstance(value, str) else _json(value)
    text = " ".join(text.split())
    text = text if len(text) <= 60 else f"{text[:59]}…"
    return f"'{text}'" if isinstance(value, str) else text


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()
    except (UnicodeEncodeError, RecursionError):  # a fact may be anything
        return shown(value)
