"""Claims about the detectors that follow a rule: what each finds, and when it is armed again."""

import msgspec
import pytest

from blackboard.trends import Burst, Consensus, Crossed, Fading, Finding, Jump, Moment
from bus.messages import Evidence
from tests.blackboard.trends.watch import Watch, every

# ---- jump -------------------------------------------------------------------------------------------------------------------------------


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
