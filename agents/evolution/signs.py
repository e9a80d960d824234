"""What in a task's log tells why it failed: plain cases, by rule (chapter 5, "The evolution cycle", analyse).

A tool that timed out, or could not be reached: the environment. One that refused what it was given, or says that what it gives is not
whole: a tool misused. The same call again and again, or one that is left out: a flaw of the plan. A user who says that this is not what
was asked for, or a call with what was ruled out: a misunderstanding. Where it is known which calls were expected, the first that parts
from them is the most telling.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from agents.evolution.deviations import Deviation, Known, deviations
from agents.memory.outages import is_outage
from agents.memory.records import NOT_AGENTS, Cause, TaskLog, ToolCall
from agents.memory.telling import shortened
from blackboard.summaries import sentences

AGAIN = 3
"""So often the same call is a flaw of the plan."""
LONGEST = 600
"""Characters of what was said, in what is told about it: more than tools and people say that have something to say."""
FIRST, LATER = 0.9, 0.5
"""The confidence that the first call tells which parts from those expected, and each after it, which may follow from it."""


class Sign(Struct, frozen=True):
    """Something that tells of a cause."""

    cause: Cause
    turn: int
    """Its number in the log."""
    reason: str
    confidence: float
    """0…1: how telling signs of this kind are beside one another. By judgement, not fitted."""
    call: ToolCall | None = None
    """The call that it is about; of one that was left out, that which was expected."""
    text: str = ""
    """What was said about it, to the letter."""
    deviation: Deviation | None = None


def signs(log: TaskLog, known: Known | None = None) -> list[Sign]:
    """All that are found, the most telling first; of equals the earliest. ``known``: what is known about the tools beside."""
    errors = list(_errors(log))
    found = [*_expected(log, errors, known), *errors, *_warnings(log), *_repeated(log), *_complaints(log), *_ruled_out(log)]
    return sorted(found, key=lambda sign: (-sign.confidence, sign.turn))


def trouble(log: TaskLog, known: Known | None = None) -> str:
    """What kind of trouble a failure had: its type, and of its most telling sign the cause, the tool, and the parameters that differ.

    As in *appointment: tool: find_slots: limit*; of a failure without a sign only the type is known.
    """
    first = next(iter(signs(log, known)), None)
    if first is None:
        return log.type
    parameters = first.deviation.parameters if first.deviation else ()
    return ": ".join((log.type, first.cause, first.call.name if first.call else "", *parameters))


def says(text: str, value: Any) -> bool:
    """Does a text name a value, as a word of its own?"""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        return False
    word, words = str(value).strip().casefold(), text.casefold()
    return word in words and bool(re.search(rf"(?<![^\W_\u2e80-\u9fff]){re.escape(word)}(?![^\W_\u2e80-\u9fff])", words))


def asked(log: TaskLog, before: int | None = None) -> str:
    """What the user said: the request, and the user's turns (up to one's number)."""
    return "\n".join([log.request, *(turn.text for turn in log.turns[:before] if turn.by == "user")])


def wished(log: TaskLog, name: str, value: Any) -> bool:
    """Does the user say that they want a parameter so? Of a switch that is on its name counts; what is ruled out is no wish."""
    text = _THOUSANDS.sub("", asked(log))
    said = name.replace("_", " ") if value is True else int(value) if isinstance(value, float) and value.is_integer() else value
    return says(text, said) and not any(says(clause, said) for clause in ruled_out(text))


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


# --- expected calls -----------------------------------------------------------------------------------------------------------------


def _expected(log: TaskLog, errors: Sequence[Sign], known: Known | None) -> Iterator[Sign]:
    for nth, deviation in enumerate(deviations(log, known)):
        cause, reason = _parted(log, deviation)
        if error := next((each for each in errors if _is_behind(each, deviation)), None):
            cause, reason = error.cause, f"{reason}: {error.reason}"
        confidence = FIRST if nth == 0 else LATER
        yield Sign(cause, deviation.turn, reason, confidence, deviation.made or deviation.expected, deviation=deviation)


def _parted(log: TaskLog, deviation: Deviation) -> tuple[Cause, str]:
    made, expected = deviation.made, deviation.expected
    if expected is None:
        return "plan", f"{made.name if made else 'a tool'} was called, and ought not to have been"
    if made is None:
        return "plan", f"{expected.name} was not called, and ought to have been"
    if deviation.kind == "tool":
        return "plan", f"{made.name} was called where {expected.name} ought to have been"
    said = asked(log, deviation.turn)
    values = [(expected.parameters.get(name), made.parameters.get(name)) for name in deviation.parameters]
    is_misheard = any(says(said, ought) and not says(said, given) for ought, given in values)
    told = f"{made.name} was called with other parameters than it ought to have been: {_told(deviation)}"
    return "misunderstanding" if is_misheard else "tool", told


def _is_behind(error: Sign, deviation: Deviation) -> bool:
    """Was it for this error that another call was made, or none, or that the right one came to nothing?"""
    if deviation.made and error.call is deviation.made:
        return True
    blamed = deviation.expected or deviation.made
    is_of_tool = error.call is not None and blamed is not None and error.call.name == blamed.name
    return is_of_tool and deviation.kind in {"missing", "tool"} and error.turn <= deviation.turn


def _told(deviation: Deviation) -> str:
    assert deviation.made is not None
    assert deviation.expected is not None
    made, expected = deviation.made.parameters, deviation.expected.parameters
    return ", ".join(f"{name}={brief(made.get(name, '(none)'))} for {brief(expected.get(name, '(none)'))}" for name in deviation.parameters)


def brief(value: Any) -> str:
    """A value as text on one line: whole, unless it is longer than what people read, and then its first words."""
    return shortened(_text(value), LONGEST)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=repr).decode()


# --- what tools say -----------------------------------------------------------------------------------------------------------------

_MISUSE = re.compile(
    r"""\b(?: did[ ]you[ ]mean | (?:unknown|invalid|unexpected|missing|required|unsupported|no[ ]such|bad|illegal|malformed|unrecogni[sz]ed)
          | must[ ](?:be|have|not) | expected | schema | validation | syntax[ ]error | type[ ]?error | not[ ](?:a[ ]valid|allowed|supported)
          | (?:parameter|argument|column|field|option)s? ) \b
        | 参数 | 字段 | 无效 | 缺少 | 未知 | 不支持 | 格式""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_WHOLE = re.compile(
    r"""\b(?: truncated | (?:only|first)[ ](?:the[ ])?(?:first[ ])?\d+ | incomplete | partial(?:ly)? | not[ ]all
          | (?:row|result)[ ]limit | \d+[ ](?:\w+[ ])?of[ ]\d+ | (?:mixed|several|different)[ ](?:currenc|unit|format|encoding)\w+
          | not[ ]up[ ]to[ ]date | out[ ]of[ ]date | stale | lags? | deprecated | did[ ]you[ ]mean ) \b
        | 截断 | 不完整 | 部分结果 | 仅前 | [仅只](?:显示|返回) | 过期""",
    re.IGNORECASE | re.VERBOSE,
)
_REMARKS = ("warning", "warnings", "note", "notes", "hint", "hints", "notice", "警告", "提示")
_FLAGS = ("truncated", "partial", "incomplete", "stale", "has_more", "more")


