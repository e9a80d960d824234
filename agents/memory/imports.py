"""Task logs from files, and into them: JSON lines, one log a line, and the trajectories that tau-bench writes.

Laws:

- What is read is whole or not at all: an error names the file, the line or the entry, and the field.
- What ``write_json_lines`` writes, ``read_json_lines`` reads as it was.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from reprlib import repr as shown
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from agents.memory.plain import plain
from agents.memory.records import TaskLog, ToolCall, Turn, Verdict
from agents.memory.validity import require_turn, validated_log
from blackboard.errors import BadValue

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What reading raises for bytes that are no JSON of the shape: the last for what is nested too deep."""
SOLVED = 1 - 1e-6
"""The reward from which tau-bench counts a task as solved."""


def read_json_lines(path: Path) -> list[TaskLog]:
    """The logs in a file, in its order; empty lines are passed over.

    Raises ``BadValue``, which names file, line and field: for what is no JSON, a field that a log does not have, a value of another type,
    an id that cannot be one or was on an earlier line, and what recording refuses (no agent, no request, a turn that says nothing). Raises
    ``OSError``.
    """
    lines: dict[str, int] = {}
    logs = []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            line = line.removeprefix(BOM_UTF8).strip()  # noqa: PLW2901 - what an editor may have put there
            if not line:
                continue
            try:
                log = _log(line)
            except (*UNREADABLE, BadValue) as error:
                raise BadValue(f"{path}, line {number}: {error}: give one task log in JSON a line") from error
            if lines.setdefault(log.id, number) != number:
                raise BadValue(f"{path}, line {number}: $.id {log.id!r} is that of line {lines[log.id]}: give each task an id of its own")
            logs.append(log)
    return logs


def write_json_lines(path: Path, logs: Iterable[TaskLog]) -> int:
    """Write logs, one a line, and say how many. Raises ``BadValue``, which names what is no JSON and writes nothing, and ``OSError``."""
    lines = [msgspec.json.encode(plain(log)) + b"\n" for log in logs]
    path.write_bytes(b"".join(lines))
    return len(lines)


def _log(line: bytes) -> TaskLog:
    given = msgspec.json.decode(line)
    log = msgspec.convert(given, TaskLog)
    _refuse_unknown(given, log, "$")
    return validated_log(log)


def _refuse_unknown(given: Any, read: Any, where: str) -> None:
    # A misspelt field that may be left out would be lost without a word.
    if isinstance(read, Struct):
        for field, value in given.items():
            if field not in read.__struct_fields__:
                raise msgspec.ValidationError(f"Object has no field `{field}` - at `{where}`")
            _refuse_unknown(value, getattr(read, field), f"{where}.{field}")
    elif isinstance(read, tuple):
        for index, (inner, value) in enumerate(zip(given, read, strict=True)):
            _refuse_unknown(inner, value, f"{where}[{index}]")


# ---- tau-bench ---------------------------------------------------------------------------------------------------------------------------


class _Function(Struct, frozen=True):
    name: str
    arguments: str = "{}"


class _Call(Struct, frozen=True):
    function: _Function
    id: str = ""


class _Message(Struct, frozen=True):
    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    name: str | None = None


class _Action(Struct, frozen=True):
    name: str
    kwargs: dict[str, Any] = {}


class _Task(Struct, frozen=True):
    actions: list[_Action] | None = None


class _Info(Struct, frozen=True):
    task: _Task = _Task()


class _Trajectory(Struct, frozen=True):
    task_id: int | str
    reward: float
    traj: list[_Message]
    info: _Info = _Info()
    trial: int = 0

    @property
    def id(self) -> str:
        return f"{self.task_id}.{self.trial}"


