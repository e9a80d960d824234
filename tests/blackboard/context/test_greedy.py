"""Which pieces are taken."""

from math import e, inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blackboard.context.greedy import Terms, best_of_two, by_density, by_gain
from blackboard.context.presets import Weights
from tests.blackboard.context.worths import best, costs, plain, value, worth

SEEDS = st.integers(0, 9999)


@given(seed=SEEDS, size=st.integers(0, 40), budget=st.sampled_from([0, 10, 60, 200, inf]), pieces=st.sampled_from([0, 1, 5, inf]))
def test_lazy_is_plain(seed: int, size: int, budget: float, pieces: float) -> None:
    """It takes what the greedy takes that computes all gains anew, in the same order."""
    price = costs(seed, size)
    taken, _ = plain(worth(seed, size), price, budget, pieces)
    walk = by_gain(worth(seed, size), Terms(price, budget, pieces))
    assert walk.value == pytest.approx(value(worth(seed, size), taken), abs=1e-5)
    assert sum(price[each] for each in walk.taken) <= budget
    assert len(walk.taken) <= pieces
    assert walk.taken.keys() | walk.left.keys() == set(range(size))


@settings(deadline=None)
@given(seed=SEEDS, pieces=st.integers(1, 4))
def test_for_a_count_it_is_near_the_best(seed: int, pieces: int) -> None:
    """At least 1 − 1/e of the best there is."""
    ones = [1] * 9
    assert by_gain(worth(seed, 9), Terms(ones, pieces=pieces)).value >= (1 - 1 / e) * best(seed, 9, ones, inf, pieces) - 1e-6


@settings(deadline=None)
@given(seed=SEEDS, budget=st.integers(1, 90))
def test_under_a_budget_the_best_of_two_is_near_the_best(seed: int, budget: int) -> None:
    """At least ½(1 − 1/e) of the best there is."""
    price = costs(seed, 9)
    walk = best_of_two(lambda: worth(seed, 9), Terms(price, budget))
    assert walk.value >= 0.5 * (1 - 1 / e) * best(seed, 9, price, budget, 9) - 1e-6


def test_what_was_overturned_may_follow_what_overturned_it() -> None:
    """Once that is in, it is taken like any other; it is left out as superseded no longer."""
    modular = worth(3, 3, Weights(1, 0, 0))
    modular._by_relevance[:] = [0.5, 0.3, 0.2]
    walk = by_gain(modular, Terms([1, 1, 1], after={0: 1}))
    assert (list(walk.taken), walk.left) == ([1, 0, 2], {})
    assert by_gain(worth(3, 3), Terms([1, 1, 1], after={0: 1}, pieces=1), [0]).left[0] == "superseded"
    assert len(by_gain(worth(3, 3), Terms([1, 1, 1], 3, after={0: 1}), [1]).taken) == 3


@given(seed=SEEDS, budget=st.integers(0, 90))
def test_gains_add_up_to_the_value(seed: int, budget: int) -> None:
    """Whatever they were ranked by, they are told as what they added."""
    for walk_by in (by_gain, by_density):
        walk = walk_by(worth(seed, 9), Terms(costs(seed, 9), budget))
        assert walk.value == pytest.approx(sum(walk.taken.values()), abs=1e-5)


def test_the_best_of_two_is_the_better() -> None:
    """Many small ones may be worth more than a large one, and the other way round."""
    terms = Terms([10, 5, 5], 10)
    modular = worth(3, 3, Weights(1, 0, 0))
    modular._by_relevance[:] = [0.4, 0.3, 0.3]
    assert set(by_gain(modular, terms).taken) == {0}
    for relevance, chosen in (([0.4, 0.3, 0.3], {1, 2}), ([0.9, 0.46, 0.0], {0})):

        def make(relevance: list[float] = relevance) -> object:
            objective = worth(3, 3, Weights(1, 0, 0))
            objective._by_relevance[:] = relevance
            return objective

        assert set(best_of_two(make, terms).taken) == chosen  # type: ignore[arg-type]


def test_what_does_not_fit_is_skipped_and_the_next_is_tried() -> None:
    """And told of."""
    walk = by_gain(worth(5, 6), Terms([100, 1, 1, 1, 1, 1], 3))
    assert walk.left[0] == "over budget"
    assert len(walk.taken) == 3


def test_ends_where_one_adds_too_little() -> None:
    """Below a share of what the first adds; nothing is taken that adds nothing."""
    full = by_gain(worth(7, 30), Terms([1] * 30))
    walk = by_gain(worth(7, 30), Terms([1] * 30, stop=0.5))
    first = next(iter(walk.taken.values()))
    assert 1 < len(walk.taken) < len(full.taken)
    assert all(gain >= 0.5 * first for gain in walk.taken.values())
    assert set(walk.left.values()) == {"adds too little"}
    nothing = worth(7, 3, Weights(0, 0, 0))
    assert by_gain(nothing, Terms([1] * 3)).taken == {}


def test_some_are_taken_before_all_others() -> None:
    """In their order, each if it fits."""
    walk = by_gain(worth(9, 6), Terms([1, 1, 1, 9, 1, 1], 4), [5, 3, 4])
    assert list(walk.taken)[:2] == [5, 4]
    assert walk.left[3] == "over budget"
    assert by_gain(worth(9, 6), Terms([1] * 6, pieces=1), [5, 4]).left[4] == "over the count"


@given(seed=SEEDS, first=st.lists(st.integers(0, 7), max_size=3), pieces=st.integers(0, 8), dense=st.booleans())
def test_what_was_overturned_only_follows(seed: int, first: list[int], pieces: int, dense: bool) -> None:
    """What overturned it, even where it was to be taken first; of a chain each follows the next."""
    after = {0: 1, 1: 2, 5: 4, 6: 6}
    walk = (by_density if dense else by_gain)(worth(seed, 8), Terms([1] * 8, pieces=pieces, after=after), first)
    order = list(walk.taken)
    assert 6 not in order
    assert len(set(order)) == len(order)
    for old, new in after.items():
        if old in order:
            assert order.index(new) < order.index(old)
        elif new not in order:
            assert walk.left[old] == "superseded"


def test_of_equal_gains_the_first_wins() -> None:
    """So that the same call gives the same selection."""
    objective = worth(1, 4, Weights(1, 0, 0))
    objective._by_relevance[:] = 0.25
    assert list(by_gain(objective, Terms([1] * 4)).taken) == [0, 1, 2, 3]
