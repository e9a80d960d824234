"""agents.cli.keeping: what is done where a board's files are."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.cli.commands import line_of, pheroboard, started

SECRET = "Hailan asked us to keep 47 to ourselves"


def item_of(data: Path, *arguments: str) -> str:
    done = pheroboard(data, "deposit", *arguments, "--json")
    assert done.code == 0, done.err
    return str(done.json["id"])


def traces(folder: Path, *texts: str) -> list[str]:
    return [f"{text} in {path}" for path in folder.rglob("*") if path.is_file() for text in texts if text.encode() in path.read_bytes()]


def test_erase_where_it_is_served(tmp_path: Path) -> None:
    """The operator erases another's private item from a board that is served; when the command returns, it is in no database."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        item = item_of(tmp_path, "shop", SECRET, "--as", "procurement")
        assert pheroboard(tmp_path, "top", "shop").out == "Nothing is in view.\n"
        done = pheroboard(tmp_path, "erase", "shop", item)
        assert (done.code, done.out) == (0, "erased from shop\n"), done.err
        databases = [path for path in tmp_path.glob("shop*") if path.is_file()]
        assert len(databases) >= 3
        assert not [path for path in databases if SECRET.encode() in path.read_bytes() or item.encode() in path.read_bytes()]
        again = pheroboard(tmp_path, "erase", "shop", item)
        assert (again.code, again.err) == (1, "pheroboard: not in your view\n")
        up.terminate()
        up.wait(10)


def test_erase_where_nobody_serves(tmp_path: Path) -> None:
    """A board that nobody serves is served for as long as it takes: with its server's log, or embedded."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        item = item_of(tmp_path, "shop", SECRET, "--as", "procurement")
        up.terminate()
        up.wait(10)
    assert traces(tmp_path, SECRET)
    done = pheroboard(tmp_path, "erase", "shop", item)
    assert (done.code, done.out) == (0, "erased from shop\n"), done.err
    assert traces(tmp_path, SECRET, item) == []
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        assert pheroboard(tmp_path, "stats", "shop", "--json").json["items"] == 0
        up.terminate()
        up.wait(10)


def test_replay(tmp_path: Path) -> None:
    """A board that is served is shown as it stood after an entry, at a round and at a time."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        item_of(tmp_path, "shop", "the first", "--shared", "--kind", "constraint")
        item_of(tmp_path, "shop", "the second", "--shared")
        now = pheroboard(tmp_path, "replay", "shop", "--json").json
        assert [item["content"] for item in now["items"]] == ["the first", "the second"]
        before = pheroboard(tmp_path, "replay", "shop", "--at", f"seq:{now['seq'] - 1}")
        assert "the first" in before.out
        assert "the second" not in before.out
        assert before.out.startswith("shop at round 0, after entry ")
        assert pheroboard(tmp_path, "replay", "shop", "--at", "0", "--json").json == now
        assert pheroboard(tmp_path, "replay", "shop", "--at", "2999-01-01T00:00").code == 0
        wrong = pheroboard(tmp_path, "replay", "shop", "--at", "yesterday")
        assert (wrong.code, wrong.err.startswith("pheroboard: --at 'yesterday': give a round (12)")) == (1, True)


def test_backup_and_restore(tmp_path: Path) -> None:
    """A backup of an embedded board is restored beside it, stands as it stood, and its journal gives its checkpoint."""
    code = "import blackboard; b = blackboard.open_sync('shop', agent='me'); b.deposit('kept', scope='shared'); b.close()"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    done = pheroboard(tmp_path, "backup", "./shop.db", "shop.backup")
    assert (done.code, done.out) == (0, "shop as of entry 1 is in shop.backup\n"), done.err
    (tmp_path / "other").mkdir()
    done = pheroboard(tmp_path, "restore", "shop.backup", "other/shop")
    assert (done.code, done.out) == (0, "shop stands at entry 1 in other/shop.db\n"), done.err
    assert [item["content"] for item in pheroboard(tmp_path, "top", "other/shop", "--json").json] == ["kept"]
    verified = pheroboard(tmp_path, "replay", "other/shop", "--from-origin")
    assert (verified.code, verified.out) == (0, "shop: applying 1 entries behind entry 0 equals the checkpoint of entry 1\n")
    refused = pheroboard(tmp_path, "restore", "shop.backup", "other/shop")
    assert refused.code == 1
    assert "there already" in refused.err


@pytest.mark.parametrize("command", [("erase", "nowhere", "0" * 32), ("replay", "nowhere"), ("backup", "nowhere", "file")])
def test_where_the_files_are_not(tmp_path: Path, command: tuple[str, ...]) -> None:
    """On a machine that does not keep the board one is told so."""
    done = pheroboard(tmp_path, *command)
    assert done.code == 1
    assert "there is no database" in done.err
    done = pheroboard(tmp_path, command[0], "nats://127.0.0.1:4222/shop", *command[2:])
    assert done.code == 1
    assert "is an address" in done.err
