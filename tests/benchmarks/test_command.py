"""Claims about the command: it measures, and what fails hinders nothing else."""

import sys
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as command
from tests.benchmarks import core, field, observing
from tests.benchmarks.load import Loaded
from tests.benchmarks.size import reopened
from tests.benchmarks.sizes import TINY


def test_measures_and_what_raises_hinders_nothing_else(tmp_path: Path) -> None:
    """The whole pipeline, on sizes that prove only that it works; what cannot run is named with its reason."""
    report = command.run(["trends", "durable"], TINY, data={"trends": tmp_path / "missing.py"})
    assert list(report.failures) == ["trends"]
    assert "missing.py" in report.failures["trends"]
    assert [row.unit for row in report.rows] == ["%", "%", "×", "k/s"]
    assert all(len(row.runs) == TINY.pairs and row.value > 0 for row in report.rows)


async def test_hosts_a_board_that_was_laid_down(tmp_path: Path) -> None:
    """It opens from files that no host has written, and is read while it works."""
    loaded = Loaded(TINY.many)
    opened, reads = await reopened(tmp_path, loaded.board, loaded.ids(), TINY)
    assert opened.value > 0
    assert reads.value > 0


def test_measures_a_pure_room() -> None:
    """Each gives its row."""
    for row in (*core.apply(TINY), *core.index(TINY), *core.assemble(TINY), field.field(TINY)[0]):
        assert row.value > 0


def test_measures_the_reading_of_messages() -> None:
    """Random ones, of which no two are alike."""
    speed, memory = observing.observing(TINY)
    assert speed.value > 0
    assert memory.value >= 0
    texts = list(observing.messages(500, 1))
    assert len(set(texts)) == 500
    assert texts == list(observing.messages(500, 1))
    assert 15 < sum(map(len, texts)) / 500 < 40


@pytest.mark.parametrize("arguments", [["nonsense"], ["trends"], ["locomo", "nowhere.json"]])
def test_refuses_what_it_does_not_have(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name, and what needs data without any."""
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit):
        command.main()
    assert arguments[0] in capsys.readouterr().err
