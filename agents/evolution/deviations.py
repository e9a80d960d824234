"""Where the calls that a task made part from those that it ought to have made (``Verdict.expected``).

Calls that nobody expected, of tools that no expectation names, are no deviation: to look something up does no harm. Nor are those of
tools that tasks which went well called, or left out, as they liked.
"""

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from msgspec import Struct

from agents.memory.records import TaskLog, ToolCall


class Known(NamedTuple):
    """What tasks that went well tell about tools."""

    expected: frozenset[str] = frozenset()
    """Those that were expected in some of them: every call of these counts."""
    harmless: frozenset[str] = frozenset()
    """Those that some of them called though it was not expected, or left out though it was: no call of these counts."""


def known(successes: Iterable[TaskLog]) -> Known:
    """From those of which it is known what was expected."""
    told = [log for log in successes if log.verdict and log.verdict.expected is not None]
    expected = frozenset(call.name for log in told if log.verdict for call in log.verdict.expected or ())
    made = Known(expected)
    free = [each.made or each.expected for log in told for each in deviations(log, made) if each.kind in {"needless", "missing"}]
    return made._replace(harmless=frozenset(call.name for call in free if call))


class Deviation(Struct, frozen=True):
    """A call that was made wrongly, or left out."""

    kind: Literal["parameter", "tool", "missing", "needless"]
    """With other parameters; another tool with the like parameters; nothing like it; made though nobody expected it."""
    turn: int
    made: ToolCall | None
    expected: ToolCall | None
    parameters: tuple[str, ...] = ()
    """The names of those that differ, sorted."""


def deviations(log: TaskLog, known: Known | None = None) -> list[Deviation]:
    """All of them, the first that was made first; none, if it is not known what was expected."""
    if log.verdict is None or log.verdict.expected is None:
        return []
    beside = known or Known()
    made = [(number, call) for number, turn in enumerate(log.turns) for call in turn.calls if call.name not in beside.harmless]
    expected = [call for call in log.verdict.expected if call.name not in beside.harmless]
    counted = {*beside.expected, *(call.name for call in expected)}
    met: dict[int, int] = {}
    for wanted, call in enumerate(expected):
        for at, (_, done) in enumerate(made):
            if at not in met and done.error is None and (done.name, done.parameters) == (call.name, call.parameters):
                met[at] = wanted
                break
    left = [wanted for wanted in range(len(expected)) if wanted not in met.values()]
    found: list[Deviation] = []
    for wanted in list(left):
        call = expected[wanted]
        if (nearest := _nearest(call, made, met, same_tool=True)) is not None:
            number, done = made[nearest]
            found.append(Deviation("parameter", number, done, call, _differing(done, call)))
        elif (nearest := _nearest(call, made, met, same_tool=False)) is not None and made[nearest][1].name not in counted:
            number, done = made[nearest]
            found.append(Deviation("tool", number, done, call))
        else:
            continue
        met[nearest] = wanted
        left.remove(wanted)
    for wanted in left:
        later = min((made[at][0] for at, other in met.items() if other > wanted), default=max(len(log.turns) - 1, 0))
        found.append(Deviation("missing", later, None, expected[wanted]))
    needless = [
        Deviation("needless", number, done, None) for at, (number, done) in enumerate(made) if at not in met and done.name in counted
    ]
    found += [each for each in needless if each.made and each.made.error is None]
    return sorted(found, key=lambda each: each.turn)


def _nearest(call: ToolCall, made: list[tuple[int, ToolCall]], met: Collection[int], *, same_tool: bool) -> int | None:
    """Which of the calls that are left is most like it; of another tool at least half of its parameters must be equal."""
    best: tuple[int, bool, int] | None = None
    for at, (_, done) in enumerate(made):
        if at in met or (done.name == call.name) != same_tool:
            continue
        equal = sum(name in done.parameters and done.parameters[name] == value for name, value in call.parameters.items())
        if same_tool or (equal and 2 * equal >= len(call.parameters)):
            best = max(best or (-1, False, 0), (equal, done.error is None, -at))
    return -best[2] if best else None


def _differing(one: ToolCall, other: ToolCall) -> tuple[str, ...]:
    names = one.parameters.keys() | other.parameters.keys()
    return tuple(
        sorted(n for n in names if n not in one.parameters or n not in other.parameters or one.parameters[n] != other.parameters[n])
    )
