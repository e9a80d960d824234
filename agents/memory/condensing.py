"""Tier 1: several turns become one record, while the task runs (chapter 5, "Compression, three tiers"). Pure.

Laws:

- What ``essentials`` says must not be lost is in the record: ``guard.lost`` finds nothing missing in it.
- The records of a task stand for its turns one after the other, without a gap; each names those it stands for, so that all is reachable.
- The same turns give the same record.
"""

from collections.abc import Sequence

import msgspec

from agents.memory.essentials import PEOPLE, TOOL, Essence, essence, is_greeting, numbers, plain_number
from agents.memory.records import StepRecord, ToolCall, Turn
from agents.memory.telling import called, shortened, told_value
from blackboard.summaries import sentences

WITH_CALLS = 3
"""So many turns that involve a call of a tool are a step, unless a sub-step ends before."""
INTENT = 160
"""Characters of an intent, at most, that need not be kept to the letter."""
REACHED = 80
"""Likewise of what was reached."""
BEGINNING = 4_000
"""Characters of a turn in which either is looked for."""
RESULT = 40
"""Bytes of a result, as JSON, that is told as it is."""


def due(turns: Sequence[Turn], start: int = 0, *, ended: bool = False) -> list[tuple[int, int]]:
    """The turns from ``start`` on that are to be condensed, as first and last of each step; if the task has ``ended``, to the last."""
    steps: list[tuple[int, int]] = []
    first, calling = start, 0
    for number in range(start, len(turns)):
        calling += involves_a_call(turns[number])
        if turns[number].done or calling == WITH_CALLS:
            steps.append((first, number))
            first, calling = number + 1, 0
    if ended and first < len(turns):
        steps.append((first, len(turns) - 1))
    return steps


def involves_a_call(turn: Turn) -> bool:
    """Is a tool called in it, or does one speak?"""
    return bool(turn.calls) or turn.by == TOOL


def condense(turns: Sequence[Turn], first: int = 0) -> StepRecord:
    """What these turns came to; the first of them is the number ``first`` of its task. There must be one."""
    return gathered(turns, [essence(turn) for turn in turns], first)


def gathered(turns: Sequence[Turn], essences: Sequence[Essence], first: int = 0) -> StepRecord:
    """As ``condense``, for whoever has the essence of each turn already: to find it is what takes time."""
    kept = list(dict.fromkeys(sentence for each in essences for sentence in each.kept))
    actions = tuple(ToolCall(call.name, call.parameters, error=call.error) for turn in turns for call in turn.calls)
    intent, state = _intent(turns, kept), _state(turns, kept)
    told = " ".join([intent, state, *kept, *map(called, actions)])
    there = set(map(plain_number, numbers(told)))
    said = {plain_number(figure): figure for each in essences for figure in each.figures}
    return StepRecord(
        first=first,
        last=first + len(turns) - 1,
        intent=intent,
        actions=actions,
        state=state,
        kept=tuple(kept),
        figures=tuple(figure for plain, figure in said.items() if plain not in there),
    )


def _intent(turns: Sequence[Turn], kept: Sequence[str]) -> str:
    """What was wanted: the first thing that a person says, or else an agent."""
    for people in (True, False):
        for turn in turns:
            if turn.by not in {TOOL, "system"} and (turn.by in PEOPLE) is people:
                for sentence in sentences(turn.text[:BEGINNING]):
                    if not is_greeting(sentence):
                        return sentence if sentence in kept else shortened(sentence, INTENT)
    return ""


def _state(turns: Sequence[Turn], kept: Sequence[str]) -> str:
    """What had been reached: what the last call gave, and what an agent said last."""
    reached = []
    last = next((call for turn in reversed(turns) for call in reversed(turn.calls)), None)
    if last is not None and last.error is None and last.result is not None and len(msgspec.json.encode(last.result)) <= RESULT:
        reached.append(f"{last.name} gave {told_value(last.result)}")
    said = next((turn for turn in reversed(turns) if turn.text and turn.by != TOOL and turn.by not in PEOPLE), None)
    if said is not None:
        reached += [shortened(each, REACHED) for each in sentences(said.text[:BEGINNING]) if _states(each) and each not in kept][:1]
    return "; ".join(reached)


def _states(sentence: str) -> bool:
    return not is_greeting(sentence) and not sentence.endswith(("?", "？"))
