"""Claims about ``rising`` by activity: when confirmations come faster than the past of an item predicts."""

import os
from pathlib import Path
from random import Random

import msgspec
import pytest

from blackboard.trends import Rising
from tests.benchmarks import trends as benchmark
from tests.blackboard.trends.watch import UNIX, Watch, every


def test_a_steady_stream_is_no_rise() -> None:
    """However long it lasts, and whether it is slow or busy."""
    for step, agents in ((7, "a"), (2, "a"), (1, "a"), (1, "abcdefgh")):
        watch = Watch(Rising())
        every(step, range(1_000), watch, *agents)
        assert watch.found == []


def test_a_rise_is_found_once_with_its_onset_and_its_agents() -> None:
    """Every other round, then three a round: one finding within a window, though the rise goes on for seven more."""
    watch = Watch(Rising(10.0))
    every(2, range(1, 100), watch, "old")
    every(1, range(100, 180), watch, "c", "a", "b")
    ((t, finding),) = watch.found
    assert 101 <= t <= 110
    assert (finding.signal, finding.reason) == ("rising", "activity")
    evidence = finding.evidence
    assert evidence.since is not None
    assert 98 <= evidence.since <= 101
    assert evidence.until == t
    assert set(evidence.agents) >= {"a", "b", "c"}
    assert list(evidence.agents) == sorted(set(evidence.agents))
    assert evidence.confirmations >= 3
    assert evidence.before is not None
    assert evidence.after is not None
    assert evidence.before < evidence.after


def test_one_instant_alone_is_no_rise() -> None:
    """Thirty confirmations in one round wait for a second round to bear them out."""
    watch = Watch(Rising())
    every(3, range(1, 60), watch, "a")
    watch.confirm(60, *("a" * 30))
    for _ in range(30):
        watch.confirm(60, "b")
    assert watch.found == []
    watch.confirm(61, "c")
    assert watch.times == [61]


def test_a_second_rise_is_found_once_the_first_is_over() -> None:
    """Back at the old level the detector is armed again, and remembers that level."""
    watch = Watch(Rising())
    every(2, range(1, 100), watch, "a")
    every(1, range(100, 120), watch, "a", "b", "c")
    every(2, range(120, 220), watch, "a")
    assert len(watch.found) == 1
    every(1, range(220, 240), watch, "a", "b", "c")
    assert len(watch.found) == 2
    assert 221 <= watch.times[1] <= 230


def test_a_rise_that_lasts_is_the_new_normal() -> None:
    """After ten windows the new level is adopted: silent as long as it stays, found when it rises from there."""
    watch = Watch(Rising())
    every(2, range(1, 100), watch, "a")
    every(1, range(100, 600), watch, "a", "b", "c")
    assert len(watch.found) == 1
    every(1, range(600, 640), watch, *"abcdefghij")
    assert len(watch.found) == 2


def test_units_of_one_round_count_as_one_unit_would() -> None:
    """Three units in a round, or one unit with all three: the same charge, the same finding."""
    one, three = Watch(Rising()), Watch(Rising())
    for t in range(1, 150):
        agents = "abc" if t > 100 else "a" if t % 2 else ""
        if agents:
            one.confirm(t, *agents)
        for agent in agents:
            three.confirm(t, agent)
    assert one.times == three.times != []
    assert one.state == msgspec.structs.replace(three.state, page=one.state.page)
    assert three.state.page == pytest.approx(one.state.page)


def test_clumps_that_are_usual_are_no_rise() -> None:
    """Who always confirms eight times at once, at odd moments, has learned the detector so."""
    random, watch, t = Random(5), Watch(Rising()), 0.0
    while t < 2_000:
        t += random.expovariate(0.1)
        watch.confirm(t, *("a" * 8))
    assert len(watch.found) <= 1


def test_a_long_silence_costs_nothing_and_what_comes_after_it_is_a_rise() -> None:
    """A year of seconds, in one step: the counts are all forgotten, the base rate is low."""
    watch = Watch(Rising(600.0), t=UNIX)
    for minute in range(200):
        watch.confirm(UNIX + 60 * minute, "a")
    later = UNIX + 365 * 86_400
    for minute in range(20):
        watch.confirm(later + 60 * minute, "b")
    assert watch.times[0] > later
    assert watch.found[0][1].evidence.agents == ("b",)


@pytest.mark.data
@pytest.mark.parametrize("mode", benchmark.MODES)
def test_rises_are_found_about_as_well_as_can_be(mode: str) -> None:
    """On a small share of the benchmark, so with wide margins: ``python -m tests.benchmarks.trends`` measures the figures themselves."""
    beside = Path(__file__).parents[3].parent / "shared/tools/bench_trends.py"
    path = Path(os.environ.get("PHEROBOARD_TREND_BENCH", beside))
    if not path.is_file():
        pytest.skip(f"no trend benchmark at {path}; PHEROBOARD_TREND_BENCH names its file")
    figures = benchmark.means(benchmark.load(path), mode, seeds=(1, 2), items=1_000)
    assert figures["F1"] >= 0.90
    assert figures["P"] >= 0.90
    assert figures["R"] >= 0.87
    assert figures["delay"] <= 5.5
    assert figures["delay90"] <= 16
    assert figures["spr"] <= 1.02
    assert figures["fa"] <= 0.07
