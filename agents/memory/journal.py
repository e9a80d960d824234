"""The journal: records put on a board, in the same SQLite as all else, and read again.

Laws:

- What is put is durable once the call has returned, and never changes; of two that tell of one thing the later one counts. To put the same
  again changes nothing.
- What has faded is read like all else; what was retracted is not.
- A task is of the agent that put it first: what another puts of it is passed over. A turn's number is its place in the log, also where
  turns before it were retracted.
- What is no record, whoever wrote it, is passed over, with a warning that names the item: what one agent wrote badly stops no other's work.
"""

import logging
from collections.abc import Iterable, Sequence

import anyio
from msgspec.structs import replace

from agents.memory.layout import (
    EXPERIENCES,
    TASKS,
    Item,
    R,
    by_id,
    experience_items,
    log_items,
    of_owner,
    of_the_first,
    read,
    record_items,
    step_items,
    task_items,
    task_key,
    turn_items,
    units,
)
from agents.memory.records import Experience, StepRecord, TaskLog, TaskRecord, Turn
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.kinds import EXPERIENCE, STEP, TASK, TURN
from bus.messages import UseAll

AT_ONCE = 32
"""Records that are read before others have their turn."""

GONE = Turn("system", "(retracted)")
"""What stands in a log for a turn that is not to be read any more."""
MOST_GONE = 10_000
"""So many may be gone; a number past that was not given by a recorder."""

_logger = logging.getLogger(__name__)


