"""Claims about what waits for its point."""

from hypothesis import given
from hypothesis import strategies as st

from blackboard.calendar import Calendar
from blackboard.items import Pheromone


class Waiting(Pheromone):
    """A thing with a point of its own."""

    __slots__ = ("point",)

    def __init__(self, ordinal: int, point: float | None) -> None:
        super().__init__("", "shared")
        self.ordinal = ordinal
        self.point = point


def where(thing: Waiting) -> float | None:
    return thing.point


def drained(calendar: Calendar[Waiting]) -> list[tuple[float, int]]:
    """All that comes up, which then waits no longer."""
    out = []
    while (first := calendar.first()) is not None:
        assert calendar.take() is first[1]
        out.append((first[0], first[1].ordinal))
        first[1].point = None
    return out


POINTS = st.lists(st.tuples(st.floats(-50, 50), st.none() | st.floats(0, 70)), max_size=60)


@given(POINTS, st.sampled_from([0.03, 1.0, 7.0]), st.integers(0, 60))
def test_all_come_up_in_order_wherever_they_were_put_off_to(points: list[tuple[float, float | None]], width: float, began: int) -> None:
    """Each comes up once, at the point where it then stands, ties by number; also if some came up, and some are put in, meanwhile."""
    calendar = Calendar(width, where)
    things = [Waiting(n, point) for n, (point, _) in enumerate(points)]
    for thing in things[:began]:
        assert thing.point is not None
        calendar.put(thing, thing.point)
    calendar.first()
    for thing, (point, put_off) in zip(things[:began], points, strict=False):
        thing.point = None if put_off is None else point + put_off
        if put_off == 0:
            calendar.put(thing, point)  # twice there
    for thing in things[began:]:
        assert thing.point is not None
        calendar.put(thing, thing.point)
    expected = sorted((thing.point, thing.ordinal) for thing in things if thing.point is not None)
    assert drained(calendar) == expected
    assert len(calendar) == 0


def test_what_left_is_swept_out() -> None:
    """Entries of what waits no longer do not pile up, however far off their points are."""
    calendar = Calendar(1.0, where)
    stays = Waiting(0, 1e6)
    calendar.put(stays, 1e6)
    for n in range(1, 2_000):
        thing = Waiting(n, 2e6)
        calendar.put(thing, 2e6)
        thing.point = None
        calendar.left()
    assert len(calendar) < 200
    assert drained(calendar) == [(1e6, 0)]


def test_what_is_put_off_together_becomes_one() -> None:
    """Two entries of one thing in one cell are one from then on."""
    calendar = Calendar(1.0, where)
    thing = Waiting(0, 0.5)
    for point in (0.5, 1.5, 2.5):
        calendar.put(thing, point)
    thing.point = 9.5
    assert calendar.first() == (9.5, thing)
    assert len(calendar) == 1


def test_what_is_due_beyond_all_counting_comes_up_too() -> None:
    """As with a half-life that is meant to be for ever: no cell is opened twice."""
    calendar = Calendar(1.0, where)
    for n, point in enumerate((1e308, 2.0**60, 2.0**53, -1e300)):
        calendar.put(Waiting(n, point), point)
    assert drained(calendar) == [(-1e300, 3), (2.0**53, 2), (2.0**60, 1), (1e308, 0)]
