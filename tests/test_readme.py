"""Claims about the READMEs and the pages of docs/: what they show is run as it stands."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from blackboard.scent import load_rules, observe
from tests.agents.cli.commands import error_line_of, line_of, pheroboard, started

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.zh-CN.md")
INSTALLING = "pip install uv && "


def blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / readme).read_text("utf-8"), re.DOTALL | re.MULTILINE)


def commands(readme: str) -> list[str]:
    """Without the installation of uv and without ``uv run``: the tests run in the environment that it makes."""
    lines = [line[2:] for block in blocks(readme, "console") for line in block.splitlines() if line.startswith("$ ")]
    return [line.removeprefix(INSTALLING).removeprefix("uv run ") for line in lines]


def run(command: list[str], folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "PHEROBOARD_DATA": str(folder / "data")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("readme", READMES)
def test_code_and_commands_run_in_order(readme: str, tmp_path: Path) -> None:
    """Each block of code is a program of its own, which may be run again; the commands look at the board that they made."""
    for code in blocks(readme, "python"):
        said = [run([sys.executable, "-W", "error", "-c", code], tmp_path) for _ in range(2)]
        assert all(said) or not any(said)
    shown = [run(shlex.split(command), tmp_path) for command in commands(readme) if "procurement.db" in command]
    assert shown
    assert all(shown)


PAGES = ["docs/memory.md", "docs/context.md", "docs/messages.md", "docs/experience.md", "docs/evolution.md", "docs/lessons.md"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_code_prints(page: str, tmp_path: Path) -> None:
    """Its blocks of code are one program; what it is said to print, it prints. A file that it shows bears its name."""
    for text in blocks(page, "toml"):
        (tmp_path / text.split()[1]).write_text(text, "utf-8")
    code, [shown] = "\n".join(blocks(page, "python")), blocks(page, "text")
    assert shown in run([sys.executable, "-W", "error", "-c", code], tmp_path)


def test_the_page_of_scents(tmp_path: Path) -> None:
    """Its code is one program, which prints what it is said to; its commands observe the conversation that it shows on the same board."""
    page = "docs/scents.md"
    [talk], [printed] = blocks(page, "talk"), blocks(page, "text")
    (tmp_path / "talk.txt").write_text(talk, "utf-8")
    assert run([sys.executable, "-W", "error", "-c", "\n".join(blocks(page, "python"))], tmp_path) == printed
    table, documents, _ = [run(shlex.split(command), tmp_path) for command in commands(page)]
    assert "the task 'returns' begins" in table
    assert documents.count('"said"') == len(talk.splitlines())
    assert (tmp_path / "field.png").exists()


def test_the_page_of_tasks(tmp_path: Path) -> None:
    """Its code is one program, and prints what each part of it is said to print."""
    page = "docs/tasks.md"
    assert run([sys.executable, "-W", "error", "-c", "\n".join(blocks(page, "python"))], tmp_path) == "".join(blocks(page, "text"))


def test_the_page_of_strategies(tmp_path: Path) -> None:
    """Its file is read, its code prints what it is said to, and its commands decide about what that left on the board."""
    page = "docs/strategies.md"
    [file], [printed] = blocks(page, "yaml"), blocks(page, "text")
    (tmp_path / "monthly.yaml").write_text(file, "utf-8")
    assert run([sys.executable, "-W", "error", "-c", "\n".join(blocks(page, "python"))], tmp_path) == printed
    *_, listed = [run(shlex.split(command), tmp_path) for command in commands(page)]
    assert {each["ref"]: each["status"] for each in json.loads(listed)} == {
        "careful@1": "retired", "monthly-sales@1": "retired", "report-plan@1": "active",
    }  # fmt: skip


@pytest.mark.parametrize("readme", READMES)
def test_a_board_that_is_served(readme: str, tmp_path: Path) -> None:
    """While the first command runs, the second shows what the others do."""
    up, watch, *others = [shlex.split(command)[1:] for command in commands(readme) if " demo" in command]
    with started(tmp_path, *up) as serving:
        assert line_of(serving).startswith("serving demo at ")
        with started(tmp_path, *watch) as watching:
            error_line_of(watching)
            assert all(pheroboard(tmp_path, *command).code == 0 for command in others)
            seen = [line_of(watching) for _ in range(3)]
    assert seen[0].startswith("finance deposit constraint budget: ")
    assert seen[1].startswith("procurement deposit fact budget: ")
    assert "VIOLATED (hard)" in seen[2]


@pytest.mark.parametrize("readme", READMES)
def test_the_first_command_runs_the_crew(readme: str) -> None:
    """As written, from the root of a checkout."""
    first, second = commands(readme)[:2]
    assert second == "pytest"
    assert "VIOLATED" in run(shlex.split(first), ROOT)


def test_the_gate_calls_the_tests_as_the_readme_says() -> None:
    """``.ci/run`` ends with the README's second command."""
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("uv run pytest")


@pytest.mark.parametrize(
    "page",
    [
        *READMES,
        "CONTRIBUTING.md",
        "docs/design.md",
        "docs/memory.md",
        "docs/context.md",
        "docs/scents.md",
        "docs/messages.md",
        "docs/strategies.md",
        "docs/tasks.md",
        "docs/experience.md",
    ],
)
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link names a file that is there."""
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text("utf-8")):
        assert (folder / target).exists(), target


def test_what_the_guarantees_rest_on() -> None:
    """Each test that the page of guarantees names is there."""
    named = set(re.findall(r"`(\S*test\S*\.py|tests/[a-z/]+)`", (ROOT / "docs/guarantees.md").read_text("utf-8")))
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_rules_of_ones_own_do_what_the_page_says(tmp_path: Path) -> None:
    """A new type, a new directive, words, a courier and a decay."""
    [text] = blocks("docs/messages.md", "toml")
    (tmp_path / "shop.toml").write_text(text, "utf-8")
    rules = load_rules(tmp_path / "shop.toml")
    found = [(scent.type, scent.target, scent.value) for scent in observe("Please refund #A7, gift note: well done", rules=rules)]
    assert found == [("directive", "A7", "refund"), ("order_reference", "A7", "A7"), ("gift_note", "A7", "well done")]
    assert [(scent.value, scent.decay) for scent in observe("by night van", rules=rules)] == [("night van", 0.95)]
    assert [scent.value for scent in observe("Ravens brought it", rules=rules)] == ["Ravens"]
    assert [[scent.type for scent in observe(text, rules=rules)] for text in ("howdy", "keep calm")] == [["chatter"], ["general"]]


def test_every_type_of_scent_stands_in_the_table_with_its_figures() -> None:
    """Those of topics under a star."""
    types, told = load_rules().types, set[str]()
    page = (ROOT / "docs/messages.md").read_text("utf-8")
    for names, _, concentration, decay in re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE):
        for name in re.findall(r"`([\w*]+)`", names):
            told.add(name)
            assert decay == (f"`FieldSettings.{types[name].group}`" if types[name].group else decay)
            assert decay[0] == "`" or float(decay) == types[name].decay
            assert name == "general" or float(concentration.split(",")[0]) == types[name].concentration
    assert told == set(types)