class Journal:
    """The records on ``board``: what this agent puts there, and what it sees. ``scope``: of what it puts."""

    def __init__(self, board: Board, *, scope: str = "shared") -> None:
        self.board = board
        self.scope = scope

    # ---- putting ------------------------------------------------------------------------------------------------------------------------

    async def put_task(self, task: TaskLog, steps: Iterable[StepRecord] = ()) -> None:
        """How a task stands: under way, or how it ended; with step records of it. Its turns are put by themselves.

        Raises ``BadValue``, which names what is no JSON, and what saying raises.
        """
        await self._put([*_steps(task.id, steps), *task_items(task)])

    async def begin(self, task: TaskLog) -> TaskLog:
        """Put a task that begins. If there is one of its id already, that is given, with its turns, and nothing is put.

        Of two that begin one id at once, both are given the one that came first. Raises as ``put_task``.
        """
        begun = await self.find(task.id)
        if begun is not None:
            return begun
        put = await self._put(task_items(task))
        assert put is not None
        [(first, _), *_] = await self._read(await self._tasks(task.id), TASK, TaskLog)
        if first == task:
            return task
        await self.board.retract(put)
        return await self.log(task.id)

    async def put_turn(self, task: str, number: int, turn: Turn, steps: Iterable[StepRecord] = ()) -> None:
        """A turn of a task, with step records of it. Raises as ``put_task``."""
        await self._put([*turn_items(task, number, turn), *_steps(task, steps)])

    async def put_log(self, log: TaskLog) -> None:
        """A whole task that was recorded elsewhere. Raises as ``put_task``."""
        await self._put(log_items(log))

    async def put_steps(self, task: str, steps: Iterable[StepRecord]) -> None:
        """What turns of a task came to. Raises as ``put_task``."""
        await self._put(_steps(task, steps))

    async def put_record(self, record: TaskRecord, steps: Iterable[StepRecord] = ()) -> None:
        """What a task came to, with step records of it. Raises as ``put_task``."""
        await self._put([*_steps(record.id, steps), *record_items(record)])

    async def put_experience(self, experience: Experience) -> None:
        """What many tasks came to. Raises as ``put_task``."""
        told = await self._read(await self.board.history(EXPERIENCES, experience.id), EXPERIENCE, Experience)
        if not told or told[-1][0] != experience:
            await self._put(experience_items(experience, len(told)))

    async def _put(self, items: Sequence[Item]) -> ContextItem | None:
        """Put these, in as many units as it takes; the last of them is given."""
        put = None
        for unit in units(items):
            async with self.board.batch() as batch:
                for item in unit:
                    put = await batch.deposit(item.line, scope=self.scope, **item.said)
        return put

    # ---- reading ------------------------------------------------------------------------------------------------------------------------

    async def heads(self) -> list[TaskLog]:
        """Every task as it stands, without its turns, in the order in which they began."""
        return list(by_id(await self._read(await self._tasks(), TASK, TaskLog)).values())

    async def left(self, agent: str) -> list[TaskLog]:
        """The tasks of ``agent`` that have no verdict, without their turns: under way, or left."""
        return [task for task in await self.heads() if task.agent == agent and task.verdict is None]

    async def unsummed(self) -> list[TaskLog]:
        """The tasks that this board's agent put, that have ended and have no task record yet, without their turns."""
        put = [item for item in await self._tasks() if item.owner == self.board.agent]
        summed = by_id(await self._read(put, TASK, TaskRecord))
        heads = by_id(await self._read(put, TASK, TaskLog))
        return [task for task in heads.values() if task.verdict and task.id not in summed]

    async def log(self, task: str) -> TaskLog:
        """A task with its turns, as far as it went. Raises ``BadValue`` if there is none of that id."""
        found = await self.find(task)
        if found is None:
            raise BadValue(f"there is no task {task!r} on board {self.board.name!r}")
        return found

    async def find(self, task: str) -> TaskLog | None:
        """As ``log``; None if there is none of that id."""
        about = await self._tasks(task)
        heads = await self._read(about, TASK, TaskLog)
        if not heads:
            return None
        told = await self._read(await self._parts(task, about), TURN, Turn)
        turns = {number: turn for turn, number in told if number < len(told) + MOST_GONE}
        return replace(heads[-1][0], turns=tuple(turns.get(number, GONE) for number in range(max(turns, default=-1) + 1)))

    async def logs(self, tasks: Iterable[str] | None = None) -> list[TaskLog]:
        """These tasks with their turns, in that order; if none are named, all. Raises as ``log``."""
        ids = [head.id for head in await self.heads()] if tasks is None else tasks
        return [await self.log(task) for task in ids]

    async def steps(self, task: str) -> list[StepRecord]:
        """A task's step records, in order of their turns."""
        parts = await self._parts(task, await self._tasks(task))
        found = {step.first: step for step, _ in await self._read(parts, STEP, StepRecord)}
        return [found[first] for first in sorted(found)]

    async def tasks(self) -> list[TaskRecord]:
        """What each task came to, as far as that is worked out."""
        return list(by_id(await self._read(await self._tasks(), TASK, TaskRecord)).values())

    async def record(self, task: str) -> TaskRecord | None:
        """What a task came to; None: that is not worked out yet."""
        found = await self._read(await self._tasks(task), TASK, TaskRecord)
        return found[-1][0] if found else None

    async def experiences(self) -> list[Experience]:
        """What many tasks came to; one that names no task does not stand any more."""
        told = by_id(await self._read(await self.board.history(EXPERIENCES), EXPERIENCE, Experience))
        return [each for each in told.values() if each.records]

    async def use(self, experiences: Iterable[str]) -> None:
        """These experiences go into a task: they grow a little stronger, where they stand."""
        items = [item.id for each in experiences for item in await self.board.history(EXPERIENCES, each) if item.status == "standing"]
        if items:
            await self.board.say(UseAll(tuple(items), ()))

    async def _tasks(self, task: str | None = None) -> list[ContextItem]:
        """What was put of how tasks stand and what they came to, or one, by whom they are of."""
        return list(of_the_first(await self.board.history(TASKS, task), _pass_over))

    async def _parts(self, task: str, about: Sequence[ContextItem]) -> list[ContextItem]:
        """What was put of a task's turns and steps, by whom it is of, as what was put ``about`` it says."""
        whose = about[0].owner if about else None
        return list(of_owner(whose, await self.board.history(task_key(task)), _pass_over))

    async def _read(self, items: Sequence[ContextItem], kind: str, shape: type[R]) -> list[tuple[R, int]]:
        """As ``layout.read``; some at a time, so that many hold up nobody."""
        found: list[tuple[R, int]] = []
        for each in read(items, kind, shape, _pass_over):
            found.append(each)
            if len(found) % AT_ONCE == 0:
                await anyio.lowlevel.checkpoint()
        return found


def _pass_over(why: str) -> None:
    _logger.warning("passed over: %s", why)


def _steps(task: str, steps: Iterable[StepRecord]) -> list[Item]:
    return [item for step in steps for item in step_items(task, step)]
