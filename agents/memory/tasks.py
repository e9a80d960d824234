"""Tier 2: a task becomes one record, when it has ended (chapter 5, "Compression, three tiers"). Pure.

Laws:

- What its step records keep is in its record, to the letter; each of the steps names the turns it stands for.
- Two tasks have the same fingerprint if they are of one type, ended alike, and went the same way: the same tools in the same order, each
  run of one counted once, and the same one failing at the end.
- Where a failure lies is supposed here, from the last error of a tool; whoever looks closer (``agents.evolution``) may find otherwise.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b
from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from agents.memory.condensing import condense, due
from agents.memory.essentials import bindings
from agents.memory.outages import is_outage
from agents.memory.plain import as_read
from agents.memory.records import Cause, StepRecord, TaskLog, TaskRecord, Turn
from agents.memory.telling import shortened
from blackboard.errors import BadValue

ERROR = 160
"""Characters of an error in a lesson, at most."""


class Suspect(NamedTuple):
    """Where a failure is supposed to lie."""

    turn: int
    tool: str
    """Empty: it was no tool's."""
    error: str


def summarised(log: TaskLog, steps: Sequence[StepRecord] = ()) -> TaskRecord:
    """What a task came to. ``steps`` are its step records, as far as there are any: those of the other turns are made.

    Raises ``BadValue`` for a task without a verdict.
    """
    if log.verdict is None:
        raise BadValue(f"task {log.id!r} has no verdict yet: what it came to is told when it has ended")
    done = consecutive(steps, log.turns)
    rest = due(log.turns, following(done), ended=True)
    done += tuple(condense(log.turns[first : last + 1], first) for first, last in rest)
    suspect = suspected(log)
    asked = bindings(Turn("user", log.request))
    calls = [call.name for turn in log.turns for call in turn.calls]
    record = TaskRecord(
        id=log.id,
        agent=log.agent,
        request=log.request,
        outcome=log.verdict.outcome,
        fingerprint="",
        type=log.type,
        steps=done,
        path=path_of(calls),
        failed_at=suspect.turn if suspect else None,
        cause=supposed_cause(suspect.error) if suspect else None,
        lesson=lesson_of(log, suspect),
        tools=tuple(sorted(set(calls))),
        kept=tuple(dict.fromkeys([*asked, *(each for step in done for each in step.kept)])),
        feedback=log.verdict.feedback,
        critical=log.critical,
        facts=log.facts,
        strategies=log.strategies,
        recalled=log.recalled,
        turns=len(log.turns),
        tokens=sum(turn.tokens for turn in log.turns),
        seconds=max(0.0, log.ended - log.began) if log.began else sum(turn.seconds for turn in log.turns),
        began=log.began,
        ended=log.ended,
    )
    return replace(record, fingerprint=fingerprint(record, suspect.tool if suspect else ""))


def consecutive(steps: Sequence[StepRecord], turns: Sequence[Turn]) -> tuple[StepRecord, ...]:
    """Of a task's step records those that follow on one another from turn 0, and stand for turns that there are."""
    done: tuple[StepRecord, ...] = ()
    for step in steps:
        if step.first != following(done) or not step.first <= step.last < len(turns):
            break
        done = (*done, step)
    return done


def following(steps: Sequence[StepRecord]) -> int:
    """The turn that comes behind these, which follow on one another."""
    return steps[-1].last + 1 if steps else 0


def path_of(calls: Sequence[str]) -> tuple[str, ...]:
    """The tools in the order in which they were called, each run of one once."""
    return tuple(name for name, _ in groupby(calls))


def fingerprint(record: TaskRecord, failed: str = "") -> str:
    """16 hex digits, the same for tasks that went the same way; ``failed``: the tool that is supposed to have failed."""
    way = [record.type, record.outcome, list(record.path), failed]
    return blake2b(msgspec.json.encode(way), digest_size=8).hexdigest()


def suspected(log: TaskLog) -> Suspect | None:
    """Where a failed task is supposed to have gone wrong: at the last call that gave an error, or else where it broke off."""
    if log.verdict is None or log.verdict.outcome == "success":
        return None
    for number in range(len(log.turns) - 1, -1, -1):
        for call in reversed(log.turns[number].calls):
            if call.error is not None:
                return Suspect(number, call.name, call.error)
    if _RAISED.match(log.verdict.feedback) and log.turns:
        return Suspect(len(log.turns) - 1, "", log.verdict.feedback)
    return None


def supposed_cause(error: str) -> Cause:
    """What an error's words point to: the environment, where something did not answer; else a tool that was misused."""
    return "environment" if is_outage(error) else "tool"


def lesson_of(log: TaskLog, suspect: Suspect | None) -> str:
    """What is to be learnt from it, as plainly as that can be told without a model: what failed, or which way led there."""
    assert log.verdict is not None
    if log.verdict.outcome == "success":
        path = path_of([call.name for turn in log.turns for call in turn.calls])
        return f"{' → '.join(path)} led there" if path else ""
    said = [f"{suspect.tool or log.agent} failed: {shortened(suspect.error, ERROR)}"] if suspect else []
    if log.verdict.feedback and (suspect is None or log.verdict.feedback != suspect.error):
        said.append(f"{log.verdict.by or 'the verdict'}: {' '.join(log.verdict.feedback.split())}")
    return "; ".join(said)


def checked(record: TaskRecord) -> TaskRecord:
    """The record, if it can be one of a task: as it is read again, and true to itself. Raises ``BadValue``, which names what is not."""
    record = as_read(record)
    where = f"task record {record.id!r}"
    if not record.id.strip() or not record.request.strip() or not record.fingerprint:
        raise BadValue(f"{where}: it needs an id, a request and a fingerprint")
    following = 0
    for step in record.steps:
        if step.first != following or step.last < step.first:
            raise BadValue(f"{where}: a step stands for the turns {step.first} to {step.last}, and turn {following} comes next")
        following = step.last + 1
    if following != record.turns:
        raise BadValue(f"{where}: its steps stand for {following} turns, and it had {record.turns}")
    if record.failed_at is not None and not 0 <= record.failed_at < record.turns:
        raise BadValue(f"{where}: it failed at turn {record.failed_at}, and it had {record.turns} turns")
    calls = [action.name for step in record.steps for action in step.actions]
    if record.path != path_of(calls) or record.tools != tuple(sorted(set(calls))):
        raise BadValue(f"{where}: its path {' → '.join(record.path)} is not that of its steps: {' → '.join(path_of(calls))}")
    kept = set(record.kept)
    for sentence in (each for step in record.steps for each in step.kept):
        if sentence not in kept:
            raise BadValue(f"{where}: a sentence that a step keeps is not kept: {sentence!r}")
    return record


_RAISED = re.compile(r"[A-Z]\w*(?:Error|Exception|Exit|Timeout|Failed|Refused)\b")
"""How the feedback of a task begins that an exception ended."""
