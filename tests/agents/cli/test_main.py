"""agents.cli: exit codes, errors, and what is printed where."""

import subprocess
import sys
from pathlib import Path

import pytest

from agents.cli import app, call
from tests.agents.cli.commands import PHEROBOARD, environment, pheroboard


def test_every_command_is_described() -> None:
    """Each command is there, can be imported, and says what it does."""
    for name in app:
        if not name.startswith("-"):
            assert app[name].help
            assert app[name].default_command or list(app[name])


@pytest.mark.parametrize("arguments", [("nonsense",), ("top",), ("top", "shop", "--limit", "many"), ("top", "shop", "--bogus")])
def test_usage(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """A command that is called wrongly says so in one line on stderr, with exit code 2."""
    assert call(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("pheroboard: ")
    assert said.err.count("\n") == 1


def test_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that fails says so in one line with the cure, with exit code 1; PHEROBOARD_DEBUG adds the traceback."""
    monkeypatch.chdir(tmp_path)
    arguments = ("top", "nowhere", "--data", str(tmp_path))
    assert call(arguments) == 1
    plain = capsys.readouterr()
    assert plain.out == ""
    assert plain.err.count("\n") == 1
    assert "pheroboard up nowhere" in plain.err
    monkeypatch.setenv("PHEROBOARD_DEBUG", "1")
    assert call(arguments) == 1
    assert "Traceback" in capsys.readouterr().err


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    """--help lists the commands, and --version is the package's."""
    assert call(["--help"]) == 0
    assert "constraints" in capsys.readouterr().out
    assert call(["--version"]) == 0
    assert capsys.readouterr().out.strip().count(".") == 2


def test_colours_stay_out_of_pipes(served: Path) -> None:
    """Into a pipe there are no colours."""
    assert "\x1b" not in pheroboard(served, "top", "shop").out


def test_a_reader_that_has_seen_enough(served: Path) -> None:
    """A pipe that is closed early is no error."""
    with subprocess.Popen([PHEROBOARD, "top", "shop"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(served)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(10) == 0


def test_closed_streams(served: Path) -> None:
    """Without a stdout, a stderr or a stdin it does what it was asked to."""
    for closed in (">&-", "2>&-", "<&-"):
        command = ["sh", "-c", f'"$@" {closed}', "sh", PHEROBOARD, "top", "shop"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(served), timeout=30, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_what_a_stream_cannot_encode(served: Path) -> None:
    """It is escaped, and no error."""
    environ = {**environment(served), "PYTHONIOENCODING": "ascii"}
    command = [PHEROBOARD, "search", "shop", "雨"]
    pheroboard(served, "deposit", "shop", "雨", "--shared")
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=30, check=True)
    assert "\\u96e8" in done.stdout


def test_starts_light() -> None:
    """The command line loads neither tables nor NATS before a command needs them."""
    heavy = {"rich.table", "nats"}
    listing = "import sys, agents.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(loaded)


def test_embedded(tmp_path: Path) -> None:
    """Without any server, a path is a board in a file, and two commands find the same one."""
    (tmp_path / "notes.db").touch()
    assert pheroboard(tmp_path, "deposit", "notes", "Buy milk", "--key", "milk").code == 0
    assert [item["content"] for item in pheroboard(tmp_path, "top", "./notes.db", "--json").json] == ["Buy milk"]
    assert pheroboard(tmp_path, "top", "notes", "--as", "other").out == "Nothing is in view.\n"
