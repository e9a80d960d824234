"""Claims about who made an item stronger."""

import pytest

from blackboard.contributions import FEW, Contributed, Shares, added, by_agent_and_cause


@pytest.mark.parametrize("agents", [1, FEW, FEW + 1, 3 * FEW])
def test_each_agent_and_cause_has_one_share_in_the_order_of_the_first(agents: int) -> None:
    """Added up and counted, the latest time kept; whether few or many."""
    shares: Shares = None
    for turn in (1.0, 3.0, 2.0):
        for number in range(agents):
            for cause in ("deposit", "confirm"):
                shares = added(shares, f"a{number}", cause, turn, turn, 2)
    found = by_agent_and_cause(shares)
    assert list(found) == [(f"a{number}", cause) for number in range(agents) for cause in ("deposit", "confirm")]
    assert all((each.agent, each.cause) == who for who, each in found.items())
    assert {(each.amount, each.count, each.last) for each in found.values()} == {(6.0, 6, 3.0)}


def test_a_few_weigh_little() -> None:
    """They are a chain, without a mapping; one more is not."""
    shares: Shares = None
    for number in range(FEW):
        shares = added(shares, f"a{number}", "confirm", 1.0, 0.0, 1)
    assert isinstance(shares, Contributed)
    assert isinstance(added(shares, "b", "confirm", 1.0, 0.0, 1), dict)
    assert by_agent_and_cause(None) == {}
