"""Claims about signals on the board: what raises them, to whom, and how often."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.marks import ARRIVED, Quiet
from blackboard.trends import Detector, Finding, Moment, defaults
from bus import names
from bus.messages import Confirm, Deposit, Evidence, Reinforce, RenameKey, Retract, SetKinds, Share, Tick, Use
from tests.blackboard.driver import Driver


def test_the_price_basis_that_moved_raises_one_jump() -> None:
    """A fact of 4 reinforced by 1.0 (25 %) is a rise for the reason *jump*, with the agent in the evidence."""
    driver = Driver()
    basis = driver.deposit("finance", "basis", key="supplier_price", scope="shared")
    driver.rounds(2)
    driver.say("procurement", Reinforce(basis, 1.0))
    (signal,) = driver.signals("rising")
    assert (signal.reason, signal.key, signal.evidence.agents) == ("jump", "supplier_price", ("procurement",))
    driver.say("procurement", Reinforce(basis, 1.0))
    assert len(driver.signals("rising")) == 1


def test_a_decayed_item_jumps_by_the_delta_that_was_given() -> None:
    """0.5 is 0.5, though floating point makes the difference of strengths a little less."""
    for rounds in range(4, 24):
        driver = Driver()
        item = driver.deposit("a", "fact", scope="shared")
        driver.rounds(rounds)
        driver.say("b", Reinforce(item, 0.5))
        assert [s.reason for s in driver.signals("rising")] == ["jump"], rounds


def test_no_signal_about_what_is_private() -> None:
    """A private item rises as it may: nobody is told, not even its owner."""
    driver = Driver()
    item = driver.deposit("a", "mine")
    for _ in range(10):
        driver.say("a", Reinforce(item, 5.0))
    assert driver.signals() == driver.signals(audience="private.a") == []


def test_sharing_is_an_arrival_and_not_a_rise() -> None:
    """An item that was confirmed in private starts its public life quietly."""
    driver = Driver()
    item = driver.deposit("a", "mine")
    for _ in range(5):
        driver.say("a", Confirm(item))
    driver.say("a", Share(item))
    assert driver.signals() == []


def test_a_constraint_used_in_every_prompt_for_a_thousand_rounds_is_not_evidence() -> None:
    """It stays below twice its initial strength, raises no rise, burst or consensus, and fades as a signal exactly once."""
    driver = Driver()
    item = driver.deposit("a", "never call the payment API", kind="constraint", scope="shared")
    strengths = []
    for _ in range(1_000):
        driver.say("b", Use(item))
        strengths.append(driver.get("a", item).strength)
        driver.rounds(1)
    assert max(strengths) < 16.0
    assert [s.signal for s in driver.signals() if s.signal != "crossed"] == ["fading"]


def test_strength_that_passes_the_core_is_told_both_ways_over_a_restart() -> None:
    """Down by time alone, at the round in which it happens; up with the confirmation that lifts it."""
    driver = Driver()
    item = driver.deposit("a", "fact", scope="shared")
    told: list[tuple[int, str]] = []
    for now in range(1, 60):
        driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True))
        driver.rounds(1)
        if now == 40:
            driver.say("b", Confirm(item))
        told += [(now, s.reason) for s in driver.signals("crossed")[len(told) :]]
    assert told == [(18, "down"), (40, "up")]


def test_what_is_deposited_and_confirmed_in_one_unit_did_not_rise() -> None:
    """A first deposit is none, nor what its own unit adds to it."""
    driver = Driver()
    said = Deposit("fact", scope="shared")
    driver.say("a", said, Reinforce(driver.id_of("a", said), 1.0))
    assert driver.signals() == []


class Faulty(Detector):
    """A user's own that cannot do what it promised."""

    def __init__(self, name: str) -> None:
        self.name = name

    def notice(self, state: Any, moment: Moment) -> Any:  # noqa: ARG002 – a detector's signature
        if self.name == "raises" and moment.confirmed:
            raise KeyError("lost")
        return "rubbish" if self.name == "rubbish" and moment.confirmed else None

    def due(self, state: Any, falls_below: Any) -> Any:  # noqa: ARG002 – a detector's signature
        return {"past": 0.0, "never": float("inf"), "nan": float("nan"), "text": "soon"}.get(self.name)


def test_a_faulty_detector_stops_nobody() -> None:
    """It is told of by name, once for each item; what cannot be a due point is none."""
    names = ("raises", "rubbish", "past", "never", "nan", "text")
    driver = Driver(BoardConfig(name="x", time="wall"), board=Board(BoardConfig(name="x", time="wall"), tuple(map(Faulty, names))))
    item = driver.deposit("a", "fact", scope="shared")
    for n in range(3):
        driver.say("b", Confirm(item), at=2_000.0 + n)
        driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True), tuple(map(Faulty, names)))
    told = [(s.signal, s.detector, s.reason) for s in driver.signals()]
    assert told == [
        ("failed", "text/1", "TypeError"), ("failed", "raises/1", "KeyError"), ("failed", "rubbish/1", "ValidationError"),
    ]  # fmt: skip
    assert driver.get("a", item).confirmations == 3


