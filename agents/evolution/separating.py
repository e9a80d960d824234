"""What tells some tasks from others: conditions, generalised as far as the evidence goes and no further.

One condition is chosen among those that hold in every task to be covered: that which holds in the fewest of the others. It is believed
only if so good a split would come about by chance less than once in ten times (Fisher's exact test, times the number of conditions of its
kind that were tried: Bonferroni's correction); a word needs two tasks to be seen in at least, so that no condition quotes one request. Of
equals parameters come before facts, facts before words, and then the shorter, the alphabetically first. Of words it is the longest
sequence that all requests share, without the joints at its ends (*but*, *in the*): what is narrower than that, no request tells.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from agents.conditions import Situation, When, meets, of_calls
from agents.evolution.exact import fisher
from agents.memory.records import TaskLog
from blackboard.text.english import STOP

CHANCE = 0.1
LONGEST = 8
"""Words of a sequence."""
Condition = tuple[str, str, Any]
"""Subject, operator, value."""


def separating(covered: Sequence[Sequence[Situation]], others: Sequence[Sequence[Situation]]) -> Condition | None:
    """A condition that holds somewhere in each task of ``covered`` and in as few of ``others`` as can be; None if there is none to believe.

    Each task is given as the situations in it that are asked about: its calls, or itself.
    """
    if not covered or not others:
        return None
    found: list[tuple[int, int, int, str, Condition]] = []
    for kind, offered in enumerate((_parameters(covered, others), _facts(covered, others), _words(covered))):
        conditions = [each for each in dict.fromkeys(offered) if all(_holds(each, task) for task in covered)]
        for condition in conditions:
            left = sum(_holds(condition, task) for task in others)
            if fisher(left, len(others), len(covered), len(covered)) * len(conditions) < CHANCE:
                said = " ".join(map(str, condition))
                found.append((left, kind, len(said), said, condition))
    return min(found, key=lambda each: each[:4])[4] if found else None


def about(when: When, log: TaskLog) -> list[Situation]:
    """The situations of a task that conditions hold in: of its calls, if they ask about calls, or else its own."""
    own = Situation.of(log)
    if not of_calls(when):
        return [own] if meets(when, own) else []
    calls = (replace(own, tool=call.name, parameters=call.parameters) for turn in log.turns for call in turn.calls)
    return [each for each in calls if meets(when, each)]


def _holds(condition: Condition, task: Sequence[Situation]) -> bool:
    subject, operator, value = condition
    return any(meets({subject: {operator: value}}, situation) for situation in task)


def _parameters(covered: Sequence[Sequence[Situation]], others: Sequence[Sequence[Situation]]) -> Iterator[Condition]:
    of_covered = [[situation.parameters for situation in task] for task in covered]
    of_others = [[situation.parameters for situation in task] for task in others]
    yield from _of("parameters", of_covered, of_others)
    for name in _names([*of_covered, *of_others]):
        yield "parameters", "has", name
        yield "parameters", "lacks", name


def _facts(covered: Sequence[Sequence[Situation]], others: Sequence[Sequence[Situation]]) -> Iterator[Condition]:
    yield from _of("facts", [[situation.facts for situation in task] for task in covered], [[s.facts for s in task] for task in others])


def _of(subject: str, covered: Sequence[Sequence[Mapping[str, Any]]], others: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Condition]:
    """The one value that ours have, or that theirs have and ours have not; of numbers a bound half way between ours and theirs."""
    for name in _names(covered):
        ours = [each[name] for task in covered for each in task if name in each]
        theirs = [each[name] for task in others for each in task if name in each]
        for operator, values in (("==", _distinct(ours)), ("!=", _distinct(theirs))):
            if len(values) == 1:
                yield f"{subject}.{name}", operator, values[0]
        numbers = [value for value in ours if _number(value)]
        if below := [value for value in theirs if numbers and _number(value) and value < min(numbers)]:
            yield f"{subject}.{name}", ">", _between(max(below), min(numbers))
        if above := [value for value in theirs if numbers and _number(value) and value > max(numbers)]:
            yield f"{subject}.{name}", "<", _between(max(numbers), min(above))


def _between(low: float, high: float) -> float:
    middle = (low + high) / 2
    return int(middle) if middle == int(middle) else middle


def _words(covered: Sequence[Sequence[Situation]]) -> Iterator[Condition]:
    """The longest sequences of words that all requests have, whatever their letter case; of a script without spaces, of characters."""
    yield from map(saying, shared([task[0].request for task in covered if task]))


def shared(requests: Iterable[str]) -> list[str]:
    """The longest sequences of words, or of characters, that all of them have; none, if they are one and the same."""
    different = list(set(requests))
    if len(different) < 2:
        return []
    words = _longest(set.intersection(*map(_phrases, different)))
    runs = _longest(set.intersection(*({part for run in _CJK.findall(each) for part in _sequences(run)} for each in different)))
    return [*map(" ".join, words), *("".join(run) for run in runs if len(run) > 1)]


def saying(phrase: str) -> Condition:
    """That a request has these words, whatever their letter case."""
    return ("request", "has", phrase) if _CJK.match(phrase) else ("request", "matches", rf"(?i)\b{phrase}\b")


def _phrases(request: str) -> set[tuple[str, ...]]:
    """The sequences of its words, of letters alone, between two marks or figures."""
    return {phrase for part in _MARK.split(request.casefold()) for phrase in _sequences(_WORD.findall(part))}


def _sequences(parts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(1, LONGEST + 1):
        for start in range(len(parts) - size + 1):
            yield tuple(parts[start : start + size])


def _longest(phrases: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those that are no part of another, and say something."""
    inner = {part for phrase in phrases if len(phrase) > 1 for part in (phrase[1:], phrase[:-1])}
    inner |= {part for phrase in inner for part in _sequences(phrase)}
    return sorted({trimmed for phrase in phrases - inner if not STOP.issuperset(trimmed := _trimmed(phrase))})


def _trimmed(phrase: tuple[str, ...]) -> tuple[str, ...]:
    inner = [at for at, word in enumerate(phrase) if word not in _JOINTS]
    return phrase[inner[0] : inner[-1] + 1] if inner else ()


_JOINTS = frozenset({
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "it", "of", "on", "or", "please", "so", "that", "the", "then",
    "there", "this", "to", "which", "with",
})  # fmt: skip
_WORD = re.compile(r"\b[a-z][a-z'-]*\b", re.ASCII)
_MARK = re.compile(r"[^a-z\s'-]")
_CJK = re.compile("[\u3400-\u9fff]+")


def _names(tasks: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    return sorted({name for task in tasks for each in task for name in each})


def _distinct(values: Iterable[Any]) -> list[Any]:
    plain = {(type(value).__name__, value) for value in values if isinstance(value, str | int | float | bool)}
    return [value for _, value in sorted(plain)]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
