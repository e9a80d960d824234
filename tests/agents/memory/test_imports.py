"""The claims of ``agents.memory.imports``."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.imports import read_json_lines, read_tau, write_json_lines
from agents.memory.records import TaskLog, ToolCall, Turn, Verdict
from blackboard.errors import BadValue

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
TABLES = st.dictionaries(st.text(), PLAIN, max_size=3)
SAID = st.text().filter(str.strip)
CALLS = st.lists(st.builds(ToolCall, SAID, TABLES, PLAIN, st.none() | st.text()), max_size=2).map(tuple)
TURNS = st.lists(st.builds(Turn, by=SAID, text=SAID, calls=CALLS, tokens=st.integers(0, 10)), max_size=3).map(tuple)
VERDICTS = st.none() | st.builds(Verdict, st.sampled_from(["success", "failure"]), st.text(), st.text(), st.none() | CALLS)
LOGS = st.builds(
    TaskLog,
    id=st.text("aZ0._-务", min_size=1, max_size=9),
    agent=SAID,
    request=SAID,
    turns=TURNS,
    verdict=VERDICTS,
    facts=TABLES,
)


@settings(max_examples=50, deadline=None)
@given(st.lists(LOGS, max_size=3, unique_by=lambda log: log.id))
def test_what_is_written_is_read_as_it_was(tmp_path_factory: pytest.TempPathFactory, logs: list[TaskLog]) -> None:
    """Any logs come back equal, in their order, one a line."""
    path = tmp_path_factory.mktemp("logs") / "logs.jsonl"
    assert write_json_lines(path, logs) == len(logs)
    assert read_json_lines(path) == logs
    assert len(path.read_bytes().splitlines()) >= len(logs)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 3: Input data was truncated"),
        ("[]", "line 3: Expected `object`"),
        ('{"id": "b", "agent": "a"}', "missing required field `request`"),
        ('{"id": "b", "agent": "a", "request": 7}', "Expected `str`, got `int` - at `$.request`"),
        ('{"id": "", "agent": "a", "request": "r"}', "a task's id is ''"),
        ('{"id": "a\\nb", "agent": "a", "request": "r"}', "a task's id is 'a\\nb'"),
        ('{"id": "b", "agent": "a", "request": "r", "facts": {"n": ' + "9" * 400 + "}}", "facts.n is 999"),
        ('{"id": "b", "agent": "a", "request": "r", "facts": {"n": ' + "[" * 5_000 + "]" * 5_000 + "}}", "recursion"),
        ('{"id": "b", "agent": "a", "request": "r", "facts": {"n": ' + "[" * 300 + "]" * 300 + "}}", "levels deep"),
        ('{"id": "b", "agent": " ", "request": "r"}', "a task's agent is ' ': name whose task it is"),
        ('{"id": "b", "agent": "a", "request": ""}', "a task's request is '': say what is asked for"),
        (
            '{"id": "b", "agent": "a", "request": "r", "turns": [{"by": "u", "text": "t"}, {"by": "a"}]}',
            "$.turns[1]: a turn by 'a' says nothing",
        ),
        ('{"id": "b", "agent": "a", "request": "r", "turns": [{"by": "", "text": "t"}]}', "$.turns[0]: a turn by '': name who spoke"),
        ('{"id": "b", "agent": "a", "request": "r", "turns": [{"by": "a", "calls": [{"name": ""}]}]}', "$.turns[0]: a call of the tool ''"),
        (
            '{"id": "b", "agent": "a", "request": "r", "turns": [{"by": "a", "text": "t", "tokens": -1}]}',
            "$.turns[0]: a turn's tokens are -1",
        ),
        ('{"id": "a", "agent": "a", "request": "r"}', "$.id 'a' is that of line 1"),
        ('{"id": "b", "agent": "a", "request": "r", "turn": []}', "no field `turn` - at `$`"),
        ('{"id": "b", "agent": "a", "request": "r", "turns": [{"by": "a", "call": []}]}', "no field `call` - at `$.turns[0]`"),
        ('{"id": "b", "agent": "a", "request": "r", "verdict": {"outcome": "so so"}}', "at `$.verdict.outcome`"),
        ('{"id": "b", "agent": "a", "request": "r", "facts": {"x": ' + "[" * 100_000, "maximum recursion depth"),
    ],
)
def test_an_error_names_file_line_and_field(tmp_path: Path, line: str, says: str) -> None:
    """Whatever is wrong with a line is said with the line's number (counted with empty ones) and the field."""
    path = tmp_path / "logs.jsonl"
    path.write_text('{"id": "a", "agent": "a", "request": "r"}\n\n' + line + "\n")
    with pytest.raises(BadValue) as caught:
        read_json_lines(path)
    assert f"{path}, line 3: " in str(caught.value)
    assert says in str(caught.value)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    """Editors put one before the first line; two files in one have two."""
    path = tmp_path / "logs.jsonl"
    path.write_text('\ufeff{"id": "a", "agent": "a", "request": "r"}\n\ufeff{"id": "b", "agent": "a", "request": "r"}\r\n', "utf-8")
    assert [log.id for log in read_json_lines(path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("fact", "says"), [(float("nan"), "facts.x is nan"), ("\ud800", "facts.x is not Unicode"), ({1}, "facts.x is a set")]
)
def test_what_would_not_come_back_is_not_written(tmp_path: Path, fact: Any, says: str) -> None:
    """What is no JSON is named, and the file stays as it was."""
    path = tmp_path / "logs.jsonl"
    write_json_lines(path, [TaskLog("a", "a", "r")])
    with pytest.raises(BadValue, match=says):
        write_json_lines(path, [TaskLog("b", "a", "r"), TaskLog("c", "a", "r", facts={"x": fact})])
    assert [log.id for log in read_json_lines(path)] == ["a"]


def test_what_nests_without_end_stops_nobody(tmp_path: Path) -> None:
    """An answer that nests thousands of levels deep is the text that it was; arguments that do are refused with their place."""
    path = tmp_path / "tau.json"
    deep = "[" * 100_000
    call = {"id": "1", "function": {"name": "look", "arguments": "{}"}}
    said = [ASKS, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "1", "content": deep}]
    path.write_text(json.dumps([{"task_id": 1, "reward": 1, "traj": said}]))
    assert read_tau(path)[0].turns[1].calls[0].result == deep
    call["function"] = {"name": "look", "arguments": '{"a": ' + deep}
    path.write_text(json.dumps([{"task_id": 1, "reward": 1, "traj": said}]))
    with pytest.raises(BadValue, match=r"\$\[0\]\.traj\[1\]\.tool_calls\[0\]\.function\.arguments") as caught:
        read_tau(path)
    assert len(str(caught.value)) < 500


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    """A file in another encoding is refused with its line."""
    path = tmp_path / "logs.jsonl"
    path.write_bytes(b'{"id": "\xe9", "agent": "a", "request": "r"}\n')
    with pytest.raises(BadValue, match="line 1"):
        read_json_lines(path)


