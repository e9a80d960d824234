"""agents.cli.watch: what happens on a board, as it happens."""

import json
import signal
from pathlib import Path

import blackboard
from tests.agents.cli.commands import error_line_of, line_of, pheroboard, started


def test_watch(served: Path) -> None:
    """It shows changes and signals as they come, and a later watch goes on from where one stopped."""
    with started(served, "watch", "lab", "--json", "--as", "viewer") as watch:
        assert error_line_of(watch).startswith("watching lab as viewer")
        item = pheroboard(served, "deposit", "lab", "The bell rings", "--key", "bell", "--shared", "--json").json["id"]
        first = json.loads(line_of(watch))
        assert first["event"]["type"] == "change"
        assert (first["event"]["item"], first["event"]["cause"], first["event"]["new"]) == (item, "deposit", 4.0)
        watch.send_signal(signal.SIGINT)
        assert watch.wait(10) == 130
        assert f"--since '{first['position']}'" in error_line_of(watch)
    pheroboard(served, "retract", "lab", item)
    with started(served, "watch", "lab", "--changes", "--as", "viewer", "--since", first["position"]) as watch:
        assert line_of(watch) == "operator retract fact bell: The bell rings, 4.00 → 0.00\n"


def test_signals_alone(served: Path) -> None:
    """--signals leaves the changes out; a person reads when, what and by whom."""
    limit = ["deposit", "lab", "Three at most", "--key", "cats", "--op", "<=", "--value", "3", "--shared"]
    with started(served, "watch", "lab", "--signals") as watch:
        error_line_of(watch)
        assert pheroboard(served, *limit).code == 0
        assert pheroboard(served, "deposit", "lab", "There are four cats", "--key", "cats", "--value", "4", "--shared").code == 0
        assert line_of(watch) == "round 0: VIOLATED (soft) fact cats: There are four cats, 4.00, by operator\n"


def test_what_is_linked(served: Path) -> None:
    """An edge is named by what it joins, and content of several lines is told on one."""
    shared = [pheroboard(served, "deposit", "lab", text, "--shared", "--json").json["id"] for text in ("one\ntwo", "雨")]
    url = json.loads((served / "serving.json").read_text())["url"]
    with started(served, "watch", "lab", "--changes") as watch:
        error_line_of(watch)
        with blackboard.open_sync(f"{url}/lab", agent="clerk") as board:
            board.link(*shared)
        assert line_of(watch) == "clerk link edge: one two – 雨, 0.00 → 1.00\n"


def test_refusals(served: Path) -> None:
    """Contradicting options and a position that is none are refused."""
    both = pheroboard(served, "watch", "lab", "--signals", "--changes")
    assert (both.code, both.err) == (1, "pheroboard: give --signals or --changes, not both; without either, both are shown\n")
    nowhere = pheroboard(served, "watch", "lab", "--since", "yesterday")
    assert (nowhere.code, nowhere.err.count("\n")) == (1, 1)
    assert nowhere.err.startswith("pheroboard: position 'yesterday'")
    ahead = pheroboard(served, "watch", "lab", "--since", "shared=9999 private=0")
    assert ahead.code == 1
    assert ahead.err.splitlines()[-1].startswith("pheroboard: position 9999 of shared is ahead of the board")
    assert "go on from here" not in ahead.err
