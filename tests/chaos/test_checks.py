"""What a run is held to: a check that finds no fault where there is one is none."""

from pathlib import Path

import msgspec
import pytest

from blackboard.config import BoardConfig
from bus import names
from bus.messages import Change, Confirm, EndRound, Post, Signal, Unit, encode
from bus.port import LogMessage
from tests.chaos.acts import CLAIMS, KINDS, Acts
from tests.chaos.checks import Checked, check_agent, check_strengths, check_subscriber, things_of
from tests.chaos.naive import WATCHED
from tests.chaos.records import Accepted, AnyLine, Heard, Record, Said
from tests.chaos.scribe import Truth

ORIGIN = msgspec.json.encode(BoardConfig(name="b").with_kinds(KINDS)).decode()
ACTS = [Acts("b", "ann", 1).unit(n, 0) for n in range(20)]


def truth(*units: Unit, agent: str = "ann") -> Truth:
    """A board on which an agent has said these, each in a post of its own, behind what every board of chaos begins with."""
    found = Truth("b", ORIGIN)
    posts = [("founder", WATCHED), *((agent, unit) for unit in units)]
    for number, (by, unit) in enumerate(posts):
        found.take([LogMessage(number + 1, 0.0, by, encode(Post("e", max(number, 1), (unit,))))])
    assert found.faults == []
    return found


def recorded(path: Path, units: list[Unit], *, accepted: int) -> Path:
    """The record of an agent that has said these, of which the first so many were accepted."""
    with Record(path, AnyLine) as record:
        for n, unit in enumerate(units):
            record.write(Said(n, unit))
        record.write(*(Accepted(n) for n in range(accepted)))
    return path


@pytest.mark.parametrize(
    ("applied", "accepted", "wrong"),
    [
        ([0, 1, 2, 3], 4, ""),
        ([0, 1, 2, 3], 2, ""),
        ([0, 1], 2, ""),
        ([0, 1, 3], 4, "what was accepted is applied"),
        ([0, 1, 1, 2, 3], 4, "nothing is applied twice"),
        ([0, 1, 2, 3, 7], 4, "nothing is applied that was not said"),
        ([0, 2, 1, 3], 4, "an agent's units keep their order"),
    ],
)
def test_agents(tmp_path: Path, applied: list[int], accepted: int, wrong: str) -> None:
    """A unit that is lost, doubled, made up or out of order is found; one that was under way may have arrived or not."""
    checked = Checked()
    path = recorded(tmp_path / "ann", ACTS[:4], accepted=accepted)
    check_agent("ann", path, truth(*(ACTS[n] for n in applied)), checked)
    assert [wrong in finding for finding in checked.findings] == [True] * bool(wrong)


def test_subscribers(tmp_path: Path) -> None:
    """A change or a signal that is lost or doubled is found, and a subscriber that has not come to the end."""
    found = truth(*ACTS)
    heard = [Heard(f"shared={n} private=0", things_of(events)) for n, events in enumerate(found.events[names.SHARED], 1)]
    private = [thing for events in found.events[names.private("ann")] for thing in things_of(events)]
    end = Heard(f"shared={len(heard)} private={len(found.events[names.private('ann')])}", tuple(private))
    assert private
    assert any(isinstance(thing, Signal) for each in heard for thing in each.things)

    def said(name: str, *lines: Heard) -> list[str]:
        checked = Checked()
        with Record(tmp_path / name, Heard) as record:
            record.write(*lines)
        check_subscriber(name, "ann", tmp_path / name, found, checked)
        return checked.findings

    def altered(things: tuple[Change | Signal, ...]) -> list[Heard]:
        return [*heard[:3], Heard(heard[3].position, things), *heard[4:], end]

    assert said("whole", *heard, end) == []
    assert said("together", Heard(heard[-1].position, tuple(thing for each in heard for thing in each.things)), end) == []
    assert len(said("lost", *altered(heard[3].things[:-1]))) == 1
    assert len(said("doubled", *altered(heard[3].things * 2))) == 1
    assert len(said("behind", *heard)) == 1


def test_strengths() -> None:
    """The naive recomputation agrees with the board, over rounds, and does not where something was left out."""
    units = [
        unit for number in range(10) for unit in (*ACTS, (Confirm(Acts("b", "ann", 1)._claims[number % len(CLAIMS)]), EndRound(number)))
    ]
    found, checked = truth(*units), Checked()
    check_strengths("b", found, checked)
    assert checked.findings == []
    assert found.board.now == 10
    del found.units[5]
    check_strengths("b", found, checked)
    assert len(checked.findings) == 1
