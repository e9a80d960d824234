"""agents.cli.tasks: what agents did, from files and for people, and what can be learnt from it."""

import asyncio
import json
from pathlib import Path

import pytest

import blackboard
from agents.memory.imports import read_json_lines, write_json_lines
from agents.memory.journal import Journal
from agents.memory.records import Experience, StepRecord, TaskLog, ToolCall, Turn, Verdict
from blackboard import open_sync
from tests.agents.chat_server import reply, says, serving
from tests.agents.cli.commands import pheroboard


def log(name: str, request: str = "Plot sales by month", **more: object) -> TaskLog:
    turns = (
        Turn("user", f"{request}. Do not use a log scale."),
        Turn("ada", "", (ToolCall("query", {"by": "month"}, 12), ToolCall("plot", {}))),
    )
    given = {"turns": turns, "verdict": Verdict("success", "Thanks."), "type": "report", "tools": ("plot", "query")} | more
    return TaskLog(name, "ada", request, **given)  # type: ignore[arg-type]


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A folder with the board *lab*, and a file of tasks."""
    with open_sync(tmp_path / "lab", agent="ada"):
        pass
    open_one = log("t4", "Mail the plot", verdict=None, type="")
    write_json_lines(tmp_path / "more.jsonl", [log("t5")])
    write_json_lines(tmp_path / "tasks.jsonl", [log("t1"), log("t2"), log("t3", "Plot sales by month, as bars"), open_one])
    return tmp_path


def test_there_and_back(board: Path) -> None:
    """Tasks of a file are on the board, once, and leave it as they were; they are listed, filtered and shown."""
    done = pheroboard(board, "tasks", "import", "lab", "tasks.jsonl", "--type", "mail")
    assert (done.code, done.out) == (0, "imported 4 tasks\n"), done.err
    assert pheroboard(board, "tasks", "import", "lab", "tasks.jsonl").out == "imported 0 tasks; 4 were there already\n"
    assert pheroboard(board, "tasks", "import", "lab", "tasks.jsonl", "--json").json == {"imported": 0, "there_already": 4}
    assert pheroboard(board, "tasks", "export", "lab", "back.jsonl").out == "exported 4 tasks to back.jsonl\n"
    there, back = (sorted(read_json_lines(board / name), key=lambda each: each.id) for name in ("tasks.jsonl", "back.jsonl"))
    assert back[:3] == there[:3]
    assert (back[3].type, back[3].turns) == ("mail", there[3].turns)
    assert [task["id"] for task in pheroboard(board, "tasks", "list", "lab", "--outcome", "open", "--json").json] == ["t4"]
    assert len(pheroboard(board, "tasks", "list", "lab", "--type", "report").out.splitlines()) == 4
    shown = pheroboard(board, "tasks", "show", "lab", "t1").out
    assert "success · ada · report\nPlot sales by month\n" in shown
    assert "Do not use a log scale." in shown
    assert "feedback: Thanks.\npath: query → plot" in shown
    assert pheroboard(board, "tasks", "show", "lab", "t1", "--json").json["record"]["path"] == ["query", "plot"]


def test_a_task_is_shown_with_what_it_went_by(board: Path) -> None:
    """The strategies in force, the experiences that were recalled (also one that is gone), and what was expected; its turns, each once,
    and then its step records.
    """
    known = Experience("e1", "success", "Sum on the server.", records=("t0",))
    step = StepRecord(0, 1, "Plot sales by month", (ToolCall("query", {"by": "month"}), ToolCall("plot", {})))
    verdict = Verdict("failure", "Wrong.", by="user", expected=(ToolCall("query", {"by": "week"}),))

    async def put() -> None:
        async with blackboard.open(board / "lab", agent="ada") as at:
            journal = Journal(at)
            await journal.put_log(log("t1", strategies=("by-month@2",), recalled=("e1", "e0"), verdict=verdict))
            await journal.put_log(log("t2", verdict=Verdict("failure", expected=())))
            await journal.put_steps("t1", [step])
            await journal.put_experience(known)
            await at.wait_applied()

    asyncio.run(put())
    assert pheroboard(board, "tasks", "show", "lab", "t1").out.splitlines() == [
        "failure · ada · report",
        "Plot sales by month",
        "strategies in force: by-month@2",
        "recalled: e1 (Sum on the server.)",
        "recalled: e0",
        "[turn 0] user: Plot sales by month. Do not use a log scale.",
        "[turn 1] ada:",
        "→ query(by=month)",
        "= 12",
        "→ plot()",
        "step records:",
        "  [turns 0–1] Plot sales by month",
        "  → query(by=month)",
        "  → plot()",
        "feedback: Wrong.",
        "expected: query(by=week)",
    ]
    bare = pheroboard(board, "tasks", "show", "lab", "t2").out
    assert "expected: no call\n" in bare
    assert not any(label in bare for label in ("in force", "recalled", "step records"))


def test_trajectories_of_tau_bench(board: Path) -> None:
    """They are a format of their own."""
    told = {"task_id": 7, "trial": 0, "reward": 1.0, "info": {"task": {"actions": []}}, "traj": [{"role": "user", "content": "Hello"}]}
    (board / "tau.json").write_text(json.dumps([told]))
    assert pheroboard(board, "tasks", "import", "lab", "tau.json", "--format", "tau", "--type", "airline").out == "imported 1 tasks\n"
    (task,) = pheroboard(board, "tasks", "list", "lab", "--json").json
    assert (task["id"], task["type"], task["request"]) == ("7.0", "airline", "Hello")


def test_what_is_learnt_is_recalled(board: Path) -> None:
    """Distilled it is told, with how often; again there is nothing new; a task that is like it gets it, and one that is not does not."""
    pheroboard(board, "tasks", "import", "lab", "tasks.jsonl")
    done = pheroboard(board, "tasks", "distil", "lab")
    assert done.out.splitlines()[-1] == "3 tasks: 1 new, 0 renewed, 0 gone, 0 unchanged", done.err
    assert "“Plot sales by month” and 2 like it went well by query → plot" in done.out
    again = pheroboard(board, "tasks", "distil", "lab", "--by", "fingerprint", "--json").json
    assert (again["done"]["unchanged"], again["experiences"][0]["kept"]) == (1, ["Do not use a log scale."])
    recall = ("tasks", "recall", "lab", "Plot the sales by month", "--type", "report", "--tool", "query")
    taken = pheroboard(board, *recall, "--tool", "plot", "--json").json
    assert [each["experience"]["records"] for each in taken["taken"]] == [["t1", "t2", "t3"]]
    passed = pheroboard(board, *recall).out
    assert "passed" in passed
    assert "the tool plot is not at hand" in passed
    assert pheroboard(board, "tasks", "recall", "lab", "Good morning").out == "Nothing that is known is like it.\n"


def test_a_model_may_word_what_was_learnt(board: Path) -> None:
    """Within its budget; what it worded, and what it cost, is told."""
    pheroboard(board, "tasks", "import", "lab", "tasks.jsonl")
    asked = ("tasks", "distil", "lab", "--model", "m1", "--base-url")
    with serving() as model:
        model.does(says(reply('{"lesson": "Look the sales up, then plot them."}')))
        done = pheroboard(board, *asked, model.url, "--tokens", "10")
        assert done.out.splitlines()[-1] == "m1 worded 0, 1 as they were (BudgetSpent); 0 of 10 tokens are spent", done.err
        pheroboard(board, "tasks", "import", "lab", "more.jsonl")
        done = pheroboard(board, *asked, model.url)
    assert done.out.splitlines()[-1] == "m1 worded 1; 12 of 20,000 tokens are spent", done.err
    assert "Look the sales up, then plot them." in done.out


def test_refusals(board: Path) -> None:
    """A file that is not there, that is none, one that cannot be written; a task that is not there; a number that cannot be."""
    (board / "none").write_text("hello")
    for arguments, sentence in {
        ("import", "lab", "missing"): "missing cannot be read",
        ("import", "lab", "none"): "none, line 1: JSON is malformed",
        ("import", "lab", "none", "--format", "tau"): "give the trajectories that tau-bench writes",
        ("export", "lab", "missing/file"): "missing/file cannot be written",
        ("show", "lab", "t9"): "there is no task 't9'",
        ("distil", "lab", "--least", "0"): "least 0",
    }.items():
        done = pheroboard(board, "tasks", *arguments)
        assert (done.code, done.out) == (1, ""), arguments
        assert sentence in done.err
