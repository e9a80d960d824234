"""Running ``pheroboard`` as a user does: in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PHEROBOARD = str(Path(sys.executable).with_name("pheroboard"))
ROOT = Path(__file__).parents[3]
LONGEST = 30.0
"""Seconds that any command may take."""


class Ran(NamedTuple):
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(data: Path) -> dict[str, str]:
    """Ours, without what a developer may have set; ``data`` is the data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PHEROBOARD_") or name == "PHEROBOARD_NATS_SERVER"}
    return {**kept, "PHEROBOARD_DATA": str(data), "COLUMNS": "120", "PYTHONPATH": str(ROOT)}


def pheroboard(data: Path, *arguments: str, cwd: Path | None = None, given: str | None = None) -> Ran:
    """Run one command to its end, by default in the data folder, with what is ``given`` on its standard input."""
    done = subprocess.run(
        [PHEROBOARD, *arguments],
        input=given, capture_output=True, text=True, timeout=LONGEST, env=environment(data), cwd=cwd or data, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(data: Path, *arguments: str, through: tuple[str, ...] = ()) -> Iterator["subprocess.Popen[str]"]:
    """A command, run ``through`` another, that goes on while the context is open; killed at its end if it still runs."""
    command = [*through, PHEROBOARD, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(data), cwd=data, process_group=0
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: "subprocess.Popen[str]") -> str:
    """The next line that it prints, which the test's timeout bounds."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        assert process.stderr is not None
        raise AssertionError(f"it has ended: {process.stderr.read()}")
    return line


def error_line_of(process: "subprocess.Popen[str]") -> str:
    """The next line that it prints as an error, which the test's timeout bounds."""
    assert process.stderr is not None
    return process.stderr.readline()


def address_in(line: str) -> str:
    """The server's address in the line that ``up`` prints."""
    return next(word for word in line.split() if word.startswith("nats://"))
