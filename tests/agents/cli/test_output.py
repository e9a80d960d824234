"""agents.cli.output: tables for people."""

import re
import sys

import pytest

from agents.cli.output import plain, print_table

HEAD = ("strength", "kind", "content", "id")
LONG = "供应商月底之前无法交货，价格也变了，需要重新计算预算"
ROWS = [("8.00", "constraint", "At most 50,000", "0" * 32), ("4.00", "fact", LONG, "f" * 32)]


def shown(columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a terminal of so many columns shows, without its bold letters."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    print_table(HEAD, ROWS, empty="")
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
    """Where a table would be cut, each row has lines of its own, and an id can be copied."""
    assert shown(75, capsys, monkeypatch) == [
        "8.00  constraint",
        "    At most 50,000",
        f"    {'0' * 32}",
        "4.00  fact",
        f"    {LONG}",
        f"    {'f' * 32}",
    ]


def test_what_others_wrote_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences are shown, not sent; lines, tabs and every script pass as they are."""
    assert plain("\x1b[2J\x07 预算\n\tfin") == "\\x1b[2J\\x07 预算\n\tfin"
    print_table(("content",), [("\x1b]0;owned\x07",)], empty="")
    assert "\x1b" not in capsys.readouterr().out
