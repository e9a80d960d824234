"""A task's working set: what of it goes into a prompt while it runs (chapter 5, "It replaces the turns in the working set"). Pure.

Laws:

- What is condensed is told by its step records, and the turns behind them as they were.
- It has at most so many tokens. The request and every sentence that must be kept are always in it: if these alone are too many, that is an
  error and no shorter text. Of the rest the newest goes in first, and that older ones are left out is said.
"""

from collections.abc import Sequence

from agents.memory.essentials import bindings
from agents.memory.records import StepRecord, TaskLog
from agents.memory.telling import told_step, told_turn
from blackboard.errors import BadValue
from blackboard.tokens import TokenCounter, count_tokens


def working_set(log: TaskLog, steps: Sequence[StepRecord], max_tokens: int, *, count: TokenCounter = count_tokens) -> str:
    """The request, what is to be minded, the step records, and the turns that are not condensed yet, in at most ``max_tokens``.

    ``steps`` follow on one another from turn 0. Raises ``BadValue`` if what must not be left out has more tokens.
    """
    condensed = steps[-1].last + 1 if steps else 0
    pieces = [told_step(step) for step in steps]
    pieces += [told_turn(turn, number) for number, turn in enumerate(log.turns[condensed:], condensed)]
    binding = [list(step.kept) for step in steps] + [bindings(turn) for turn in log.turns[condensed:]]
    room = max_tokens - count(log.request)
    first = len(pieces)
    while first and (room := room - count(pieces[first - 1])) >= 0:
        first -= 1
    for left_out in range(first, len(pieces) + 1):  # tokens of a whole are not the sum of those of its parts
        kept = dict.fromkeys(each for sentences in binding[:left_out] for each in sentences)
        told = [f"({left_out} earlier steps and turns are left out)"] if left_out else []
        text = "\n".join([f"Task: {log.request}", *(f"! {each}" for each in kept), *told, *pieces[left_out:]])
        if (size := count(text)) <= max_tokens:
            return text
    raise BadValue(f"task {log.id!r}: its request and what must be kept of it are {size} tokens: max_tokens {max_tokens} is too little")
