"""Claims about what is remembered of an item that concerns few detectors."""

import msgspec
import pytest

from blackboard.items import ContextItem
from blackboard.marks import ARRIVED, Quiet, moment_of, quiet_of
from blackboard.network import PheromoneNetwork
from blackboard.trends import Moment


def test_an_item_itself_tells_of_its_arrival() -> None:
    """When it was made and how strong it was first, whatever it is now."""
    network = PheromoneNetwork(now=7)
    item = network.deposit(ContextItem("x"), initial_strength=5.0)
    item.marks = ARRIVED
    network.reinforce(item, 1.0)
    assert quiet_of(item) == Quiet(7.0, 0.0, 5.0)


@pytest.mark.parametrize("marks", [None, [], [None, None]])
def test_what_is_not_quiet(marks: list[None] | None) -> None:
    """An item that nobody hears of is not, nor one that has all its states."""
    item = ContextItem("x")
    item.marks = marks
    assert quiet_of(item) is None


def test_moments_are_told_in_full_and_in_order() -> None:
    """The first as an arrival; who confirmed something, and where nobody did."""
    quiet = Quiet(0.0, 0.0, 4.0, ((1.0, 4.0, 4.5, "ann", 0.5), (2.0, 4.5, 4.7, None, 0.0)))
    assert quiet.began("slot") == Moment(0.0, 0.0, 4.0, kind="slot", fresh=True)
    used = Moment(2.0, 4.5, 4.7, (), "slot")
    assert list(quiet.since("slot")) == [Moment(1.0, 4.0, 4.5, (("ann", 0.5),), "slot"), used]
    assert moment_of(quiet.heard[1], "slot") == used


def test_it_is_kept_as_it_is() -> None:
    """Written and read again, with the states of those who are awake."""
    quiet = Quiet(0.0, 0.0, 4.0, ((1.0, 4.0, 4.5, "ann", 0.5),), {3: [1.0]})
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(quiet), type=Quiet) == quiet
