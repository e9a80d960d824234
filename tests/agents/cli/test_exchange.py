"""agents.cli.exchange: a board's view as a file, and a file into a board."""

from pathlib import Path

from blackboard import open_sync
from tests.agents.cli.commands import pheroboard


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
