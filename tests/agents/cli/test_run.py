"""agents.cli.run: a crew from a file, a folder or a module."""

import signal
from pathlib import Path

import pytest

from tests.agents.cli.commands import line_of, pheroboard, started

CREW = """
from agents import Agent, Crew, on_change

class Speaker(Agent):
    async def start(self):
        await self.board.deposit("It rains", key="weather", scope="shared")

class Listener(Agent):
    @on_change(key="weather")
    async def heard(self, change):
        print(f"{self.board.name}: {change.by} {change.cause}", flush=True)
        HEARD

crew = Crew([Speaker(), Listener()], give_up=2, pause=0.01)
"""
MAIN = """
async def main(address, *args):
    print(address.rpartition("/")[2], *args)
    return len(args)
"""


def test_crew(tmp_path: Path) -> None:
    """A file that offers a crew is run on a board of its own, named after it, of which nothing is left."""
    (tmp_path / "weather.py").write_text(CREW.replace("HEARD", ""))
    done = pheroboard(tmp_path, "run", "weather.py")
    assert (done.code, done.out, done.err) == (0, "weather: speaker deposit\n", "")
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["weather.py"]


def test_here(tmp_path: Path) -> None:
    """A folder is named as a shell has it, too: the board has its name."""
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text(MAIN)
    assert pheroboard(tmp_path, "run", ".", cwd=tmp_path / "pack").out == "pack\n"


def test_kept(tmp_path: Path) -> None:
    """With --data the board is kept, and what is on it stays there; --board names it."""
    (tmp_path / "weather.py").write_text(CREW.replace("HEARD", ""))
    for cause in ("deposit", "confirm"):
        assert pheroboard(tmp_path, "run", "weather", "--board", "sky", "--data", "kept").out == f"sky: speaker {cause}\n"


def test_given_up(tmp_path: Path) -> None:
    """An agent that fails is reported with its traceback; if it is given up, the exit code is 1."""
    (tmp_path / "weather.py").write_text(CREW.replace("HEARD", "raise ZeroDivisionError('wet')"))
    done = pheroboard(tmp_path, "run", "weather.py")
    assert done.code == 1
    assert done.out == "weather: speaker deposit\n" * 2
    assert "ZeroDivisionError: wet" in done.err
    assert "agent listener is given up: it failed 2 times" in done.err


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    """Where nobody reads any more what a crew prints, its agents are stopped, and nothing has failed."""
    (tmp_path / "talker.py").write_text(
        "import anyio\nfrom agents import Agent, Crew, every\n"
        "class Talker(Agent):\n"
        "    @every(seconds=0.01)\n    async def talk(self, _):\n        print('so', flush=True)\n"
        "    async def run(self):\n        await anyio.sleep_forever()\n"
        "    async def stop(self):\n        open('stopped', 'x')\n"
        "crew = Crew([Talker()])\n"
    )
    with started(tmp_path, "run", "talker.py") as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert line_of(run) == "so\n"
        run.stdout.close()
        assert run.stderr.read() == ""
        assert run.wait(10) == 0
    assert (tmp_path / "stopped").exists()


def test_main(tmp_path: Path, served: Path) -> None:
    """A main is given the board's address and the arguments, and its number is the exit code; --nats takes a board that is served."""
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").touch()
    (tmp_path / "pack" / "tool.py").write_text(MAIN)
    for target in ("pack.tool", "pack/tool.py", str(tmp_path / "pack" / "tool.py")):
        done = pheroboard(tmp_path, "run", target, "--board", "shop", "--nats", "nats://127.0.0.1:1", "one", "--two")
        assert (done.code, done.out) == (2, "shop one --two\n")


def test_refusals(tmp_path: Path) -> None:
    """What cannot be run is named, with the cure."""
    (tmp_path / "empty.py").touch()
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("async def main(address): ...")
    (tmp_path / "weather.py").write_text(CREW.replace("HEARD", ""))
    (tmp_path / "broken.py").write_text("import no_such_module_at_all")
    for arguments, sentence in {
        ("nowhere.py",): "there is nothing at nowhere.py",
        ("no.such.module",): "there is no module no.such.module",
        ("empty.py",): "empty has nothing to run: give it",
        ("pack", "x"): "pack cannot take what it was given, nats://127.0.0.1:",
        ("weather.py", "--loud"): "takes no arguments; it was given --loud",
        ("broken.py",): "ModuleNotFoundError: No module named 'no_such_module_at_all' (PHEROBOARD_DEBUG=1",
    }.items():
        done = pheroboard(tmp_path, "run", *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted(tmp_path: Path, number: signal.Signals, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, or being asked to end, stops every agent and ends the server; nothing is left."""
    (tmp_path / "endless.py").write_text(
        "import anyio\nfrom agents import Agent, Crew\n"
        "class Endless(Agent):\n"
        "    async def run(self):\n        print('running', flush=True)\n        await anyio.sleep_forever()\n"
        "    async def stop(self):\n        print('stopped', flush=True)\n"
        "crew = Crew([Endless()])\n"
    )
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with started(tmp_path, "run", "endless.py") as run:
        assert line_of(run) == "running\n"
        assert list((tmp_path / "temporary").iterdir())
        run.send_signal(number)
        assert line_of(run) == "stopped\n"
        assert run.wait(10) == code
        assert run.stderr is not None
        assert run.stderr.read() == ""
    assert not list((tmp_path / "temporary").iterdir())


def test_in_a_closed_folder(tmp_path: Path) -> None:
    """With --data, agents show the keys that lie there, also those in processes of their own; one without is named, with the cure."""
    (tmp_path / "weather.py").write_text(CREW.replace("HEARD", ""))
    (tmp_path / "where.py").write_text("import os\nasync def main(address, *args): print(os.environ['PHEROBOARD_CREDENTIALS'])")
    data = ("--data", str(tmp_path / "data"))
    pheroboard(tmp_path, "agent", "add", "speaker", *data)
    refused = pheroboard(tmp_path, "run", "weather.py", *data)
    assert refused.code == 1
    assert "does not know anyone who shows no key" in refused.err
    pheroboard(tmp_path, "agent", "add", "listener", *data)
    assert pheroboard(tmp_path, "run", "weather.py", *data).out == "weather: speaker deposit\n"
    assert pheroboard(tmp_path, "run", "where.py", *data).out == f"{tmp_path / 'data' / 'keys'}\n"
