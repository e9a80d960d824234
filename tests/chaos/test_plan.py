"""The schedule of a run."""

from itertools import pairwise

from tests.chaos.plan import Kill, Plan, blows


def test_follows_from_the_seed() -> None:
    """The same seed gives the same blows, another one others."""
    plan = Plan(seed=3, kills=50)
    assert list(blows(plan)) == list(blows(plan))
    assert list(blows(plan)) != list(blows(Plan(seed=4, kills=50)))


def test_counts_its_kills() -> None:
    """There are as many kills as were asked for, of every sort, and the last blow is one."""
    schedule = list(blows(Plan(kills=200)))
    kills = [blow.what for blow in schedule if isinstance(blow.what, Kill)]
    assert len(kills) == schedule[-1].kills == 200
    assert {kill.victim for kill in kills} == {"agent", "subscriber", "host", "broker"}
    assert all(0 <= after.kills - before.kills <= 1 for before, after in pairwise(schedule))
