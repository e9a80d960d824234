"""Claims about what a cycle is about."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agents.evolution.choosing import KEPT, choose, is_aside, most_alike, tried_on
from agents.evolution.entries import Settings
from agents.evolution.strategies import Rule, Strategy
from tests.agents.evolution.world import logged, recorded, tasks


def test_about_the_share_of_tasks_is_aside() -> None:
    """Of two thousand ids a quarter, give or take; none of them, if the share is 0."""
    aside = sum(is_aside(f"task {number}", 0.25) for number in range(2000))
    assert 430 < aside < 570
    assert not any(is_aside(f"task {number}", 0.0) for number in range(100))


@given(st.text(), st.floats(0.0, 0.5), st.floats(0.0, 0.5))
def test_a_larger_share_takes_nothing_back(task: str, share: float, more: float) -> None:
    """Who is aside for a share is aside for every larger one."""
    assert is_aside(task, share) <= is_aside(task, share + more)


def test_what_is_aside_is_neither_selected_nor_a_past_success() -> None:
    """Failures and successes of all kinds are among those aside."""
    records = [recorded(log) for log in tasks(30, 30)]
    chosen = choose(records, ["limit@1"], learned=(), settings=Settings())
    aside = {record.id for record in records if is_aside(record.id, 0.25)}
    assert set(chosen.aside) == aside
    assert not aside & {each.task for each in chosen.failures}
    assert set(chosen.successes) == {record.id for record in records if record.outcome == "success"} - aside
    assert chosen.live == ("limit@1",)


def test_the_newest_of_the_failures_types_come_first() -> None:
    """Where there are more than a cycle takes."""
    others = [replace(recorded(logged(n, "success")), id=f"x{n}", type="import") for n in range(500, 700)]
    same = [recorded(logged(n, "success")) for n in range(0, 400, 2)]
    chosen = choose([*others, *same, recorded(logged(1)), recorded(logged(3))], [], learned=(), settings=Settings(aside=0.0))
    assert chosen.successes == tuple(f"t{n:03}" for n in range(398, 398 - 2 * KEPT, -2))


def test_a_candidate_is_tried_where_it_may_make_a_difference() -> None:
    """Tasks of its types, or all, if it names none."""
    logs = [logged(1), replace(logged(2), type="import")]
    assert [log.id for log in tried_on(Strategy("a", Rule(advice="x"), types=("report",)), logs)] == ["t001"]
    assert tried_on(Strategy("a", Rule(advice="x")), logs) == logs


def test_the_most_alike_ask_for_the_same() -> None:
    """Of the failure's type, by the words of the request."""
    failure = replace(logged(1), request="sales of the north by month")
    near, far = replace(logged(2, "success"), request="sales of the south by month"), replace(logged(4, "success"), request="returns")
    other = replace(near, id="t6", type="import")
    assert most_alike(failure, [far, other, near], 5) == [near, far]
    assert most_alike(failure, [far, other, near], 1) == [near]