def read_tau(path: Path, type: str = "", agent: str = "assistant") -> list[TaskLog]:  # noqa: A002 - a log's own word
    """The logs in a file of trajectories, as tau-bench writes them: ``[{task_id, trial, reward, info, traj}]``.

    A log's id is *TASK.TRIAL*. What a tool answered is joined to its call, so turns are fewer than messages; an answer that begins with
    *Error* is the call's error. At hand are the tools that any trajectory of the file calls or ought to: the file does not say. The verdict
    knows the calls that were expected. ``type`` and ``agent`` are what the file does not say either.

    Raises ``BadValue``, which names file, entry and field, and ``OSError``.
    """
    try:
        trajectories = msgspec.json.decode(path.read_bytes(), type=list[_Trajectory])
    except UNREADABLE as error:
        raise BadValue(f"{path}: {error}: give the trajectories that tau-bench writes, a list in JSON") from error
    entries: dict[str, int] = {}
    logs = []
    for index, each in enumerate(trajectories):
        if each.id in entries:
            raise BadValue(
                f"{path}: $[{index}] is task {each.task_id}, trial {each.trial}, and so is $[{entries[each.id]}]: give each once"
            )
        entries[each.id] = index
        turns = _turns(each.traj, agent, f"{path}: $[{index}].traj")
        request = next((turn.text for turn in turns if turn.by == "user"), "")
        logs.append(_checked(TaskLog(each.id, agent, request, type, turns, _verdict(each)), f"{path}: $[{index}]"))
    tools = {call.name for log in logs for turn in log.turns for call in turn.calls}
    tools |= {call.name for log in logs if log.verdict for call in log.verdict.expected or ()}
    return [replace(log, tools=tuple(sorted(tools))) for log in logs]


def _checked(log: TaskLog, where: str) -> TaskLog:
    try:
        return validated_log(log)
    except BadValue as error:
        raise BadValue(f"{where}: {error}") from error


def _verdict(each: _Trajectory) -> Verdict:
    actions = each.info.task.actions
    expected = None if actions is None else tuple(ToolCall(action.name, action.kwargs) for action in actions)
    return Verdict("success" if each.reward >= SOLVED else "failure", by="tau-bench", expected=expected)


def _turns(messages: list[_Message], agent: str, where: str) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    asked: dict[str, tuple[int, int]] = {}
    for index, message in enumerate(messages):
        if message.role != "tool":
            # Whose answer it is the nearest call says: ids come back in one trajectory.
            asked = {call.id: (len(turns), number) for number, call in enumerate(message.tool_calls or ())}
            calls = tuple(_call(call, f"{where}[{index}].tool_calls[{number}]") for number, call in enumerate(message.tool_calls or ()))
            turns.append(
                _said(Turn(agent if message.role == "assistant" else message.role, message.content or "", calls), f"{where}[{index}]")
            )
        elif message.tool_call_id in asked:
            turn, number = asked.pop(message.tool_call_id)
            turns[turn] = _answered(turns[turn], number, message.content or "")
        else:
            turns.append(_said(Turn("tool", message.content or ""), f"{where}[{index}]"))
    return tuple(turns)


def _said(turn: Turn, where: str) -> Turn:
    try:
        require_turn(turn)
    except BadValue as error:
        raise BadValue(f"{where}: {error}") from None
    return turn


def _answered(turn: Turn, number: int, answer: str) -> Turn:
    call = turn.calls[number]
    call = replace(call, error=answer) if answer.startswith("Error") else replace(call, result=_result(answer))
    return replace(turn, calls=(*turn.calls[:number], call, *turn.calls[number + 1 :]))


def _call(call: _Call, where: str) -> ToolCall:
    given = call.function.arguments
    try:
        return ToolCall(call.function.name, msgspec.json.decode(given, type=dict[str, Any]))
    except UNREADABLE as error:
        raise BadValue(f"{where}.function.arguments {shown(given)}: {error}: give an object in JSON") from error


def _result(answer: str) -> Any:
    # Only what is written as a structure is one: "123" may be a number, or a flight's.
    if answer.lstrip().startswith(("{", "[")):
        try:
            return msgspec.json.decode(answer)
        except UNREADABLE:
            return answer
    return answer
