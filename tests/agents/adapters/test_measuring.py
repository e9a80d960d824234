"""agents.adapters.measuring: gauges, read on the event loops of what shows them."""

import asyncio
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from agents.adapters import measuring
from agents.adapters.measuring import measures
from blackboard import background
from bus import telemetry
from bus.telemetry import Gauge, Measure, Place

PLACE = Place("memory", "board")


class Shows:
    """Something open on a loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        telemetry.measured[id(self)] = self

    def measures(self, gauge: Gauge) -> Iterator[Measure]:
        """1.0, on its own loop alone."""
        assert gauge == "items"
        assert asyncio.get_running_loop() is self.loop
        yield Measure(1.0, PLACE)


@pytest.fixture
def elsewhere() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in another thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is open."""
    monkeypatch.setattr(telemetry, "measured", type(telemetry.measured)())


async def test_each_is_read_on_its_own_loop(elsewhere: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here, or in another thread; what lives on a loop that does not run shows nothing, and is not waited for."""
    ended, stands = asyncio.new_event_loop(), asyncio.new_event_loop()
    ended.close()
    with monkeypatch.context() as patched:
        patched.setattr(stands, "call_soon_threadsafe", None)
        shows = [Shows(asyncio.get_running_loop()), Shows(elsewhere), Shows(ended), Shows(stands)]
        assert list(measures("items")) == [Measure(1.0, PLACE)] * 2
    stands.close()
    assert len(shows) == 4


def test_a_blocked_loop_is_waited_for_once(elsewhere: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much lives on it; it shows nothing, and is asked again the next time."""
    asked: list[asyncio.AbstractEventLoop] = []

    def submit(loop: asyncio.AbstractEventLoop, work: object) -> object:
        asked.append(loop)
        return original(loop, work)  # type: ignore[arg-type]

    original = background.submit
    monkeypatch.setattr(measuring, "submit", submit)
    monkeypatch.setattr(measuring, "WITHIN", 0.01)
    shows, go_on = [Shows(elsewhere) for _ in range(20)], threading.Event()
    elsewhere.call_soon_threadsafe(go_on.wait)
    assert list(measures("items")) == []
    assert asked == [elsewhere]
    go_on.set()
    monkeypatch.setattr(measuring, "WITHIN", 10.0)
    assert len(list(measures("items"))) == len(shows)


def test_a_loop_that_closes_meanwhile(elsewhere: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows nothing, and no coroutine is left over."""

    def closed(*_: object) -> NoReturn:
        raise RuntimeError("Event loop is closed")

    shows = Shows(elsewhere)
    with monkeypatch.context() as patched:
        patched.setattr(elsewhere, "call_soon_threadsafe", closed)
        assert list(measures("items")) == []
    assert list(measures("items")) == [Measure(1.0, PLACE)]
    assert shows.loop is elsewhere