ASKS = {"role": "user", "content": "To Seattle, please."}


def trajectory(**given: Any) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"to": "SEA"}'}}
    update = {"id": "c2", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "You must not pay twice."},
        {"role": "user", "content": "To Seattle, please."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "name": "find", "content": '[{"flight": "HAT1"}]'},
        {"role": "assistant", "content": "I book it.", "tool_calls": [update]},
        {"role": "tool", "tool_call_id": "c2", "name": "book", "content": "Error: no seats"},
        {"role": "assistant", "content": "It is full."},
    ]
    actions = [{"name": "pay", "kwargs": {"amount": 5}}]
    return {"task_id": 3, "trial": 1, "reward": 0.0, "info": {"task": {"actions": actions}}, "traj": messages} | given


def written(tmp_path: Path, *trajectories: dict[str, Any]) -> Path:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(trajectories))
    return path


def test_a_trajectory_is_a_log(tmp_path: Path) -> None:
    """Answers are joined to their calls, an answer that begins with Error is the call's error, and the verdict knows what was expected."""
    (log,) = read_tau(written(tmp_path, trajectory()), "airline")
    assert (log.id, log.type, log.request) == ("3.1", "airline", "To Seattle, please.")
    assert [turn.by for turn in log.turns] == ["system", "user", "assistant", "assistant", "assistant"]
    assert log.turns[2].calls == (ToolCall("find", {"to": "SEA"}, result=[{"flight": "HAT1"}]),)
    assert log.turns[3] == Turn("assistant", "I book it.", calls=(ToolCall("book", error="Error: no seats"),))
    assert log.verdict == Verdict("failure", by="tau-bench", expected=(ToolCall("pay", {"amount": 5}),))
    assert log.tools == ("book", "find", "pay")


