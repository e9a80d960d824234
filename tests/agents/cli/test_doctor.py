"""agents.cli.doctor: is everything in place?"""

import sqlite3
from pathlib import Path

from tests.agents.cli.commands import pheroboard


def test_all_well(served: Path) -> None:
    """Every check of a running server, and what its boards have set aside with the reasons."""
    assert pheroboard(served, "share", "lab", "0" * 32).code == 1
    done = pheroboard(served, "doctor")
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert [line.split()[1] for line in lines if "its log goes on from there" in line] == ["kitchen:", "lab:", "shop:"]
    assert any("set aside: " in line and "NotInView" in line for line in lines)
    assert any("operator: NotInView: not in your view" in line for line in lines)


def test_nothing_there(tmp_path: Path) -> None:
    """On a fresh machine there is nothing wrong."""
    done = pheroboard(tmp_path, "doctor", "--data", str(tmp_path / "new"), "--json")
    assert done.code == 0
    assert [finding["ok"] for finding in done.json] == [True] * len(done.json)


def test_wrong(tmp_path: Path) -> None:
    """A database of a newer schema, and one that is none, are named, with exit code 1."""
    database = sqlite3.connect(tmp_path / "newer.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    (tmp_path / "torn.db").write_bytes(b"no database" * 1000)
    done = pheroboard(tmp_path, "doctor", "--json")
    assert done.code == 1
    wrong = {finding["check"]: finding["said"] for finding in done.json if not finding["ok"]}
    assert wrong.keys() == {"newer", "torn"}
    assert "schema 99" in wrong["newer"]
