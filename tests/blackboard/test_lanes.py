"""When things fade: never by looking at all of them."""

import math

import pytest

from blackboard.items import ContextItem
from blackboard.kinds import policy
from blackboard.lanes import Fading, Lane, Protections

KIND = policy("x", initial=4, rate=0.1, threshold=1.0)


def item(ordinal: int) -> ContextItem:
    made = ContextItem(str(ordinal), kind="x")
    made.ordinal = ordinal
    return made


def lane_of(strengths: list[float]) -> tuple[Lane, list[ContextItem]]:
    lane = Lane(KIND, KIND.rate, 0.0)
    items = [item(n) for n in range(len(strengths))]
    for each, strength in zip(items, strengths, strict=True):
        lane.enter(each, strength, 0.0)
    return lane, items


def test_the_next_to_fade_is_known() -> None:
    """The time at which the weakest falls below is that of the closed form; at that time it is taken, once."""
    lane, items = lane_of([4.0, 2.0, 8.0])
    due = lane.fading.next_due()
    assert due == pytest.approx(math.log(2) / KIND_SLOPE)
    lane.decay.advance(due)
    assert lane.fading.take_due() == [items[1]]
    assert lane.fading.take_due() == []


KIND_SLOPE = -math.log(0.9)


def test_at_the_threshold_exactly_nothing_fades() -> None:
    """Strictly below, it is said: 2 halved is 1, which stays."""
    lane, _ = lane_of([2.0, 4.0])
    lane.decay.evaporate(0.5, 1)
    assert lane.fading.take_due() == []
    lane.decay.evaporate(0.001, 2)
    assert len(lane.fading.take_due()) == 1


def test_what_grew_is_put_off() -> None:
    """A reinforcement only moves the item's place; its old due point does no harm."""
    lane, (weak, strong) = lane_of([2.0, 4.0])
    lane.strengthen(weak, 8.0)
    assert lane.fading.next_due() == pytest.approx(math.log(4) / KIND_SLOPE)
    lane.decay.advance(14)
    assert lane.fading.take_due() == [strong]
    lane.decay.advance(20)
    assert lane.fading.take_due() == [weak]


def test_what_left_is_forgotten() -> None:
    """An item that left does not come up, even if many leave and few stay."""
    lane, items = lane_of([2.0] * 500)
    for each in items[:490]:
        lane.leave(each)
        each.detach(0.0)
    assert len(lane.fading._waiting) < 200
    lane.decay.advance(100)
    assert lane.fading.take_due() == items[490:]


def test_what_came_back_fades_once() -> None:
    """Leaving and entering again with the same due point is not twice there."""
    lane, (only,) = lane_of([2.0])
    for _ in range(3):
        lane.leave(only)
        lane.enter(only, 2.0, 0.0)
    lane.decay.advance(100)
    assert lane.fading.take_due() == [only]


def test_without_a_threshold_nothing_fades() -> None:
    """A threshold of 0 is never passed; nor is any by what does not evaporate."""
    lane = Lane(policy("x", initial=1, rate=0.1, threshold=0), 0.1, 0.0)
    lane.enter(item(0), 1.0, 0.0)
    still = Lane(KIND, 0.0, 0.0)
    still.enter(item(1), 4.0, 0.0)
    assert lane.fading.next_due() == still.fading.next_due() == math.inf
    assert isinstance(lane.fading, Fading)


def test_another_policy() -> None:
    """Strengths go on from where they are; what fades, and when, follows the new threshold and rate."""
    lane, (weak, strong) = lane_of([2.0, 4.0])
    lane.decay.advance(2)
    before = [weak.strength, strong.strength]
    lane.change(policy("x", initial=4, rate=0.5, threshold=1.5), 0.5, 2.0)
    assert [weak.strength, strong.strength] == before
    lane.decay.advance(3)
    assert [weak.strength, strong.strength] == pytest.approx([before[0] / 2, before[1] / 2])
    assert lane.fading.take_due() == [weak]
    assert lane.fading.next_due() == pytest.approx(2 + math.log2(before[1] / 1.5))
    lane.change(policy("x", initial=4, rate=0.5, threshold=0), 0.5, 3.0)
    assert lane.fading.next_due() == math.inf


def test_protections_end_together_and_in_order() -> None:
    """A cohort for each end; what is protected no longer, or until another time, is left out."""
    gone: set[ContextItem] = set()
    protections = Protections(lambda each: each not in gone)
    items = [item(n) for n in range(6)]
    for each, until in zip(items, (3.0, 5.0, 3.0, 3.0, 3.0, 8.0), strict=True):
        each.protected_until = protections.end(until)
        protections.enter(each)
    assert items[0].protected_until is items[2].protected_until
    assert protections.next_end() == 3.0
    gone.add(items[2])
    items[4].protected_until = 7.0
    protections.enter(items[4])
    assert list(protections.take_due(2.0)) == []
    assert list(protections.take_due(5.0)) == [items[0], items[3], items[1]]
    assert protections.next_end() == 7.0
    gone |= {items[4], items[5]}
    assert protections.next_end() == math.inf