def test_an_answer_is_the_nearest_calls(tmp_path: Path) -> None:
    """Ids of calls come back within a trajectory, so each answer belongs to the call before it."""

    def asked(to: str) -> list[dict[str, Any]]:
        call = {"id": "same", "function": {"name": "find", "arguments": json.dumps({"to": to})}}
        return [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "same", "content": f"{to} it is"}]

    (log,) = read_tau(written(tmp_path, trajectory(traj=[ASKS, *asked("A"), *asked("B")])))
    assert [turn.calls for turn in log.turns[1:]] == [(ToolCall("find", {"to": to}, result=f"{to} it is"),) for to in "AB"]


def test_each_answer_goes_to_its_own_call(tmp_path: Path) -> None:
    """Of several calls in a turn all stay, and one without an answer has none; what has no content has no text."""
    calls = [{"id": name, "function": {"name": name}} for name in "abc"]
    said = [ASKS, {"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": "a", "content": "1"}]
    said += [{"role": "tool", "tool_call_id": "c"}]
    (log,) = read_tau(written(tmp_path, trajectory(traj=said)))
    assert log.turns[1:] == (Turn("assistant", calls=(ToolCall("a", result="1"), ToolCall("b"), ToolCall("c", result=""))),)


def test_a_reward_of_one_is_a_success(tmp_path: Path) -> None:
    """Only the whole reward is; and an answer without its call stands as a turn of its own."""
    orphan = {"role": "tool", "tool_call_id": "c9", "content": "42"}
    whole, part = read_tau(written(tmp_path, trajectory(reward=1.0, traj=[ASKS, orphan]), trajectory(reward=0.5, trial=2)))
    assert whole.verdict is not None
    assert whole.verdict.outcome == "success"
    assert whole.turns[1:] == (Turn("tool", "42"),)
    assert part.verdict is not None
    assert part.verdict.outcome == "failure"


BROKEN = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"reward": "much"}, "at `$[0].reward`"),
        ({"task_id": "a" * 300}, "$[0]: a task's id is"),
        ({"traj": [ASKS, {"role": "assistant", "content": ""}]}, "$[0].traj[1]: a turn by 'assistant' says nothing"),
        ({"traj": [ASKS, {"role": "tool"}]}, "$[0].traj[1]: a turn by 'tool' says nothing"),
        ({"traj": [{"role": "assistant", "content": "Hello"}]}, "$[0]: a task's request is ''"),
        ({"traj": [{"role": "robot"}]}, "at `$[0].traj[0].role`"),
        (
            {"traj": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
            "tool_calls[0].function.arguments '{'",
        ),
    ],
)
def test_a_bad_trajectory_is_named(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    """The error names the file, the entry and the field."""
    path = written(tmp_path, trajectory(**change))
    with pytest.raises(BadValue) as caught:
        read_tau(path)
    assert str(path) in str(caught.value)
    assert says in str(caught.value)


def test_a_trial_that_comes_twice_is_refused(tmp_path: Path) -> None:
    """Two logs of one id would be one task."""
    with pytest.raises(BadValue, match=r"task 3, trial 1, and so is \$\[0\]"):
        read_tau(written(tmp_path, trajectory(), trajectory()))
