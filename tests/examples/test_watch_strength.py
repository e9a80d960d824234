"""examples.watch_strength: a watcher that was killed has missed nothing."""

from tests.agents.cli.commands import ROOT, pheroboard


def test_watch_strength() -> None:
    """The watcher is told live what happens, and when it is back, what it missed: each event once and in order."""
    done = pheroboard(ROOT, "run", "examples/watch_strength")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("14 events seen of 14, each once and in order: yes\n")
    before, _, after = done.out.partition("the watcher is killed; it has seen all up to shared=4 private=0")
    assert "probe  deposit    payment  0.00 → 4.00" in before
    assert "▲ rising payment  (jump, strength 4.80)" in before
    missed, _, live = after.partition("live again")
    assert missed.count("→") == 4
    assert live.count("→") == 4
