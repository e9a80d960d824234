"""Claims about tokens that tell whether their process lives."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agents.evolution.hold import forget, held, lives
from tests.agents.cli.commands import ROOT


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_it_lives_as_long_as_its_context() -> None:
    """Afterwards it is known to be dead, until it is forgotten."""
    with held() as token:
        assert lives(token) is True
    assert lives(token) is False
    forget(token)
    assert lives(token) is None


def test_a_process_that_is_killed_is_known_to_be_dead() -> None:
    """At once, since the kernel lets go of its file."""
    code = "from agents.evolution.hold import held\nwith held() as token:\n  print(token, flush=True)\n  input()"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        token = process.stdout.readline().strip()
        assert lives(token) is True
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert lives(token) is False


@pytest.mark.parametrize("token", ["", "../../etc/passwd", "0" * 15, "x" * 16])
def test_what_is_no_token_names_no_file(token: str, folder: Path) -> None:
    """Whatever somebody wrote on a board."""
    assert lives(token) is None
    forget(token)
    assert not list(folder.iterdir())


def test_a_link_is_not_followed(folder: Path) -> None:
    """Nobody's file is written by who plants one under a token's name."""
    (folder / "victim").write_text("mine")
    (folder / f"pheroboard-cycle-{'0' * 16}.lock").symlink_to(folder / "victim")
    assert lives("0" * 16) is None
    assert (folder / "victim").read_text() == "mine"