def _errors(log: TaskLog) -> Iterator[Sign]:
    for number, turn in enumerate(log.turns):
        for call in turn.calls:
            if call.error is None:
                continue
            recovered = any(later.name == call.name and later.error is None for after in log.turns[number + 1 :] for later in after.calls)
            scale = 0.3 if recovered else 1.0
            if is_outage(call.error):
                yield Sign("environment", number, f"{call.name} could not do it: {brief(call.error)}", 0.8 * scale, call, call.error)
            elif _MISUSE.search(call.error) or any(says(call.error, name) for name in call.parameters):
                yield Sign("tool", number, f"{call.name} refused what it was given: {brief(call.error)}", 0.75 * scale, call, call.error)
            else:
                yield Sign("tool", number, f"{call.name} failed: {brief(call.error)}", 0.5 * scale, call, call.error)


def _warnings(log: TaskLog) -> Iterator[Sign]:
    for number, turn in enumerate(log.turns):
        for call in turn.calls:
            if call.error is None and (said := remark(call.result)):
                yield Sign("tool", number, f"{call.name} said that what it gives is not whole: {brief(said)}", 0.6, call, said)


def remark(result: Any) -> str:
    """What a tool remarks on its result that it is not whole; empty: nothing."""
    if isinstance(result, str):
        found = _NOT_WHOLE.search(result) if len(result) <= 2000 else None
        return result.strip() if found else ""
    if not isinstance(result, Mapping):
        return ""
    said = [f"{name}: {_text(result[name])}" for name in _REMARKS if result.get(name)]
    flags = [name for name in _FLAGS if result.get(name) is True]
    numbers = [f"{name} {value}" for name, value in result.items() if flags and isinstance(value, int) and not isinstance(value, bool)]
    return "; ".join(flags + said + numbers)


