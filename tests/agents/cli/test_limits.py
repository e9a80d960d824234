"""agents.cli.limits: how fast an agent may speak, shown and changed."""

from pathlib import Path

from blackboard import open_sync
from tests.agents.cli.commands import line_of, pheroboard, started


def test_of_a_board_that_is_served(tmp_path: Path) -> None:
    """Shown in words and as JSON; each part is changed by itself; none at all is an answer."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        assert pheroboard(tmp_path, "limits", "shop").out == "an agent may say 2,000 observations a second, and 2,000 more at once\n"
        assert pheroboard(tmp_path, "limits", "shop", "--rate", "50", "--json").json == {"rate": 50.0, "burst": 2000.0}
        assert pheroboard(tmp_path, "limits", "shop", "--burst", "70", "--json").json == {"rate": 50.0, "burst": 70.0}
        assert "as it likes" in pheroboard(tmp_path, "limits", "shop", "--rate", "none").out


def test_refusals(tmp_path: Path) -> None:
    """A rate that is none, and a board that is kept elsewhere."""
    with open_sync(tmp_path / "shop", agent="a") as board:
        board.deposit("x")
    assert pheroboard(tmp_path, "limits", "./shop.db", "--burst", "70", "--json").json == {"rate": 2000.0, "burst": 70.0}
    for arguments, sentence in {
        ("./shop.db", "--rate", "fast"): "--rate 'fast': give a number",
        ("./shop.db", "--rate", "-3"): "rate -3.0: give a finite number",
        ("nats://127.0.0.1:1/shop", "--rate", "3"): "on the machine that holds the data",
    }.items():
        done = pheroboard(tmp_path, "limits", *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err