class Doubled(Detector):
    """A user's own: strength doubled in one unit."""

    name = "doubled"
    version = 3

    def notice(self, state: Any, moment: Moment) -> Finding | None:
        state["seen"] = state.get("seen", 0) + 1
        return Finding("doubled", evidence=Evidence(confirmations=state["seen"])) if moment.after >= 2 * moment.before > 0 else None


def test_a_users_detector_is_recorded_by_name_and_version_and_keeps_its_state() -> None:
    """It is one class with one method; its state goes through checkpoints."""
    driver = Driver(board=Board(BoardConfig(name="x"), (Doubled(),)))
    item = driver.deposit("a", "fact", scope="shared")
    assert driver.board.config.detectors == ("doubled/3",)
    driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True), (Doubled(),))
    driver.say("b", Reinforce(item, 4.0))
    (signal,) = driver.signals("doubled")
    assert (signal.detector, signal.evidence.confirmations) == ("doubled/3", 2)


def test_another_pace_brings_what_is_due_forward() -> None:
    """On a wall clock, whose ticks come when something is due: an item that fades faster now crosses sooner, and one that had not faded."""
    driver = Driver(BoardConfig(name="test", time="wall"))
    driver.say(names.HOST, SetKinds({"preference": {"rate": 0.0, "protect": 0}}))
    for kind in ("fact", "preference"):
        driver.say("a", Deposit(kind, kind=kind, scope="shared"))
    driver.say(names.HOST, SetKinds({"fact": {"half_life": 10.0}, "preference": {"half_life": 5.0}}))
    due = driver.board.next_due()
    assert due is not None
    assert due - driver.stamp == pytest.approx(5.0, abs=1e-3)
    driver.say(names.HOST, Tick(), at=due)
    driver.say(names.HOST, Tick(), at=due + 300.0)
    assert [(signal.kind, signal.reason) for signal in driver.signals("crossed")] == [("preference", "down"), ("fact", "down")]


def test_a_quiet_item_has_no_states_and_nothing_is_missed_for_it() -> None:
    """They are made when something is confirmed, from the moment of its arrival; a restart between makes no difference."""
    kept, restarted = Driver(), Driver()
    for driver in (kept, restarted):
        driver.deposit("a", "fact", scope="shared")
        item = driver.board._network.all_items()[0]
        assert item.marks is ARRIVED
        driver.rounds(5)
    restarted.board = Board.restore(restarted.board.config, restarted.board.snapshot(full=True))
    for driver in (kept, restarted):
        for agent in ("b", "c", "d"):
            driver.say(agent, Confirm(driver.board._network.all_items()[0].id))
        driver.rounds(60)
        quiet = driver.board._network.all_items()[0].marks
        assert isinstance(quiet, Quiet)
        assert {driver.board._alerts._detectors[n].name for n in quiet.awake or ()} == {"jump", "consensus", "fading", "crossed"}
    assert kept.signals() == restarted.signals()
    assert [signal.signal for signal in kept.signals()] == ["rising", "consensus", "fading", "crossed"]


def test_states_that_were_written_by_name_are_taken_up() -> None:
    """As checkpoints had them once: what had been told is not told again."""
    driver = Driver()
    item = driver.deposit("a", "fact", scope="shared")
    driver.say("b", Confirm(item), Reinforce(item, 0.1))  # more than one at once concerns all detectors
    record = driver.board._network.get(item)
    states = list(record.marks)
    record.marks = dict(zip(driver.board.config.detectors, states, strict=True))
    driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True))
    assert driver.board._network.get(item).marks == states
    driver.say("b", Confirm(item))
    assert len(driver.signals("rising")) == 1


ACTS = st.one_of(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.sampled_from([0.01, 0.2, 0.5, 3.0])),
    st.tuples(st.sampled_from(["use", "confirm", "twice"]), st.integers(0, 3), st.just(0.0)),
    st.tuples(st.just("rounds"), st.integers(1, 12), st.just(0.0)),
    st.tuples(st.just("restart"), st.just(0), st.just(0.0)),
)


@given(st.lists(ACTS, max_size=60))
def test_what_a_detector_is_told_late_it_finds_all_the_same(acts: list[tuple[str, int, float]]) -> None:
    """Detectors that hear of a quiet item's moments when they may show something find what those find that hear of each at once."""
    eager = defaults()
    for detector in eager:
        detector.least = 0
    drivers = [Driver(board=Board(BoardConfig(name="test"), found)) for found in (defaults(), eager)]
    for driver in drivers:
        items = [
            driver.deposit("a", f"item {n}", kind=kind, scope="shared") for n, kind in enumerate(("constraint", "fact", "state", "trace"))
        ]
        for what, n, delta in acts:
            match what:
                case "use":
                    driver.say("b", Use(items[n]))
                case "confirm":
                    driver.say("c", Confirm(items[n]))
                case "twice":
                    driver.say("d", Confirm(items[n]), Reinforce(items[n], 0.1))
                case "rounds":
                    driver.rounds(n)
                case "restart" if driver is drivers[0]:
                    driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True), defaults())
                case "restart":
                    pass
                case _:
                    driver.say(what, Reinforce(items[n], delta))
    late, at_once = (driver.signals() for driver in drivers)
    assert late == at_once


