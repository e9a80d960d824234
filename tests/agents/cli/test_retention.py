"""agents.cli.retention: how much of its boards' past a host keeps, as an operator says it."""

from pathlib import Path

import pytest

from agents.cli.retention import Keep, said
from agents.errors import CommandError
from blackboard.retention import DAY, Retention
from tests.agents.cli.commands import line_of, pheroboard, started


def test_what_the_options_say() -> None:
    """Ages and sizes with their units; what is not given stays at its default."""
    assert Keep().retention() == Retention()
    kept = Keep(journal="36h", journal_bytes="1.5 MiB", journal_entries=7, events="2w").retention()
    assert kept == Retention(journal_age=1.5 * DAY, journal_bytes=3 << 19, journal_entries=7, events_age=14 * DAY)
    assert said(kept) == "it keeps journals for 36 h, 1536 KiB or 7 entries, events for 2 w more"
    assert said(Retention()) == "it keeps journals for 30 d, 1 GiB or 5,000,000 entries, events for 1 w more"
    assert "for 0 s more" in said(Retention(events_age=0.0))


@pytest.mark.parametrize("given", ["30", "d", "30 days", "-1d", "1e3s", ""])
def test_what_is_no_age(given: str) -> None:
    """It is named, with its option and the cure."""
    with pytest.raises(CommandError, match=f"--keep-journal '{given}': give a number and one of s, min, h, d, w, as in 30d"):
        Keep(journal=given).retention()


def test_a_host_keeps_to_it(tmp_path: Path) -> None:
    """``up`` cuts the journal where it is told to, which ``doctor`` shows; what cannot be is refused before anything is served."""
    for arguments, sentence in {
        ("--keep-journal-entries", "0"): "journal_entries is 0: give 1 or more",
        ("--keep-journal-bytes", "10"): "--keep-journal-bytes '10': give a number and one of B, kB",
    }.items():
        refused = pheroboard(tmp_path, "up", "shop", *arguments)
        assert (refused.code, sentence in refused.err) == (1, True), refused.err
    with started(tmp_path, "up", "shop", "--keep-journal-entries", "3", "--keep-journal", "2d") as up:
        line_of(up)
        assert "; it keeps journals for 2 d, 1 GiB or 3 entries, events for 1 w more" in pheroboard(tmp_path, "doctor").out
        for n in range(3):
            assert pheroboard(tmp_path, "deposit", "shop", f"note {n}", "--shared").code == 0
        while (past := pheroboard(tmp_path, "replay", "shop", "--at", "seq:1")).code == 0:
            pass  # the cut comes beside what is accepted
        assert "behind which the journal begins" in past.err
        up.terminate()
        up.wait(10)


def test_run_takes_them_too(tmp_path: Path) -> None:
    """Before its target, as its other options; not for a board that another serves."""
    (tmp_path / "crew.py").write_text("async def main(address): pass\n")
    assert pheroboard(tmp_path, "run", "--keep-journal", "1d", "crew.py").code == 0
    assert "--keep-journal '1'" in pheroboard(tmp_path, "run", "--keep-journal", "1", "crew.py").err
    refused = pheroboard(tmp_path, "run", "--keep-events", "1d", "--nats", "nats://127.0.0.1:1", "crew.py")
    assert (refused.code, "its host says" in refused.err) == (1, True)
