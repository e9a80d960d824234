"""agents.cli.keys: a board's keys, listed and renamed."""

import json
from pathlib import Path

from blackboard import open_sync
from tests.agents.cli.commands import line_of, pheroboard, started


def test_of_a_board_that_is_served(tmp_path: Path) -> None:
    """Private items count too; a key is merged with another while the board runs, and known ids go on leading to their items."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        said = [("x", "budgte", "finance"), ("x", "budget", "finance"), ("y", "budgte", "eve"), ("z", "trip", "eve")]
        ids = [pheroboard(tmp_path, "deposit", "shop", text, "--key", key, "--as", by, "--json").json["id"] for text, key, by in said]
        assert pheroboard(tmp_path, "keys", "shop", "--json").json == {
            "budget": {"standing": 1}, "budgte": {"standing": 2}, "trip": {"standing": 1},
        }  # fmt: skip
        done = pheroboard(tmp_path, "keys", "shop", "--rename", "budgte", "budget")
        assert [line.split() for line in done.out.splitlines()] == [
            ["key", "standing", "archived", "history"], ["budget", "2", "0", "0"], ["trip", "1", "0", "0"],
        ], done.err  # fmt: skip
        accounts = [pheroboard(tmp_path, "explain", "shop", each, "--as", "finance", "--json").json for each in ids[:2]]
        assert accounts[0] == accounts[1]
        assert [(act["cause"], act["by"]) for act in accounts[0]["acts"]] == [("deposit", "finance"), ("merge", "_board")]
        up.terminate()
        up.wait(10)


def test_of_a_database(tmp_path: Path) -> None:
    """A board that no server serves is changed where it lies; one without keys has none to list."""
    with open_sync(tmp_path / "shop", agent="a") as board:
        board.deposit("x")
    assert pheroboard(tmp_path, "keys", "./shop.db").out == "No item has a key.\n"
    with open_sync(tmp_path / "shop", agent="a") as board:
        board.deposit("x", key="k")
    assert pheroboard(tmp_path, "keys", "./shop.db", "--rename", "k", "l", "--json").json == {"l": {"standing": 1}}


def test_refusals(served: Path) -> None:
    """A key that has no items, and a board that is kept elsewhere."""
    url = json.loads((served / "serving.json").read_text())["url"]
    for arguments, sentence in {
        ("lab", "--rename", "none", "budget"): "key 'none' has no items to rename: pheroboard keys BOARD lists those that have",
        ("lab", "--rename", "none", "none"): "is 'none' already",
        (f"{url}/lab",): "this is done where the files are",
        ("lab", "--nats", url, "--rename", "a", "b"): "on the machine that holds the data",
    }.items():
        done = pheroboard(served, "keys", *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err
