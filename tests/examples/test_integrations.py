"""Claims about the guides in docs/integrations/, whose code is that of examples/integrations/."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(path.stem for path in (ROOT / "examples" / "integrations").glob("[!_]*.py"))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def lines(code: str) -> list[str]:
    return [line for line in code.splitlines() if line.strip()]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_guide_shows_its_example_and_what_that_prints(name: str, tmp_path: Path) -> None:
    """The guide's blocks of Python are, one after another, the example; its first block of text is what the example prints."""
    page = (ROOT / "docs" / "integrations" / f"{name}.md").read_text("utf-8")
    assert lines("\n".join(blocks(page, "python"))) == lines((ROOT / "examples" / "integrations" / f"{name}.py").read_text("utf-8"))
    command = [sys.executable, "-m", f"examples.integrations.{name}"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PHEROBOARD_DATA": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == blocks(page, "text")[0], done.stderr