# --- how it went --------------------------------------------------------------------------------------------------------------------


def _repeated(log: TaskLog) -> Iterator[Sign]:
    seen: Counter[bytes] = Counter()
    for number, turn in enumerate(log.turns):
        for call in turn.calls:
            key = msgspec.json.encode([call.name, call.parameters, call.error], order="deterministic", enc_hook=repr)
            seen[key] += 1
            if seen[key] == AGAIN:
                yield Sign("plan", number, f"{call.name} was called {AGAIN} times with the same parameters, to the same end", 0.65, call)


_COMPLAINT = re.compile(
    r"""\b(?: (?:that|this|it)(?:'s|[ ]is|[ ]was)[ ]not[ ](?:what|the) | not[ ]what[ ]I | I[ ](?:asked|said|meant|wanted|told[ ]you)
          | you[ ]misunderst\w+ | you[ ](?:ignored|forgot|missed) | misread | as[ ]I[ ]said ) \b
        | 我要的不是 | 不是我要的 | 不是我想要的 | 我说的是 | 我问的是 | 我要的是 | 理解错 | 搞错 | 弄错 | 误解""",
    re.IGNORECASE | re.VERBOSE,
)


def _complaints(log: TaskLog) -> Iterator[Sign]:
    said = [(number, turn.text) for number, turn in enumerate(log.turns) if number and turn.by == "user"]
    if log.verdict:
        said.append((len(log.turns), log.verdict.feedback))
    for number, text in said:
        if _COMPLAINT.search(text.replace("’", "'")):
            at = max((n for n in range(number) if log.turns[n].by not in NOT_AGENTS), default=max(number - 1, 0))
            call = next((call for n in range(at, -1, -1) for call in reversed(log.turns[n].calls)), None)
            yield Sign("misunderstanding", at, f"the user says: {brief(text)}", 0.7, call, text)


_NEGATED = re.compile(
    r"\b(?:do not|don't|never|not|no|without|avoid|nothing but|instead of|rather than)\b|不要|不得|不用|不能|禁止|别|勿|千万别",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:!?，；：。！？\n]|\bbut\b|\band\b|\bonly\b|而|但")


def ruled_out(text: str) -> list[str]:
    """What follows a negation, clause by clause."""
    return [clause[negation:].strip(" .") for clause, negation in _negated(text)]


def forbidding(text: str) -> list[str]:
    """The same with the negation."""
    return [clause.strip(" .") for clause, _ in _negated(text)]


def _negated(text: str) -> Iterator[tuple[str, int]]:
    """Clauses from their negation on, and how long that is."""
    for sentence in sentences(text.replace("’", "'")):
        for clause in _CLAUSE.split(sentence):
            if found := _NEGATED.search(clause):
                yield clause[found.start() :], found.end() - found.start()


def _ruled_out(log: TaskLog) -> Iterator[Sign]:
    clauses = dict.fromkeys(ruled_out(log.request))
    for number, turn in enumerate(log.turns):
        if turn.by == "user":
            clauses |= dict.fromkeys(ruled_out(turn.text))
        for call in turn.calls:
            for name, value in sorted(call.parameters.items()):
                if clause := next((each for each in clauses if _names(each, name, value)), None):
                    said = f"{call.name} was called with {name}={brief(value)}, which was ruled out: {brief(clause)}"
                    yield Sign("misunderstanding", number, said, 0.72, call, clause)


def _names(clause: str, parameter: str, value: Any) -> bool:
    """Does it name the value, or, of a switch that is on, the parameter?"""
    if value is True:
        return " ".join(re.split(r"[_\-\s]+", parameter)).casefold() in clause.casefold()
    return isinstance(value, str) and len(value) > 1 and says(clause, value)
