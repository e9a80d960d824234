"""The failed runs of several agents of Who&When, as logs: https://github.com/mingyin1/Agents_Failure_Attribution (ICML 2025).

Runs are *hand-crafted* (Magentic-One: an orchestrator and those whom it asks, whose turns say what they did in a browser), or
*algorithm-generated* (experts who talk, and a terminal that runs their code). A turn's number is its place in the history, from 0.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from agents.memory.records import TaskLog, ToolCall, Turn, Verdict

WHO = {"human": "user", "Computer_terminal": "tool"}
"""Who is no agent, as a log says it."""
_DID = re.compile(r"I (typed|clicked|scrolled|hovered|went|navigated)\b(.*?)(?:\n\n|$)(.*)", re.DOTALL)
_OPENED = re.compile(r"Address: (\S+)\n(.*)", re.DOTALL)
_LEDGER = re.compile(r"\AUpdated Ledger:\n(\{.*\})", re.DOTALL)


class Failure(NamedTuple):
    """A failed run, and what people found to have decided it."""

    log: TaskLog
    crafted: bool
    agent: str
    turn: int
    question: str


def load(path: Path) -> list[Failure]:
    """Every run of a file of the data set."""
    return [_failure(run) for run in json.loads(path.read_text(encoding="utf-8"))]


def _failure(run: dict[str, Any]) -> Failure:
    crafted, question = "system_prompt" not in run, str(run["question"])
    entries = [(_by(entry), str(entry["content"] or "")) for entry in run["history"]]
    turns = tuple(_turn(by, text, entries[number + 1 : number + 2], crafted) for number, (by, text) in enumerate(entries))
    agents = [turn.by for turn in turns if turn.by not in WHO.values()]
    log = TaskLog(str(run["question_ID"]), agents[0], question, turns=turns, verdict=Verdict("failure"))
    return Failure(log, crafted, str(run["mistake_agent"]), int(run["mistake_step"]), question)


def _by(entry: dict[str, Any]) -> str:
    """*Orchestrator (thought)* and *Orchestrator (-> WebSurfer)* are the orchestrator."""
    said = str(entry.get("name") or entry["role"]).partition(" (")[0]
    return WHO.get(said, said)


def _turn(by: str, text: str, after: list[tuple[str, str]], crafted: bool) -> Turn:
    if by in WHO.values():
        return Turn(by, text)
    calls = _did(text) if crafted else _ran(after)
    return Turn(by, _told(text), calls)


def _did(text: str) -> tuple[ToolCall, ...]:
    """What it did in a browser, as its turn says."""
    if did := _DID.match(text):
        return (ToolCall(did[1], {"what": did[2].strip()}, did[3]),)
    if opened := _OPENED.match(text):
        return (ToolCall("open", {"address": opened[1]}, opened[2]),)
    return ()


def _ran(after: list[tuple[str, str]]) -> tuple[ToolCall, ...]:
    """What the terminal made of the code, if it ran any."""
    for by, output in after:
        if by == "tool" and output.startswith("exitcode:"):
            code, _, printed = output.partition("Code output:")
            return (ToolCall("run", {}, printed.strip()) if "exitcode: 0" in code else ToolCall("run", {}, error=printed.strip()),)
    return ()


def _told(text: str) -> str:
    """An orchestrator's ledger in words: what is answered yes or no there is said."""
    if (written := _LEDGER.match(text)) is None:
        return text
    try:
        ledger = msgspec.json.decode(written[1].encode(), type=dict[str, dict[str, Any]])
    except msgspec.DecodeError:
        return text
    answers = {name: entry.get("answer") for name, entry in ledger.items()}
    told = [str(answers.get("instruction_or_question", ""))]
    if answers.get("is_request_satisfied") is True:
        told.append("The request is satisfied.")
    if answers.get("is_in_loop") is True:
        told.append("We are in a loop.")
    if answers.get("is_progress_being_made") is False:
        told.append("There is no progress.")
    return "Ledger. " + " ".join(told)