def test_a_silence_that_was_told_where_an_export_was_made_is_not_told_again() -> None:
    """Nor when the item is confirmed, which ends it; the next silence is told."""
    driver = Driver()
    rule = driver.deposit("a", "x", kind="constraint", scope="shared")
    driver.rounds(50)
    made = Driver(board=Board.of_document(driver.board.document(), "test"))
    made.log = driver.log[:1]
    made.say("b", Use(rule))
    made.rounds(3)
    for _ in range(5):
        made.say("b", Confirm(rule))
    made.rounds(10)
    assert [(signal.signal, signal.t) for signal in made.signals()] == [("burst", 53.0), ("fading", 63.0)]


@pytest.mark.parametrize("due", [nan, inf, -inf, 1e308, "soon"])
def test_a_due_time_that_is_none_stops_nothing(due: Any) -> None:
    """Nor does one that is farther off than floats count."""

    class Odd(Detector):
        name = "odd"

        def notice(self, state: Any, moment: Moment) -> Finding | None:  # noqa: ARG002
            return None

        def due(self, state: Any, falls_below: Any) -> Any:  # noqa: ARG002
            return due if falls_below(1.0) is None else 5.0

    driver = Driver(board=Board(BoardConfig(name="test"), (Odd(),)))
    driver.deposit("a", "x", kind="preference", strength=1.01, scope="shared")
    driver.deposit("a", "y", kind="preference", strength=0.5, scope="shared")
    driver.rounds(10)
    assert driver.board.now == 10


def test_what_is_said_again_is_due_for_itself() -> None:
    """Not when what it was before it was withdrawn would have been, even where it is confirmed in the same breath."""
    driver = Driver()
    item = driver.deposit("a", "x", kind="preference", strength=1_000.0, scope="shared")
    driver.rounds(2)
    driver.say("a", Retract(item))
    again = Deposit("x", kind="preference", strength=4.0, scope="shared")
    driver.say("a", again, again)
    driver.rounds(60)
    assert [(signal.reason, signal.t) for signal in driver.signals("crossed")] == [("down", 44.0)]


def test_a_renamed_item_is_watched_as_before() -> None:
    """Its detectors are not told of its name, and are due when they were."""
    driver = Driver()
    rule = driver.deposit("a", "at most 50", kind="constraint", key="budgte", scope="shared")
    driver.rounds(4)
    driver.say(names.HOST, RenameKey("budgte", "budget"))
    assert driver.board._network.get(rule).marks is ARRIVED
    driver.rounds(6)
    assert [(signal.item, signal.key) for signal in driver.signals("fading")] == [(driver.get("b", rule).id, "budget")]


def test_what_two_have_become_is_watched_as_the_one_that_stays() -> None:
    """Restored or not, and by eager detectors too: it began as it did, and what it crossed since is told when it is confirmed."""
    eager = defaults()
    for detector in eager:
        detector.least = 0
    told = []
    for found, restored in ((defaults(), False), (defaults(), True), (eager, False)):
        driver = Driver(board=Board(BoardConfig(name="test"), found))
        for key, strength in (("one", 2.0), ("two", 5.0)):
            driver.deposit("a", "x", key=key, strength=strength, scope="shared")
        driver.say(names.HOST, RenameKey("two", "one"))
        if restored:
            driver.board = Board.restore(driver.board.config, driver.board.snapshot(full=True), found)
        driver.say("b", Confirm(driver.top("b")[0].id))
        driver.rounds(40)
        told.append([(signal.signal, signal.key, signal.reason, signal.t) for signal in driver.signals()])
    assert told[0] == told[1] == told[2]
    assert [reason for signal, _, reason, _ in told[0] if signal == "crossed"] == ["up", "down"]


def test_two_detectors_that_are_due_at_once_are_both_asked() -> None:
    """A constraint that nobody confirmed for ten rounds, and that leaves the core in that same round: each is told."""
    driver = Driver()
    driver.deposit("a", "never", kind="constraint", strength=3.1, scope="shared")
    driver.rounds(9)
    assert driver.signals() == []
    driver.rounds(1)
    assert {(signal.signal, signal.t) for signal in driver.signals()} == {("fading", 10.0), ("crossed", 10.0)}


def test_what_is_put_off_again_and_again_waits_once() -> None:
    """A constraint has few entries in the calendars, however often it is confirmed, in one round or in many."""
    driver = Driver()
    item = driver.deposit("a", "never", kind="constraint", scope="shared")
    for number in range(300):
        driver.say("b", Confirm(item))
        driver.rounds(number % 3 == 0 and number < 150)
    assert all(len(calendar) <= 3 for calendar in driver.board._alerts._calendars.values())
