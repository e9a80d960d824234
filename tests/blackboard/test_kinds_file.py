"""A board's kinds as a file."""

from pathlib import Path

import pytest

from blackboard.errors import BadValue
from blackboard.kinds_file import read_kinds

KINDS = """
[kinds.fact]
half_life = 30
[kinds."传闻"]
initial = 2
rate = 0.1
"""


def test_a_file_is_tables_by_kind(tmp_path: Path) -> None:
    """By its path, as text or not; a mapping is one already; an empty file says nothing."""
    file = tmp_path / "kinds.toml"
    file.write_text(KINDS, encoding="utf-8")
    tables = {"fact": {"half_life": 30}, "传闻": {"initial": 2, "rate": 0.1}}
    assert read_kinds(file) == read_kinds(str(file)) == read_kinds(tables) == tables
    file.write_text("")
    assert read_kinds(file) == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"[kinds.fact]\nrate = x", "is not TOML: .*line 2"),
        (b"[kind.fact]", "kind: a file of kinds has tables"),
        (b"kinds = 3", "kinds: give tables"),
        (b"\xff", "cannot be read"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: bytes, sentence: str) -> None:
    """The error names the file, and what is wrong with it."""
    file = tmp_path / "kinds.toml"
    file.write_bytes(text)
    with pytest.raises(BadValue, match=rf"kinds\.toml.*{sentence}"):
        read_kinds(file)


def test_no_file(tmp_path: Path) -> None:
    """One that is not there, and what is neither a path nor a mapping."""
    with pytest.raises(BadValue, match="cannot be read"):
        read_kinds(tmp_path / "none.toml")
    with pytest.raises(BadValue, match="give a mapping"):
        read_kinds(3)
