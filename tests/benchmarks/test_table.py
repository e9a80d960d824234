"""Claims about the table that benchmarks are read from."""

from pathlib import Path

import msgspec
import pytest

from tests.benchmarks import peers
from tests.benchmarks.table import BEGIN, END, Machine, Report, Row, encode, lines, write

MACHINE = Machine("2026-01-01 00:00 UTC", "abc1234", "a cpu", 2, 0.5, "a system", "3.11.0", "a server", "3.45.0", {"msgspec": "0.20.0"})


def report(*rows: Row, **failures: str) -> Report:
    return Report(MACHINE, "tiny", 1.0, rows, failures)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("time", "µs", (10.0, 30.0, 20.0), 60, 20), "aim"),
        (Row("time", "µs", (50.0,), 60, 20), "ok"),
        (Row("time", "µs", (120.0,), 60, 20), "short 2×"),
        (Row("rate", "/s", (300.0,), 100, 280, least=True), "aim"),
        (Row("rate", "/s", (40.0,), 100, 280, least=True), "short 2.5×"),
        (Row("rate", "/s", (40.0,)), ""),
    ],
)
def test_a_row_says_whether_it_is_reached(row: Row, verdict: str) -> None:
    """Of times the most is promised and of rates the least; what falls short says by which factor."""
    assert row.verdict == verdict


def test_a_median_of_nothing_is_short_without_dividing_by_it() -> None:
    """A rate of zero is infinitely short."""
    assert Row("rate", "/s", (0.0,), 100, least=True).verdict == "short inf×"


def test_the_page_keeps_what_people_wrote(tmp_path: Path) -> None:
    """Only what stands between the marks is written, and writing it again changes nothing."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    found = report(Row("rate", "k/s", (1234.5, 1234.5), 100, least=True, note="beside nothing"), size="it broke")
    write(found, page)
    once = page.read_text(encoding="utf-8")
    assert once.startswith(f"before\n\n{BEGIN}\n")
    assert once.endswith(f"{END}\n\nafter\n")
    assert "old" not in once
    for said in ("1,234 k/s", "≥ 100", "beside nothing", "abc1234", "**size** was not measured: it broke"):
        assert said in once
    write(found, page)
    assert page.read_text(encoding="utf-8") == once


def test_a_page_without_a_place_is_refused(tmp_path: Path) -> None:
    """And left as it is."""
    page = tmp_path / "page.md"
    page.write_text("nothing here", encoding="utf-8")
    with pytest.raises(ValueError, match="has no place for figures"):
        write(report(), page)
    assert page.read_text(encoding="utf-8") == "nothing here"


def test_the_docs_have_a_place_and_hold_a_run() -> None:
    """``--write docs/benchmarks.md`` works."""
    page = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    assert page.index(BEGIN) < page.index("Measured ") < page.index(END)


def test_json_holds_every_run_and_its_median() -> None:
    """What a machine reads is what people do."""
    found = msgspec.json.decode(encode(report(Row("rate", "/s", (1.0, 4.0, 2.0), 3, least=True))))
    [row] = found["rows"]
    assert (row["runs"], row["median"], row["verdict"]) == ([1.0, 4.0, 2.0], 2.0, "short 1.5×")
    assert found["machine"]["cores"] == 2


def test_the_table_has_a_cell_for_each_column() -> None:
    """As Markdown wants it."""
    table = [line for line in lines(report(Row("a", "s", (1.0,)), Row("b", "s", (2.0,), 3, 1))) if line.startswith("|")]
    assert [line.count("|") for line in table] == [9] * 4


def test_recorded_figures_stand_in_for_peers_that_are_not_installed() -> None:
    """And the table says so."""
    assert peers.best({}, {"one": 2.0, "other": 1.0}, max) == ("one (recorded)", [2.0])
    assert peers.best({"other": [3.0, 5.0, 4.0]}, {"one": 2.0, "other": 9.0}, max) == ("other", [3.0, 5.0, 4.0])
    assert peers.ratios([4.0, 8.0], [2.0]) == (2.0, 4.0)
    assert peers.ratios([4.0, 8.0], [2.0, 2.0], inverse=True) == (0.5, 0.25)
