"""``tasks``: what agents did, from files and for people, and what can be learnt from it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from textwrap import indent
from typing import Annotated, Literal

import anyio
from cyclopts import App, Parameter
from msgspec.structs import replace

from agents.chat import Budget, Chat
from agents.cli.output import plain, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.conditions import Situation
from agents.errors import CommandError
from agents.memory.experience import Recalled, recall
from agents.memory.imports import read_json_lines, read_tau, write_json_lines
from agents.memory.journal import Journal
from agents.memory.llm_summariser import LLMSummariser
from agents.memory.records import Outcome, StepRecord, TaskLog, TaskRecord
from agents.memory.tasks import summarised
from agents.memory.telling import called, told_step, told_turn

AT_ONCE = 16
"""Tasks that are put on a board together."""

TaskId = Annotated[str, Parameter(help="The task's id.")]
Request = Annotated[str, Parameter(help="What is asked for.", allow_leading_hyphen=True)]
Given = Annotated[Path, Parameter(help="The file.")]

tasks = App(name="tasks", help="What agents did, and what they learnt: import, export, list, show, distil, recall, report.")
tasks.command("agents.cli.report:report", name="report", help="How it goes, over time: success, turns, memory, strategies.")


@tasks.command(name="import")
async def import_(
    board: BoardName,
    file: Given,
    /,
    *,
    form: Annotated[Literal["jsonl", "tau"], Parameter(name="--format")] = "jsonl",
    type: Annotated[str, Parameter(name="--type")] = "",  # noqa: A002 - the word for it
    who: Who = OPERATOR,
) -> None:
    """Put tasks of a file on a board; those that are there already are left as they are.

    Parameters
    ----------
    form
        jsonl: a task log in JSON a line, as `tasks export` writes; tau: the trajectories that tau-bench writes.
    type
        The type of the tasks, where the file does not say.
    """
    try:
        logs = read_tau(file, type) if form == "tau" else [_typed(log, type) for log in read_json_lines(file)]
    except OSError as error:
        raise CommandError(f"{file} cannot be read ({error}): name a file of tasks") from error
    async with opened(board, who) as at:
        journal = Journal(at)
        there = {head.id for head in await journal.heads()}
        new = [log for log in logs if log.id not in there]
        for first in range(0, len(new), AT_ONCE):
            async with anyio.create_task_group() as puts:
                for log in new[first : first + AT_ONCE]:
                    puts.start_soon(_put, journal, log)
        await at.wait_applied()
    done = {"imported": len(new), "there_already": len(logs) - len(new)}
    if who.json:
        print_json(done)
    else:
        print(f"imported {len(new)} tasks" + (f"; {len(logs) - len(new)} were there already" if len(logs) > len(new) else ""))


async def _put(journal: Journal, log: TaskLog) -> None:
    await journal.put_log(log)
    if log.verdict is not None:
        await journal.put_record(summarised(log))


def _typed(log: TaskLog, type: str) -> TaskLog:  # noqa: A002 - the word for it
    return log if log.type else replace(log, type=type)


@tasks.command
async def export(board: BoardName, file: Given, /, *, who: Who = OPERATOR) -> None:
    """Write the tasks of a board into a file, a task log in JSON a line."""
    async with opened(board, who) as at:
        logs = await Journal(at).logs()
    try:
        count = write_json_lines(file, logs)
    except OSError as error:
        raise CommandError(f"{file} cannot be written ({error}): name another file") from error
    print(f"exported {count} tasks to {file}")


@tasks.command(name="list")
async def list_(
    board: BoardName,
    /,
    *,
    type: Annotated[str | None, Parameter(name="--type")] = None,  # noqa: A002 - the word for it
    outcome: Annotated[Outcome | Literal["open"] | None, Parameter(name="--outcome")] = None,
    who: Who = OPERATOR,
) -> None:
    """The tasks on a board, in the order in which they began.

    Parameters
    ----------
    type
        Only those of this type.
    outcome
        Only those that ended so, or are open.
    """
    async with opened(board, who) as at:
        heads = await Journal(at).heads()
    heads = [head for head in heads if type in {None, head.type} and outcome in {None, _outcome(head)}]
    if who.json:
        print_json(heads)
        return
    rows = ((_outcome(head), head.type, head.agent, head.request, head.id) for head in heads)
    print_table(("outcome", "type", "agent", "content", "id"), rows, empty="There are no such tasks.")


def _outcome(task: TaskLog) -> str:
    return task.verdict.outcome if task.verdict else "open"


@tasks.command
async def show(board: BoardName, task: TaskId, /, *, who: Who = OPERATOR) -> None:
    """A task: by what it went, how it went turn by turn, what its steps came to, and what it came to."""
    async with opened(board, who) as at:
        journal = Journal(at)
        log, steps, record = await journal.log(task), await journal.steps(task), await journal.record(task)
        lessons = {each.id: each.lesson for each in await journal.experiences()} if log.recalled and not who.json else {}
    if who.json:
        print_json({"log": log, "steps": steps, "record": record})
        return
    print("\n".join(map(plain, _told(log, steps, record, lessons))))


def _told(log: TaskLog, steps: Sequence[StepRecord], record: TaskRecord | None, lessons: Mapping[str, str]) -> Iterator[str]:
    """``lessons``: of the experiences that are on the board still, by id."""
    yield f"{_outcome(log)} · {log.agent}" + (f" · {log.type}" if log.type else "")
    yield log.request
    if log.strategies:
        yield f"strategies in force: {', '.join(log.strategies)}"
    for each in log.recalled:
        yield f"recalled: {each}" + (f" ({lessons[each]})" if each in lessons else "")
    yield from (told_turn(turn, number) for number, turn in enumerate(log.turns))
    if steps:
        yield "step records:"
        yield from (indent(told_step(step), "  ") for step in steps)
    if log.verdict and log.verdict.feedback:
        yield f"feedback: {log.verdict.feedback}"
    if log.verdict and log.verdict.expected is not None:
        yield f"expected: {'; '.join(map(called, log.verdict.expected)) or 'no call'}"
    if record is not None:
        yield f"path: {' → '.join(record.path)}"
        if record.lesson:
            yield f"lesson: {record.lesson}"


@tasks.command
async def distil(
    board: BoardName,
    /,
    *,
    by: Annotated[Literal["fingerprint", "likeness"], Parameter(name="--by")] = "fingerprint",
    least: int = 3,
    model: str | None = None,
    base_url: Annotated[str | None, Parameter(env_var="PHEROBOARD_LLM_URL")] = None,
    tokens: int = 20_000,
    who: Who = OPERATOR,
) -> None:
    """Let many tasks become a few experiences: what worked, and what to beware of.

    Parameters
    ----------
    by
        Which tasks go together. fingerprint: those that went the same way; likeness: those that went alike (the extra learn).
    least
        So many tasks make an experience.
    model
        A language model that words what was learnt (the extra llm); its key stands in PHEROBOARD_LLM_KEY, if it needs one.
    base_url
        Where it is, if not at OpenAI's: a server that speaks that protocol, as in http://127.0.0.1:11434/v1.
    tokens
        What the model may cost, at most.
    """
    from agents.memory.distiller import distil_board

    async with opened(board, who) as at, AsyncExitStack() as stack:
        chat = None if model is None else await stack.enter_async_context(_chat(model, base_url, tokens))
        done = await distil_board(at, by=by, least=least, summariser=LLMSummariser(chat) if chat else None)
        await at.wait_applied()
        experiences = await Journal(at).experiences()
    if who.json:
        print_json({"done": done, "spent": chat.budget.spent if chat else 0, "experiences": experiences})
        return
    rows = ((each.outcome, str(len(each.records)), each.type, each.lesson, each.id) for each in experiences)
    print_table(("outcome", "times", "type", "content", "id"), rows, empty=f"No {least} tasks went alike.")
    print(f"{done.records} tasks: {len(done.new)} new, {len(done.renewed)} renewed, {len(done.gone)} gone, {done.unchanged} unchanged")
    if chat:
        left = "".join(f", {count} as they were ({why})" for why, count in sorted(done.fallen_back.items()))
        print(f"{model} worded {done.worded}{left}; {chat.budget.spent:,} of {tokens:,} tokens are spent")


def _chat(model: str, base_url: str | None, tokens: int) -> Chat:
    return Chat(model, base_url=base_url, api_key=os.environ.get("PHEROBOARD_LLM_KEY"), budget=Budget(tokens))


@tasks.command(name="recall")
async def recall_(
    board: BoardName,
    request: Request,
    /,
    *,
    type: Annotated[str, Parameter(name="--type")] = "",  # noqa: A002 - the word for it
    tool: Annotated[Sequence[str], Parameter(name="--tool")] = (),
    who: Who = OPERATOR,
) -> None:
    """What a board's experiences have for a task, and why; what looked alike and does not apply, and why not.

    Parameters
    ----------
    type
        The task's type.
    tool
        A tool that is at hand; give it once for each.
    """
    async with opened(board, who) as at:
        found = await recall(at, Situation(request=request, type=type, tools=tuple(sorted(tool))))
    if who.json:
        print_json(found)
        return

    def row(used: str, each: Recalled) -> tuple[str, ...]:
        return used, each.experience.outcome, f"{each.likeness:.2f}", each.experience.lesson, each.why, each.experience.id

    rows = [*(row("taken", each) for each in found.taken), *(row("passed", each) for each in found.passed)]
    print_table(("used", "outcome", "score", "content", "because", "id"), rows, empty="Nothing that is known is like it.")
