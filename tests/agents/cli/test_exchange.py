"""agents.cli.exchange: a board's view as a file, and a file into a board."""

from pathlib import Path

import pytest

from blackboard import open_sync
from tests.agents.cli.commands import line_of, pheroboard, started


def test_there_and_back(tmp_path: Path) -> None:
    """What one board exports, in either form, another one takes in; a second time there is nothing to say."""
    with open_sync(tmp_path / "one", agent="finance") as board:
        board.link(board.deposit("永远不要巧克力\x00", key="cat", scope="shared"), board.deposit("豆豆", scope="shared"), scope="shared")
        board.deposit("a secret")
    with open_sync(tmp_path / "other", agent="finance"):
        pass
    printed = pheroboard(tmp_path, "export", "one")
    assert [item["content"] for item in printed.json["items"]] == ["永远不要巧克力\x00", "豆豆"]
    assert [item["content"] for item in pheroboard(tmp_path, "export", "one", "--as", "finance").json["items"]][2:] == ["a secret"]
    assert pheroboard(tmp_path, "export", "one", "--out", "one.graphml").out == "exported 2 items and 1 edges to one.graphml\n"
    assert (tmp_path / "one.graphml").read_bytes().startswith(b"<?xml")
    assert pheroboard(tmp_path, "export", "one", "--format", "graphml").out == (tmp_path / "one.graphml").read_text() + "\n"
    assert pheroboard(tmp_path, "import", "other", "one.graphml").out == "deposited 2, reinforced 0, linked 1\n"
    (tmp_path / "one.json").write_text(printed.out)
    done = pheroboard(tmp_path, "import", "other", "one.json", "--json").json
    assert done == {"deposited": 0, "reinforced": 0, "linked": 0, "left": {}}
    assert pheroboard(tmp_path, "import", "other", "-", "--json", given=printed.out).json == done
    [edge] = pheroboard(tmp_path, "export", "other").json["edges"]
    assert (edge["strength"], edge["owner"]) == (1.0, "operator")


def test_refusals(tmp_path: Path) -> None:
    """A file that is not there, that is none, and one that cannot be written."""
    with open_sync(tmp_path / "one", agent="finance"):
        pass
    (tmp_path / "none").write_text("hello")
    for arguments, sentence in {
        ("import", "one", "missing"): "cannot be read",
        ("import", "one", "none"): "this is no export as JSON",
        ("export", "one", "--out", "missing/file"): "cannot be written",
    }.items():
        done = pheroboard(tmp_path, *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err


@pytest.mark.parametrize("file", ["shop.json", "shop.graphml"])
def test_everything_of_a_board_that_is_served(tmp_path: Path, file: str) -> None:
    """It is made again elsewhere, with what is private, to the bit, and goes on there; nothing that is there is written over."""
    with started(tmp_path, "up", "shop") as up:
        line_of(up)
        for agent in ("finance", "eve"):
            pheroboard(tmp_path, "deposit", "shop", f"a secret of {agent}", "--as", agent)
        done = pheroboard(tmp_path, "export", "shop", "--everything", "--out", file)
        assert (done.code, done.out) == (0, f"exported 2 items and 0 edges to {file}\n"), done.err
        other = str(tmp_path / "other")
        done = pheroboard(tmp_path, "import", "other/shop", file, "--everything")
        assert (done.code, done.out) == (0, "shop holds 2 items and 0 edges, in other/shop.db\n"), done.err
        form = file.removeprefix("shop.")
        again = pheroboard(tmp_path, "export", "shop", "--everything", "--data", other, "--format", form)
        assert again.out == (tmp_path / file).read_text() + "\n"
        assert "there already" in pheroboard(tmp_path, "import", "shop", file, "--everything").err
        up.terminate()
        up.wait(10)
    with started(tmp_path, "up", "--data", other) as up:
        line_of(up)
        assert [item["content"] for item in pheroboard(tmp_path, "top", "shop", "--as", "eve", "--json", "--data", other).json] == [
            "a secret of eve"
        ]
        up.terminate()
        up.wait(10)
