"""Examples that start processes of their own, interrupted."""

import os
import signal
from pathlib import Path

import pytest

from tests.agents.cli.commands import ROOT, line_of, started


@pytest.mark.parametrize(
    ("example", "far"), [(("procurement", "--processes"), "round 3\n"), (("watch_strength",), "rounds 0 to 3, live:\n")]
)
@pytest.mark.parametrize("times", [1, 2])
def test_interrupted(example: tuple[str, ...], far: str, times: int, tmp_path: Path) -> None:
    """Ctrl-C, which a terminal sends to every process of a command, ends them all without a word; so does an impatient one."""
    name, *arguments = example
    with started(tmp_path, "run", str(ROOT / "examples" / name), *arguments) as run:
        while line_of(run) != far:
            pass
        for _ in range(times):
            os.killpg(run.pid, signal.SIGINT)
        assert run.stderr is not None
        assert run.stderr.read() == ""  # up to its end: no process that could write there is left
        assert run.wait(10) == 130
