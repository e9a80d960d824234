"""How records lie on a board: as which items. No other file knows.

===========  ==========  ==========  ====================================  ================================
what         kind        key         target, value                         record
===========  ==========  ==========  ====================================  ================================
a task       task        task        its id; *open*, *success*, *failure*  ``TaskLog``, without its turns
task record  task        task        its id                                ``TaskRecord``
a turn       turn        task:ID                                           ``Turn``, and its number
step record  step        task:ID                                           ``StepRecord``
experience   experience  experience  its id; of how many tasks             ``Experience``
===========  ==========  ==========  ====================================  ================================

Laws:

- An item's content is a line for people, which ends with a digest, so that what differs is another item. What it stands for is in its
  ``meta``, and is read strictly.
- What is too large or too deep for an item is put in parts, as text, and is there once all of them are.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agents.memory.plain import depth, plain
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, Turn
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import EXPERIENCE, STEP, TASK, TURN

TASKS = "task"
"""The key of what becomes of tasks, and of what they came to."""
EXPERIENCES = "experience"
LINE = 200
"""Characters of a content, about."""
PART = 48 * 1024
"""Bytes of a record in one item: with its names it fits."""
DEEPEST = 24
"""Levels of a record in one item; deeper ones are put as text."""
UNIT = 224 * 1024
"""Bytes that are said together, about."""
OVERHEAD = 2 * 1024
"""Bytes of an item beside its record, at most."""

R = TypeVar("R", Turn, StepRecord, TaskLog, TaskRecord, Experience)


class Item(Struct, frozen=True):
    """What is deposited: its content, all else of it, and how many bytes that is, about."""

    line: str
    said: dict[str, Any]
    size: int


def task_items(task: TaskLog) -> list[Item]:
    """A task as it stands, without its turns."""
    stands = task.verdict.outcome if task.verdict else "open"
    said = f"{task.agent}: {task.request}" + (f" → {stands}" if task.verdict else "")
    return _items(replace(task, turns=()), TASK, said, key=TASKS, target=task.id, value=stands)


def turn_items(task: str, number: int, turn: Turn) -> list[Item]:
    """A turn of a task."""
    called = ", ".join(f"{call.name} failed" if call.error is not None else call.name for call in turn.calls)
    said = f"{number}. {turn.by}: {turn.text}" + (f" [{called}]" if called else "")
    return _items(turn, TURN, said, number, key=task_key(task))


def log_items(log: TaskLog) -> list[Item]:
    """A task with its turns: these first, so that it is never there without them."""
    return [*(item for number, turn in enumerate(log.turns) for item in turn_items(log.id, number, turn)), *task_items(log)]


def step_items(task: str, step: StepRecord) -> list[Item]:
    """What several turns of a task came to."""
    return _items(step, STEP, f"turns {step.first}–{step.last}: {step.intent or step.state}", key=task_key(task))


def record_items(record: TaskRecord) -> list[Item]:
    """What a task came to."""
    lesson = f": {record.lesson}" if record.lesson else ""
    return _items(record, TASK, f"{record.request} → {record.outcome}{lesson}", key=TASKS, target=record.id)


def experience_items(experience: Experience, number: int) -> list[Item]:
    """What many tasks came to; ``number``: how often it was told of before."""
    return _items(experience, EXPERIENCE, experience.lesson, number, key=EXPERIENCES, target=experience.id, value=len(experience.records))


def _items(record: R, kind: str, said: str, number: int = 0, *, value: str | int | None = None, **about: str) -> list[Item]:
    """The items that a record is put as. The last of them alone fills the slot: then all of it is there."""
    body = plain(record)
    text = msgspec.json.encode(body)
    digest = blake2b(text, digest_size=4, salt=number.to_bytes(8)).hexdigest()
    line = f"{_cut(said)} #{digest}"
    meta = {"as": type(record).__name__, "number": number}
    about["kind"] = kind
    if len(text) <= PART and depth(body) <= DEEPEST:
        return [Item(line, {**about, "value": value, "meta": {**meta, "record": body}}, len(text))]
    parts = _parts(text)
    meta |= {"of": digest, "parts": len(parts)}
    items = [Item(f"{line} {n}", {**about, "meta": {**meta, "part": n, "text": part}}, PART) for n, part in enumerate(parts, 1)]
    items[-1] = Item(line, {**items[-1].said, "value": value}, PART)
    return items


def units(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items, in order, as many together as may be said together."""
    unit: list[Item] = []
    size = 0
    for item in items:
        more = item.size + OVERHEAD
        if unit and size + more > UNIT:
            yield unit
            unit, size = [], 0
        unit.append(item)
        size += more
    if unit:
        yield unit


