"""bus.telemetry: who traces and measures, and what it costs while nobody does."""

import tracemalloc

from bus import telemetry
from bus.telemetry import Place

PLACE = Place("memory", "board", "finance")


def hot_path() -> None:
    """What is told of a post, a batch, an event and a question."""
    telemetry.origin()
    with telemetry.sending(PLACE, (), 1) as trace:
        assert trace == ""
    with telemetry.applying(PLACE, ()) as batch:
        assert batch is None
    with telemetry.handling(PLACE, "", "Signal", "recheck"), telemetry.asking(PLACE, "Top"), telemetry.answering(PLACE, "Top"):
        telemetry.over(PLACE)


def test_nobody_is_installed_and_nothing_is_kept() -> None:
    """While nobody traces or measures, nothing that is told is kept, and no memory taken for it."""
    assert telemetry.active is None
    hot_path()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for _ in range(100):
            hot_path()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held - before < 512
    assert peak - before < 2048
