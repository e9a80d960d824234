"""bus.telemetry: who traces and measures, and what it costs while nobody does."""

import gc
import tracemalloc
from unittest.mock import Mock, call

import pytest

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


def test_whoever_is_installed_is_told_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was said; and what is given back is theirs."""
    installed = Mock()
    monkeypatch.setattr(telemetry, "active", installed)
    assert telemetry.origin() is installed.origin.return_value
    assert telemetry.sending(PLACE, ("here",), 1) is installed.sending.return_value
    assert telemetry.applying(PLACE, ()) is installed.applying.return_value
    assert telemetry.handling(PLACE, "trace", "Signal", "recheck") is installed.handling.return_value
    assert telemetry.asking(PLACE, "Top") is installed.asking.return_value
    assert telemetry.answering(PLACE, "Get") is installed.answering.return_value
    telemetry.over("feed")
    assert installed.mock_calls == [
        call.origin(),
        call.sending(PLACE, ("here",), 1),
        call.applying(PLACE, ()),
        call.handling(PLACE, "trace", "Signal", "recheck"),
        call.asking(PLACE, "Top"),
        call.answering(PLACE, "Get"),
        call.over("feed"),
    ]


def test_what_is_measured_is_not_kept_alive() -> None:
    """What nobody holds any more is asked for nothing."""

    class Gauged:
        """As a host or a feed."""

    gauged = Gauged()
    there = id(gauged)
    telemetry.measured[there] = gauged  # type: ignore[assignment]
    assert there in telemetry.measured
    del gauged
    gc.collect()
    assert there not in telemetry.measured
