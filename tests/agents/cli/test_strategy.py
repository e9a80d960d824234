"""agents.cli.strategy: what a person sees of strategies, and decides about them."""

import getpass
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.cli import call
from agents.evolution.files import parse
from blackboard import open_sync
from tests.agents.cli.commands import Ran

MONTHLY = """\
name: monthly
note: Whole months
types: [report]
when:
  request: {matches: by month}
rule:
  set: {granularity: LEVEL}
"""


Strategy = Callable[..., Ran]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the command is called, with an empty board *desk*."""
    monkeypatch.chdir(tmp_path)
    with open_sync(tmp_path / "desk", agent="operator"):
        return tmp_path


@pytest.fixture
def strategy(desk: Path, capsys: pytest.CaptureFixture[str]) -> Strategy:
    """``strategy(COMMAND, …)`` on that board, in this process: each of its own takes longer than all that it does."""

    def run(command: str, *arguments: str) -> Ran:
        return Ran(call(["strategy", command, "./desk.db", *arguments]), *capsys.readouterr())

    return run


def test_from_a_file_to_release_and_back(desk: Path, strategy: Strategy) -> None:
    """A file's strategies are candidates; a person approves them, for a share first; they are rolled back; and all of it is shown."""
    assert strategy("list").out == "There is no strategy.\n"
    for level in ("day", "month"):
        (desk / "monthly.yaml").write_text(MONTHLY.replace("LEVEL", level))
        done = strategy("add", "monthly.yaml", "--why", f"try {level}")
        assert done.code == 0, done.err
    assert done.out == f"monthly@2 is candidate, by {getpass.getuser()}: try month\n"
    assert strategy("approve", "monthly@1", "--by", "Wang").out == "monthly@1 is active, by Wang\n"
    canary = strategy("approve", "monthly@2", "--by", "Li", "--share", "0.2", "--why", "looks right")
    assert canary.out == "monthly@2 is canary for 20% of tasks, by Li: looks right\n"
    assert [line.split() for line in strategy("list").out.splitlines()] == [
        ["strategy", "is", "by", "kind", "for", "priority", "scores", "content"],
        ["monthly@1", "active", "Wang", "rule", "report", "0", "Whole", "months"],
        ["monthly@2", "canary", "for", "20%", "of", "tasks", "Li", "rule", "report", "0", "Whole", "months"],
    ]
    shown = strategy("show", "monthly@2").out
    assert shown.startswith("# monthly@2 is canary for 20% of tasks, by Li: looks right\nname: monthly\nversion: 2\n")
    assert [line.split()[-1] for line in shown.splitlines()[-2:]] == ["month", "right"]
    difference = strategy("diff", "monthly@2").out
    assert difference.startswith("--- monthly@1\n+++ monthly@2\n")
    assert "-    granularity: day\n+    granularity: month\n" in difference
    assert strategy("diff", "monthly@2", "monthly@1").out.startswith("--- monthly@2\n")
    assert strategy("approve", "monthly@2", "--by", "Li").out == "monthly@2 is active, by Li\n"
    assert strategy("rollback", "monthly", "--by", "Li", "--why", "worse").out.endswith(
        "\nmonthly@1 is active, by Li: rolled back: worse\n"
    )
    assert strategy("rollback", "monthly", "--by", "Li", "--to", "2").out.endswith("\nmonthly@2 is active, by Li: rolled back\n")
    assert strategy("retire", "monthly", "--by", "Li").out == "monthly@2 is retired, by Li\n"


def test_a_rollback_tells_what_was_taken_back(desk: Path, strategy: Strategy) -> None:
    """A canary, or an active version, why it is in force no longer, and what is in its place; in JSON as well."""
    for level in ("day", "month"):
        (desk / "monthly.yaml").write_text(MONTHLY.replace("LEVEL", level))
        strategy("add", "monthly.yaml")
    strategy("approve", "monthly@1", "--by", "Wang")
    for _ in range(2):
        strategy("approve", "monthly@2", "--by", "Li", "--share", "0.2")
        taken = strategy("rollback", "monthly", "--by", "Li", "--why", "worse").out
        assert taken == "monthly@2 is retired, by Li: rolled back: worse\nmonthly@1 is active, by Wang\n"
    strategy("approve", "monthly@2", "--by", "Li")
    back = strategy("rollback", "monthly", "--by", "Li", "--to", "monthly@1").out
    assert back == "monthly@2 is retired, by Li: version 1 took its place\nmonthly@1 is active, by Li: rolled back\n"
    again = strategy("rollback", "monthly", "--by", "Li", "--to", "2", "--json").json
    assert [(each["ref"], each["status"]) for each in again] == [("monthly@1", "retired"), ("monthly@2", "active")]
    strategy("retire", "monthly", "--by", "Li")
    strategy("approve", "monthly@1", "--by", "Li")
    assert strategy("rollback", "monthly", "--by", "Li").out == "monthly@1 is retired, by Li: rolled back\n"
    for to, sentence in (("weekly@1", "--to weekly@1 is no version of monthly"), ("x", "'monthly@x' names no version")):
        done = strategy("rollback", "monthly", "--to", to)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"pheroboard: {sentence}"), done.err


