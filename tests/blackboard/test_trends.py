"""Claims about detectors: what each finds, when it is armed again, and what never moves it."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from blackboard.errors import BadValue
from blackboard.trends import Burst, Consensus, Crossed, Detector, Fading, Finding, Jump, Moment, Rising, defaults
from bus.messages import Evidence
from tests.benchmarks import trends as benchmark

UNIX = 1_700_000_000


def never(_threshold: float) -> float | None:
    """A policy that takes the item nowhere."""
    return None


class Watch:
    """One item under one detector, as a board on rounds drives it: what is due first, then the unit."""

    def __init__(
        self,
        detector: Detector,
        *,
        t: float = 0,
        strength: float = 4.0,
        kind: str = "fact",
        falls_below: Callable[[float], float | None] = never,
    ) -> None:
        self.detector, self.strength, self.kind, self.falls_below = detector, strength, kind, falls_below
        self.found: list[tuple[float, Finding]] = []
        fresh = Moment(t, 0.0, strength, kind=kind, fresh=True)
        self.state = detector.begin(fresh)
        self.notice(fresh)

    def notice(self, moment: Moment) -> None:
        finding = self.detector.notice(self.state, moment)
        if finding is not None:
            self.found.append((moment.t, finding))
        self.strength = moment.after

    def until(self, t: float) -> None:
        """Let time pass."""
        due = self.detector.due(self.state, self.falls_below)
        while due is not None and due <= t:
            self.notice(Moment(due, self.strength, self.strength, kind=self.kind))
            due = self.detector.due(self.state, self.falls_below)

    def confirm(self, t: float, *agents: str, delta: float = 0.5) -> None:
        """One unit in which each of ``agents`` confirms."""
        self.until(t)
        after = self.strength + delta * len(agents)
        self.notice(Moment(t, self.strength, after, tuple((agent, delta) for agent in agents), self.kind))

    def use(self, t: float, added: float = 0.25) -> None:
        self.until(t)
        self.notice(Moment(t, self.strength, self.strength + added, kind=self.kind))

    def stand(self, t: float, strength: float, *agents: str) -> None:
        """Be at ``strength``, by confirmations of ``agents`` or without any."""
        self.notice(Moment(t, self.strength, strength, tuple((agent, 0.5) for agent in agents), self.kind))

    @property
    def times(self) -> list[float]:
        return [t for t, _ in self.found]


def every(step: int, rounds: Iterable[int], watch: Watch, *agents: str) -> None:
    """``agents`` confirm in every ``step``-th of ``rounds``."""
    for t in rounds:
        if t % step == 0:
            watch.confirm(t, *agents)


# ---- rising, activity -------------------------------------------------------------------------------------------------------------------


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


# ---- rising, jump -----------------------------------------------------------------------------------------------------------------------


def test_one_confirmation_of_a_quarter_is_a_jump() -> None:
    """A fact of 4 reinforced by 1.0, right after its first deposit: that was no confirmation."""
    watch = Watch(Jump())
    watch.confirm(1, "b", delta=1.0)
    ((_, finding),) = watch.found
    assert (finding.signal, finding.reason) == ("rising", "jump")
    assert finding.evidence == Evidence(since=1, until=1, before=4.0, after=5.0, agents=("b",), confirmations=1, delta=1.0)


@pytest.mark.parametrize(("strength", "deltas", "jumps"), [
    (4.0, [0.5], True),
    (5.0, [0.5], True),  # just 10 %
    (5.1, [0.5], False),
    (2.0, [0.49], False),
    (2.0, [0.1] * 5, True),  # in sum
    (20.0, [1.0, 1.0], True),
    (20.0, [1.9], False),
])  # fmt: skip
def test_a_jump_is_half_a_unit_and_a_tenth(strength: float, deltas: list[float], jumps: bool) -> None:
    """The sum of the deltas of one unit counts, not the strengths, which rounding may have spoilt."""
    watch = Watch(Jump(), strength=strength)
    watch.notice(Moment(30, strength, strength + sum(deltas) - 1e-12, tuple(("a", delta) for delta in deltas)))
    assert bool(watch.found) == jumps


def test_a_jump_needs_a_window_in_which_nobody_confirmed() -> None:
    """That is its cool-down too; a small confirmation, by anyone, is one."""
    watch = Watch(Jump(10.0))
    watch.confirm(5, "a", delta=2.0)
    watch.confirm(14, "b", delta=2.0)
    watch.confirm(23, "c", delta=0.1)
    watch.confirm(32, "d", delta=2.0)
    assert watch.times == [5]
    watch.confirm(42, "e", delta=2.0)
    assert watch.times == [5, 42]


# ---- fading -----------------------------------------------------------------------------------------------------------------------------


def test_a_constraint_fades_when_its_patience_is_over_once() -> None:
    """At its due time, and never again while nobody confirms it."""
    watch = Watch(Fading(10.0), t=3, strength=8.0, kind="constraint")
    watch.until(12)
    assert watch.found == []
    watch.until(500)
    assert watch.found == [(13, Finding("fading", Evidence(since=3, until=13, before=8.0, after=8.0)))]


def test_a_confirmation_puts_fading_off_and_arms_it_again() -> None:
    """A due point that moved later is not met early."""
    watch = Watch(Fading(10.0), kind="constraint")
    watch.confirm(8, "a")
    watch.notice(Moment(10, 8.0, 8.0))
    watch.until(30)
    watch.confirm(40, "a")
    watch.until(90)
    assert watch.times == [18, 50]


def test_other_kinds_fade_once_they_had_three_confirmations() -> None:
    """Silence about what nobody ever spoke of says nothing."""
    watch = Watch(Fading(10.0))
    watch.confirm(1, "a")
    watch.confirm(2, "a")
    watch.until(40)
    assert watch.found == []
    watch.confirm(41, "a")
    watch.until(90)
    assert watch.times == [51]


# ---- crossed ----------------------------------------------------------------------------------------------------------------------------


def test_the_first_deposit_sets_the_side_silently() -> None:
    """Above or below, and nothing is said while it stays there."""
    for strength in (2.0, 3.0, 8.0):
        watch = Watch(Crossed((3.0,)), strength=strength)
        watch.confirm(1, "a")
        assert watch.found == []


def test_a_crossing_has_hysteresis() -> None:
    """The first is told at the threshold; then up at a tenth above it, down at a tenth below it."""
    watch = Watch(Crossed((3.0,), hysteresis=0.1), strength=4.0)
    course = [(1, 3.0), (2, 2.99), (3, 3.2), (4, 2.9), (5, 3.3), (6, 2.8), (7, 3.0), (8, 2.69), (9, 3.29), (10, 3.31)]
    for t, strength in course:
        watch.stand(t, strength, "a")
    assert [(t, finding.reason) for t, finding in watch.found] == [(2, "down"), (5, "up"), (8, "down"), (10, "up")]
    up = watch.found[1][1].evidence
    assert (up.threshold, up.since, up.until, up.before, up.after, up.agents) == (3.0, 4, 5, 2.9, 3.3, ("a",))


def test_policy_alone_takes_it_down() -> None:
    """Due when policy says, told there, and not due again; asking changes nothing."""
    detector = Crossed((3.0,))
    state = detector.begin(Moment(0, 0.0, 4.0, fresh=True))
    before = msgspec.msgpack.encode(state)
    assert detector.due(state, {3.0: 18.0}.get) == 18.0
    assert msgspec.msgpack.encode(state) == before
    finding = detector.notice(state, Moment(18.0, 2.95, 2.95))
    assert finding is not None
    assert (finding.reason, finding.evidence.since, finding.evidence.before) == ("down", 0, 4.0)
    assert detector.due(state, {3.0: 18.0}.get) is None


def test_use_does_not_cross_upwards() -> None:
    """What use alone lifted is told with the next confirmation."""
    watch = Watch(Crossed((3.0,)), strength=2.9)
    watch.use(1, 0.5)
    assert watch.found == []
    watch.confirm(2, "a", delta=0.1)
    assert [(t, finding.reason) for t, finding in watch.found] == [(2, "up")]


def test_of_several_thresholds_the_farthest_is_told() -> None:
    """One finding a moment; the others have moved with it."""
    watch = Watch(Crossed((5.0, 3.0)), strength=2.0)
    watch.stand(1, 6.0, "a")
    watch.stand(2, 1.0)
    watch.stand(3, 1.0)
    assert [(finding.reason, finding.evidence.threshold) for _, finding in watch.found] == [("up", 5.0), ("down", 3.0)]


# ---- burst and consensus ----------------------------------------------------------------------------------------------------------------


def test_a_burst_is_so_many_confirmations_within_a_window() -> None:
    """The window is half-open: the fifth in the tenth round after the first is one too late."""
    watch = Watch(Burst(5, 10.0))
    for t in (1, 3, 5, 7, 11):
        watch.confirm(t, "a")
    assert watch.found == []
    watch.confirm(12, "b")
    assert watch.times == [12]
    finding = watch.found[0][1]
    assert finding.signal == "burst"
    assert (finding.evidence.since, finding.evidence.agents, finding.evidence.confirmations) == (3, ("a", "b"), 5)


def test_a_burst_that_goes_on_is_told_once() -> None:
    """Armed again only when the window held fewer, and a window has passed."""
    watch = Watch(Burst(3, 10.0))
    every(1, range(1, 60), watch, "a")
    assert watch.times == [3]
    watch.confirm(80, "a")
    watch.confirm(81, "a", "b")
    watch.confirm(90, "a", "b", "c", "d")
    assert watch.times == [3, 81]


def test_consensus_counts_agents_and_not_confirmations() -> None:
    """One agent that insists is no consensus; the evidence lists who agreed."""
    watch = Watch(Consensus(3, 10.0))
    for t in range(1, 30):
        watch.confirm(t, "a", "a")
    watch.confirm(30, "c")
    assert watch.found == []
    watch.confirm(31, "b")
    assert watch.times == [31]
    finding = watch.found[0][1]
    assert (finding.signal, finding.evidence.agents, finding.evidence.confirmations) == ("consensus", ("a", "b", "c"), 3)


def test_agents_that_agreed_too_long_ago_do_not_count() -> None:
    """Each counts by its latest confirmation."""
    watch = Watch(Consensus(3, 10.0))
    for t, agent in ((1, "a"), (8, "b"), (11, "c")):
        watch.confirm(t, agent)
    assert watch.found == []
    watch.confirm(12, "a")
    assert watch.times == [12]


def test_consensus_is_told_again_only_after_it_was_lost() -> None:
    """While all three go on agreeing, it is one consensus."""
    watch = Watch(Consensus(3, 10.0))
    every(1, range(1, 40), watch, "a", "b", "c")
    assert watch.times == [1]
    every(1, range(60, 80), watch, "a", "b", "c")
    assert watch.times == [1, 60]


# ---- all of them ------------------------------------------------------------------------------------------------------------------------


def life(seed: int) -> Iterator[tuple[int, str, tuple[str, ...], float]]:
    """A varied course of whole rounds: (t, act, agents, delta)."""
    random, t = Random(seed), 0
    while t < 600:
        busy = 1.5 if 150 < t < 190 or 400 < t < 450 else 0.3
        t += int(random.expovariate(busy))
        act = random.choice(("use", "confirm", "confirm", "confirm"))
        yield t, act, tuple(random.choices("abcde", k=random.choice((1, 1, 2)))), random.choice((0.25, 0.5, 1.5))


def lived(detector: Detector, seed: int, *, origin: float = 0, scale: float = 1, reload: bool = False) -> list[tuple[float, str, str]]:
    """What ``detector`` finds in ``life(seed)``; with ``reload`` its state goes through bytes after every step."""
    watch = Watch(detector, t=origin, kind="constraint")
    for t, act, agents, delta in life(seed):
        watch.strength = 1.0 + (watch.strength - 1.0) * 0.7
        if act == "use":
            watch.use(origin + scale * t)
        else:
            watch.confirm(origin + scale * t, *agents, delta=delta)
        if reload:
            data = msgspec.msgpack.decode(msgspec.msgpack.encode(watch.state))
            watch.state = msgspec.convert(data, detector.state_type)
    return [(t, finding.signal, finding.reason) for t, finding in watch.found]


NAMES = [detector.name for detector in defaults()]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_found_depends_on_nothing_but_the_course(number: int, seed: int) -> None:
    """Again the same; the same through a checkpoint at every step; the same at Unix times, and with a round of sixty seconds."""
    found = lived(defaults()[number], seed)
    assert found == lived(defaults()[number], seed)
    assert found == lived(defaults()[number], seed, reload=True)
    assert found == [(t - UNIX, *rest) for t, *rest in lived(defaults()[number], seed, origin=UNIX)]
    assert found == [((t - UNIX) / 60, *rest) for t, *rest in lived(defaults(60.0)[number], seed, origin=UNIX, scale=60)]


def test_every_detector_finds_something_in_these_courses() -> None:
    """Or the claim above would be an empty one."""
    assert all(any(lived(detector, seed) for seed in (1, 2, 3)) for detector in defaults())


def test_a_constraint_that_is_used_every_round_is_not_confirmed_by_it() -> None:
    """A thousand rounds in every prompt: no rise, no burst, no consensus, and it fades exactly once."""
    for detector in defaults():
        watch = Watch(detector, strength=8.0, kind="constraint")
        for t in range(1, 1_001):
            watch.use(t, 0.04)
            watch.strength *= 0.995
        assert [finding.signal for _, finding in watch.found] == (["fading"] if detector.name == "fading" else [])


def test_detectors_have_names_of_their_own() -> None:
    """Name and version are how the log knows them."""
    assert sorted(set(NAMES)) == sorted(NAMES) == ["burst", "consensus", "crossed", "fading", "jump", "rising"]
    assert all(detector.version == 1 for detector in defaults())


def test_the_defaults_follow_the_board() -> None:
    """Its unit of time, its patience in rounds, and where its core begins."""
    rising, jump, fading, crossed, burst, consensus = defaults(60.0, patience=5.0, core=4.0)
    assert isinstance(fading, Fading)
    assert isinstance(crossed, Crossed)
    assert (fading.patience, crossed.thresholds) == (300.0, (4.0,))
    for detector in (rising, jump, burst, consensus):
        assert isinstance(detector, Rising | Jump | Burst | Consensus)
        assert detector.window == 600.0


def test_one_method_makes_a_detector() -> None:
    """A user's own: its state is a dict unless it says otherwise, and time alone does not wake it."""

    class Third(Detector):
        name = "third"

        def notice(self, state: dict[str, Any], moment: Moment) -> Finding | None:
            state["n"] = state.get("n", 0) + len(moment.confirmed)
            return Finding("third", Evidence(until=moment.t)) if state["n"] == 3 else None

    watch = Watch(Third())
    every(1, range(1, 4), watch, "a")
    assert watch.times == [3]
    assert watch.detector.due(watch.state, never) is None


@pytest.mark.parametrize("make", [
    lambda: Rising(0.0), lambda: Jump(-1.0), lambda: Fading(float("nan")), lambda: Crossed((float("inf"),)),
    lambda: Crossed((3.0,), hysteresis=1.0), lambda: Burst(0), lambda: Consensus(0), lambda: Burst(3, 0.0),
])  # fmt: skip
def test_a_parameter_that_cannot_be_is_refused_by_name(make: Callable[[], Detector]) -> None:
    """With the value, and what to give instead."""
    with pytest.raises(BadValue, match=r"(window|patience|threshold|hysteresis|count|agents) is .*; give"):
        make()


@pytest.mark.data
@pytest.mark.parametrize("mode", benchmark.MODES)
def test_rises_are_found_about_as_well_as_can_be(mode: str) -> None:
    """On a small share of the benchmark, so with wide margins: ``python -m tests.benchmarks.trends`` measures the figures themselves."""
    beside = Path(__file__).parents[2].parent / "shared/tools/bench_trends.py"
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
