"""Claims about the benchmark of the airline's failures: how it counts, on trajectories made up for it; and its figures on the data."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.memory.imports import read_tau
from tests.benchmarks import tau
from tests.benchmarks.sizes import TINY

Call = tuple[str, dict[str, Any]]
CANCEL: Call = ("cancel_reservation", {"reservation_id": "R7"})
LOOKED_UP: Call = ("get_reservation_details", {"reservation_id": "R7"})
CERTIFICATE: Call = ("send_certificate", {"user_id": "mia", "amount": 50})


def trajectory(task: int, *said: str | Call, expected: Sequence[Call] = (), trial: int = 0) -> dict[str, Any]:
    """What a user and the agent say by turns, with calls between; solved if the writes are those that were expected."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be polite."}]
    for each in said:
        if isinstance(each, str):
            role, _, text = each.partition(": ")
            messages.append({"role": role, "content": text})
        else:
            name, parameters = each
            function = {"name": name, "arguments": json.dumps(parameters)}
            messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]})
            messages.append({"role": "tool", "tool_call_id": "c", "content": json.dumps(parameters)})
    solved = [each for each in said if not isinstance(each, str) and each[0] in tau.WRITES] == [*expected]
    actions = [{"name": name, "kwargs": parameters} for name, parameters in expected]
    return {"task_id": task, "trial": trial, "reward": float(solved), "info": {"task": {"actions": actions}}, "traj": messages}


def careless(task: int, trial: int = 0, expected: Sequence[Call] = ()) -> dict[str, Any]:
    """It cancels what the user never named, without a word."""
    return trajectory(task, "user: Please cancel my flight.", LOOKED_UP, CANCEL, expected=expected, trial=trial)


def careful(task: int, trial: int = 0) -> dict[str, Any]:
    """It says what cannot be, and waits for a yes."""
    said = ("user: Cancel R7.", LOOKED_UP, "assistant: It cannot be undone. Shall I?", "user: Yes", CANCEL)
    return trajectory(task, *said, expected=[CANCEL], trial=trial)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four tasks that fail by a careless write, of one of them two trials; one that leaves its write out; twelve that go well."""
    idle = trajectory(5, "user: Hello", expected=[CANCEL])
    found = [*(careless(task) for task in range(4)), careless(3, trial=1), idle, *(careful(task) for task in range(10, 22))]
    path = tmp_path / "trajectories.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def test_a_wrong_write_makes_a_failure_count(data: Path) -> None:
    """One that leaves a write out is not judged, and a write that was expected is right."""
    judged = tau.trials(read_tau(data))
    assert [each.id for each in judged if each.failed] == ["0.0", "1.0", "2.0", "3.0", "3.1"]
    assert sum(not each.failed for each in judged) == 12
    right = [right for log in read_tau(data) for right, _ in tau.writes(log)]
    assert (right.count(True), right.count(False)) == (12, 5)


def test_a_task_is_judged_by_others_only(tmp_path: Path) -> None:
    """Two trials of one task teach each other nothing; those of two others do."""
    path = tmp_path / "trajectories.json"
    path.write_text(json.dumps([careless(0), careless(0, trial=1), careless(1), *(careful(task) for task in range(10, 22))]))
    judged = tau.trials(read_tau(path))
    assert tau.left_out(judged, judged).failures == ()
    more = [*judged, *tau.trials(read_tau(_written(tmp_path, [careless(2), careless(3)])))]
    assert tau.left_out(judged, more).failures == ("0.0", "0.1", "1.0")


def _written(folder: Path, trajectories: list[dict[str, Any]]) -> Path:
    path = folder / "others.json"
    path.write_text(json.dumps(trajectories), encoding="utf-8")
    return path


def test_gives_every_row(data: Path, tmp_path: Path) -> None:
    """What was planted is found; learned from a file of its own, too."""
    for train in (None, _written(tmp_path, [careless(50), careless(51), *(careful(task) for task in range(60, 72))])):
        rows = {row.name: row for row in tau.rows(data, TINY, train=train)}
        assert rows["left out: failures flagged before their wrong write"].value == 100
        assert rows["left out: successes flagged"].value == 0
        assert {row.verdict for row in rows.values()} <= {"ok", ""}
        assert rows["left out: wrong writes flagged, each by itself"].note == "5 of 5, 0 of them in successes"
        assert rows["left out: right writes flagged, each by itself"].value == 0
        assert rows["every write flagged: successes flagged"].value == 100
        assert sum(row.value for name, row in rows.items() if name.startswith("cause of the failures: ")) == pytest.approx(100)
    assert rows["lesson: a call about a thing that the user never named: tasks that failed so"].value == 2


@pytest.mark.data
def test_failures_would_have_been_stopped() -> None:
    """On the trajectories that stand beside the project: the figures that it must reach."""
    beside = Path(__file__).parents[2] / "../shared/data/tau_airline_gpt4o_first100.json"
    path = Path(os.environ.get("PHEROBOARD_TAU", beside))
    if not path.is_file():
        pytest.skip(f"no trajectories at {path}; PHEROBOARD_TAU names their file")
    assert {row.verdict for row in tau.rows(path, TINY)} <= {"ok", ""}
