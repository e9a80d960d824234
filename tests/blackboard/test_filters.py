"""Claims about what a subscriber is told."""

from typing import Any

import pytest

from blackboard.filters import ChangeFilter, SignalFilter
from bus.messages import Change, Evidence, Signal

RISE = Signal(signal="rising", item="i", kind="fact", key="price", evidence=Evidence(agents=("procurement",)))
MOVE = Change(item="i", kind="fact", key="price", cause="reinforce", old=4.0, new=5.0, by="procurement")


@pytest.mark.parametrize(
    ("given", "met"),
    [
        ({}, True),
        ({"names": ("fading", "rising")}, True),
        ({"names": ("fading",)}, False),
        ({"key": "price", "kind": "fact", "item": "i"}, True),
        ({"key": "other"}, False),
        ({"kind": "constraint"}, False),
        ({"item": "other", "key": "price"}, False),
    ],
)
def test_a_signal_meets_all_that_is_given(given: dict[str, Any], met: bool) -> None:
    """What is not given is not asked."""
    assert SignalFilter(**given).meets(RISE, "finance") is met


def test_a_rise_of_ones_own_is_left_out_unless_asked_for() -> None:
    """One that others had a part in is not one's own, and other signals are never left out."""
    shared = Signal(signal="rising", item="i", kind="fact", evidence=Evidence(agents=("finance", "procurement")))
    violated = Signal(signal="violated", item="i", kind="fact", evidence=Evidence(agents=("procurement",)))
    assert [SignalFilter().meets(each, "procurement") for each in (RISE, shared, violated)] == [False, True, True]
    assert SignalFilter(own=True).meets(RISE, "procurement")


@pytest.mark.parametrize(
    ("given", "met"),
    [
        ({}, True),
        ({"key": "price", "kind": "fact", "cause": "reinforce", "item": "i"}, True),
        ({"key": "other"}, False),
        ({"kind": "edge"}, False),
        ({"cause": "use"}, False),
        ({"item": "other", "cause": "reinforce"}, False),
    ],
)
def test_a_change_meets_all_that_is_given(given: dict[str, Any], met: bool) -> None:
    """One's own changes, too."""
    assert ChangeFilter(**given).meets(MOVE, "procurement") is met


def test_each_filter_takes_its_own_kind_of_event() -> None:
    """However little it asks."""
    assert not SignalFilter(own=True).meets(MOVE, "finance")
    assert not ChangeFilter().meets(RISE, "finance")
