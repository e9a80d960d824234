"""Claims about the READMEs: what they show is run as it stands."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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
    """Each block of code is a program of its own, and the commands look at the board that they made."""
    for code in blocks(readme, "python"):
        run([sys.executable, "-W", "error", "-c", code], tmp_path)
    shown = [run(shlex.split(command), tmp_path) for command in commands(readme) if "procurement.db" in command]
    assert shown
    assert all(shown)


@pytest.mark.parametrize("readme", READMES)
def test_the_first_command_runs_the_crew(readme: str) -> None:
    """As written, from the root of a checkout."""
    first, second = commands(readme)[:2]
    assert second == "pytest"
    assert "VIOLATED" in run(shlex.split(first), ROOT)


def test_the_gate_calls_the_tests_as_the_readme_says() -> None:
    """``.ci/run`` ends with the README's second command."""
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("uv run pytest")


@pytest.mark.parametrize("page", [*READMES, "CONTRIBUTING.md", "docs/design.md"])
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link names a file that is there."""
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text("utf-8")):
        assert (folder / target).exists(), target