def test_what_was_turned_down_comes_back_by_name(desk: Path, strategy: Strategy) -> None:
    """Adding what a rejected or a retired version says tells who had ended it; what is there as ever is told as ever."""
    (desk / "monthly.yaml").write_text(MONTHLY)
    strategy("add", "monthly.yaml", "--by", "Li")
    assert strategy("add", "monthly.yaml", "--by", "Wang").out == "monthly@1 is candidate, by Li\n"
    strategy("reject", "monthly", "--by", "Ada")
    again = "it is candidate again, by Li: once more\n"
    assert strategy("add", "monthly.yaml", "--by", "Li", "--why", "once more").out == f"monthly@1 was rejected, by Ada: {again}"
    strategy("approve", "monthly", "--by", "Wang")
    strategy("retire", "monthly", "--by", "Wang")
    assert strategy("add", "monthly.yaml", "--by", "Li", "--why", "once more").out == f"monthly@1 was retired, by Wang: {again}"


def test_it_comes_back_as_a_file(desk: Path, strategy: Strategy) -> None:
    """What is shown as YAML is the strategy as a file, and adding that says nothing new; a folder is all its files, and JSON has all."""
    (desk / "many").mkdir()
    (desk / "many" / "a.yaml").write_text(MONTHLY)
    (desk / "many" / "b.yaml").write_text(
        MONTHLY.replace("monthly", "按周").replace("Whole", "整\u3000\u200d") + "---\nname: cool\nparameters: {temperature: 0.1}\n"
    )
    assert strategy("add", "many", "--json").code == 0
    shown = strategy("show", "按周", "--yaml").out
    [strategy_] = parse(shown)
    assert (strategy_.name, strategy_.note) == ("按周", "整\u3000\u200d months")
    (desk / "again.yaml").write_text(shown)
    assert strategy("add", "again.yaml").out.startswith("按周@1 is candidate")
    assert [each["ref"] for each in strategy("list", "--json").json] == ["cool@1", "monthly@1", "按周@1"]
    [rejected] = strategy("reject", "cool", "--by", "Li", "--json").json
    assert (rejected["ref"], rejected["status"], rejected["by"]) == ("cool@1", "rejected", "Li")
    shown = strategy("show", "cool", "--json").json
    assert [each["status"] for each in shown["decisions"]] == ["candidate", "rejected"]
    assert [each["ref"] for each in strategy("list", "--status", "rejected", "--json").json] == ["cool@1"]
    assert strategy("list", "--status", "active").out == "No strategy is active.\n"


def test_refusals(desk: Path, strategy: Strategy) -> None:
    """What cannot be is one line that names the cure; of files with an error none is added."""
    (desk / "good.yaml").write_text(MONTHLY)
    (desk / "bad.yaml").write_text("name: a\nrule:\n  run: ls\n")
    for command, arguments, sentence in (
        ("add", ("good.yaml", "bad.yaml"), "bad.yaml, line 3, rule.run: there is no such key here"),
        ("add", (), "name a file of strategies"),
        ("show", ("monthly",), "there is no strategy 'monthly' on board"),
        ("add", ("good.yaml", "--by", " "), "by: nothing becomes candidate without somebody"),
    ):
        done = strategy(command, *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"pheroboard: {sentence}")
        assert done.err.count("\n") == 1
    strategy("add", "good.yaml")
    for command, arguments, sentence in (
        ("approve", ("monthly", "--by", ""), "by: nothing becomes active without somebody"),
        ("approve", ("monthly", "--share", "1"), "share 1.0: a canary is in force for a share"),
        ("rollback", ("monthly",), "nothing of monthly is in force"),
        ("diff", ("monthly@1",), "monthly@1 is the first of its name"),
        ("retire", ("monthly@1",), "monthly@1 is candidate"),
        ("show", ("monthly@x",), "'monthly@x' names no version"),
    ):
        done = strategy(command, *arguments)
        assert (done.code, done.out) == (1, ""), command
        assert done.err.startswith(f"pheroboard: {sentence}"), done.err
