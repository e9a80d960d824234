"""A leaky bucket for each agent."""

from hypothesis import given
from hypothesis import strategies as st

from blackboard.limits import Debt, Limits

TEN = Limits(rate=10.0, burst=20.0)


def test_a_debt_is_paid_off_by_the_rate() -> None:
    """Down to nothing, and what is above the burst has to be waited for."""
    debt = Debt().more(50)
    assert (debt.at(2.0, TEN), debt.at(60.0, TEN)) == (Debt(30.0, 2.0), Debt(0.0, 60.0))
    assert (debt.wait(TEN), debt.at(2.0, TEN).wait(TEN), debt.at(3.0, TEN).wait(TEN)) == (3.0, 1.0, 0.0)


def test_a_clock_that_is_set_back_pays_off_nothing() -> None:
    """And the debt is paid off from there, not once the clock is where it was."""
    debt = Debt(40.0, 1000.0).at(10.0, TEN)
    assert debt == Debt(40.0, 10.0)
    assert debt.at(12.0, TEN).amount == 20.0


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1), st.integers(1, 40)), max_size=50))
def test_who_learns_of_its_debt_later_owes_more(course: list[tuple[float, float, int]]) -> None:
    """A sender that counts a post when it is acknowledged never owes less than the log knows: what it lets pass, the board lets pass."""
    log, sender, now = Debt(), Debt(), 0.0
    for pause, under_way, observations in course:
        now += max(pause, sender.at(now, TEN).wait(TEN) + 1e-9)
        assert log.at(now, TEN).wait(TEN) <= 1e-6
        log = log.at(now, TEN).more(observations)
        now += under_way
        sender = sender.at(now, TEN).more(observations)
        assert sender.amount >= log.at(now, TEN).amount - 1e-6
