"""The strongest come first, whatever was done in between."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from blackboard.items import ContextItem
from blackboard.ranking import HOT, Ranking, strongest


def item(ordinal: int, strength: float, level: float = 0.0) -> ContextItem:
    made = ContextItem(str(ordinal))
    made.ordinal = ordinal
    made.mark(strength, level)
    return made


def order(items: list[ContextItem], level: float = 0.0) -> list[ContextItem]:
    return sorted(items, key=lambda each: (-each.s * math.exp(each.d - level), each.ordinal))


def ranked(ranking: Ranking, k: int = 10**9, level: float = 0.0) -> list[ContextItem]:
    return strongest([(ranking, level)], k)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "remove", "remove strongest", "move", "read"]),
        st.integers(0, 10**6),
        st.sampled_from([0.5, 1, 2, 3, 8]),
    ),
    max_size=400,
)


@given(acts=ACTS, start=st.integers(0, 3 * HOT))
@settings(max_examples=60)
def test_an_index_agrees_with_a_sort(acts: list[tuple[str, int, float]], start: int) -> None:
    """Whatever is added, removed and moved, and however many are equal: the order is that of a plain sort."""
    ranking, items = Ranking(), [item(n, 2.0) for n in range(start)]
    for each in items:
        ranking.add(each)
    for number, (act, pick, strength) in enumerate(acts):
        if act == "add":
            items.append(item(start + number, strength))
            ranking.add(items[-1])
        elif items and act == "remove":
            ranking.remove(items.pop(pick % len(items)))
        elif items and act == "remove strongest":
            items.remove(first := order(items)[0])
            ranking.remove(first)
        elif items and act == "move":
            ranking.move(items[pick % len(items)], strength + pick % 7, 0.0)
        else:
            assert ranked(ranking, pick % 100) == order(items)[: pick % 100]
    assert len(ranking) == len(items)
    assert ranked(ranking) == order(items)
    assert sorted(each.ordinal for each in ranking) == sorted(each.ordinal for each in items)
    for border in (0.5, 1, 2, 3.5, 8, 20):
        assert ranking.count_from(math.log(border)) == sum(each.u >= math.log(border) for each in items)


@given(st.lists(st.lists(st.tuples(st.floats(0.1, 50), st.floats(0, 5)), max_size=120), max_size=6), st.integers(0, 40))
@settings(max_examples=50)
def test_indices_merge_at_their_own_levels(lots: list[list[tuple[float, float]]], k: int) -> None:
    """Classes that have decayed differently are merged by what the strengths are now."""
    rankings, strengths, ordinal = [], [], 0
    for number, lot in enumerate(lots):
        ranking, level = Ranking(), number / 2
        for strength, marked_at in lot:
            ranking.add(item(ordinal, strength, marked_at))
            strengths.append(strength * math.exp(marked_at - level))
            ordinal += 1
        rankings.append((ranking, level))
    found = strongest(rankings, k)
    now = {each.ordinal: each.s * math.exp(each.d - level) for ranking, level in rankings for each in ranking}
    assert [now[each.ordinal] for each in found] == sorted(strengths, reverse=True)[:k]


def test_ties_go_to_the_earlier_across_indices() -> None:
    """Equal strengths come in order of making, whichever class they are in."""
    one, other = Ranking(), Ranking()
    for ordinal in (0, 2, 4):
        one.add(item(ordinal, 4.0, 5.3))
    for ordinal in (1, 3, 5):
        other.add(item(ordinal, 4.0, 0.0))
    assert [each.ordinal for each in strongest([(other, 0.0), (one, 5.3)], 5)] == [0, 1, 2, 3, 4]


def test_what_rounding_takes_for_equal_comes_in_order_all_the_same() -> None:
    """Two strengths that differ in their last bit have one ``u``: the stronger is first, though it was made later."""
    ranking, weaker, stronger = Ranking(), item(0, 5e5), item(1, math.nextafter(5e5, 1e6))
    ranking.add(weaker)
    ranking.add(stronger)
    assert weaker.u == stronger.u
    assert ranked(ranking) == [stronger, weaker]