def task_key(task: str) -> str:
    """The key of a task's turns and step records."""
    return f"task:{task}"


def _cut(said: str) -> str:
    said = " ".join(said.split())
    return said if len(said) <= LINE else f"{said[: LINE - 1]}…"


def _parts(text: bytes) -> list[str]:
    """A text in parts of at most ``PART`` bytes, none of which ends within a character."""
    parts = []
    while text:
        end = min(PART, len(text))
        while end < len(text) and text[end] & 0xC0 == 0x80:
            end -= 1
        parts.append(text[:end].decode())
        text = text[end:]
    return parts


def by_id(read: Iterable[tuple[Any, int]]) -> dict[str, Any]:
    """Each thing once, as it was last told of, in the order in which they were first told of."""
    return {record.id: record for record, _ in read}


def of_the_first(items: Iterable[ContextItem], another: Callable[[str], object]) -> Iterator[ContextItem]:
    """Of items about tasks those of the agent that put the first about each; ``another`` is told of the rest."""
    whose: dict[str | None, str] = {}
    for item in items:
        if item.status != "released":
            yield from of_owner(whose.setdefault(item.target, item.owner), [item], another)


def of_owner(owner: str | None, items: Iterable[ContextItem], another: Callable[[str], object]) -> Iterator[ContextItem]:
    """Those of these items that are of ``owner``; ``another`` is told of the rest, but for what was retracted."""
    for item in items:
        if item.owner == owner:
            yield item
        elif item.status != "released":
            another(f"{item.kind} {item.id} of {item.owner} (key {item.key!r}): the task is of {owner}: let whoever wrote it retract it")


def read(items: Iterable[ContextItem], kind: str, shape: type[R], unreadable: Callable[[str], object]) -> Iterator[tuple[R, int]]:
    """The records of this shape, each with its number, in the order of putting. What is no record is passed over.

    ``unreadable`` is told which item that is, what is wrong with it, and the cure.
    """
    parts: dict[tuple[str, int], dict[int, str]] = {}
    for item in items:
        if item.kind == kind and item.status != "released":
            try:
                found = _record(item, shape, parts)
            except BadValue as error:
                unreadable(str(error))
            else:
                if found is not None:
                    yield found


def _record(item: ContextItem, shape: type[R], parts: dict[tuple[str, int], dict[int, str]]) -> tuple[R, int] | None:
    """What an item is the record of, or the last part of; None: of another shape, or not whole yet."""
    match item.meta:
        case {"as": shape.__name__, "number": int(number), "record": body}:
            return _shaped(body, shape, item), number
        case {"as": shape.__name__, "number": int(number), "of": str(digest), "part": int(part), "parts": int(of), "text": str(text)}:
            there = parts.setdefault((digest, number), {})
            there[part] = text
            return (_shaped("".join(there[n] for n in sorted(there)), shape, item), number) if len(there) == of else None
        case {"as": str(other)} if other != shape.__name__ and other in _SHAPES[item.kind]:
            return None
        case meta:
            raise _bad(item, f"its meta is no record of the shapes {', '.join(_SHAPES[item.kind])}: {_cut(repr(dict(meta)))}")


_SHAPES: dict[str, tuple[str, ...]] = {
    TASK: (TaskLog.__name__, TaskRecord.__name__), TURN: (Turn.__name__,), STEP: (StepRecord.__name__,), EXPERIENCE: (Experience.__name__,)
}  # fmt: skip
"""Kind → what its items may be records of."""


def _shaped(body: Any, shape: type[R], item: ContextItem) -> R:
    try:
        return msgspec.json.decode(body, type=shape) if isinstance(body, str) else msgspec.convert(body, shape)
    except msgspec.MsgspecError as error:
        raise _bad(item, f"it is no {shape.__name__}: {error}") from None


def _bad(item: ContextItem, why: str) -> BadValue:
    return BadValue(f"{item.kind} {item.id} of {item.owner} (key {item.key!r}): {why}: let whoever wrote it retract it")
