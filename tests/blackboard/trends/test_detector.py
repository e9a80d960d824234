"""Claims about all detectors: what they depend on, what never moves them, and how a user makes one."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from blackboard.errors import BadValue
from blackboard.trends import Burst, Consensus, Crossed, Detector, Fading, Finding, Jump, Moment, Rising, defaults
from bus.messages import Evidence
from tests.blackboard.trends.watch import UNIX, Watch, every, never


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
