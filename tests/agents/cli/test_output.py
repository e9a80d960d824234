"""agents.cli.output: tables for people."""

import re
import sys
from collections.abc import Sequence
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.cli.output import plain, print_table

HEAD = ("strength", "kind", "content", "id")
LONG = "供应商月底之前无法交货，价格也变了，需要重新计算预算"
ROWS = [("8.00", "constraint", "At most 50,000", "0" * 32), ("4.00", "fact", LONG, "f" * 32)]


def shown(
    columns: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    head: Sequence[str] = HEAD,
    rows: Sequence[Sequence[str]] = ROWS,
) -> list[str]:
    """What a terminal of so many columns shows, without its bold letters."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    print_table(head, rows, empty="")
    return [line.rstrip() for line in re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out).splitlines()]


def test_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Content is wrapped to what the terminal leaves for it, and nothing else is; wide characters count for two."""
    assert shown(76, capsys, monkeypatch) == [
        "strength  kind        content               id",
        f"    8.00  constraint  At most 50,000        {'0' * 32}",
        f"    4.00  fact        供应商月底之前无法交  {'f' * 32}",
        "                      货，价格也变了，需要",
        "                      重新计算预算",
    ]


def test_a_narrow_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table would be cut, each row has lines of its own beside the names of columns, and an id can be copied."""
    assert shown(75, capsys, monkeypatch) == [
        "strength  8.00",
        "kind      constraint",
        "content   At most 50,000",
        f"id        {'0' * 32}",
        "",
        "strength  4.00",
        "kind      fact",
        f"content   {LONG}",
        f"id        {'f' * 32}",
    ]


def test_columns_of_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of columns and cells are wrapped between words before the table is given up; what has no words stays whole."""
    head, rows = ("strategy", "success with it", "why"), [("query_sales-limit@1", "80%", "it mends five of five failures")]
    assert shown(46, capsys, monkeypatch, head, rows) == [
        "                     success",
        "strategy             with it  why",
        "query_sales-limit@1  80%      it mends five of",
        "                              five failures",
    ]
    assert shown(42, capsys, monkeypatch, head, rows)[1].startswith("strategy  ")
    assert shown(41, capsys, monkeypatch, head, rows) == [
        "strategy         query_sales-limit@1",
        "success with it  80%",
        "why              it mends five of five failures",
    ]


@given(
    st.integers(10, 200),
    st.lists(st.tuples(*[st.text(st.sampled_from("ab 供"), min_size=1, max_size=60).filter(str.strip)] * 3), min_size=1, max_size=4),
)
def test_no_width_loses_a_column_or_a_cell(columns: int, rows: list[tuple[str, str, str]]) -> None:
    """In a terminal of any width each name of a column and each character of each cell is shown; in a pipe, on one line."""
    for terminal in (True, False):
        out = StringIO()
        out.isatty = lambda terminal=terminal: terminal  # type: ignore[method-assign, misc]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setenv("COLUMNS", str(columns))
            patch.setenv("TERM", "dumb")
            print_table(("first", "content", "last one"), rows, empty="")
        text = out.getvalue()
        for word in ("first", "content", "last", "one"):
            assert word in text
        for character in "b供":  # which no name of a column has
            assert text.count(character) == sum(cell.count(character) for row in rows for cell in row)
        if not terminal:
            assert len(text.splitlines()) == 1 + len(rows)


def test_what_others_wrote_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences are shown, not sent; lines, tabs and every script pass as they are."""
    assert plain("\x1b[2J\x07 预算\n\tfin") == "\\x1b[2J\\x07 预算\n\tfin"
    print_table(("content",), [("\x1b]0;owned\x07",)], empty="")
    assert "\x1b" not in capsys.readouterr().out
