"""agents.cli.kinds: a board's kinds, shown and changed."""

import json
from pathlib import Path

from blackboard import open_sync
from tests.agents.cli.commands import line_of, pheroboard, started

FILE = """
[kinds.fact]
half_life = 30
[kinds.rumour]
initial = 2
rate = 0.5
"""


def test_of_a_board_that_is_served(tmp_path: Path) -> None:
    """Made with a file of them; shown as a table and as JSON; changed while it runs; a board that has others is not served with these."""
    (tmp_path / "kinds.toml").write_text(FILE)
    with started(tmp_path, "up", "shop", "--kinds", "kinds.toml") as up:
        line_of(up)
        table = {line.split()[0]: line.split() for line in pheroboard(tmp_path, "kinds", "shop").out.splitlines()}
        assert table["kind"] == ["kind", "initial", "half_life", "threshold", "then", "protect", "confirm", "use"]
        assert table["fact"] == ["fact", "4", "30", "1", "fold", "3", "0.5", "0.5"]
        assert table["rumour"] == ["rumour", "2", "1", "1", "archive", "3", "0.5", "0.5"]
        assert table["edge"][4] == "discard"
        (tmp_path / "other.toml").write_text("[kinds.fact]\nrate = 0.25\n")
        changed = pheroboard(tmp_path, "kinds", "shop", "--set", "other.toml", "--json").json
        assert changed["fact"]["rate"] == 0.25
        assert "rumour" not in changed
        up.terminate()
        up.wait(10)
    assert "has other kinds" in pheroboard(tmp_path, "up", "shop", "--kinds", "kinds.toml").err
    assert pheroboard(tmp_path, "up", "shop", "--data", str(tmp_path / "x"), "--kinds", "none.toml").code == 1


def test_of_a_database(tmp_path: Path) -> None:
    """A board that no server serves is changed where it lies."""
    with open_sync(tmp_path / "shop", agent="a") as board:
        board.deposit("x", scope="shared")
    (tmp_path / "kinds.toml").write_text(FILE)
    assert pheroboard(tmp_path, "kinds", "./shop.db", "--set", "kinds.toml", "--json").json["rumour"]["rate"] == 0.5
    assert pheroboard(tmp_path, "kinds", "shop", "--json").json["rumour"]["rate"] == 0.5


def test_refusals(served: Path, tmp_path: Path) -> None:
    """A bad file by its key, and a board that is kept elsewhere."""
    url = json.loads((served / "serving.json").read_text())["url"]
    file = tmp_path / "kinds.toml"
    file.write_text("[kinds.fact]\nhalf_life = -3\n")
    for arguments, sentence in {
        ("lab", "--set", str(file)): "pheroboard: kinds.fact.half_life: it is above 0",
        ("lab", "--set", str(tmp_path / "none")): "cannot be read",
        (f"{url}/lab", "--set", str(file)): "on the machine that holds the data",
        ("lab", "--nats", url, "--set", str(file)): "on the machine that holds the data",
    }.items():
        done = pheroboard(served, "kinds", *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err
